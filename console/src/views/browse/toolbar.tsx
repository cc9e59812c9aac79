// What is shown of a list: search, locale, state, columns and filters.
import type { ReactNode } from 'react';
import type { ConsoleLocale } from '../../../../src/console/contract.ts';
import { useModel } from '../../shell/model.ts';
import { findPath } from '../../shell/paths.ts';
import { useLoaded } from '../../shell/ready.ts';
import { Button, ButtonLink, IconButton } from '../../ui/button.tsx';
import { Checkbox, type Option, Select } from '../../ui/field.tsx';
import { Popover } from '../../ui/popover.tsx';
import { SearchBox } from '../../ui/search-box.tsx';
import type { StateChoice } from './browse-state.ts';
import { type BrowseColumn, usualColumns } from './columns.ts';
import type { Show } from './entries.tsx';
import { type Asked, apiUrl } from './requests.ts';

const loadFilterNote = () => import('./filter-note.tsx');

const STATE_OPTIONS: readonly Option<StateChoice | ''>[] = [
  { value: '', label: 'Every state' },
  { value: 'draft', label: 'Drafts' },
  { value: 'modified', label: 'Modified' },
  { value: 'published', label: 'Published' },
  { value: 'live', label: 'As readers see them' },
];

interface ToolbarProps {
  readonly asked: Asked;
  readonly available: readonly BrowseColumn[];
  readonly locales: readonly ConsoleLocale[];
  readonly show: Show;
}

export function Toolbar({ asked, available, locales, show }: ToolbarProps): ReactNode {
  const model = useModel();
  const { type, state, locale } = asked;
  return (
    <div className="browse-toolbar">
      <SearchBox
        label="Search entries"
        value={state.search}
        // Going back leads to where the search began.
        onChange={(search) => show({ search }, state.search !== '')}
      />
      {locales.length > 0 && (
        <Select
          aria-label="Locale"
          value={locale ?? ''}
          options={locales.map(({ code, name }) => ({ value: code, label: name }))}
          onChange={(code) => show({ locale: code })}
        />
      )}
      {type.draftAndPublish && (
        <Select
          aria-label="State"
          value={state.state ?? ''}
          options={STATE_OPTIONS}
          onChange={(choice) => show({ state: choice || null })}
        />
      )}
      <ColumnChooser asked={asked} available={available} show={show} />
      {state.filters.length === 0 ? (
        <ButtonLink icon="filter" href={findPath(apiUrl(model, asked))}>
          Filter
        </ButtonLink>
      ) : (
        <span className="browse-chip">
          <ButtonLink kind="plain" small icon="filter" href={findPath(apiUrl(model, asked))}>
            {state.filters.length === 1 ? '1 condition' : `${state.filters.length} conditions`}
          </ButtonLink>
          <IconButton small icon="close" label="Remove the conditions" onClick={() => show({ filters: [] })} />
        </span>
      )}
      {state.filters.length > 0 && <FilterSentence asked={asked} />}
    </div>
  );
}

function FilterSentence({ asked }: { readonly asked: Asked }): ReactNode {
  const FilterNote = useLoaded(loadFilterNote);
  return <p className="browse-sentence soft">{FilterNote ? <FilterNote asked={asked} /> : '…'}</p>;
}

function ColumnChooser({ asked, available, show }: Omit<ToolbarProps, 'locales'>): ReactNode {
  const shown = new Set(asked.columns.map(({ id }) => id));
  const usual = usualColumns(available);
  const choose = (id: string, isShown: boolean): void => {
    const others = available.slice(1).map((column) => column.id);
    const columns = others.filter((other) => (other === id ? isShown : shown.has(other)));
    const isUsual = columns.length === usual.length && columns.every((column) => usual.includes(column));
    show({ columns: isUsual ? null : columns, page: asked.state.page }, true);
  };
  return (
    <Popover label="Columns" trigger={<Button icon="columns">Columns</Button>}>
      <div className="browse-columns">
        {available.slice(1).map(({ id }) => (
          <Checkbox
            key={id}
            label={id}
            checked={shown.has(id)}
            onChange={(event) => choose(id, event.target.checked)}
          />
        ))}
      </div>
      <Button small kind="plain" onClick={() => show({ columns: null, page: asked.state.page }, true)}>
        The usual columns
      </Button>
    </Popover>
  );
}
