// Checks what is about to be published as it is stored: a draft may be incomplete, what is published may not be.
import type { ComponentSchema, ContentType, Model, ScalarAttribute, Schema } from '../model/types.ts';
import type { BodyProblem, ScalarChange } from '../plan/write/changes.ts';
import { problemsError } from '../plan/write/plan-write.ts';
import { ruleProblem, type StoredValue } from '../plan/write/values.ts';
import { holds } from '../plan/write/visible-when.ts';
import type { BodyPath } from '../request/parse-relation.ts';
import type { Row } from '../sql/statement.ts';
import { type ComponentField, holdersOfComponents, readItems } from './components.ts';
import { versionsByRow } from './document-versions.ts';
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
  const findings: Findings = { problems: [], uniqueInComponents: [] };
  const values = await validateRow(write, type, { id: draft.id, rows, path: [] }, findings);
  const published = rows.find(([id]) => id !== draft.id);
  const shown = published
    ? scalarsOf(type).map((attribute, index) => storedValue(attribute, published, index + 1))
    : [];
  const changed = values.filter(({ value }, index) => shown[index] !== value);
  const problems = [
    ...findings.problems,
    ...(await uniqueProblems(write, type, draft, changed)),
    ...(await uniqueComponentProblems(write, draft.documentId, findings.uniqueInComponents)),
  ];
  if (problems.length > 0) throw problemsError(problems);
}

/** A value of a component that must be unique. */
interface ComponentValue {
  readonly component: ComponentSchema;
  readonly attribute: ScalarAttribute;
  readonly value: StoredValue;
  readonly path: BodyPath;
}

interface Findings {
  readonly problems: BodyProblem[];
  readonly uniqueInComponents: ComponentValue[];
}

interface LocatedRow {
  readonly id: number;
  readonly rows: ScalarRows;
  readonly path: BodyPath;
}

/** Returns the values of the row itself. */
async function validateRow(
  write: WriteSession,
  schema: Schema,
  row: LocatedRow,
  findings: Findings,
): Promise<readonly ScalarChange[]> {
  const values = validateScalars(schema, row, findings);
  for (const attribute of schema.attributes.values())
    if (attribute.kind === 'component' || attribute.kind === 'dynamiczone')
      await validateField(write, { schema, attribute }, row, findings);
  return values;
}

function validateScalars(
  schema: Schema,
  { id, rows, path }: LocatedRow,
  { problems, uniqueInComponents }: Findings,
): readonly ScalarChange[] {
  const scalars = scalarsOf(schema);
  if (scalars.length === 0) return [];
  const row = rows.find(([of]) => of === id);
  const data = Object.fromEntries(scalars.map((attribute, index) => [attribute.name, row![index + 1]]));
  return scalars.map((attribute, index) => {
    const value = storedValue(attribute, row!, index + 1);
    const here = [...path, attribute.name];
    if (schema.kind === 'component' && attribute.rules.unique && value !== null && value !== '')
      uniqueInComponents.push({ component: schema, attribute, value, path: here });
    // A stored password is a hash; the password itself was checked when it was written.
    const wrong = attribute.type === 'password' && value !== null ? null : ruleProblem(attribute, value);
    const shown = attribute.visibleWhen === null || holds(attribute.visibleWhen, data);
    if (wrong && shown) problems.push({ path: here, message: wrong });
    return { attribute, value, path: here };
  });
}

const scalarsOf = (schema: Schema): ScalarAttribute[] =>
  [...schema.attributes.values()].filter(
    (attribute): attribute is ScalarAttribute =>
      attribute.kind === 'scalar' && attribute.writable && attribute.name !== 'id',
  );

const storedValue = ({ type }: ScalarAttribute, row: Row, index: number): StoredValue => {
  const value = row[index] as StoredValue;
  return type === 'biginteger' && typeof value === 'string' ? BigInt(value) : value;
};

