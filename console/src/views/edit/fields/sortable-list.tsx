// A list whose items are moved by dragging, by the keyboard, or by buttons.
import {
  type Announcements,
  type CollisionDetection,
  DndContext,
  type DragEndEvent,
  KeyboardCode,
  type KeyboardCoordinateGetter,
  KeyboardSensor,
  PointerSensor,
  type ScreenReaderInstructions,
  type UniqueIdentifier,
  useSensor,
  useSensors,
} from '@dnd-kit/core';
import { SortableContext, useSortable, verticalListSortingStrategy } from '@dnd-kit/sortable';
import { CSS } from '@dnd-kit/utilities';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { IconButton } from '../../../ui/button.tsx';

interface SortableListProps<T> {
  readonly items: readonly T[];
  readonly keyOf: (item: T) => string;
  /** What an item is called, for whoever hears it moved. */
  readonly labelOf: (item: T, index: number) => string;
  readonly onMove: (from: number, to: number) => void;
  readonly readOnly: boolean;
  /** `controls`: the handle and the buttons that move an item. */
  readonly children: (item: T, index: number, controls: ReactNode) => ReactNode;
}

/** About the height of a closed item, in pixels. An open one is taken hold of by its first line as well. */
const HEAD = 40;

/** The item whose first line is nearest, so that those that are open do not stand in the way. */
const nearestHead: CollisionDetection = ({ droppableContainers, droppableRects, collisionRect }) => {
  const y = collisionRect.top + HEAD / 2;
  return droppableContainers
    .flatMap((droppableContainer) => {
      const rect = droppableRects.get(droppableContainer.id);
      if (!rect) return [];
      const value = Math.abs(y - rect.top - Math.min(rect.height, HEAD) / 2);
      return [{ id: droppableContainer.id, data: { droppableContainer, value } }];
    })
    .sort((one, other) => one.data.value - other.data.value);
};

const STEPS: Readonly<Record<string, number>> = { [KeyboardCode.Down]: 1, [KeyboardCode.Up]: -1 };

/** An arrow leads to the next item, whatever their heights are. */
const toNextItem: KeyboardCoordinateGetter = (
  event,
  { context: { active, over, droppableContainers, droppableRects } },
) => {
  const step = STEPS[event.code];
  if (step === undefined || !active) return undefined;
  event.preventDefault();
  const places = droppableContainers
    .getEnabled()
    .flatMap(({ id }) => {
      const rect = droppableRects.get(id);
      return rect ? [{ id, rect }] : [];
    })
    .sort((one, other) => one.rect.top - other.rect.top);
  const at = places.findIndex(({ id }) => id === (over ?? active).id);
  const next = places[at + step];
  return next && { x: next.rect.left, y: next.rect.top };
};

/** Pixels that a pointer moves before it drags, so that a click is still one. */
const DRAG_DISTANCE = 4;

export function SortableList<T>({
  items,
  keyOf,
  labelOf,
  onMove,
  readOnly,
  children,
}: SortableListProps<T>): ReactNode {
  const sensors = useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance: DRAG_DISTANCE } }),
    useSensor(KeyboardSensor, { coordinateGetter: toNextItem }),
  );
  const keys = items.map(keyOf);
  const [told, setTold] = useState('');
  const { list, press } = useMovedFocus();
  const step = (from: number, to: number): void => {
    press({ key: keys[from]!, isUp: to < from });
    setTold(`${labelOf(items[from]!, from)} was put at place ${to + 1} of ${keys.length}.`);
    onMove(from, to);
  };
  const nameOf = (key: UniqueIdentifier): string => {
    const index = keys.indexOf(String(key));
    return index < 0 ? '' : labelOf(items[index]!, index);
  };
  const end = ({ active, over }: DragEndEvent): void => {
    const [from, to] = [keys.indexOf(String(active.id)), over ? keys.indexOf(String(over.id)) : -1];
    if (from >= 0 && to >= 0 && from !== to) onMove(from, to);
  };
  return (
    <DndContext
      sensors={sensors}
      collisionDetection={nearestHead}
      onDragEnd={end}
      accessibility={{ announcements: announcementsOf(keys, nameOf), screenReaderInstructions: INSTRUCTIONS }}
    >
      <SortableContext items={keys} strategy={verticalListSortingStrategy}>
        <ol className="edit-list" ref={list}>
          {items.map((item, index) => (
            <SortableItem
              key={keys[index]!}
              id={keys[index]!}
              label={labelOf(item, index)}
              readOnly={readOnly}
              onUp={index > 0 ? () => step(index, index - 1) : null}
              onDown={index < items.length - 1 ? () => step(index, index + 1) : null}
            >
              {(controls) => children(item, index, controls)}
            </SortableItem>
          ))}
        </ol>
      </SortableContext>
      <div className="visually-hidden" role="status">
        {told}
      </div>
    </DndContext>
  );
}

