// The parts of a request, each with what changes it.
import { type ReactNode, useState } from 'react';
import { query } from '../../../../src/client/query-text.ts';
import type { ConsoleModel } from '../../../../src/console/contract.ts';
import type { Titles } from '../../query/clauses.ts';
import { emptyDraft, type ReadDraft } from '../../query/draft.ts';
import { rootView, type SchemaView, typeAt } from '../../query/schema-view.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Field, Select, TextInput } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { FilterEditor } from './filter-editor.tsx';
import { ShownTree } from './shown-tree.tsx';
import { SortList } from './sort-list.tsx';
import type { Problem } from './use-answer.ts';

interface BuilderProps {
  readonly model: ConsoleModel;
  readonly draft: ReadDraft;
  readonly titles: Titles;
  readonly problem: Problem | null;
  readonly onChange: (draft: ReadDraft) => void;
}

export function Builder({ model, draft, titles, problem, onChange }: BuilderProps): ReactNode {
  const view = rootView(model, draft);
  const isOf = (param: string): Problem | null => (problem?.param === param ? problem : null);
  return (
    <div className="stack">
      <What model={model} draft={draft} onChange={onChange} />
      <Part title="Conditions" hint="All of them hold." problem={isOf('filters')}>
        <FilterEditor
          label="Conditions"
          filters={draft.filters}
          view={view}
          titles={titles}
          problem={isOf('filters')}
          onChange={(filters) => onChange({ ...draft, filters })}
        />
      </Part>
      {view && (
        <>
          <Part title="Sort" problem={isOf('sort')}>
            <SortList sort={draft.sort} view={view} onChange={(sort) => onChange({ ...draft, sort })} />
          </Part>
          <Shown
            draft={draft}
            view={view}
            titles={titles}
            problem={isOf('fields') ?? isOf('populate')}
            onChange={onChange}
          />
        </>
      )}
      <Pages draft={draft} problem={isOf('pagination')} onChange={onChange} />
      <Others draft={draft} onChange={onChange} />
    </div>
  );
}

const Part = ({
  title,
  hint,
  problem = null,
  children,
}: {
  readonly title: string;
  readonly hint?: string;
  readonly problem?: Problem | null;
  readonly children: ReactNode;
}): ReactNode => (
  <section className="card card-body find-part">
    <div className="row">
      <h2>{title}</h2>
      {hint && <span className="soft">{hint}</span>}
    </div>
    {problem && !problem.path && <Notice tone="bad">{problem.message}</Notice>}
    {children}
  </section>
);

function What({ model, draft, onChange }: Omit<BuilderProps, 'titles' | 'problem'>): ReactNode {
  const type = typeAt(model, draft.type);
  const known = model.types.map(({ path, displayName }) => ({ value: path, label: displayName }));
  const options = type ? known : [...known, { value: draft.type, label: draft.type }];
  return (
    <section className="card card-body find-part find-what" aria-label="What to find">
      <Field label="Content-type">
        {(control) => (
          <Select {...control} value={draft.type} options={options} onChange={(path) => onChange(emptyDraft(path))} />
        )}
      </Field>
      <Field label="Search for">
        {(control) => (
          <TextInput
            {...control}
            type="search"
            value={draft.q}
            onChange={({ target }) => onChange({ ...draft, q: target.value })}
          />
        )}
      </Field>
      {(type?.draftAndPublish || draft.status !== null) && (
        <Field label="Status">
          {(control) => (
            <Select
              {...control}
              value={draft.status ?? ''}
              options={[
                { value: '', label: 'As usual: published' },
                { value: 'published', label: 'Published' },
                { value: 'draft', label: 'Drafts' },
              ]}
              onChange={(status) => onChange({ ...draft, status: status || null })}
            />
          )}
        </Field>
      )}
      {(type?.localized || draft.locale.length > 0) && <Locale model={model} draft={draft} onChange={onChange} />}
      {draft.below !== '' && (
        <Notice>
          <span>
            Below the type the path goes on with <code>{draft.below}</code>
          </span>
          <div>
            <Button small onClick={() => onChange({ ...draft, below: '' })}>
              Read the list instead
            </Button>
          </div>
        </Notice>
      )}
    </section>
  );
}

