import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { ErrorNotice } from './notice.tsx';

interface ConfirmProps {
  /** The question. */
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** What the button says that does it. */
  readonly action: string;
  readonly onConfirm: () => void;
  readonly isPending?: boolean;
  readonly error?: Error | null;
  readonly children?: ReactNode;
}

/** Asks before something is done that cannot be undone. */
export const Confirm = ({
  title,
  isOpen,
  onClose,
  action,
  onConfirm,
  isPending = false,
  error,
  children,
}: ConfirmProps): ReactNode => (
  <Dialog
    title={title}
    isOpen={isOpen}
    onClose={onClose}
    actions={
      <Button kind="danger" disabled={isPending} onClick={onConfirm}>
        {action}
      </Button>
    }
  >
    {children}
    {error && <ErrorNotice error={error} />}
  </Dialog>
);
