// Entries as rows. Which columns there are and how they are sorted comes from the URL.
import {
  createColumnHelper,
  type Header,
  type RowSelectionState,
  rowSelectionFeature,
  rowSortingFeature,
  type SortingState,
  tableFeatures,
  useTable,
} from '@tanstack/react-table';
import { type ReactNode, useEffect, useMemo, useRef } from 'react';
import { Link } from 'wouter';
import type { ConsoleModel } from '../../../../src/console/contract.ts';
import { type Entry, titleOf, useModel } from '../../shell/model.ts';
import { entryPath } from '../../shell/paths.ts';
import { useSession } from '../../shell/session.ts';
import { Icon } from '../../ui/icon.tsx';
import { Badge, type Tone } from '../../ui/notice.tsx';
import type { Sort } from './browse-state.ts';
import { Cell } from './cells.tsx';
import type { BrowseColumn } from './columns.ts';
import type { Show } from './entries.tsx';
import type { Asked, DraftState } from './requests.ts';

/** Chosen entries by documentId. */
export type Selection = RowSelectionState;

const features = tableFeatures({ rowSortingFeature, rowSelectionFeature });
const helper = createColumnHelper<typeof features, Entry>();

const SELECT = '$select';
const STATE = '$state';
const NUMBERS = new Set(['integer', 'biginteger', 'float', 'decimal']);

interface TableProps {
  readonly asked: Asked;
  readonly entries: readonly Entry[];
  readonly states: ReadonlyMap<string, DraftState> | undefined;
  /** Whether other entries are on their way. */
  readonly isBusy: boolean;
  readonly selection: Selection;
  readonly onSelect: (selection: Selection) => void;
  readonly show: Show;
}