async function validateField(
  write: WriteSession,
  { schema, attribute }: { readonly schema: Schema; readonly attribute: ComponentField },
  { id, path }: LocatedRow,
  findings: Findings,
): Promise<void> {
  const here = [...path, attribute.name];
  const report = (message: string) => findings.problems.push({ path: here, message });
  const items = await readItems(write, schema, id, attribute.name);
  const { min, max, required } = attribute;
  const many = attribute.kind === 'dynamiczone' || attribute.many;
  if (required && items.length === 0 && !many) report('must be defined');
  if (many && min !== null && items.length < min && (required || items.length > 0))
    report(`must have at least ${min} items`);
  if (many && max !== null && items.length > max) report(`must have at most ${max} items`);
  const rows = await readItemRows(write, items);
  for (const [index, { id, uid }] of items.entries()) {
    const component = write.model.components.get(uid);
    const row = { id, rows: rows.get(uid) ?? [], path: many ? [...here, index] : here };
    if (component) await validateRow(write, component, row, findings);
  }
}

/** The rows of items, by the kind of component. */
async function readItemRows(write: WriteSession, items: readonly ItemRef[]): Promise<ReadonlyMap<string, ScalarRows>> {
  const rows = new Map<string, ScalarRows>();
  for (const [uid, group] of Map.groupBy(items, (item) => item.uid)) {
    const component = write.model.components.get(uid);
    const ids = group.map(({ id }) => id);
    if (component) rows.set(uid, await readScalarRows(write, component, ids));
  }
  return rows;
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
    write.run.rows(write.sql.duplicates(type.table, columns), ...bound),
  ]);
  return taken.map(([index]) => ({ path: unique[index]!.path, message: 'must be unique' }));
}

/** Values of components that stand twice in this entry, or in a published entry of another document. */
async function uniqueComponentProblems(
  write: WriteSession,
  documentId: string,
  values: readonly ComponentValue[],
): Promise<BodyProblem[]> {
  const problems: BodyProblem[] = [];
  const seen = new Set<string>();
  const keyOf = ({ component, attribute, value }: ComponentValue) => `${component.uid} ${attribute.name} ${value}`;
  await lockKeys(write, values.map(keyOf));
  for (const found of values) {
    const { component, attribute, value, path } = found;
    const key = keyOf(found);
    const rows = await write.run.rows(write.sql.rowsWith(component.table, attribute), value);
    const ids = rows.map(([id]) => id);
    if (seen.has(key) || (await isPublishedElsewhere(write, documentId, component, ids)))
      problems.push({ path, message: 'must be unique' });
    seen.add(key);
  }
  return problems;
}

async function isPublishedElsewhere(
  write: WriteSession,
  documentId: string,
  component: ComponentSchema,
  ids: readonly number[],
): Promise<boolean> {
  for (const { schema, holders } of await holdersOfComponents(write, component, ids)) {
    const rows = [...new Set(holders.map(({ row }) => row))];
    if (schema.kind === 'component') {
      if (await isPublishedElsewhere(write, documentId, schema, rows)) return true;
      continue;
    }
    const versions = await versionsByRow(write, schema, rows);
    if (versions.some((version) => version.published && version.documentId !== documentId)) return true;
  }
  return false;
}

/** For a type without drafts, whose values are published as they are written. */
export async function validateUniqueComponents(
  write: WriteSession,
  type: ContentType,
  { id, documentId }: Pick<Version, 'id' | 'documentId'>,
): Promise<void> {
  if (!hasUniqueComponents(write.model, type)) return;
  const findings: Findings = { problems: [], uniqueInComponents: [] };
  await validateRow(write, type, { id, rows: await readScalarRows(write, type, [id]), path: [] }, findings);
  const problems = await uniqueComponentProblems(write, documentId, findings.uniqueInComponents);
  if (problems.length > 0) throw problemsError(problems);
}

function hasUniqueComponents(model: Model, schema: Schema, seen = new Set<string>()): boolean {
  if (seen.has(schema.uid)) return false;
  seen.add(schema.uid);
  for (const attribute of schema.attributes.values()) {
    if (schema.kind === 'component' && attribute.kind === 'scalar' && attribute.rules.unique) return true;
    const uids =
      attribute.kind === 'component'
        ? [attribute.component]
        : attribute.kind === 'dynamiczone'
          ? attribute.components.map(({ uid }) => uid)
          : [];
    if (uids.some((uid) => hasUniqueComponents(model, model.components.get(uid)!, seen))) return true;
  }
  return false;
}
