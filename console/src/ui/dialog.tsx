import { Dialog as Base } from '@base-ui/react/dialog';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';

interface DialogProps {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly wide?: boolean;
  readonly children: ReactNode;
  /** Buttons at the end. */
  readonly actions?: ReactNode;
}

/** A window over the page. The focus stays in it, and goes back where it was. */
export function Dialog({ title, isOpen, onClose, wide = false, children, actions }: DialogProps): ReactNode {
  return (
    <Base.Root open={isOpen} onOpenChange={(next) => !next && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="backdrop popup-layer" />
        <Base.Popup className={wide ? 'dialog dialog-wide popup-layer' : 'dialog popup-layer'}>
          <Base.Title>{title}</Base.Title>
          {children}
          <div className="row">
            {actions}
            <Button onClick={onClose}>{actions ? 'Cancel' : 'Close'}</Button>
          </div>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
