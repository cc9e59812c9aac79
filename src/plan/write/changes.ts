// What a write will change, as plain data: values to store, relations as references still to be looked up, components
// as entities of their own. A plan is complete before a transaction opens; what depends on rows is decided later, by
// functions over the plan and the rows.
import type { RowDate, WriteName } from '../../access/operation.ts';
import type {
  ComponentAttribute,
  ContentType,
  DynamicZoneAttribute,
  MediaAttribute,
  MorphAttribute,
  RelationAttribute,
  ScalarAttribute,
  Schema,
} from '../../model/types.ts';
import type { BodyPath, RelationInput } from '../../request/parse-relation.ts';
import type { StoredValue } from './values.ts';

export interface ScalarChange {
  readonly attribute: ScalarAttribute;
  readonly value: StoredValue;
  readonly path: BodyPath;
}

/** A change of a relation; `keep` leaves it as it is and is not planned. */
export type RelationOrder = Exclude<RelationInput, { mode: 'keep' }>;

export interface RelationChange {
  readonly attribute: RelationAttribute | MediaAttribute | MorphAttribute;
  readonly input: RelationOrder;
  readonly path: BodyPath;
}

/** An item of a component field or zone: with the id of a row, that row is changed; without, one is made. */
export interface ComponentItem {
  readonly uid: string;
  readonly id: number | null;
  readonly entity: EntityChange;
  readonly path: BodyPath;
}

export interface ComponentChange {
  readonly attribute: ComponentAttribute | DynamicZoneAttribute;
  readonly items: readonly ComponentItem[];
  readonly path: BodyPath;
}

/** What a row that turns out to be new takes besides the body: defaults, and problems with what is missing. */
export interface AbsentValues {
  readonly scalars: readonly ScalarChange[];
  readonly problems: readonly (BodyProblem & { readonly localized: boolean })[];
}

export interface EntityChange {
  readonly scalars: readonly ScalarChange[];
  readonly relations: readonly RelationChange[];
  readonly components: readonly ComponentChange[];
  /** Null where it is known whether the row is new. */
  readonly absent: AbsentValues | null;
}

/** One problem with a body, and where. */
export interface BodyProblem {
  readonly path: BodyPath;
  readonly message: string;
  /** Whether the message is one without the path before it. */
  readonly isSentence?: true;
}

/** The documents and rows of one type that a body refers to. */
export interface TargetReferences {
  readonly target: string;
  readonly documentIds: readonly string[];
  readonly rowIds: readonly number[];
}

/** Locales of a document; null stands for the one version of a type without locales. */
export type LocaleChoice = readonly (string | null)[] | 'all';

/** Instants, as they are stored. */
export type RowDates = Readonly<Partial<Record<RowDate, StoredValue>>>;
export const NO_DATES: RowDates = {};

export interface WritePlan {
  readonly name: WriteName;
  readonly type: ContentType;
  /** Null: a new document, or the one document of a single type. */
  readonly documentId: string | null;
  /** The locale that a create or update writes; null for a type without locales. */
  readonly locale: string | null;
  /** The locales that a delete or a draft action is for. */
  readonly locales: LocaleChoice;
  /** Whether the write publishes; always so for a type without drafts. */
  readonly publishes: boolean;
  readonly change: EntityChange;
  /** Every relation of the change, those of its components included. */
  readonly relations: readonly RelationChange[];
  /** Everything that the change refers to, by target type. */
  readonly references: readonly TargetReferences[];
  /** When a new row was made, changed and published; what is missing, now. */
  readonly dates: RowDates;
  /** Where it is about one row and not about a document: the id of that row, or that it is made. */
  readonly row: number | 'new' | null;
  /** Whether code of a Strapi project writes it, which sees everything as it is stored. */
  readonly isRaw: boolean;
  /** Paths of what the body holds without a meaning. */
  readonly ignored: readonly string[];
}

/** What clients send back as they read it, and what the parameters of a request decide. */
export const IGNORED_KEYS: ReadonlySet<string> = new Set(['publishedAt', 'locale']);

/** In a component these are attributes like any other. */
export const isIgnoredKey = ({ kind }: Schema, key: string): boolean => kind !== 'component' && IGNORED_KEYS.has(key);

export const NO_CHANGE: EntityChange = { scalars: [], relations: [], components: [], absent: null };

/** Names of the attributes that a change writes. */
export const changedNames = (change: EntityChange): Set<string> =>
  new Set([...change.scalars, ...change.components, ...change.relations].map(({ attribute }) => attribute.name));
