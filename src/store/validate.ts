// Checks what is about to be published as it is stored: a draft may be incomplete, what is published may not be.
import { memoize } from '../memoize.ts';
import type { Attribute, ComponentSchema, ContentType, Model, ScalarAttribute, Schema } from '../model/types.ts';
import { countProblems, problemsError } from '../plan/write/body-problems.ts';
import type { BodyProblem, ScalarChange } from '../plan/write/changes.ts';
import { PatternTime } from '../plan/write/match-pattern.ts';
import { type StoredValue, storedProblem, wrongKind } from '../plan/write/values.ts';
import { isShown } from '../plan/write/visible-when.ts';
import { decoderOf } from '../read/encode.ts';
import type { BodyPath } from '../request/parse-relation.ts';
import type { Row } from '../sql/statement.ts';
import { type ComponentField, componentFields, holdsComponents, itemTablesOf, readItems } from './components.ts';
import { versionsByRow } from './document-versions.ts';
import { gather } from './gather.ts';
import type { ItemRef } from './gathered.ts';
import { lockKeys } from './locks.ts';
import { listOf, type Version, type WriteSession } from './write-session.ts';

type Validated = Pick<Version, 'id' | 'documentId' | 'locale'>;

/** Rows as validation needs them: the id, then the values of `scalarsOf` their schema. */
type ScalarRows = readonly Row[];

export async function readScalarRows(write: WriteSession, schema: Schema, ids: readonly number[]): Promise<ScalarRows> {
  const scalars = scalarsOf(schema);
  return scalars.length === 0 ? [] : write.run.rows(write.sql.selectRows(schema.table, scalars), listOf(ids));
}

/**
 * Refuses a draft that does not satisfy what its attributes ask of published values. `rows`: the draft and, where there is
 * one, its published row. What that row holds already, no other document can have taken.
 */
export async function validateForPublish(
  write: WriteSession,
  type: ContentType,
  draft: Validated,
  rows: ScalarRows,
): Promise<void> {
  const findings = noFindings();
  const values = await validateRow(write, type, { id: draft.id, rows, path: [], place: [], names: null }, findings);
  const published = rows.find(([id]) => id !== draft.id);
  const changed = values.filter(
    ({ attribute, value }) =>
      attribute.rules.unique && !(published && shownScalar(type, published, attribute)?.value === value),
  );
  await refuseFindings(write, type, draft, { ...findings, values: changed });
}

/** Refuses what was found, and values that must be unique and are not. */
export async function refuseFindings(
  write: WriteSession,
  type: ContentType,
  version: Pick<Version, 'documentId' | 'locale'>,
  { problems, uniqueInComponents, values }: Findings & { readonly values: readonly ScalarChange[] },
): Promise<void> {
  const all = [
    ...problems,
    ...(await uniqueProblems(write, type, version, values)),
    ...(await uniqueComponentProblems(write, type, version, uniqueInComponents)),
  ];
  if (all.length > 0) throw problemsError(all);
}

/** A field that leads from a schema to the component of which the next field is, or the value. */
export interface FieldStep {
  readonly schema: Schema;
  readonly attribute: ComponentField;
  readonly component: ComponentSchema;
}

/** A value of a component that must be unique among the values in the same place of other entries. */
interface ComponentValue {
  readonly component: ComponentSchema;
  readonly attribute: ScalarAttribute;
  readonly value: StoredValue;
  readonly place: readonly FieldStep[];
  readonly path: BodyPath;
}

export interface Findings {
  readonly problems: BodyProblem[];
  readonly uniqueInComponents: ComponentValue[];
  readonly patternTime: PatternTime;
}

export const noFindings = (): Findings => ({ problems: [], uniqueInComponents: [], patternTime: new PatternTime() });

export interface LocatedRow {
  readonly id: number;
  readonly rows: ScalarRows;
  readonly path: BodyPath;
  readonly place: readonly FieldStep[];
  /** The attributes to judge; null for all of them. */
  readonly names: ReadonlySet<string> | null;
}

