// For types without drafts: judges attributes with a condition where the stored row decides whether they are shown. The
// rows are judged as they were written, with what the body left as it was, and with defaults.
import { memoize } from '../memoize.ts';
import type { Attribute, ContentType, Model, Schema } from '../model/types.ts';
import { changedNames, type EntityChange, type ScalarChange } from '../plan/write/changes.ts';
import { variablesOf } from '../plan/write/visible-when.ts';
import type { BodyPath } from '../request/parse-relation.ts';
import type { StoredEntities } from './gathered.ts';
import {
  componentsOf,
  type FieldStep,
  noFindings,
  readScalarRows,
  refuseFindings,
  someAttribute,
  validateRow,
} from './validate.ts';
import type { Version, WriteSession } from './write-session.ts';

/** Where the row of the entry comes from: there was one, or it was planned as new, or it turned out to be new. */
export type RowOrigin = 'stored' | 'created' | 'added';

export interface WrittenChange {
  readonly change: EntityChange;
  readonly origin: RowOrigin;
  readonly stored: StoredEntities;
}

export async function validateConditional(
  write: WriteSession,
  type: ContentType,
  version: Version,
  { change, origin, stored }: WrittenChange,
): Promise<void> {
  const root = { schema: type, id: version.id, change, path: [], place: [] };
  const names = namesToJudge(write.model, type, change, origin);
  const judged = [{ ...root, names }, ...componentsToJudge(write.model, root, stored)].filter(
    (one) => one.names.size > 0,
  );
  const findings = noFindings();
  const values: ScalarChange[] = [];
  for (const [schema, group] of Map.groupBy(judged, (one) => one.schema)) {
    const rows = await readScalarRows(
      write,
      schema,
      group.map(({ id }) => id),
    );
    for (const row of group) {
      const own = await validateRow(write, schema, { ...row, rows }, findings);
      if (schema === type) values.push(...own);
    }
  }
  if (judged.length > 0) await refuseFindings(write, type, version, { ...findings, values });
}

/** Whether the stored row decides about some of what a change of the row itself writes. */
export const isConditional = (schema: Schema, change: EntityChange): boolean => {
  const conditional = conditionalAttributes(schema);
  if (conditional.length === 0) return false;
  const written = changedNames(change);
  return conditional.some((attribute) => isConcerned(attribute, written));
};

const conditionalAttributes = memoize((schema: Schema): readonly Attribute[] =>
  [...schema.attributes.values()].filter(({ visibleWhen }) => visibleWhen !== null),
);

/** The names of the attributes to judge in a row. */
function namesToJudge(model: Model, schema: Schema, change: EntityChange, origin: RowOrigin): Set<string> {
  const written = changedNames(change);
  const judged = [...schema.attributes.values()].filter((attribute) => {
    const hasCondition = attribute.visibleWhen !== null;
    if (origin === 'stored') return isConcerned(attribute, written);
    // Of a row that was planned as new, the plan has judged the rest.
    if (origin === 'created') return hasCondition && attribute.kind === 'scalar' && attribute.rules.unique;
    // Items were planned as changes of rows that there are not.
    return hasCondition || (written.has(attribute.name) && holdsConditions(model, attribute));
  });
  return new Set(judged.map(({ name }) => name));
}

/** Whether a change writes an attribute with a condition, or something that its condition asks for. */
const isConcerned = ({ name, visibleWhen }: Attribute, written: ReadonlySet<string>): boolean =>
  visibleWhen !== null && [name, ...variablesOf(visibleWhen)].some((one) => written.has(one));

/** Whether an attribute holds components with conditions. */
const holdsConditions = (model: Model, attribute: Attribute): boolean =>
  componentsOf(attribute).some((uid) =>
    someAttribute(model, model.components.get(uid)!, (_, { visibleWhen }) => visibleWhen !== null),
  );

/** A row that a change writes. */
interface ChangedRow {
  readonly schema: Schema;
  readonly id: number;
  readonly change: EntityChange;
  readonly path: BodyPath;
  readonly place: readonly FieldStep[];
}

/** The rows of components that are changed by their ids. A field with a condition is judged as a whole. */
function componentsToJudge(
  model: Model,
  { schema, change, place }: ChangedRow,
  stored: StoredEntities,
): (ChangedRow & { readonly names: ReadonlySet<string> })[] {
  return change.components
    .filter(({ attribute }) => attribute.visibleWhen === null)
    .flatMap(({ attribute, items }) =>
      items.flatMap(({ uid, entity, path }) => {
        const id = stored.get(entity)?.row;
        if (id === undefined) return [];
        const component = model.components.get(uid)!;
        const steps = [...place, { schema, attribute, component }];
        const row = { schema: component, id, change: entity, path, place: steps };
        const names = namesToJudge(model, component, entity, 'stored');
        return [{ ...row, names }, ...componentsToJudge(model, row, stored)];
      }),
    );
}
