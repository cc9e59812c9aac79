'use client';
import { useActionState } from 'react';
import { addReview } from './actions';

export function ReviewForm({ documentId }: { documentId: string }) {
  const [message, action, isPending] = useActionState(addReview.bind(null, documentId), null);
  return (
    <form action={action}>
      <input name="score" type="number" min="1" max="5" required />
      <textarea name="comment" />
      <button disabled={isPending}>Send</button>
      <p>{message}</p>
    </form>
  );
}
