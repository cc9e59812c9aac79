// The entries of a content-type: what is shown of them is in the URL.
import { type ReactNode, useMemo, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import type { ConsoleModel, ConsoleType, TypeRights } from '../../../../src/console/contract.ts';
import { defaultLocale, type Entry, useModel } from '../../shell/model.ts';
import { newEntryPath } from '../../shell/paths.ts';
import { useSession } from '../../shell/session.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { EmptyState, ErrorNotice, Spinner } from '../../ui/notice.tsx';
import { PageHeader } from '../../ui/page.tsx';
import { type BrowseState, readState, writeState } from './browse-state.ts';
import { Chosen } from './chosen.tsx';
import { columnsOf, usualColumns } from './columns.ts';
import { EntryTable, type Selection } from './entry-table.tsx';
import { Pager } from './pager.tsx';
import { type Asked, useDraftStates, useEntries } from './requests.ts';
import { Toolbar } from './toolbar.tsx';

/** Changes a part of what is shown. Whatever changes which entries there are begins at the first page. */
export type Show = (change: Partial<BrowseState>, replace?: boolean) => void;

export function Entries({ type }: { readonly type: ConsoleType }): ReactNode {
  const model = useModel();
  const { mayEdit } = useSession();
  const { asked, available, locales, show } = useAsked(model, type);
  return (
    <>
      <PageHeader title={type.displayName}>
        {mayEdit(type.uid, 'create') && (
          <ButtonLink kind="primary" icon="add" href={newEntryPath(type, asked.state.locale)}>
            New entry
          </ButtonLink>
        )}
      </PageHeader>
      <Toolbar asked={asked} available={available} locales={locales} show={show} />
      <List asked={asked} show={show} />
    </>
  );
}

function useAsked(model: ConsoleModel, type: ConsoleType) {
  // Tells of changes. It decodes what stands in the URL, which reading the parameters does as well.
  useSearch();
  const state = readState(window.location.search);
  const [, navigate] = useLocation();
  const { types, rights } = useSession();
  const mine = types[type.uid];
  const available = useMemo(
    () =>
      columnsOf(model, type, {
        canRead: (uid, attribute) => mayRead(types[uid], attribute),
        canReadFiles: rights.includes('files.read'),
      }),
    [model, type, types, rights],
  );
  const chosen = state.columns?.join(',') ?? null;
  const columns = useMemo(() => {
    const names = chosen?.split(',') ?? usualColumns(available);
    return available.filter(({ id }, index) => index === 0 || names.includes(id));
  }, [available, chosen]);
  const locales = type.localized ? model.locales.filter(({ code }) => mine?.locales?.includes(code) ?? true) : [];
  const usual = locales.find(({ code }) => code === defaultLocale(model)) ?? locales[0];
  // A list is of one locale: whatever the URL names beside the locales of the project is the usual one.
  const named = model.locales.find(({ code }) => code === state.locale);
  const locale = type.localized ? ((named ?? usual)?.code ?? null) : null;
  const asked: Asked = { type, state, columns, locale };
  const show: Show = (change, replace = false) =>
    navigate(`/content/${type.path}${writeState({ ...state, page: 1, ...change })}`, { replace });
  return { asked, available, locales, show };
}

const mayRead = (rights: TypeRights | undefined, attribute?: string): boolean =>
  rights?.actions.includes('read') === true &&
  (attribute === undefined || rights.readable === null || rights.readable.includes(attribute));

const NONE: readonly Entry[] = [];

function List({ asked, show }: { readonly asked: Asked; readonly show: Show }): ReactNode {
  const query = useEntries(asked);
  const entries = query.data?.data ?? NONE;
  const states = useDraftStates(asked, entries);
  const [selection, setSelection] = useSelection(entries);
  if (query.error)
    return (
      <div className="stack">
        <ErrorNotice error={query.error} />
        <div className="row">
          <Button icon="refresh" onClick={() => query.refetch()}>
            Try again
          </Button>
          <ButtonLink href={`/content/${asked.type.path}`}>Show all entries</ButtonLink>
        </div>
      </div>
    );
  if (!query.data) return <Spinner label="Loading entries…" />;
  const { pagination } = query.data.meta;
  return (
    <>
      <Chosen
        asked={asked}
        total={pagination.total}
        entries={entries.filter(({ documentId }) => selection[documentId])}
        onClear={() => setSelection({})}
      />
      {entries.length === 0 ? (
        <Empty asked={asked} total={pagination.total} show={show} />
      ) : (
        <EntryTable
          asked={asked}
          entries={entries}
          states={states}
          isBusy={query.isPlaceholderData}
          selection={selection}
          onSelect={setSelection}
          show={show}
        />
      )}
      <Pager state={asked.state} pagination={pagination} show={show} />
    </>
  );
}

/** What is chosen counts for the entries that it was chosen among. */
function useSelection(entries: readonly Entry[]): readonly [Selection, (selection: Selection) => void] {
  const [chosen, setChosen] = useState<{ among: readonly Entry[]; selection: Selection }>({
    among: entries,
    selection: {},
  });
  const selection = chosen.among === entries ? chosen.selection : {};
  return [selection, (next) => setChosen({ among: entries, selection: next })];
}

function Empty({
  asked: { state, type },
  total,
  show,
}: {
  readonly asked: Asked;
  readonly total: number;
  readonly show: Show;
}): ReactNode {
  const { mayEdit } = useSession();
  if (total > 0)
    return (
      <EmptyState title={`There is no page ${state.page}`}>
        <Button onClick={() => show({})}>First page</Button>
      </EmptyState>
    );
  if (state.search !== '' || state.filters.length > 0 || state.state !== null)
    return (
      <EmptyState title="No entry is like that">
        <Button onClick={() => show({ search: '', filters: [], state: null })}>Show all entries</Button>
      </EmptyState>
    );
  return (
    <EmptyState title={state.locale === null ? 'There are no entries yet' : 'There are no entries in this locale yet'}>
      {mayEdit(type.uid, 'create') && (
        <ButtonLink icon="add" href={newEntryPath(type, state.locale)}>
          New entry
        </ButtonLink>
      )}
    </EmptyState>
  );
}
