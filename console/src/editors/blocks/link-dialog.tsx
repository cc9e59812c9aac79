import { type FormEvent, type ReactNode, useId, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, TextInput } from '../../ui/field.tsx';
import { completedUrl, isLinkUrl } from '../url.ts';

interface LinkDialogProps {
  /** The link as it is; null for a new one. */
  readonly url: string | null;
  /** Whether there is no text yet that becomes the link. */
  readonly asksText: boolean;
  readonly onSet: (url: string, text: string) => void;
  readonly onRemove: () => void;
  readonly onClose: () => void;
}

/** Asks where a link leads. */
export function LinkDialog({ url, asksText, onSet, onRemove, onClose }: LinkDialogProps): ReactNode {
  const form = useId();
  const [typed, setTyped] = useState(url ?? '');
  const [text, setText] = useState('');
  const [error, setError] = useState<string | null>(null);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    // The form of the entry is around this one.
    event.stopPropagation();
    const completed = completedUrl(typed);
    if (isLinkUrl(completed)) onSet(completed, text);
    else setError('Write a whole address such as https://example.com, or a path of the site such as /about.');
  };
  return (
    <Dialog
      title={url === null ? 'Add a link' : 'Change the link'}
      isOpen
      onClose={onClose}
      actions={
        <>
          <Button kind="primary" type="submit" form={form}>
            Set the link
          </Button>
          {url !== null && (
            <Button kind="danger" onClick={onRemove}>
              Remove the link
            </Button>
          )}
        </>
      }
    >
      <form id={form} className="stack" onSubmit={submit} noValidate>
        <Field label="Address" error={error} required>
          {(control) => (
            <TextInput
              {...control}
              inputMode="url"
              value={typed}
              onChange={(event) => {
                setTyped(event.target.value);
                setError(null);
              }}
            />
          )}
        </Field>
        {asksText && (
          <Field label="Text" hint="Without one, the address is shown.">
            {(control) => <TextInput {...control} value={text} onChange={(event) => setText(event.target.value)} />}
          </Field>
        )}
      </form>
    </Dialog>
  );
}
