// Which attributes of a content-type can be columns, how each is asked for, and by what it is sorted.
import type { ConsoleAttribute, ConsoleModel, ConsoleType } from '../../../../src/console/contract.ts';
import { attributeOf, schemaOf, typeOf } from '../../shell/model.ts';

/** Entries of a relation to many that are named; of the others their number is shown. */
export const NAMED_ENTRIES = 2;
/** Pictures that are shown of a list of files. */
export const SHOWN_FILES = 3;
/** Columns that are shown beside the main one, until a person chooses. */
const USUAL_COLUMNS = 3;

/** The other locales of a document, which are no attribute of the definition. */
export const LOCALIZATIONS = 'localizations';

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
  /** The attributes that may be read; null: all. */
  readonly readable: readonly string[] | null;
  readonly canReadType: (uid: string) => boolean;
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
const STAMPS = ['createdAt', 'updatedAt', 'publishedAt'];

/** All that can be a column, the main one first. */
export function columnsOf(model: ConsoleModel, type: ConsoleType, sight: Sight): BrowseColumn[] {
  const { attributes, mainField } = type;
  const own = attributes.filter(({ name }) => sight.readable === null || sight.readable.includes(name));
  const listed = [
    attributeOf(type, mainField) ?? plain(mainField, 'string'),
    ...own.filter(({ name }) => name !== mainField && !STAMPS.includes(name)),
    ...(type.localized ? [plain(LOCALIZATIONS, LOCALIZATIONS)] : []),
    plain('createdAt', 'datetime'),
    plain('updatedAt', 'datetime'),
    ...['documentId', 'id'].filter((name) => name !== mainField).map((name) => plain(name, 'string')),
  ];
  return listed
    .filter((attribute) => canShow(model, attribute, sight))
    .map((attribute) => ({
      id: attribute.name,
      attribute,
      sortPath: sortPath(model, attribute),
      parameters: parametersOf(model, attribute),
      isField: isField(attribute),
    }));
}

function canShow(model: ConsoleModel, { type, relation }: ConsoleAttribute, sight: Sight): boolean {
  if (LEFT_OUT.has(type)) return false;
  if (type === 'media') return sight.canReadFiles;
  if (type !== 'relation') return true;
  const target = relation?.target;
  return target != null && typeOf(model, target) !== undefined && sight.canReadType(target);
}

const NOT_FIELDS = new Set(['relation', 'media', 'component', 'dynamiczone', LOCALIZATIONS]);
const isField = ({ type, name }: ConsoleAttribute): boolean =>
  !NOT_FIELDS.has(type) && name !== 'id' && name !== 'documentId';

function sortPath(model: ConsoleModel, { name, type, relation }: ConsoleAttribute): string | null {
  if (UNSORTABLE.has(type)) return null;
  if (type !== 'relation') return name;
  if (relation?.toMany) return `${name}.$count`;
  return `${name}.${schemaOf(model, relation!.target!)!.mainField}`;
}

function parametersOf(model: ConsoleModel, attribute: ConsoleAttribute): [string, string][] {
  const at = `populate[${attribute.name}]`;
  const fields = (names: readonly string[]): [string, string][] => [[`${at}[fields]`, names.join(',')]];
  const part = (limit: number): [string, string][] => [
    [`${at}[pagination][limit]`, String(limit)],
    [`${at}[pagination][withCount]`, 'true'],
  ];
  switch (attribute.type) {
    case LOCALIZATIONS:
      return fields(['locale']);
    case 'relation': {
      const target = typeOf(model, attribute.relation!.target!)!;
      const shown = fields([target.mainField, ...(target.localized ? ['locale'] : [])]);
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
  const others = columns.slice(1).filter(({ id }) => ![...STAMPS, 'documentId', 'id'].includes(id));
  const short = others.filter(({ attribute }) => SHORT.has(attribute.type));
  const linked = others.filter(({ attribute }) => attribute.type === 'relation' || attribute.type === 'media');
  const preferred = [...short.slice(0, USUAL_COLUMNS - 1), ...linked.slice(0, 1), ...short.slice(USUAL_COLUMNS - 1)];
  const chosen = new Set([...preferred, ...linked].slice(0, USUAL_COLUMNS).map(({ id }) => id));
  return [...columns.filter(({ id }) => chosen.has(id)).map(({ id }) => id), 'updatedAt'];
}
