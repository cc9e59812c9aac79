// Definitions, as the files of a project hold them, each checked by itself; and the checked, frozen model that is made of
// them: what content-types and components exist, what their attributes are, and in which tables and columns they live.
// Everything above reads the model; nothing changes it.

import type { ScalarType } from '../typing/registry.ts';

export type { ScalarType };

export type AttributeType = ScalarType | 'media' | 'relation' | 'component' | 'dynamiczone' | 'customField';

export interface AttributeDefinition {
  readonly type: AttributeType;
  readonly [option: string]: unknown;
}

export interface Definition {
  readonly uid: string;
  /** Where it was read from, for messages; `built in` for the ones that come with the server. */
  readonly file: string;
  readonly kind: 'collectionType' | 'singleType' | 'component';
  readonly collectionName: string;
  readonly singularName: string;
  readonly pluralName: string;
  readonly draftAndPublish: boolean;
  readonly populateCreatorFields: boolean;
  readonly privateAttributes: readonly string[];
  readonly localized: boolean;
  /** Lists of attribute names, each of which wants an index. */
  readonly indexes: readonly (readonly string[])[];
  readonly attributes: Readonly<Record<string, AttributeDefinition>>;
}

export type RelationKind = 'oneToOne' | 'oneToMany' | 'manyToOne' | 'manyToMany';
export type MorphKind = 'morphToOne' | 'morphToMany' | 'morphOne' | 'morphMany';

interface AttributeBase {
  readonly name: string;
  /** Never read, filtered, sorted, searched or populated by a client. */
  readonly private: boolean;
  readonly writable: boolean;
  readonly required: boolean;
  /** JSON-Logic over the entry's values; where it is false the attribute is hidden and not required. Null: never hidden. */
  readonly visibleWhen: unknown;
  /** Whether each locale of a document has a value of its own. */
  readonly localized: boolean;
}

/** What a value must satisfy beyond its type. */
export interface ScalarRules {
  readonly unique: boolean;
  readonly default: unknown;
  readonly min: string | number | null;
  readonly max: string | number | null;
  readonly minLength: number | null;
  readonly maxLength: number | null;
  readonly regex: string | null;
  readonly enum: readonly string[] | null;
  /** Cost of a password's hash. */
  readonly rounds: number;
}

export interface ScalarAttribute extends AttributeBase {
  readonly kind: 'scalar';
  readonly type: ScalarType;
  readonly column: string;
  readonly searchable: boolean;
  readonly rules: ScalarRules;
}

/**
 * How to walk from a row to the rows it is linked with: a table that holds pairs of row ids, read from `from` to
 * `to`, narrowed by constant columns. Link tables, component tables and polymorphic tables are all of this form;
 * a foreign key is too, with the row's own table as the link table.
 */
export interface LinkTable {
  readonly table: string;
  readonly from: string;
  readonly to: string;
  /** Of a relation: the table that `to` is an id of. */
  readonly targetTable?: string;
  /** Columns of the link table that must hold these values. */
  readonly constants: readonly { readonly column: string; readonly value: string }[];
  /** Column with the position of the target in this row's list, where the order is kept. */
  readonly order: string | null;
  /** Column with the position of this row in the target's list, where that is kept. */
  readonly inverseOrder: string | null;
}

export interface RelationAttribute extends AttributeBase {
  readonly kind: 'relation';
  readonly relation: RelationKind;
  readonly target: string;
  readonly many: boolean;
  readonly link: LinkTable;
  /** The side that the link table belongs to. */
  readonly owning: boolean;
  /** The attribute of the target that shows the same links; null for a one-way relation. */
  readonly inverse: string | null;
  /** A target belongs to one row at most, so connecting takes it from the row that had it. */
  readonly exclusive: boolean;
  /**
   * `linkTable`: a link table. `column`: a foreign key on one of the two tables. `morph`: a polymorphic table.
   * `none`: nothing, since the other side does not lead back; always empty, and never written.
   */
  readonly storage: 'linkTable' | 'column' | 'morph' | 'none';
}

/** The other locales of the same document: rows with the same document id. */
export interface LocalizationsAttribute extends AttributeBase {
  readonly kind: 'localizations';
  readonly target: string;
}

/** A relation to rows of several types (`morphToOne`, `morphToMany`). */
export interface MorphAttribute extends AttributeBase {
  readonly kind: 'morph';
  readonly many: boolean;
  /** Types that rows can point at, each with its links. */
  readonly targets: readonly { readonly uid: string; readonly link: LinkTable }[];
}

export interface ComponentAttribute extends AttributeBase {
  readonly kind: 'component';
  readonly component: string;
  readonly many: boolean;
  readonly min: number | null;
  readonly max: number | null;
  readonly link: LinkTable;
}

export interface DynamicZoneAttribute extends AttributeBase {
  readonly kind: 'dynamiczone';
  readonly components: readonly { readonly uid: string; readonly link: LinkTable }[];
  readonly min: number | null;
  readonly max: number | null;
}

export interface MediaAttribute extends AttributeBase {
  readonly kind: 'media';
  readonly target: string;
  readonly many: boolean;
  readonly link: LinkTable;
}

export type Attribute =
  | ScalarAttribute
  | RelationAttribute
  | LocalizationsAttribute
  | MorphAttribute
  | ComponentAttribute
  | DynamicZoneAttribute
  | MediaAttribute;

/** An index that the project asks for: columns in the order of the index, with the types that they are compared as. */
export type DeclaredIndex = readonly { readonly column: string; readonly type: ScalarType }[];

interface SchemaBase {
  readonly uid: string;
  /** The name of the table as its definition has it; what is derived from it is hashed from the whole of it. */
  readonly collectionName: string;
  /** The same, as long as a database allows. */
  readonly table: string;
  /** The table that links its rows with those of their components. */
  readonly componentTable: string;
  readonly singularName: string;
  readonly attributes: ReadonlyMap<string, Attribute>;
  readonly indexes: readonly DeclaredIndex[];
}

export interface ComponentSchema extends SchemaBase {
  readonly kind: 'component';
}

/** `routes`: has paths of its own. `relations`: seen only through other types. `hidden`: not served at all. */
export type Exposure = 'routes' | 'relations' | 'hidden';

export interface ContentType extends SchemaBase {
  readonly kind: 'collectionType' | 'singleType';
  readonly pluralName: string;
  readonly draftAndPublish: boolean;
  readonly localized: boolean;
  readonly exposure: Exposure;
}

export type Schema = ContentType | ComponentSchema;

/** What people call a content-type or component, and say of it. */
export interface SchemaLabel {
  readonly displayName: string | null;
  readonly description: string | null;
}

export interface Model {
  /** What it was made of, besides what is built in. */
  readonly definitions: readonly Definition[];
  /** By uid. No part of the definitions, which are compared with those that a database was served with. */
  readonly labels: ReadonlyMap<string, SchemaLabel>;
  readonly contentTypes: ReadonlyMap<string, ContentType>;
  readonly components: ReadonlyMap<string, ComponentSchema>;
  /** The custom fields that attributes are of: what they hold, definitions do not tell. */
  readonly customFields: ReadonlySet<string>;
  /** What is served otherwise than the definitions say, for people. */
  readonly notes: readonly string[];
}
