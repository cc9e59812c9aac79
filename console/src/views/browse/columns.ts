// Which attributes of a content-type can be columns, how each is asked for, and by what it is sorted.
import type { ConsoleAttribute, ConsoleModel, ConsoleType } from '../../../../src/console/contract.ts';
import { attributeOf, typeOf } from '../../shell/model.ts';

/** Entries of a relation to many that are named; of the others their number is shown. */
export const NAMED_ENTRIES = 2;
/** Pictures that are shown of a list of files. */
export const SHOWN_FILES = 3;
/** Columns that are shown beside the main one, until a person chooses. */
const USUAL_COLUMNS = 3;

/** The other locales of a document, which are no attribute of the definition. */
export const LOCALIZATIONS = 'localizations';
/** Who made an entry or changed it last: accounts of the console, which are no content. */
export const ACCOUNT = 'account';

export interface BrowseColumn {
  /** The attribute's name. */
  readonly id: string;
  readonly attribute: ConsoleAttribute;
  /** What `sort` is given for it; null where nothing sorts by it. */
  readonly sortPath: string | null;
  /** Parameters that have it in the answer. */
  readonly parameters: readonly (readonly [string, string])[];
  /** Whether it is a scalar, which `fields` names. */
  readonly isField: boolean;
}

/** What an account may see, as far as columns depend on it. */
export interface Sight {
  /** Whether entries of a type may be read, or one attribute of them. */
  readonly canRead: (uid: string, attribute?: string) => boolean;
  readonly canReadFiles: boolean;
}

const plain = (name: string, type: string): ConsoleAttribute => ({
  name,
  type,
  required: false,
  unique: false,
  private: false,
  localized: false,
  writable: false,
  hasIndex: false,
});

const UNSORTABLE = new Set(['json', 'blocks', 'component', 'dynamiczone', 'media', LOCALIZATIONS]);
const LEFT_OUT = new Set(['password', 'morph']);
/** Types of the usual columns; long texts are none. */
const SHORT = new Set(
  'string email enumeration integer biginteger float decimal boolean date time datetime timestamp'.split(' '),
);
/** What every type has; of these, some are offered at the end. */
const OF_EVERY_TYPE = new Set(
  'id documentId createdAt updatedAt publishedAt createdBy updatedBy locale localizations'.split(' '),
);

/** All that can be a column, the main one first. */
export function columnsOf(model: ConsoleModel, type: ConsoleType, sight: Sight): BrowseColumn[] {
  const main = nameOf(type, sight);
  const own = type.attributes.filter(({ name }) => name !== main && !OF_EVERY_TYPE.has(name));
  const listed = [
    attributeOf(type, main) ?? plain(main, 'string'),
    ...own.filter((attribute) => sight.canRead(type.uid, attribute.name) && canShow(model, attribute, sight)),
    ...(type.localized ? [plain(LOCALIZATIONS, LOCALIZATIONS)] : []),
    plain('createdAt', 'datetime'),
    plain('updatedAt', 'datetime'),
    plain('createdBy', ACCOUNT),
    plain('updatedBy', ACCOUNT),
    ...['documentId', 'id'].filter((name) => name !== main).map((name) => plain(name, 'string')),
  ];
  return listed.map((attribute) => {
    const target = targetOf(model, attribute, sight);
    return {
      id: attribute.name,
      attribute,
      sortPath: sortPath(attribute, target),
      parameters: parametersOf(attribute, target),
      isField: isField(attribute),
    };
  });
}

/** What names an entry, as far as the account may read it. */
const nameOf = ({ uid, mainField }: ConsoleType, { canRead }: Sight): string =>
  canRead(uid, mainField) ? mainField : 'documentId';

function canShow(model: ConsoleModel, attribute: ConsoleAttribute, sight: Sight): boolean {
  if (LEFT_OUT.has(attribute.type)) return false;
  if (attribute.type === 'media') return sight.canReadFiles;
  return attribute.type !== 'relation' || targetOf(model, attribute, sight) !== null;
}

/** What a relation leads to, and what names its entries. */
interface Target {
  readonly name: string;
  readonly localized: boolean;
}

function targetOf(model: ConsoleModel, { relation }: ConsoleAttribute, sight: Sight): Target | null {
  const type = relation?.target ? typeOf(model, relation.target) : undefined;
  return type && sight.canRead(type.uid) ? { name: nameOf(type, sight), localized: type.localized } : null;
}

const NOT_FIELDS = new Set(['relation', 'media', 'component', 'dynamiczone', LOCALIZATIONS, ACCOUNT]);
const isField = ({ type, name }: ConsoleAttribute): boolean =>
  !NOT_FIELDS.has(type) && name !== 'id' && name !== 'documentId';

function sortPath({ name, type, relation }: ConsoleAttribute, target: Target | null): string | null {
  if (UNSORTABLE.has(type)) return null;
  if (type === ACCOUNT) return `${name}.firstname`;
  if (!target) return name;
  return relation?.toMany ? `${name}.$count` : `${name}.${target.name}`;
}

function parametersOf(attribute: ConsoleAttribute, target: Target | null): [string, string][] {
  const at = `populate[${attribute.name}]`;
  const fields = (names: readonly string[]): [string, string][] =>
    names.map((name, index) => [`${at}[fields][${index}]`, name]);
  const part = (limit: number): [string, string][] => [
    [`${at}[pagination][limit]`, String(limit)],
    [`${at}[pagination][withCount]`, 'true'],
  ];
  switch (attribute.type) {
    case LOCALIZATIONS:
      return fields(['locale']);
    case ACCOUNT:
      return fields(['firstname', 'lastname', 'username']);
    case 'relation': {
      const shown = fields([target?.name ?? 'documentId', ...(target?.localized ? ['locale'] : [])]);
      return attribute.relation!.toMany ? [...shown, ...part(NAMED_ENTRIES)] : shown;
    }
    case 'media': {
      const shown = fields(['name', 'url', 'mime', 'formats', 'alternativeText']);
      return attribute.multiple ? [...shown, ...part(SHOWN_FILES)] : shown;
    }
    case 'component':
      return attribute.repeatable ? [[`${at}[count]`, 'true']] : [[at, 'true']];
    case 'dynamiczone':
      return [[`${at}[count]`, 'true']];
    default:
      return [];
  }
}

/** The names of the columns beside the main one, until a person chooses: two short ones, a relation, the last change. */
export function usualColumns(columns: readonly BrowseColumn[]): string[] {
  const others = columns.slice(1).filter(({ id }) => !OF_EVERY_TYPE.has(id));
  const short = others.filter(({ attribute }) => SHORT.has(attribute.type));
  const linked = others.filter(({ attribute }) => attribute.type === 'relation' || attribute.type === 'media');
  const preferred = [...short.slice(0, USUAL_COLUMNS - 1), ...linked.slice(0, 1), ...short.slice(USUAL_COLUMNS - 1)];
  const chosen = new Set([...preferred, ...linked].slice(0, USUAL_COLUMNS).map(({ id }) => id));
  return [...columns.filter(({ id }) => chosen.has(id)).map(({ id }) => id), 'updatedAt'];
}
