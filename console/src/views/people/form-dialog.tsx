import { type FormEvent, type ReactNode, useId } from 'react';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorNotice } from '../../ui/notice.tsx';

interface FormDialogProps {
  readonly title: string;
  readonly onClose: () => void;
  /** What the button says that sends it. */
  readonly action: string;
  readonly onSubmit: () => void;
  readonly isPending: boolean;
  /** What is wrong, besides what stands at the fields. */
  readonly error: Error | null;
  readonly children: ReactNode;
}

/** A form in a window. Enter sends it. */
export function FormDialog({
  title,
  onClose,
  action,
  onSubmit,
  isPending,
  error,
  children,
}: FormDialogProps): ReactNode {
  const id = useId();
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <Dialog
      title={title}
      isOpen
      onClose={onClose}
      actions={
        <Button kind="primary" type="submit" form={id} disabled={isPending}>
          {action}
        </Button>
      }
    >
      <form id={id} className="people-fields" onSubmit={submit}>
        {error && <ErrorNotice error={error} />}
        {children}
      </form>
    </Dialog>
  );
}
