// What a request chooses of entries by name: fields, sort, populate, and what groups are made of.
import type { ScalarAttribute, Schema } from '../model/types.ts';
import type { Description } from './description.ts';
import { filterSchema } from './filters.ts';
import {
  anyOf,
  commaList,
  type JsonSchema,
  listOf,
  type Properties,
  strictObject,
  YES_OR_NO,
} from './named-schemas.ts';
import { comparedAs } from './scalar-schemas.ts';
import type { PopulatedAttribute } from './view.ts';

const oneOf = (names: readonly string[]): string => `(?:${names.join('|')})`;
const alternatives = (names: readonly string[]): JsonSchema => ({ enum: [...names].sort() });
/** What may follow a name in a path; whether it is there, the server says. */
const FURTHER = '(?:\\.[^.,:\\s]+)+';

/** Names of attributes to show. */
export const fieldsSchema = (description: Description, schema: Schema): JsonSchema =>
  description.schemas.refer(`${description.nameOf(schema)}Fields`, () => {
    const names = [...description.view.scalars(schema).map(({ name }) => name), '*'];
    return anyOf(listOf(alternatives(names)), commaList(oneOf(names.map((name) => name.replace('*', '\\*')))));
  });

const DIRECTION = '[aA][sS][cC]|[dD][eE][sS][cC]';
const DIRECTIONS = { type: 'string', pattern: `^\\s*(?:${DIRECTION})\\s*$` };

export const sortSchema = (description: Description, schema: Schema): JsonSchema =>
  description.schemas.refer(`${description.nameOf(schema)}Sort`, () => {
    const attributes = description.view.conditions(schema, 'sort');
    const scalars = attributes.filter(({ kind }) => kind === 'scalar').map(({ name }) => name);
    const around = attributes.filter(({ kind }) => kind !== 'scalar').map(({ name }) => name);
    const paths = [...scalars, ...(around.length > 0 ? [`${oneOf(around)}${FURTHER}`] : [])];
    const text = commaList(`${oneOf(paths)}(?:\\s*:\\s*(?:${DIRECTION}))?`);
    const object = sortObject(description, schema);
    const keys = alternatives(scalars.flatMap((name) => [name, `${name}:asc`, `${name}:desc`]));
    return anyOf(listOf(anyOf(keys, text, object)), text, object);
  });

/** Names of attributes with their direction; below relations, those of what they lead to. */
function sortObject(description: Description, schema: Schema): JsonSchema {
  const { schemas, view } = description;
  return schemas.refer(`${description.nameOf(schema)}SortObject`, () => {
    const direction = schemas.refer('SortDirection', () => DIRECTIONS);
    const aggregates = Object.fromEntries(['$count', '$min', '$max', '$avg'].map((name) => [name, direction]));
    const ofScalar = schemas.refer('SortOfAttribute', () =>
      anyOf(direction, strictObject(aggregates, [], { minProperties: 1 })),
    );
    const under = (uid: string): JsonSchema => sortObject(description, view.schemaOf(uid));
    const properties: Record<string, JsonSchema> = { ...aggregates };
    for (const attribute of view.conditions(schema, 'sort'))
      if (attribute.kind === 'scalar') properties[attribute.name] = ofScalar;
      else if (attribute.kind === 'component') properties[attribute.name] = under(attribute.component);
      else if ('target' in attribute) properties[attribute.name] = under(attribute.target);
    return strictObject(properties, []);
  });
}

/** What is shown besides an entry's own attributes. */
export const populateSchema = (description: Description, schema: Schema): JsonSchema =>
  description.schemas.refer(`${description.nameOf(schema)}Populate`, () => {
    const attributes = description.view.populated(schema);
    const everything = { enum: ['*', true, false, 'true', 'false', ''] };
    if (attributes.length === 0) return everything;
    const names = attributes.map(({ name }) => name);
    const path = `${oneOf(names)}(?:${FURTHER})?`;
    const nodes = Object.fromEntries(attributes.map((one) => [one.name, nodeOf(description, one)]));
    const item = anyOf(alternatives(names), commaList(path));
    return anyOf(everything, listOf(item), commaList(path), strictObject(nodes, []));
  });

