// What is shown of a value in a table, by the type of its attribute.
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { ConsoleAttribute, ConsoleModel, ConsoleType } from '../../../../src/console/contract.ts';
import { isObject } from '../../../../src/type-guards.ts';
import { asFile, type StoredFile } from '../../files/file.ts';
import { type Entry, isEntry, schemaOf, titleOf, totalIn, typeOf } from '../../shell/model.ts';
import { entryPath } from '../../shell/paths.ts';
import { Icon } from '../../ui/icon.tsx';
import { queryText } from './browse-state.ts';
import { ACCOUNT, LOCALIZATIONS } from './columns.ts';
import { shortJson, shortText, textOfBlocks } from './short-text.ts';

const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });
const INSTANT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

type Members = Readonly<Record<string, unknown>>;

const membersOf = (value: unknown): Members => (isObject(value) ? value : {});

interface CellProps {
  readonly model: ConsoleModel;
  readonly type: ConsoleType;
  readonly attribute: ConsoleAttribute;
  readonly entry: Entry;
}

const Nothing = (): ReactNode => (
  <span className="soft">
    <span aria-hidden="true">–</span>
    <span className="visually-hidden">nothing</span>
  </span>
);

/** What is cut where it does not fit, rather than broken. */
const Line = ({ children }: { readonly children: ReactNode }): ReactNode => (
  <span className="browse-line">{children}</span>
);

export function Cell({ model, type, attribute, entry }: CellProps): ReactNode {
  const value = entry[attribute.name];
  if (value === null || value === undefined || value === '') return <Nothing />;
  switch (attribute.type) {
    case 'boolean':
      return value ? 'yes' : 'no';
    case 'date':
      return <Line>{DAY.format(new Date(String(value)))}</Line>;
    case 'datetime':
      return <Line>{INSTANT.format(new Date(String(value)))}</Line>;
    case 'timestamp':
      return <Line>{INSTANT.format(new Date(Number(value)))}</Line>;
    case 'time':
      return String(value).slice(0, 5);
    case 'json':
      return (
        <Line>
          <code>{shortJson(value)}</code>
        </Line>
      );
    case 'blocks':
      return shortText(textOfBlocks(value));
    case 'enumeration':
      return <span className="badge">{String(value)}</span>;
    case 'relation':
      return <RelationCell model={model} attribute={attribute} value={value} holder={entry} />;
    case 'media':
      return <MediaCell value={value} />;
    case 'component':
      return attribute.repeatable
        ? numberOf(membersOf(value))
        : shortText(titleOf(schemaOf(model, attribute.component!), membersOf(value)));
    case 'dynamiczone':
      return numberOf(membersOf(value));
    case ACCOUNT:
      return accountName(membersOf(value));
    case LOCALIZATIONS:
      return <LocalesCell type={type} entries={Array.isArray(value) ? value.filter(isEntry) : []} />;
    default:
      return shortText(String(value));
  }
}

const numberOf = ({ count }: Members): ReactNode => (count === 0 ? <Nothing /> : String(count));

const accountName = ({ firstname, lastname, username }: Members): string =>
  [firstname, lastname].filter(Boolean).join(' ') || String(username ?? 'someone');

interface Part {
  readonly items: readonly Members[];
  readonly total: number;
}

/** Of a list in pages, or of one value. */
function partOf(value: unknown): Part {
  const { data, meta } = membersOf(value);
  if (!Array.isArray(data)) return { items: [membersOf(value)], total: 1 };
  return { items: data.filter(isObject), total: totalIn(meta) ?? data.length };
}

function RelationCell({
  model,
  attribute,
  value,
  holder,
}: {
  readonly model: ConsoleModel;
  readonly attribute: ConsoleAttribute;
  readonly value: unknown;
  readonly holder: Entry;
}): ReactNode {
  const { target: uid, inverse } = attribute.relation!;
  const target = typeOf(model, uid!)!;
  const { items, total } = partOf(value);
  if (total === 0) return <Nothing />;
  const more = total - items.length;
  return (
    <span className="browse-links">
      {items.map((item) => (
        <Related key={String(item.documentId ?? item.id)} target={target} entry={item} />
      ))}
      {more > 0 &&
        (inverse === null || target.source !== 'own' ? (
          <span className="soft">and {more} more</span>
        ) : (
          <Link href={relatedPath(target, inverse, holder)} aria-label={`and ${more} more of ${attribute.name}`}>
            and {more} more
          </Link>
        ))}
    </span>
  );
}

/** The entries of a type that an entry is related to, by the other side of the relation. */
const relatedPath = (target: ConsoleType, inverse: string, { documentId }: Entry): string =>
  `/content/${target.path}?${queryText([[`filters[${inverse}][documentId][$eq]`, documentId]])}`;

function Related({ target, entry }: { readonly target: ConsoleType; readonly entry: Members }): ReactNode {
  const title = shortText(titleOf(target, entry));
  if (target.source !== 'own') return <span>{title}</span>;
  const locale = typeof entry.locale === 'string' ? entry.locale : null;
  return <Link href={entryPath(target, String(entry.documentId), locale)}>{title}</Link>;
}

const hasId = (value: Members): value is Members & { readonly id: number } => typeof value.id === 'number';

function MediaCell({ value }: { readonly value: unknown }): ReactNode {
  const { items, total } = partOf(value);
  if (total === 0) return <Nothing />;
  return (
    <span className="browse-files">
      {items.filter(hasId).map((file) => (
        <Thumbnail key={file.id} file={asFile(file)} />
      ))}
      {total > items.length && <span className="soft">and {total - items.length} more</span>}
    </span>
  );
}

/** Pictures of other origins are not loaded: the policy of the console refuses them. */
const isOwn = (url: string): boolean => new URL(url, window.location.href).origin === window.location.origin;

function Thumbnail({ file }: { readonly file: StoredFile }): ReactNode {
  const url = file.formats?.thumbnail?.url ?? file.url;
  if (file.mime.startsWith('image/') && isOwn(url))
    return (
      <img
        className="browse-thumbnail"
        src={url}
        alt={file.alternativeText || file.name}
        title={file.name}
        loading="lazy"
      />
    );
  return (
    <span className="browse-file" title={file.name}>
      <Icon name="file" />
      {shortText(file.name)}
    </span>
  );
}

const LocalesCell = ({
  type,
  entries,
}: {
  readonly type: ConsoleType;
  readonly entries: readonly Entry[];
}): ReactNode =>
  entries.length === 0 ? (
    <Nothing />
  ) : (
    <span className="browse-links">
      {entries.map(({ documentId, locale }) => (
        <Link key={String(locale)} href={entryPath(type, documentId, String(locale))}>
          {String(locale)}
        </Link>
      ))}
    </span>
  );
