import { Menu as Base } from '@base-ui/react/menu';
import type { ReactElement, ReactNode } from 'react';

export interface MenuItem {
  readonly label: ReactNode;
  readonly onSelect: () => void;
  readonly disabled?: boolean;
}

/** A button that opens a list of things to do. */
export function Menu({
  trigger,
  items,
}: {
  readonly trigger: ReactElement;
  readonly items: readonly MenuItem[];
}): ReactNode {
  return (
    <Base.Root modal={false}>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner className="popup-layer" sideOffset={4}>
          <Base.Popup className="popup">
            {items.map(({ label, onSelect, disabled = false }, index) => (
              <Base.Item key={index} className="menu-item" onClick={onSelect} disabled={disabled}>
                {label}
              </Base.Item>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
