import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { toast, toastError } from './toast.tsx';

/** Browsers give pages the clipboard only over https and on this machine. */
async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    throw new Error('The browser does not let this page copy. Select the text and copy it.');
  }
}

/** A button that copies a text; `label` says which, such as "Copy the token". */
export const CopyButton = ({ text, label }: { readonly text: string; readonly label: string }): ReactNode => (
  <Button
    small
    icon="copy"
    aria-label={label}
    onClick={() => {
      copy(text).then(() => toast('Copied'), toastError);
    }}
  >
    Copy
  </Button>
);
