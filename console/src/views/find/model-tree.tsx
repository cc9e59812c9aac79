// The attributes of the model as a tree to choose from, through relations and components to any depth. The arrow keys
// move in it and open and close its branches, Enter chooses.
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import type { ConsoleAttribute } from '../../../../src/console/contract.ts';
import {
  isFilterable,
  isSortable,
  isToMany,
  leadsOn,
  namesIn,
  type SchemaView,
  targetOf,
} from '../../query/schema-view.ts';
import { humanized } from '../../query/words.ts';
import { TextInput } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';

export type TreeUse = 'filter' | 'sort';

export interface Chosen {
  readonly path: readonly string[];
  /** The last name, which is that of a relation or component where that is chosen itself. */
  readonly attribute: ConsoleAttribute;
}

interface Row extends Chosen {
  readonly key: string;
  readonly level: number;
  readonly label: string;
  /** Whether it is a branch, rather than something to choose. */
  readonly isBranch: boolean;
  readonly isOpen: boolean;
}

/** How deep a search goes; by hand one can go deeper. */
const SEARCH_DEPTH = 3;
const MOST_FOUND = 60;

const fits = (use: TreeUse, attribute: ConsoleAttribute): boolean =>
  use === 'filter' ? isFilterable(attribute) : isSortable(attribute);

/** What is said of a relation or a component itself. */
function selfLabel(use: TreeUse, attribute: ConsoleAttribute): string | null {
  if (use === 'sort') return isToMany(attribute) ? `number of ${humanized(attribute.name)}` : null;
  return `${humanized(attribute.name)}: which, whether any${isToMany(attribute) ? ', how many' : ''}`;
}

function rowsOf(view: SchemaView, use: TreeUse, open: ReadonlySet<string>, above: readonly string[] = []): Row[] {
  return namesIn(view)
    .filter((attribute) => fits(use, attribute))
    .flatMap((attribute): Row[] => {
      const path = [...above, attribute.name];
      const key = path.join('.');
      const target = leadsOn(attribute) ? targetOf(view.model, attribute) : null;
      const isOpen = open.has(key);
      const row = {
        key,
        path,
        attribute,
        level: path.length,
        label: attribute.name,
        isBranch: target !== null,
        isOpen,
      };
      if (!target || !isOpen) return [row];
      const self = selfLabel(use, attribute);
      const own: Row[] = self
        ? [{ ...row, key: `${key}.`, level: path.length + 1, label: self, isBranch: false, isOpen: false }]
        : [];
      return [row, ...own, ...rowsOf(target, use, open, path)];
    });
}

/** Everything whose path has all the words, the shortest first. */
function foundIn(view: SchemaView, use: TreeUse, text: string): Row[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found: Row[] = [];
  const visit = (here: SchemaView, above: readonly string[]): void => {
    for (const attribute of namesIn(here)) {
      if (!fits(use, attribute)) continue;
      const path = [...above, attribute.name];
      const target = leadsOn(attribute) ? targetOf(here.model, attribute) : null;
      const self = target ? selfLabel(use, attribute) : attribute.name;
      const place = path.map(humanized).join(' ');
      if (self !== null && words.every((word) => place.includes(word) || path.join('.').toLowerCase().includes(word)))
        found.push({
          key: path.join('.'),
          path,
          attribute,
          level: 1,
          label: target ? [...above, self].join(' › ') : path.join(' › '),
          isBranch: false,
          isOpen: false,
        });
      if (target && path.length < SEARCH_DEPTH) visit(target, path);
    }
  };
  visit(view, []);
  return found.sort((a, b) => a.path.length - b.path.length).slice(0, MOST_FOUND);
}

interface ModelTreeProps {
  readonly view: SchemaView;
  readonly use: TreeUse;
  readonly onChoose: (chosen: Chosen) => void;
}