/** Judges what a row shows, with the components that it shows. Returns the values of the row itself. */
export async function validateRow(
  write: WriteSession,
  schema: Schema,
  row: LocatedRow,
  findings: Findings,
): Promise<readonly ScalarChange[]> {
  const below = await readBelow(write, schema, row.id, shownFields(schema, row));
  return judgeRow(write, schema, row, { ...findings, below });
}

/** What was found, and the rows of all components below the row that is judged, by their kind. */
interface Judgement extends Findings {
  readonly below: ReadonlyMap<string, ScalarRows>;
}

async function judgeRow(
  write: WriteSession,
  schema: Schema,
  row: LocatedRow,
  judgement: Judgement,
): Promise<readonly ScalarChange[]> {
  const values = validateScalars(schema, row, storedOf(row), judgement);
  for (const attribute of shownFields(schema, row)) await validateField(write, { schema, attribute }, row, judgement);
  return values;
}

const storedOf = ({ id, rows }: LocatedRow): Row => rows.find(([of]) => of === id) ?? [];

/** The fields of components that are to be judged. */
function shownFields(schema: Schema, row: LocatedRow): readonly ComponentField[] {
  const valueIn = rowReader(schema, storedOf(row));
  return componentFields(schema).filter(
    (attribute) => (row.names?.has(attribute.name) ?? true) && isShown(schema, attribute, valueIn),
  );
}

/** Reads which components rows of schemas hold. */
async function gatherItems(
  write: WriteSession,
  holders: readonly { readonly schema: Schema; readonly ids: readonly number[] }[],
): Promise<void> {
  const parts = holders.map(({ schema }) => ({ read: 'items', ...itemTablesOf(schema, write.model) }) as const);
  const rows = holders.map(({ ids }) => ids);
  await gather(write, parts, rows);
}

/** Reads the components of a row, and those below them level by level: each kind of a level together. */
async function readBelow(
  write: WriteSession,
  schema: Schema,
  row: number,
  fields: readonly ComponentField[],
): Promise<ReadonlyMap<string, ScalarRows>> {
  const below = new Map<string, ScalarRows>();
  if (fields.length === 0) return below;
  if (!write.gathered.itemsOf(schema.componentTable, row)) await gatherItems(write, [{ schema, ids: [row] }]);
  let level: ItemRef[] = [];
  for (const { name } of fields) level.push(...(await readItems(write, schema, row, name)));
  while (level.length > 0) {
    const kinds = [...Map.groupBy(level, ({ uid }) => uid)].flatMap(([uid, items]) => {
      const schema = write.model.components.get(uid);
      return schema ? [{ schema, ids: items.map(({ id }) => id) }] : [];
    });
    for (const { schema, ids } of kinds) {
      const rows = await readScalarRows(write, schema, ids);
      below.set(schema.uid, [...(below.get(schema.uid) ?? []), ...rows]);
    }
    const holders = kinds.filter(({ schema }) => holdsComponents(schema));
    await gatherItems(write, holders);
    level = [];
    for (const { schema, ids } of holders)
      for (const id of ids)
        for (const { name } of componentFields(schema)) level.push(...(await readItems(write, schema, id, name)));
  }
  return below;
}

function validateScalars(
  schema: Schema,
  { path, place, names }: LocatedRow,
  row: Row,
  { problems, uniqueInComponents, patternTime }: Findings,
): readonly ScalarChange[] {
  const judged: ScalarChange[] = [];
  for (const attribute of scalarsOf(schema)) {
    if (names && !names.has(attribute.name)) continue;
    const shown = shownScalar(schema, row, attribute);
    if (!shown) continue;
    const { value } = shown;
    const here = [...path, attribute.name];
    if (schema.kind === 'component' && attribute.rules.unique && value !== null && value !== '')
      uniqueInComponents.push({ component: schema, attribute, value, place, path: here });
    const wrong = storedProblem(attribute, value, patternTime);
    if (wrong) problems.push({ path: here, message: wrong });
    judged.push({ attribute, value, path: here });
  }
  return judged;
}

