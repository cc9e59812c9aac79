// The answer to the request: entries as a table or all of it as JSON, with what it took.
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import type { ConsoleModel, ConsoleType, TryAnswer } from '../../../../src/console/contract.ts';
import type { ReadDraft } from '../../query/draft.ts';
import { rootView } from '../../query/schema-view.ts';
import { titleOf } from '../../shell/model.ts';
import { entryPath } from '../../shell/paths.ts';
import { Select } from '../../ui/field.tsx';
import { Badge, EmptyState, Notice } from '../../ui/notice.tsx';
import { JsonTree } from './json-tree.tsx';

interface AnswerProps {
  readonly answer: TryAnswer;
  readonly model: ConsoleModel;
  readonly draft: ReadDraft;
}

type Values = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The entries of an answer: those of a list, or the one that was asked for. */
function entriesOf(body: unknown): readonly Values[] | null {
  const data = isObject(body) && 'data' in body ? body.data : body;
  if (Array.isArray(data)) return data.every(isObject) ? data : null;
  return isObject(data) && 'documentId' in data ? [data] : null;
}

function totalOf(body: unknown): number | null {
  const meta = isObject(body) && isObject(body.meta) && isObject(body.meta.pagination) ? body.meta.pagination : null;
  return typeof meta?.total === 'number' ? meta.total : null;
}

export function AnswerPanel({ answer, model, draft }: AnswerProps): ReactNode {
  const [form, setForm] = useState('table');
  const entries = answer.status < 400 ? entriesOf(answer.body) : null;
  return (
    <div className="stack">
      <div className="row">
        <Facts answer={answer} entries={entries} />
        {entries && (
          <span className="find-form">
            <Select
              small
              aria-label="Show the answer as"
              value={form}
              options={[
                { value: 'table', label: 'Table' },
                { value: 'json', label: 'JSON' },
              ]}
              onChange={setForm}
            />
          </span>
        )}
      </div>
      <Said answer={answer} />
      {entries && form === 'table' ? (
        <EntryTable entries={entries} model={model} draft={draft} />
      ) : (
        <div className="find-json">
          <JsonTree value={answer.body} />
        </div>
      )}
    </div>
  );
}

function Facts({
  answer,
  entries,
}: {
  readonly answer: TryAnswer;
  readonly entries: readonly Values[] | null;
}): ReactNode {
  const { status, milliseconds, cost, body } = answer;
  const total = totalOf(body);
  return (
    <>
      <Badge tone={status < 400 ? 'good' : 'bad'}>{status}</Badge>
      {entries && <span>{total === null ? `${entries.length} shown` : `${entries.length} of ${total}`}</span>}
      <span>{`${milliseconds.toFixed(milliseconds < 10 ? 1 : 0)} ms`}</span>
      {cost !== null && <span>{`cost ${cost.toLocaleString('en')} rows`}</span>}
    </>
  );
}

/** What the server says beside its answer. */
function Said({ answer: { status, body, headers } }: Pick<AnswerProps, 'answer'>): ReactNode {
  const error = isObject(body) && isObject(body.error) ? String(body.error.message) : `The server answered ${status}`;
  return (
    <>
      {status >= 400 && <Notice tone="bad">{error}</Notice>}
      {headers['x-sheaf-hint'] && <Notice tone="warn">{headers['x-sheaf-hint']}</Notice>}
      {headers['x-sheaf-ignored'] && <Notice tone="warn">{`Ignored: ${headers['x-sheaf-ignored']}`}</Notice>}
    </>
  );
}

/** Columns beside the title. */
const MOST_COLUMNS = 8;
const MOST_LETTERS = 60;

/** What the request speaks of, which a person wants to see first. */
const askedFor = ({ sort, populate }: ReadDraft): string[] => [
  ...sort.map(({ path }) => path[0]!),
  ...populate.at.map(({ name }) => name),
];

function EntryTable({
  entries,
  model,
  draft,
}: Omit<AnswerProps, 'answer'> & { readonly entries: readonly Values[] }): ReactNode {
  const schema = rootView(model, draft)?.schema;
  const type = model.types.find(({ uid }) => uid === schema?.uid);
  if (entries.length === 0) return <EmptyState title="No entry meets this" />;
  const hidden = new Set(['id', 'documentId', 'createdAt', 'updatedAt', 'publishedAt', schema?.mainField]);
  const given = new Set(entries.flatMap((entry) => Object.keys(entry)));
  const names = [...new Set([...askedFor(draft), ...given])]
    .filter((name) => given.has(name) && !hidden.has(name))
    .slice(0, MOST_COLUMNS);
  return (
    <section className="table-scroll" aria-label="Entries">
      <table className="table">
        <thead>
          <tr>
            <th scope="col">{schema?.mainField ?? 'entry'}</th>
            {names.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {entries.map((entry, index) => (
            <tr key={`${String(entry.documentId ?? index)} ${String(entry.locale ?? '')}`}>
              <td>
                <EntryLink entry={entry} type={type} title={schema ? titleOf(schema, entry) : ''} />
              </td>
              {names.map((name) => (
                <td key={name}>{cellText(entry[name])}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function EntryLink({
  entry,
  type,
  title,
}: {
  readonly entry: Values;
  readonly type: ConsoleType | undefined;
  readonly title: string;
}): ReactNode {
  const { documentId, locale } = entry;
  if (type?.source !== 'own' || typeof documentId !== 'string') return title || cellText(entry.group);
  return <Link href={entryPath(type, documentId, typeof locale === 'string' ? locale : null)}>{title}</Link>;
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return '–';
  if (Array.isArray(value)) return value.length === 0 ? '–' : shortened(value.map(nameIn).join(', '));
  return shortened(isObject(value) ? nameIn(value) : String(value));
}

/** What names something that is populated. */
function nameIn(value: unknown): string {
  if (!isObject(value)) return String(value);
  const named =
    value.name ??
    value.title ??
    value.label ??
    Object.entries(value).find(([name, one]) => typeof one === 'string' && name !== 'documentId')?.[1];
  return typeof named === 'string' ? named : JSON.stringify(value);
}

const shortened = (text: string): string => (text.length > MOST_LETTERS ? `${text.slice(0, MOST_LETTERS)}…` : text);
