import {
  type Announcements,
  closestCenter,
  DndContext,
  type DragEndEvent,
  KeyboardSensor,
  PointerSensor,
  useSensor,
  useSensors,
} from '@dnd-kit/core';
import {
  arrayMove,
  rectSortingStrategy,
  SortableContext,
  sortableKeyboardCoordinates,
  useSortable,
} from '@dnd-kit/sortable';
import { CSS } from '@dnd-kit/utilities';
import type { ReactNode } from 'react';
import type { StoredFile } from '../../files/file.ts';
import { FileFigure } from '../../files/file-picture.tsx';
import { IconButton } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';

interface MediaCardsProps {
  readonly label: string;
  readonly files: readonly StoredFile[];
  readonly isMovable: boolean;
  /** Told the ids in their new order. */
  readonly onMove: (ids: readonly number[]) => void;
  /** Null where nothing can be taken away. */
  readonly onRemove: ((id: number) => void) | null;
  readonly onShow: (file: StoredFile) => void;
}

/** The chosen files as cards, moved by pointer, finger and keys. */
export function MediaCards({ label, files, isMovable, onMove, onRemove, onShow }: MediaCardsProps): ReactNode {
  const sensors = useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance: 4 } }),
    useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
  );
  const ids = files.map(({ id }) => id);
  const end = ({ active, over }: DragEndEvent): void => {
    if (!over || active.id === over.id) return;
    onMove(arrayMove(ids, ids.indexOf(Number(active.id)), ids.indexOf(Number(over.id))));
  };
  if (files.length === 0) return null;
  const isSorted = isMovable && files.length > 1;
  return (
    <DndContext
      sensors={sensors}
      collisionDetection={closestCenter}
      onDragEnd={end}
      accessibility={{ announcements: announcementsOf(files), screenReaderInstructions: { draggable: INSTRUCTIONS } }}
    >
      <SortableContext items={ids} strategy={rectSortingStrategy}>
        <ul className="media-cards" aria-label={label}>
          {files.map((file) => (
            <Card key={file.id} file={file} isSorted={isSorted} onRemove={onRemove} onShow={onShow} />
          ))}
        </ul>
      </SortableContext>
    </DndContext>
  );
}

const INSTRUCTIONS =
  'Press space to lift the file, arrow keys to move it, space again to put it down, escape to leave it.';

function announcementsOf(files: readonly StoredFile[]): Announcements {
  const name = (id: number | string): string => files.find((file) => file.id === Number(id))?.name ?? '';
  const place = (id: number | string): string =>
    `${files.findIndex((file) => file.id === Number(id)) + 1} of ${files.length}`;
  return {
    onDragStart: ({ active }) => `${name(active.id)} is lifted, at ${place(active.id)}.`,
    onDragOver: ({ active, over }) => (over ? `${name(active.id)} is at ${place(over.id)}.` : undefined),
    onDragEnd: ({ active, over }) => `${name(active.id)} is put down${over ? ` at ${place(over.id)}` : ''}.`,
    onDragCancel: ({ active }) => `${name(active.id)} stays where it was.`,
  };
}

interface CardProps extends Pick<MediaCardsProps, 'onRemove' | 'onShow'> {
  readonly file: StoredFile;
  readonly isSorted: boolean;
}

function Card({ file, isSorted, onRemove, onShow }: CardProps): ReactNode {
  const { attributes, listeners, setNodeRef, setActivatorNodeRef, transform, transition, isDragging } = useSortable({
    id: file.id,
    disabled: !isSorted,
  });
  return (
    <li
      ref={setNodeRef}
      className={isDragging ? 'files-card media-card media-card-lifted' : 'files-card media-card'}
      style={{ transform: CSS.Translate.toString(transform), transition }}
    >
      <button type="button" className="media-open" onClick={() => onShow(file)} title="Details">
        <FileFigure file={file} />
      </button>
      <div className="media-actions">
        {isSorted && (
          <button
            ref={setActivatorNodeRef}
            type="button"
            className="button button-plain button-small button-icon media-handle"
            {...attributes}
            {...listeners}
            aria-label={`Move ${file.name}`}
          >
            <Icon name="drag" />
          </button>
        )}
        {onRemove && (
          <IconButton small icon="close" label={`Take away ${file.name}`} onClick={() => onRemove(file.id)} />
        )}
      </div>
    </li>
  );
}
