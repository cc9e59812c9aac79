import { type FormEvent, type ReactNode, useState } from 'react';
import { errorMessage } from '../../../../src/type-guards.ts';
import { Button } from '../../ui/button.tsx';
import { Field, TextInput } from '../../ui/field.tsx';

/** Takes a URL or a curl command and builds it again. `onPaste` throws in words where it cannot be read. */
export function PasteBox({ onPaste }: { readonly onPaste: (text: string) => void }): ReactNode {
  const [text, setText] = useState('');
  const [error, setError] = useState<string | null>(null);
  const take = (given: string): void => {
    try {
      onPaste(given);
      setText('');
      setError(null);
    } catch (problem) {
      setError(errorMessage(problem));
    }
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (text.trim() !== '') take(text);
  };
  return (
    <form className="find-paste" onSubmit={submit}>
      <Field label="Paste a URL or curl" error={error}>
        {(control) => (
          <span className="row">
            <span className="grow">
              <TextInput
                {...control}
                value={text}
                placeholder="/api/restaurants?filters[stars][$gte]=2"
                onChange={({ target }) => setText(target.value)}
                onPaste={(event) => {
                  // An input would join the lines of a command.
                  const pasted = event.clipboardData.getData('text');
                  if (text !== '' || pasted.trim() === '') return;
                  event.preventDefault();
                  setText(pasted.replaceAll(/\\?\r?\n/g, ' '));
                  take(pasted);
                }}
              />
            </span>
            <Button type="submit">Build</Button>
          </span>
        )}
      </Field>
    </form>
  );
}