/** The part of a populated list that is shown. */
const pageOfPopulated = ({ schemas }: Description): JsonSchema =>
  schemas.refer('PopulatePagination', () =>
    strictObject({ start: NUMBER, limit: NUMBER, withCount: YES_OR_NO }, [], {
      description: 'The part of each populated list that is shown.',
    }),
  );

export const NUMBER: JsonSchema = { type: ['integer', 'string'], pattern: '^[+-]?\\d+(?:\\.0+)?$' };

function nodeOf(description: Description, attribute: PopulatedAttribute): JsonSchema {
  const { view } = description;
  switch (attribute.kind) {
    case 'dynamiczone':
      return mixedNode(
        description,
        attribute.components.map(({ uid }) => uid),
        true,
      );
    case 'morph':
      return mixedNode(description, view.found(attribute.targets.map(({ uid }) => uid)), attribute.many);
    case 'component':
      return relatedNode(description, view.schemaOf(attribute.component), attribute.many);
    default:
      return relatedNode(
        description,
        view.schemaOf(attribute.target),
        attribute.kind === 'localizations' || attribute.many,
      );
  }
}

const PLAIN_NODE: JsonSchema = { enum: [...YES_OR_NO.enum, '*'] };

function relatedNode(description: Description, schema: Schema, many: boolean): JsonSchema {
  const name = `${description.nameOf(schema)}${many ? 'List' : 'Relation'}Populate`;
  return description.schemas.refer(name, () =>
    anyOf(
      PLAIN_NODE,
      strictObject(
        {
          ...shapeOf(description, schema),
          sort: sortSchema(description, schema),
          count: YES_OR_NO,
          ...(many && { pagination: pageOfPopulated(description) }),
        },
        [],
      ),
    ),
  );
}

const shapeOf = (description: Description, schema: Schema): Properties => ({
  fields: fieldsSchema(description, schema),
  filters: filterSchema(description, schema),
  populate: nested(populateSchema(description, schema)),
});

/** Below an attribute everything may be asked for by yes or no as well. */
const nested = (schema: JsonSchema): JsonSchema => anyOf(schema, YES_OR_NO);

/** Entries of several types, each shown as its fragment says. */
function mixedNode(description: Description, uids: readonly string[], many: boolean): JsonSchema {
  const { view, nameOf } = { view: description.view, nameOf: (schema: Schema) => description.nameOf(schema) };
  const fragments = uids.map((uid): [string, JsonSchema] => {
    const schema = view.schemaOf(uid);
    return [
      uid,
      description.schemas.refer(`${nameOf(schema)}FragmentPopulate`, () =>
        anyOf(PLAIN_NODE, strictObject(shapeOf(description, schema), [])),
      ),
    ];
  });
  return anyOf(
    PLAIN_NODE,
    strictObject(
      {
        // One list of fragments may serve several zones.
        on: { type: 'object', properties: Object.fromEntries(fragments), additionalProperties: {} },
        populate: anyOf(YES_OR_NO, { enum: ['*'] }, commaList(`[^.,:\\s]+(?:${FURTHER})?`), listOf({ type: 'string' })),
        count: YES_OR_NO,
        ...(many && { pagination: pageOfPopulated(description) }),
      },
      [],
    ),
  );
}

const NUMBERS = (attribute: ScalarAttribute): boolean => comparedAs(attribute.type) === 'Number';
const GROUPED = (attribute: ScalarAttribute): boolean => comparedAs(attribute.type) !== null;

/** Names of what groups are made of, or of what is computed of them: own attributes, and paths through relations. */
export function pathsSchema(description: Description, schema: Schema, of: 'numbers' | 'values'): JsonSchema {
  const name = `${description.nameOf(schema)}${of === 'numbers' ? 'NumberPaths' : 'Paths'}`;
  return description.schemas.refer(name, () => {
    const { view } = description;
    const own = view.scalars(schema).filter(of === 'numbers' ? NUMBERS : GROUPED);
    const around = view.populated(schema).map((one) => one.name);
    const names = [...own.map((one) => one.name), ...around];
    const path = `${oneOf(names)}(?:${FURTHER})?`;
    return anyOf(listOf(anyOf(alternatives(names), commaList(path))), commaList(path));
  });
}
