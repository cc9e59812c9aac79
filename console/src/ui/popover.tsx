import { Popover as Base } from '@base-ui/react/popover';
import type { ReactElement, ReactNode } from 'react';

interface PopoverProps {
  readonly trigger: ReactElement;
  /** What the window is called. */
  readonly label: string;
  readonly children: ReactNode;
}

/** A button that opens a small window beside it. */
export const Popover = ({ trigger, label, children }: PopoverProps): ReactNode => (
  <Base.Root>
    <Base.Trigger render={trigger} />
    <Base.Portal>
      <Base.Positioner className="popup-layer" sideOffset={4}>
        <Base.Popup className="popup card-body" aria-label={label}>
          {children}
        </Base.Popup>
      </Base.Positioner>
    </Base.Portal>
  </Base.Root>
);
