'use server';
import { updateTag } from 'next/cache';
import { SheafError } from 'sheaf/client';
import { sheaf } from '../../../lib/sheaf';

/** Answers with what the form is to say. */
export async function addReview(restaurant: string, _said: string | null, form: FormData): Promise<string> {
  try {
    const comment = form.get('comment')?.toString() ?? null;
    await sheaf.reviews.create({ restaurant, score: Number(form.get('score')), comment });
  } catch (error) {
    if (error instanceof SheafError && error.status === 400) return error.message;
    throw error;
  }
  updateTag(`reviews-${restaurant}`);
  return 'Thank you!';
}
