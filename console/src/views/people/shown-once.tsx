import type { ReactNode } from 'react';
import { CopyButton } from '../../ui/copy.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Notice } from '../../ui/notice.tsx';

/** A secret that the server does not keep, and cannot show again. */
export const ShownOnce = ({
  title,
  name,
  secret,
  warning,
  onClose,
}: {
  readonly title: string;
  /** What it is, such as "token". */
  readonly name: string;
  readonly secret: string;
  readonly warning: string;
  readonly onClose: () => void;
}): ReactNode => (
  <Dialog title={title} isOpen onClose={onClose}>
    <Notice tone="warn">{warning}</Notice>
    <output className="code-block people-secret" aria-label={`The ${name}`}>
      <code>{secret}</code>
    </output>
    <div>
      <CopyButton text={secret} label={`Copy the ${name}`} />
    </div>
  </Dialog>
);
