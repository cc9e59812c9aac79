// A tree of conditions: groups, conditions on one related entry, and comparisons, which are added, changed, moved by
// dragging or by the menu of each, negated and removed.
import {
  DndContext,
  type DragEndEvent,
  PointerSensor,
  pointerWithin,
  useDraggable,
  useDroppable,
  useSensor,
  useSensors,
} from '@dnd-kit/core';
import { type ReactNode, useEffect, useRef } from 'react';
import type { Titles } from '../../query/clauses.ts';
import { errorPath, isErrorOf, newCondition } from '../../query/conditions.ts';
import { type FilterDraft, group } from '../../query/draft.ts';
import { childrenOf, type Filters, insertAt, moveTo, type Place, replaceAt } from '../../query/edit-filters.ts';
import type { SchemaView } from '../../query/schema-view.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { ConditionRow } from './condition-row.tsx';
import { EditingContext, type ListProps, useEditing } from './editing.ts';
import { GroupHead, ScopeHead } from './group-head.tsx';
import { NodeMenu } from './node-menu.tsx';
import { PathPicker } from './path-picker.tsx';
import type { Problem } from './use-answer.ts';

interface FilterEditorProps {
  readonly label: string;
  readonly filters: Filters;
  /** Null where the model does not know what they are about. */
  readonly view: SchemaView | null;
  readonly titles: Titles;
  /** What the server refuses in these conditions. */
  readonly problem: Problem | null;
  readonly onChange: (filters: Filters) => void;
}

/** Pixels that a pointer moves before it drags, so that a click is still one. */
const DRAG_DISTANCE = 4;

const keyOf = (place: Place): string => place.join('.');
const placeOf = (key: string): Place => key.split('.').map(Number);

export function FilterEditor({ label, filters, view, titles, problem, onChange }: FilterEditorProps): ReactNode {
  const focus = useRef<string | null>(null);
  const sensors = useSensors(useSensor(PointerSensor, { activationConstraint: { distance: DRAG_DISTANCE } }));
  const change = (next: Filters, to?: Place): void => {
    focus.current = to ? keyOf(to) : null;
    onChange(next);
  };
  const drop = ({ active, over }: DragEndEvent): void => {
    const moved = over && moveTo(filters, placeOf(String(active.id)), placeOf(String(over.id)));
    if (moved) change(moved);
  };
  return (
    <EditingContext value={{ filters, change, titles, problem, focus, renderList }}>
      <DndContext sensors={sensors} collisionDetection={pointerWithin} onDragEnd={drop}>
        <section className="find-filters" aria-label={label}>
          <NodeList nodes={filters} at={[]} view={view} above={[]} />
        </section>
      </DndContext>
    </EditingContext>
  );
}

const renderList = (props: ListProps): ReactNode => <NodeList {...props} />;

function NodeList({ nodes, at, view, above }: ListProps): ReactNode {
  const { filters, change } = useEditing();
  const end = [...at, nodes.length];
  const add = (node: FilterDraft): void => change(insertAt(filters, end, node), end);
  return (
    <div className="find-list">
      <ul>
        {nodes.map((node, index) => {
          const place = [...at, index];
          return <NodeItem key={keyOf(place)} node={node} place={place} view={view} above={above} />;
        })}
      </ul>
      <DropLine place={end} />
      <div className="row">
        {view && (
          <PathPicker
            label="Choose an attribute"
            view={view}
            use="filter"
            trigger={
              <Button small icon="add">
                Add condition
              </Button>
            }
            onChoose={({ path, attribute }) => add(newCondition(path, attribute))}
          />
        )}
        <Button small kind="plain" icon="add" onClick={() => add(group('or', []))}>
          Add group
        </Button>
      </div>
    </div>
  );
}

/** Where a condition that is dragged can be put down. */
function DropLine({ place }: { readonly place: Place }): ReactNode {
  const { setNodeRef, isOver, active } = useDroppable({ id: keyOf(place) });
  const { filters } = useEditing();
  const isPossible = active !== null && moveTo(filters, placeOf(String(active.id)), place) !== null;
  const state = isPossible ? (isOver ? ' find-drop-over' : ' find-drop-possible') : '';
  return <div ref={setNodeRef} className={`find-drop${state}`} aria-hidden="true" />;
}

interface ItemProps {
  readonly node: FilterDraft;
  readonly place: Place;
  readonly view: SchemaView | null;
  readonly above: readonly string[];
}

function NodeItem({ node, place, view, above }: ItemProps): ReactNode {
  const { filters, change, problem, focus } = useEditing();
  const item = useRef<HTMLLIElement>(null);
  const key = keyOf(place);
  const { setNodeRef, listeners, isDragging } = useDraggable({ id: key });
  useEffect(() => {
    if (focus.current !== key) return;
    focus.current = null;
    item.current?.querySelector<HTMLElement>('select, input, button:not([data-handle])')?.focus();
  });
  const names = errorPath(node, above);
  const isOwn = problem?.path != null && !childrenOf(node) && isErrorOf(problem.path, names);
  const replace = (next: FilterDraft): void => change(replaceAt(filters, place, next));
  const shared = { place, view, error: isOwn ? problem.message : null, onChange: replace };
  return (
    <li ref={item} className={isDragging ? 'find-node find-dragged' : 'find-node'}>
      <DropLine place={place} />
      <div className="find-node-line" ref={setNodeRef}>
        {/* The menu of each condition moves it by keyboard. */}
        <span className="find-handle" data-handle aria-hidden="true" title="Drag to move" {...listeners}>
          <Icon name="drag" />
        </span>
        <div className="grow">
          {node.kind === 'group' && <GroupHead {...shared} node={node} />}
          {node.kind === 'scope' && <ScopeHead {...shared} node={node} above={names} />}
          {(node.kind === 'test' || node.kind === 'count') && <ConditionRow {...shared} node={node} above={names} />}
          {node.kind === 'raw' && <code>{`${node.key}: ${JSON.stringify(node.value)} (kept as it was written)`}</code>}
          {isOwn && (
            <div className="field-error" role="alert">
              {problem.message}
            </div>
          )}
        </div>
        <NodeMenu node={node} place={place} view={view} />
      </div>
      {node.kind === 'group' && (
        <div className="find-nested">
          <NodeList nodes={node.of} at={place} view={view} above={above} />
        </div>
      )}
    </li>
  );
}
