import { Popover as Base } from '@base-ui/react/popover';
import { type ReactElement, type ReactNode, useRef, useState } from 'react';
import type { SchemaView } from '../../query/schema-view.ts';
import { type Chosen, ModelTree, type TreeUse } from './model-tree.tsx';

interface PathPickerProps {
  readonly trigger: ReactElement;
  readonly label: string;
  readonly view: SchemaView;
  readonly use: TreeUse;
  readonly onChoose: (chosen: Chosen) => void;
}

/** A button that opens the tree of the model. Once something is chosen, the focus is the chooser's to set. */
export function PathPicker({ trigger, label, view, use, onChoose }: PathPickerProps): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const hasChosen = useRef(false);
  return (
    <Base.Root
      open={isOpen}
      onOpenChange={(next) => {
        if (next) hasChosen.current = false;
        setOpen(next);
      }}
    >
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner className="popup-layer" sideOffset={4} align="start">
          <Base.Popup
            className="popup card-body find-picker-popup"
            aria-label={label}
            finalFocus={() => !hasChosen.current}
          >
            <ModelTree
              view={view}
              use={use}
              onChoose={(chosen) => {
                hasChosen.current = true;
                setOpen(false);
                onChoose(chosen);
              }}
            />
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