export function EntryTable({ asked, entries, states, isBusy, selection, onSelect, show }: TableProps): ReactNode {
  const model = useModel();
  const { mayEdit } = useSession();
  const { type, state } = asked;
  const canChoose = mayEdit(type.uid, 'delete') || (type.draftAndPublish && mayEdit(type.uid, 'publish'));
  const columns = useColumns(model, asked, states, canChoose);
  const sorting = sortingOf(asked.columns, state.sort);
  const table = useTable({
    features,
    columns,
    data: entries,
    getRowId: ({ documentId }) => documentId,
    manualSorting: true,
    state: { sorting, rowSelection: selection },
    onSortingChange: (update) => {
      const next = typeof update === 'function' ? update(sorting) : update;
      show({ sort: sortOf(asked.columns, next) });
    },
    onRowSelectionChange: (update) => onSelect(typeof update === 'function' ? update(selection) : update),
  });
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keyboard.
    <section className="table-scroll browse-scroll card" aria-label={`Entries of ${type.displayName}`} tabIndex={0}>
      <table className={canChoose ? 'table browse-table browse-table-choice' : 'table browse-table'} aria-busy={isBusy}>
        <thead>
          {table.getHeaderGroups().map((group) => (
            <tr key={group.id}>
              {group.headers.map((header) => (
                <Head key={header.id} header={header} className={classOf(header.column.id, asked)}>
                  <table.FlexRender header={header} />
                </Head>
              ))}
            </tr>
          ))}
        </thead>
        <tbody>
          {table.getRowModel().rows.map((row) => (
            <tr key={row.id} className={row.getIsSelected() ? 'browse-chosen' : undefined}>
              {row.getAllCells().map((cell) => (
                <td key={cell.id} className={classOf(cell.column.id, asked)}>
                  <table.FlexRender cell={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function classOf(id: string, { columns }: Asked): string | undefined {
  if (id === SELECT) return 'browse-select';
  const column = columns.find((one) => one.id === id);
  if (column === columns[0]) return 'browse-main';
  return column && NUMBERS.has(column.attribute.type) ? 'browse-number' : undefined;
}

/** Paths of the URL that a shown column is sorted by. */
const sortingOf = (columns: readonly BrowseColumn[], sort: readonly Sort[]): SortingState =>
  sort.flatMap(({ path, desc }) => {
    const column = columns.find(({ sortPath }) => sortPath === path);
    return column ? [{ id: column.id, desc }] : [];
  });

const sortOf = (columns: readonly BrowseColumn[], sorting: SortingState): Sort[] =>
  sorting.flatMap(({ id, desc }) => {
    const path = columns.find((column) => column.id === id)?.sortPath;
    return path ? [{ path, desc }] : [];
  });

const ORDERS = { asc: 'ascending', desc: 'descending' } as const;

function Head({
  header: { column },
  className,
  children,
}: {
  readonly header: Header<typeof features, Entry, unknown>;
  readonly className: string | undefined;
  readonly children: ReactNode;
}): ReactNode {
  const sorted = column.getIsSorted();
  if (!column.getCanSort())
    return (
      <th scope="col" className={className}>
        {children}
      </th>
    );
  return (
    <th scope="col" className={className} aria-sort={sorted === false ? 'none' : ORDERS[sorted]}>
      <button className="browse-sort" type="button" onClick={column.getToggleSortingHandler()}>
        {children}
        <span className={sorted === false ? 'browse-arrow browse-arrow-none' : 'browse-arrow'}>
          <Icon name={sorted === 'desc' ? 'chevronDown' : 'chevronUp'} />
        </span>
      </button>
    </th>
  );
}

/** The columns of the table, made anew only when what they show changes. */
function useColumns(
  model: ConsoleModel,
  { type, columns, locale, state }: Asked,
  states: TableProps['states'],
  canChoose: boolean,
) {
  const hasState = type.draftAndPublish && state.state !== 'live';
  return useMemo(() => {
    const [main, ...others] = columns;
    const valueColumn = (column: BrowseColumn, cell: (entry: Entry) => ReactNode) =>
      helper.accessor((entry) => entry[column.id], {
        id: column.id,
        header: column.id,
        enableSorting: column.sortPath !== null,
        sortDescFirst: false,
        cell: ({ row }) => cell(row.original),
      });
    return [
      ...(canChoose ? [choiceColumn((entry) => titleOf(type, entry))] : []),
      ...(main
        ? [
            valueColumn(main, (entry) => (
              <Link className="browse-title" href={entryPath(type, entry.documentId, locale)}>
                {titleOf(type, entry)}
              </Link>
            )),
          ]
        : []),
      ...(hasState
        ? [
            helper.display({
              id: STATE,
              header: 'state',
              cell: ({ row }) => <StateBadge state={states?.get(row.original.documentId)} />,
            }),
          ]
        : []),
      ...others.map((column) =>
        valueColumn(column, (entry) => <Cell model={model} type={type} attribute={column.attribute} entry={entry} />),
      ),
    ];
  }, [model, type, columns, locale, hasState, states, canChoose]);
}

const choiceColumn = (title: (entry: Entry) => string) =>
  helper.display({
    id: SELECT,
    header: ({ table }) => (
      <Choice
        label="Choose all on this page"
        isChosen={table.getIsAllRowsSelected()}
        isPartly={table.getIsSomeRowsSelected()}
        onChange={table.getToggleAllRowsSelectedHandler()}
      />
    ),
    cell: ({ row }) => (
      <Choice
        label={`Choose ${title(row.original)}`}
        isChosen={row.getIsSelected()}
        onChange={row.getToggleSelectedHandler()}
      />
    ),
  });

function Choice({
  label,
  isChosen,
  isPartly = false,
  onChange,
}: {
  readonly label: string;
  readonly isChosen: boolean;
  readonly isPartly?: boolean;
  readonly onChange: (event: unknown) => void;
}): ReactNode {
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (box.current) box.current.indeterminate = isPartly && !isChosen;
  }, [isPartly, isChosen]);
  return <input ref={box} type="checkbox" aria-label={label} checked={isChosen} onChange={onChange} />;
}

const TONES: Readonly<Record<DraftState, Tone>> = { draft: 'info', modified: 'warn', published: 'good' };

/** As wide as the longest state, so that nothing moves when it has come. */
const StateBadge = ({ state }: { readonly state: DraftState | undefined }): ReactNode => (
  <span className="browse-state">{state && <Badge tone={TONES[state]}>{state}</Badge>}</span>
);
