import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api } from '../../shell/api.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { toast } from '../../ui/toast.tsx';

interface ConfirmDeleteProps {
  /** Where it is, below the API of the console. */
  readonly path: string;
  /** What it is, such as `token`, and what it is called. */
  readonly kind: string;
  readonly name: string;
  /** What deleting it means. */
  readonly children: ReactNode;
  readonly onClose: () => void;
  readonly onDeleted: () => void;
}

/** Asks whether an account, a user or a token is to be deleted, and deletes it. */
export function ConfirmDelete({ path, kind, name, children, onClose, onDeleted }: ConfirmDeleteProps): ReactNode {
  const remove = useMutation({
    mutationFn: () => api.delete(path),
    onSuccess: () => {
      toast(`${name} is deleted`);
      onClose();
      onDeleted();
    },
  });
  return (
    <Confirm
      title={`Delete ${name}?`}
      isOpen
      onClose={onClose}
      action={`Delete the ${kind}`}
      onConfirm={() => remove.mutate()}
      isPending={remove.isPending}
      error={remove.error}
    >
      <p>{children}</p>
    </Confirm>
  );
}