/** The value of an attribute in a row; null where the conditions of the row do not show it. */
function shownScalar(schema: Schema, row: Row, attribute: ScalarAttribute): { readonly value: StoredValue } | null {
  if (!isShown(schema, attribute, rowReader(schema, row))) return null;
  return { value: storedValue(attribute, row, scalarsOf(schema).indexOf(attribute) + 1) };
}

/** The values of a row as the API shows them. */
const rowReader = (schema: Schema, row: Row) => (attribute: ScalarAttribute) =>
  decoderOf(attribute.type, false)(row[scalarsOf(schema).indexOf(attribute) + 1] ?? null);

const scalarsOf = memoize((schema: Schema): readonly ScalarAttribute[] =>
  [...schema.attributes.values()].filter(
    (attribute): attribute is ScalarAttribute =>
      attribute.kind === 'scalar' && attribute.writable && attribute.name !== 'id',
  ),
);

/** A column of SQLite takes texts and fractions, too. */
const WHOLE = /^-?\d+$/;

/** A value of a row as it would be bound, whatever the database reads it as. */
const storedValue = ({ type }: ScalarAttribute, row: Row, index: number): StoredValue => {
  const value = row[index] as StoredValue | boolean;
  if (typeof value === 'boolean') return Number(value);
  // A column without a value may be read as the null of JSON, and another program may have stored that.
  if (value === 'null' && (type === 'json' || type === 'blocks')) return null;
  return type === 'biginteger' && typeof value === 'string' && WHOLE.test(value) ? BigInt(value) : value;
};

async function validateField(
  write: WriteSession,
  { schema, attribute }: { readonly schema: Schema; readonly attribute: ComponentField },
  { id, path, place }: LocatedRow,
  judgement: Judgement,
): Promise<void> {
  const here = [...path, attribute.name];
  const report = (message: string) => judgement.problems.push({ path: here, message });
  const items = await readItems(write, schema, id, attribute.name);
  const many = attribute.kind === 'dynamiczone' || attribute.many;
  if (attribute.required && items.length === 0 && !many) report(wrongKind('object', null));
  if (many) for (const problem of countProblems(attribute, items.length)) report(problem);
  for (const [index, { id, uid }] of items.entries()) {
    const component = write.model.components.get(uid);
    if (!component) continue;
    const step = { schema, attribute, component };
    const [below, steps] = [many ? [...here, index] : here, [...place, step]];
    const row = { id, rows: judgement.below.get(uid) ?? [], path: below, place: steps, names: null };
    await judgeRow(write, component, row, judgement);
  }
}

/** For a type without drafts: refuses values that another document holds already. */
export async function refuseDuplicates(
  write: WriteSession,
  type: ContentType,
  version: Pick<Version, 'documentId' | 'locale'>,
  values: readonly ScalarChange[],
): Promise<void> {
  const problems = await uniqueProblems(write, type, version, values);
  if (problems.length > 0) throw problemsError(problems);
}

/** Values that another document holds already. Null and the empty string are never taken. */
async function uniqueProblems(
  write: WriteSession,
  type: ContentType,
  { documentId, locale }: Pick<Version, 'documentId' | 'locale'>,
  values: readonly ScalarChange[],
): Promise<BodyProblem[]> {
  const unique = values.filter(({ attribute, value }) => attribute.rules.unique && value !== null && value !== '');
  if (unique.length === 0) return [];
  const columns = unique.map(({ attribute: { column, type: kind, localized } }) => ({
    column,
    type: kind,
    inLocale: type.localized && localized,
  }));
  const bound = unique.flatMap(({ value }, index) => [
    documentId,
    value,
    ...(columns[index]!.inLocale ? [locale] : []),
  ]);
  const keys = unique.map(({ attribute, value }) => `${type.uid} ${attribute.name} ${value}`);
  // What is read after the lock is up to date. Both are sent together.
  const [, taken] = await Promise.all([
    lockKeys(write, keys),
    write.run.rows(write.sql.duplicates(type.table, columns, type.draftAndPublish), ...bound),
  ]);
  return taken.map(([index]) => notUnique(unique[index]!.path));
}

