// Judges what is about to be published as it is stored: a draft may be incomplete, what is published may not be.
import type { Row } from '../db/database.ts';
import type { ComponentSchema, ContentType, Model, ScalarAttribute, Schema } from '../model/types.ts';
import type { BodyProblem, ScalarChange } from '../plan/write/changes.ts';
import { problemsError } from '../plan/write/plan-write.ts';
import { ruleProblem, type StoredValue } from '../plan/write/values.ts';
import { holds } from '../plan/write/visible-when.ts';
import type { BodyPath } from '../request/parse-relation.ts';
import { holdersOfComponents, readItems } from './components.ts';
import { lockKeys } from './locks.ts';
import { listOf, versionOf, type WriteSession } from './write-session.ts';

const scalarsOf = (schema: Schema): ScalarAttribute[] =>
  [...schema.attributes.values()].filter(
    (attribute): attribute is ScalarAttribute =>
      attribute.kind === 'scalar' && attribute.writable && attribute.name !== 'id',
  );

/** Refuses a draft that does not satisfy what its attributes ask of published values. */
export async function judgeDraft(
  write: WriteSession,
  type: ContentType,
  draft: { readonly id: number; readonly documentId: string; readonly locale: string | null },
): Promise<void> {
  const problems: BodyProblem[] = [];
  const inComponents: ComponentValue[] = [];
  const values = await judgeRow(write, type, draft.id, [], problems, inComponents);
  const unique = values.filter(({ attribute }) => attribute.rules.unique);
  problems.push(...(await uniqueProblems(write, type, draft.documentId, draft.locale, unique)));
  problems.push(...(await uniqueInComponents(write, draft.documentId, inComponents)));
  if (problems.length > 0) throw problemsError(problems);
}

async function judgeRow(
  write: WriteSession,
  schema: Schema,
  id: number,
  path: BodyPath,
  problems: BodyProblem[],
  inComponents: ComponentValue[],
): Promise<ScalarChange[]> {
  const scalars = scalarsOf(schema);
  const values: ScalarChange[] = [];
  if (scalars.length > 0) {
    const [row] = await write.rows(write.sql.selectRows(schema.table, scalars), listOf([id]));
    const data = Object.fromEntries(scalars.map((attribute, index) => [attribute.name, row![index + 1]]));
    for (const [index, attribute] of scalars.entries()) {
      const value = storedValue(attribute, row!, index + 1);
      const here = [...path, attribute.name];
      values.push({ attribute, value, path: here });
      if (schema.kind === 'component' && attribute.rules.unique && value !== null && value !== '')
        inComponents.push({ component: schema, attribute, value, path: here });
      // A stored password is a hash; what it was made from was judged when it was written.
      const wrong = attribute.type === 'password' && value !== null ? null : ruleProblem(attribute, value);
      const shown = attribute.visibleWhen === null || holds(attribute.visibleWhen, data);
      if (wrong && shown) problems.push({ path: here, message: wrong });
    }
  }
  for (const attribute of schema.attributes.values()) {
    if (attribute.kind !== 'component' && attribute.kind !== 'dynamiczone') continue;
    const here = [...path, attribute.name];
    const items = await readItems(write, schema.table, id, attribute.name);
    const many = attribute.kind === 'dynamiczone' || attribute.many;
    if (attribute.required && items.length === 0 && !many) problems.push({ path: here, message: 'must be defined' });
    if (many && attribute.min !== null && items.length < attribute.min && (attribute.required || items.length > 0))
      problems.push({ path: here, message: `must have at least ${attribute.min} items` });
    if (many && attribute.max !== null && items.length > attribute.max)
      problems.push({ path: here, message: `must have at most ${attribute.max} items` });
    for (const [index, item] of items.entries()) {
      const component = write.model.components.get(item.uid);
      if (component) await judgeRow(write, component, item.id, many ? [...here, index] : here, problems, inComponents);
    }
  }
  return values;
}

const storedValue = ({ type }: ScalarAttribute, row: Row, index: number): StoredValue => {
  const value = row[index] as StoredValue;
  return type === 'biginteger' && typeof value === 'string' ? BigInt(value) : value;
};

/** Values that another document holds already. Null and the empty text are never taken. */
export async function uniqueProblems(
  write: WriteSession,
  type: ContentType,
  documentId: string,
  locale: string | null,
  values: readonly ScalarChange[],
): Promise<BodyProblem[]> {
  const problems: BodyProblem[] = [];
  const unique = values.filter(({ attribute, value }) => attribute.rules.unique && value !== null && value !== '');
  await lockKeys(
    write,
    unique.map(({ attribute, value }) => `${type.uid} ${attribute.name} ${value}`),
  );
  for (const { attribute, value, path } of unique) {
    const inLocale = type.localized && attribute.localized;
    const statement = write.sql.duplicates(type.table, attribute, inLocale);
    const taken = await write.rows(statement, documentId, value, ...(inLocale ? [locale] : []));
    if (taken.length > 0) problems.push({ path, message: 'must be unique' });
  }
  return problems;
}

/** A value of a component that must be unique. */
interface ComponentValue {
  readonly component: ComponentSchema;
  readonly attribute: ScalarAttribute;
  readonly value: StoredValue;
  readonly path: BodyPath;
}

/** Values of components that stand twice in this entry, or in a published entry of another document. */
async function uniqueInComponents(
  write: WriteSession,
  documentId: string,
  values: readonly ComponentValue[],
): Promise<BodyProblem[]> {
  const problems: BodyProblem[] = [];
  const seen = new Set<string>();
  await lockKeys(
    write,
    values.map(({ component, attribute, value }) => `${component.uid} ${attribute.name} ${value}`),
  );
  for (const { component, attribute, value, path } of values) {
    const key = `${component.uid} ${attribute.name} ${value}`;
    const rows = await write.rows(write.sql.rowsWith(component.table, attribute), value);
    const taken =
      seen.has(key) ||
      (await isPublishedElsewhere(
        write,
        documentId,
        component,
        rows.map((row) => row[0] as number),
      ));
    if (taken) problems.push({ path, message: 'must be unique' });
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
  for (const [parent, parents] of await holdersOfComponents(write, component, ids)) {
    if (parent.kind === 'component') {
      if (await isPublishedElsewhere(write, documentId, parent, [...parents.values()])) return true;
      continue;
    }
    const versions = (await write.rows(write.sql.versionsByRow(parent.table), listOf(parents.values()))).map(versionOf);
    if (versions.some((version) => version.published && version.documentId !== documentId)) return true;
  }
  return false;
}

/** For a type without drafts, whose values are published as they are written. */
export async function judgeComponents(
  write: WriteSession,
  type: ContentType,
  row: { readonly id: number; readonly documentId: string },
): Promise<void> {
  if (!hasUniqueComponents(write.model, type)) return;
  const inComponents: ComponentValue[] = [];
  await judgeRow(write, type, row.id, [], [], inComponents);
  const problems = await uniqueInComponents(write, row.documentId, inComponents);
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