function Locale({ model, draft, onChange }: Omit<BuilderProps, 'titles' | 'problem'>): ReactNode {
  const given = draft.locale.join(',');
  const options = [
    { value: '', label: 'The default' },
    ...model.locales.map(({ code, name }) => ({ value: code, label: name })),
    { value: '*', label: 'All locales' },
  ];
  return (
    <Field label="Locale">
      {(control) => (
        <Select
          {...control}
          value={given}
          options={
            options.some(({ value }) => value === given) ? options : [...options, { value: given, label: given }]
          }
          onChange={(locale) => onChange({ ...draft, locale: locale === '' ? [] : locale.split(',') })}
        />
      )}
    </Field>
  );
}

const Shown = ({
  draft,
  view,
  titles,
  problem,
  onChange,
}: Omit<BuilderProps, 'model'> & { readonly view: SchemaView }): ReactNode => (
  <Part title="What is shown">
    {problem && <Notice tone="bad">{problem.message}</Notice>}
    <ShownTree
      fields={draft.fields}
      populate={draft.populate}
      view={view}
      of={'kind' in view.schema && view.schema.kind === 'singleType' ? draft.type : 'each entry'}
      titles={titles}
      onChange={(shown) => onChange({ ...draft, ...shown })}
    />
  </Part>
);

const PAGE_KEYS = [
  ['page', 'Page'],
  ['pageSize', 'Entries on a page'],
] as const;
const OFFSET_KEYS = [
  ['start', 'Entries to skip'],
  ['limit', 'Entries to show'],
] as const;

function Pages({ draft, problem, onChange }: Pick<BuilderProps, 'draft' | 'problem' | 'onChange'>): ReactNode {
  const { pagination } = draft;
  const byOffset = pagination.start !== undefined || pagination.limit !== undefined;
  const set = (name: string, value: string): void => {
    const { [name]: _, ...rest } = pagination;
    onChange({ ...draft, pagination: value === '' ? rest : { ...rest, [name]: value } });
  };
  const shown: readonly (readonly [string, string])[] = byOffset ? OFFSET_KEYS : PAGE_KEYS;
  const others = Object.entries(pagination).filter(([name]) => !shown.some(([key]) => key === name));
  return (
    <Part title="Page" problem={problem}>
      {problem?.path && <Notice tone="bad">{problem.message}</Notice>}
      <div className="find-what">
        {shown.map(([name, label]) => (
          <Field key={name} label={label}>
            {(control) => (
              <TextInput
                {...control}
                inputMode="numeric"
                value={pagination[name] ?? ''}
                placeholder={name === 'page' ? '1' : name === 'start' ? '0' : '25'}
                onChange={({ target }) => set(name, target.value)}
              />
            )}
          </Field>
        ))}
      </div>
      {others.map(([name, value]) => (
        <Kept key={name} text={`pagination[${name}]=${value}`} onRemove={() => set(name, '')} />
      ))}
    </Part>
  );
}

function Others({ draft, onChange }: Pick<BuilderProps, 'draft' | 'onChange'>): ReactNode {
  const entries = Object.entries(draft.other);
  const [text, setText] = useState('');
  const add = (): void => {
    const [name = '', ...value] = text.split('=');
    if (!/^[^[\]\s]+$/.test(name)) return;
    onChange({ ...draft, other: { ...draft.other, [name]: value.join('=') } });
    setText('');
  };
  return (
    <Part title="Other parameters" {...(entries.length > 0 && { hint: 'Sent as they are.' })}>
      {entries.map(([name, value]) => (
        <Kept
          key={name}
          text={decodeURIComponent(query({ [name]: value }))}
          onRemove={() => {
            const { [name]: _, ...other } = draft.other;
            onChange({ ...draft, other });
          }}
        />
      ))}
      <form
        className="row"
        onSubmit={(event) => {
          event.preventDefault();
          add();
        }}
      >
        <TextInput
          small
          aria-label="Another parameter, as name=value"
          placeholder="timezone=Europe/Paris"
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        <Button small type="submit" icon="add">
          Add
        </Button>
      </form>
    </Part>
  );
}

const Kept = ({ text, onRemove }: { readonly text: string; readonly onRemove: () => void }): ReactNode => (
  <div className="find-node-line">
    <code className="grow">{text}</code>
    <IconButton small icon="delete" label={`Remove ${text}`} onClick={onRemove} />
  </div>
);