const notUnique = (path: BodyPath): BodyProblem => ({
  path,
  message: 'This attribute must be unique',
  isSentence: true,
});

/** Values of components that stand twice in one place of this entry, or in the same place of another document. */
async function uniqueComponentProblems(
  write: WriteSession,
  type: ContentType,
  version: Pick<Version, 'documentId' | 'locale'>,
  values: readonly ComponentValue[],
): Promise<BodyProblem[]> {
  const keyOf = ({ place, attribute, value }: ComponentValue) =>
    [type.uid, ...place.map((step) => `${step.attribute.name} ${step.component.uid}`), attribute.name, value].join(' ');
  await lockKeys(write, values.map(keyOf));
  const problems: BodyProblem[] = [];
  for (const group of Map.groupBy(values, keyOf).values())
    if (group.length > 1 || (await isHeldElsewhere(write, type, version, group[0]!)))
      problems.push(...group.map(({ path }) => notUnique(path)));
  return problems;
}

/** Whether another document holds a value in the same place: published, where there are drafts, and in the same locale. */
async function isHeldElsewhere(
  write: WriteSession,
  type: ContentType,
  { documentId, locale }: Pick<Version, 'documentId' | 'locale'>,
  { component, attribute, value, place }: ComponentValue,
): Promise<boolean> {
  let ids = (await write.run.rows(write.sql.rowsWith(component.table, attribute), value)).map(([id]) => id);
  for (const step of place.toReversed()) {
    if (ids.length === 0) return false;
    const statement = write.sql.parentsOf(step.schema.componentTable);
    const parents = await write.run.rows(statement, step.component.uid, listOf(ids));
    ids = parents.filter(([, , field]) => field === step.attribute.name).map(([row]) => row);
  }
  // What locales share belongs to one document, whatever the locale.
  const inLocale = type.localized && place[0]!.attribute.localized;
  const versions = await versionsByRow(write, type, ids);
  return versions.some(
    (other) =>
      other.documentId !== documentId &&
      (other.published || !type.draftAndPublish) &&
      (!inLocale || other.locale === locale),
  );
}

/** For a type without drafts, whose values are published as they are written. */
export async function validateUniqueComponents(
  write: WriteSession,
  type: ContentType,
  version: Version,
): Promise<void> {
  const isUnique = (schema: Schema, attribute: Attribute) =>
    schema.kind === 'component' && attribute.kind === 'scalar' && attribute.rules.unique;
  if (!someAttribute(write.model, type, isUnique)) return;
  const findings = noFindings();
  const rows = await readScalarRows(write, type, [version.id]);
  await validateRow(write, type, { id: version.id, rows, path: [], place: [], names: null }, findings);
  const problems = await uniqueComponentProblems(write, type, version, findings.uniqueInComponents);
  if (problems.length > 0) throw problemsError(problems);
}

/** Whether some attribute of a schema, or of the components below it, is of a kind. */
export function someAttribute(
  model: Model,
  schema: Schema,
  is: (schema: Schema, attribute: Attribute) => boolean,
  seen = new Set<string>(),
): boolean {
  if (seen.has(schema.uid)) return false;
  seen.add(schema.uid);
  return [...schema.attributes.values()].some(
    (attribute) =>
      is(schema, attribute) ||
      componentsOf(attribute).some((uid) => someAttribute(model, model.components.get(uid)!, is, seen)),
  );
}

/** The kinds of components that an attribute holds. */
export function componentsOf(attribute: Attribute): string[] {
  if (attribute.kind === 'component') return [attribute.component];
  return attribute.kind === 'dynamiczone' ? attribute.components.map(({ uid }) => uid) : [];
}