const INSTRUCTIONS: ScreenReaderInstructions = {
  draggable: 'To move it, press space, then the arrow keys, and space again. Escape puts it back.',
};

/** What those hear who do not see an item dragged. */
function announcementsOf(keys: readonly string[], nameOf: (key: UniqueIdentifier) => string): Announcements {
  const placeOf = (key: UniqueIdentifier): string => `place ${keys.indexOf(String(key)) + 1} of ${keys.length}`;
  return {
    onDragStart: ({ active }) => `Picked up ${nameOf(active.id)}, ${placeOf(active.id)}.`,
    onDragOver: ({ active, over }) => (over ? `${nameOf(active.id)} is over ${placeOf(over.id)}.` : undefined),
    onDragEnd: ({ active, over }) =>
      over ? `${nameOf(active.id)} was put at ${placeOf(over.id)}.` : `${nameOf(active.id)} was put back.`,
    onDragCancel: ({ active }) => `${nameOf(active.id)} was put back.`,
  };
}

/** Which button was pressed to move an item. */
interface Pressed {
  readonly key: string;
  readonly isUp: boolean;
}

/** Gives the focus back to an item that was moved by a button: a browser takes it from what is moved on the page. */
function useMovedFocus() {
  const list = useRef<HTMLOListElement>(null);
  const pressed = useRef<Pressed | null>(null);
  useEffect(() => {
    if (pressed.current) focusMoved(list.current, pressed.current);
    pressed.current = null;
  });
  return {
    list,
    press: (button: Pressed): void => {
      pressed.current = button;
    },
  };
}

/** The same button of the item where it is now, or the other one at the end of the list. */
function focusMoved(list: HTMLElement | null, { key, isUp }: Pressed): void {
  const item = [...(list?.children ?? [])].find((child) => child instanceof HTMLElement && child.dataset.key === key);
  const buttons = [...(item?.querySelectorAll<HTMLButtonElement>('.edit-controls button:not(.edit-handle)') ?? [])];
  const [same, other] = isUp ? buttons : buttons.toReversed();
  (same?.disabled ? other : same)?.focus();
}

interface SortableItemProps {
  readonly id: string;
  readonly label: string;
  readonly readOnly: boolean;
  readonly onUp: (() => void) | null;
  readonly onDown: (() => void) | null;
  readonly children: (controls: ReactNode) => ReactNode;
}

function SortableItem({ id, label, readOnly, onUp, onDown, children }: SortableItemProps): ReactNode {
  const { attributes, listeners, setNodeRef, setActivatorNodeRef, transform, transition, isDragging } = useSortable({
    id,
    disabled: readOnly,
  });
  const style = { transform: CSS.Translate.toString(transform), transition: transition ?? undefined };
  const controls = !readOnly && (
    <span className="edit-controls">
      <button
        ref={setActivatorNodeRef}
        type="button"
        className="button button-plain button-small button-icon edit-handle"
        {...attributes}
        {...listeners}
        aria-label={`Drag ${label}`}
      >
        <span aria-hidden="true">⠿</span>
      </button>
      <IconButton small icon="chevronUp" label={`Move ${label} up`} disabled={!onUp} onClick={onUp ?? undefined} />
      <IconButton
        small
        icon="chevronDown"
        label={`Move ${label} down`}
        disabled={!onDown}
        onClick={onDown ?? undefined}
      />
    </span>
  );
  return (
    <li
      ref={setNodeRef}
      data-key={id}
      style={style}
      className={isDragging ? 'edit-item edit-item-dragged' : 'edit-item'}
    >
      {children(controls)}
    </li>
  );
}