export function ModelTree({ view, use, onChoose }: ModelTreeProps): ReactNode {
  const [text, setText] = useState('');
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const [active, setActive] = useState<string | null>(null);
  const tree = useRef<HTMLDivElement>(null);
  const rows = text.trim() === '' ? rowsOf(view, use, open) : foundIn(view, use, text);
  const index = Math.max(
    0,
    rows.findIndex(({ key }) => key === active),
  );
  useEffect(() => {
    if (active !== null && tree.current?.contains(document.activeElement))
      tree.current.querySelector<HTMLElement>('[tabindex="0"]')?.focus();
  }, [active]);
  const toggle = ({ key }: Row): void =>
    setOpen(open.has(key) ? new Set([...open].filter((one) => one !== key)) : new Set([...open, key]));
  const press = (row: Row): void => (row.isBranch ? toggle(row) : onChoose(row));
  const onKey = (event: KeyboardEvent): void => {
    const row = rows[index];
    if (!row) return;
    const next = keyStep(event.key, rows, index);
    if (event.key === 'Enter' || event.key === ' ') press(row);
    else if (next === 'toggle') toggle(row);
    else if (typeof next === 'number') setActive(rows[next]!.key);
    else return;
    event.preventDefault();
  };
  return (
    <div className="find-picker">
      <TextInput
        type="search"
        aria-label="Search attributes"
        placeholder="Search attributes"
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          const first = rows[0];
          if (!first || (event.key !== 'ArrowDown' && event.key !== 'Enter')) return;
          event.preventDefault();
          if (event.key === 'Enter' && text.trim() !== '') onChoose(first);
          else {
            setActive(first.key);
            tree.current?.querySelector<HTMLElement>('[role="treeitem"]')?.focus();
          }
        }}
      />
      {rows.length === 0 && <p className="soft">Nothing has such a name</p>}
      <div ref={tree} role="tree" aria-label="Attributes" className="find-tree" onKeyDown={onKey} tabIndex={-1}>
        {rows.map((row, at) => (
          <TreeRow key={row.key} row={row} isActive={at === index} onPress={() => press(row)} />
        ))}
      </div>
    </div>
  );
}

/** Where an arrow key leads: to another row, or to open or close this one. */
function keyStep(key: string, rows: readonly Row[], index: number): number | 'toggle' | null {
  const row = rows[index]!;
  switch (key) {
    case 'ArrowDown':
      return Math.min(index + 1, rows.length - 1);
    case 'ArrowUp':
      return Math.max(index - 1, 0);
    case 'Home':
      return 0;
    case 'End':
      return rows.length - 1;
    case 'ArrowRight':
      if (!row.isBranch) return null;
      return row.isOpen ? Math.min(index + 1, rows.length - 1) : 'toggle';
    case 'ArrowLeft': {
      if (row.isOpen) return 'toggle';
      const parent = rows.slice(0, index).findLastIndex(({ level }) => level < row.level);
      return parent < 0 ? null : parent;
    }
    default:
      return null;
  }
}

function TreeRow({
  row,
  isActive,
  onPress,
}: {
  readonly row: Row;
  readonly isActive: boolean;
  readonly onPress: () => void;
}): ReactNode {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree has the keys.
    <div
      role="treeitem"
      aria-level={row.level}
      aria-expanded={row.isBranch ? row.isOpen : undefined}
      aria-selected={false}
      aria-label={`${row.isBranch || !leadsOn(row.attribute) ? row.path.join(' › ') : row.label}, ${typeWords(row)}`}
      tabIndex={isActive ? 0 : -1}
      className="find-tree-row"
      style={{ paddingLeft: `${row.level * 16 - 8}px` }}
      onClick={onPress}
    >
      {row.isBranch ? <Icon name={row.isOpen ? 'chevronDown' : 'chevronRight'} /> : <span className="find-tree-leaf" />}
      <span>{row.label}</span> <span className="soft find-tree-type">{typeWords(row)}</span>
    </div>
  );
}

function typeWords({ attribute, isBranch, path, label }: Row): string {
  if (!isBranch && leadsOn(attribute)) return 'itself';
  const many = isToMany(attribute) ? 'to many' : '';
  const kind = attribute.type === 'relation' ? 'relation' : attribute.type;
  const index = attribute.hasIndex && !leadsOn(attribute) && path.length === 1 && label !== 'id' ? 'index' : '';
  return [kind, many, index].filter(Boolean).join(', ');
}
