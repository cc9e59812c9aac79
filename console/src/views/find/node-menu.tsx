import type { ReactNode } from 'react';
import { asScope, manyAt, namesOf } from '../../query/conditions.ts';
import { type FilterDraft, group } from '../../query/draft.ts';
import {
  insertAt,
  MOVES,
  type Move,
  moveBy,
  type Place,
  placeAfter,
  removeAt,
  replaceAt,
} from '../../query/edit-filters.ts';
import { attributesAlong, type SchemaView } from '../../query/schema-view.ts';
import { humanized } from '../../query/words.ts';
import { IconButton } from '../../ui/button.tsx';
import { Menu, type MenuItem } from '../../ui/menu.tsx';
import { useEditing } from './editing.ts';

const MOVE_LABELS: Readonly<Record<Move, string>> = {
  up: 'Move up',
  down: 'Move down',
  into: 'Move into the group beside it',
  out: 'Move out of its group',
};

interface NodeMenuProps {
  readonly node: FilterDraft;
  readonly place: Place;
  readonly view: SchemaView | null;
}

/** What a condition or group is called in the names of its buttons. */
export function nodeName(node: FilterDraft): string {
  if (node.kind === 'group') return 'group';
  if (node.kind === 'raw') return node.key;
  const names = namesOf(node.path);
  return (
    (names.at(-1) === 'documentId' && names.length > 1 ? names.slice(0, -1) : names).map(humanized).join(' › ') ||
    'value'
  );
}

export function NodeMenu({ node, place, view }: NodeMenuProps): ReactNode {
  const { filters, change } = useEditing();
  const moves = MOVES.map((move): MenuItem => {
    const moved = moveBy(filters, place, move);
    return {
      label: MOVE_LABELS[move],
      disabled: moved === null,
      onSelect: () => moved && change(moved, placeAfter(filters, place, move)),
    };
  });
  const name = nodeName(node);
  return (
    <span className="find-node-buttons">
      <Menu
        trigger={<IconButton small icon="more" label={`Move or change ${name}`} />}
        items={[
          ...sameEntryItem(node, view, (next) => change(replaceAt(filters, place, next), place)),
          ...moves,
          { label: 'Put into a group', onSelect: () => change(replaceAt(filters, place, group('or', [node])), place) },
          {
            label: 'Duplicate',
            onSelect: () =>
              change(insertAt(filters, place.with(-1, place.at(-1)! + 1), node), place.with(-1, place.at(-1)! + 1)),
          },
        ]}
      />
      <IconButton small icon="delete" label={`Remove ${name}`} onClick={() => change(removeAt(filters, place))} />
    </span>
  );
}

/** Of a condition through a relation to many: others can be on the same related entry. */
function sameEntryItem(
  node: FilterDraft,
  view: SchemaView | null,
  onSelect: (node: FilterDraft) => void,
): readonly MenuItem[] {
  if (node.kind !== 'test' && node.kind !== 'count') return [];
  const at = manyAt(node.path, view);
  if (at < 0 || at >= node.path.length - 1) return [];
  const attribute = attributesAlong(view, namesOf(node.path))[at];
  const type = view?.model.types.find(({ uid }) => uid === attribute?.relation?.target);
  const one = type ? humanized(type.singularName) : humanized(node.path[at]!.name);
  return [{ label: `Further conditions on the same ${one}`, onSelect: () => onSelect(asScope(node, at)) }];
}
