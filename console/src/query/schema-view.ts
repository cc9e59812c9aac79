// Where names of a request stand in the model: the attributes that there are at each step, and what they lead to.
import type { ConsoleAttribute, ConsoleModel, ConsoleSchema, ConsoleType } from '../../../src/console/contract.ts';
import type { ReadDraft, Step } from './draft.ts';

/** A content-type or a component, and the model that it is of. */
export interface SchemaView {
  readonly model: ConsoleModel;
  readonly schema: ConsoleSchema;
}

const viewOf = (model: ConsoleModel, uid: string | null | undefined): SchemaView | null => {
  const schema = model.types.find((type) => type.uid === uid) ?? model.components.find((one) => one.uid === uid);
  return schema ? { model, schema } : null;
};

export const schemaView = viewOf;

export const typeAt = (model: ConsoleModel, path: string): ConsoleType | undefined =>
  model.types.find((type) => type.path === path);

/** What every entry has, of whatever type. */
const system = (name: string, type: string): ConsoleAttribute => ({
  name,
  type,
  required: false,
  unique: false,
  private: false,
  localized: false,
  writable: false,
  hasIndex: true,
});
const ID = system('id', 'integer');
const DOCUMENT_ID = system('documentId', 'string');

const isType = (schema: ConsoleSchema): schema is ConsoleType => 'kind' in schema;

/** The attributes that a request can name, those included that need no definition. */
export function namesIn({ schema }: SchemaView): readonly ConsoleAttribute[] {
  const own = schema.attributes.filter(({ type }) => type !== 'password');
  const has = new Set(own.map(({ name }) => name));
  return [ID, ...(isType(schema) ? [DOCUMENT_ID] : [])].filter(({ name }) => !has.has(name)).concat(own);
}

export const attributeIn = (view: SchemaView | null, name: string): ConsoleAttribute | undefined =>
  view ? namesIn(view).find((one) => one.name === name) : undefined;

/** What an attribute leads to, if that is one thing. */
export function targetOf(model: ConsoleModel, attribute: ConsoleAttribute): SchemaView | null {
  if (attribute.type === 'relation') return viewOf(model, attribute.relation?.target);
  if (attribute.type === 'component') return viewOf(model, attribute.component);
  if (attribute.type === 'media') return viewOf(model, model.types.find(({ source }) => source === 'files')?.uid);
  return null;
}

export function viewBelow(view: SchemaView | null, name: string): SchemaView | null {
  const attribute = attributeIn(view, name);
  return view && attribute ? targetOf(view.model, attribute) : null;
}

export const leadsOn = ({ type }: ConsoleAttribute): boolean =>
  type === 'relation' || type === 'component' || type === 'dynamiczone' || type === 'media' || type === 'morph';

export const isToMany = ({ relation, repeatable, multiple, type }: ConsoleAttribute): boolean =>
  relation?.toMany ?? (type === 'dynamiczone' || repeatable === true || multiple === true);

/** Whether a name is that of a value, of which each entry has one. */
export function isOneValue(view: SchemaView | null, name: string): boolean {
  const attribute = attributeIn(view, name);
  return attribute !== undefined && !leadsOn(attribute);
}

/** The view at the end of a path of names; null where the model does not know it. */
export const viewAt = (view: SchemaView | null, path: readonly string[]): SchemaView | null =>
  path.reduce<SchemaView | null>((here, name) => viewBelow(here, name), view);

/** The attributes along a path, as far as the model knows them. */
export function attributesAlong(view: SchemaView | null, path: readonly string[]): (ConsoleAttribute | undefined)[] {
  let here = view;
  return path.map((name) => {
    const attribute = attributeIn(here, name);
    here = viewBelow(here, name);
    return attribute;
  });
}

/** Whether a value is one of those that related entries have, all of which can be asked for. */
export function isThroughMany(view: SchemaView | null, path: readonly Step[]): boolean {
  const holder = path.at(-2);
  const attribute = attributesAlong(
    view,
    path.map(({ name }) => name),
  ).at(-2);
  return holder?.set === null && attribute !== undefined && isToMany(attribute);
}

/** What the entries are of that a request answers with: its type, or what a relation of one entry leads to. */
export function rootView(model: ConsoleModel, { type, below }: Pick<ReadDraft, 'type' | 'below'>): SchemaView | null {
  const found = typeAt(model, type);
  if (!found) return null;
  const view = { model, schema: found };
  const names = below.split('/').filter((name) => name !== '');
  const relation = names[found.kind === 'singleType' ? 0 : 1];
  return relation === undefined || names[0] === 'aggregate' ? view : viewBelow(view, relation);
}

/** Conditions cannot be on these. */
export const isFilterable = ({ type, relation, private: isPrivate }: ConsoleAttribute): boolean =>
  !isPrivate &&
  type !== 'password' &&
  type !== 'dynamiczone' &&
  type !== 'media' &&
  type !== 'morph' &&
  !(type === 'relation' && relation?.target == null);

const UNSORTABLE = new Set(['json', 'blocks', 'password', 'dynamiczone', 'media', 'morph']);
export const isSortable = (attribute: ConsoleAttribute): boolean =>
  isFilterable(attribute) && !UNSORTABLE.has(attribute.type);
