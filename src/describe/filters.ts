// The grammar of filters as schemas. Conditions lead from type to type by reference, so they are described to any depth.
import type { Attribute, Schema } from '../model/types.ts';
import type { Description } from './description.ts';
import { anyOf, type JsonSchema, listOf, NULL, type Properties, YES_OR_NO } from './named-schemas.ts';
import { ANY_VALUE, COMPARED, type ComparedAs, comparedAs } from './scalar-schemas.ts';

/** Operators that compare with one value, or with several of which one is enough. */
const ORDER = ['$lt', '$lte', '$gt', '$gte'] as const;
const TEXTS = [
  '$eqi',
  '$nei',
  '$contains',
  '$notContains',
  '$containsi',
  '$notContainsi',
  '$startsWith',
  '$startsWithi',
  '$endsWith',
  '$endsWithi',
] as const;

const oneOrSome = (value: JsonSchema): JsonSchema => anyOf(value, listOf(value, { minItems: 1 }));
const each = (names: readonly string[], schema: JsonSchema): Properties =>
  Object.fromEntries(names.map((name) => [name, schema]));

/** What every attribute is compared by. */
function comparisons({ schemas }: Description, as: ComparedAs): Properties {
  const value: JsonSchema = COMPARED[as];
  const valueOrNull = anyOf(value, NULL);
  const list = schemas.refer(`${as}OrNull`, () => anyOf(valueOrNull, listOf(valueOrNull)));
  const pair = schemas.refer(`${as}Pair`, () => ({ type: 'array', items: value, minItems: 2, maxItems: 2 }));
  const some = (of: ComparedAs): JsonSchema => schemas.refer(`${of}OrList`, () => oneOrSome(COMPARED[of]));
  return {
    ...each(['$eq', '$ne', '$in', '$notIn'], list),
    ...each(ORDER, some(as)),
    $between: pair,
    ...each(TEXTS, some('Text')),
    ...each(
      ['$null', '$notNull'],
      schemas.refer('YesOrNo', () => YES_OR_NO),
    ),
  };
}

/** `$and`, `$or` and `$not` of conditions: a list, or one without a list around it. */
const groups = (member: JsonSchema): Properties =>
  each(['$and', '$or', '$not'], anyOf(member, listOf(anyOf(member, listOf(member)), { minItems: 1 })));

const conditionObject = (properties: Properties, rest: JsonSchema = {}): JsonSchema => ({
  type: 'object',
  properties,
  additionalProperties: false,
  minProperties: 1,
  ...rest,
});

/** A value stands for itself, several for any of them, null for nothing. */
const orBare = (value: JsonSchema, conditions: JsonSchema): JsonSchema =>
  anyOf(value, NULL, listOf(anyOf(value, NULL)), conditions);

const ALL = { description: 'Under a relation to many: some related entry for each of the values.' };

function scalarFilter(description: Description, as: ComparedAs): JsonSchema {
  const { schemas } = description;
  const name = `${as}Filter`;
  return schemas.refer(name, () => {
    const self = schemas.refer(name, () => ({}));
    const value: JsonSchema = COMPARED[as];
    const properties = { ...comparisons(description, as), ...groups(self), $all: { ...oneOrSome(value), ...ALL } };
    return orBare(value, conditionObject(properties));
  });
}

/** JSON is compared as a whole, by what a list in it holds, and by what is at its keys. */
function jsonFilter(description: Description): JsonSchema {
  const { schemas } = description;
  const inside = (): JsonSchema =>
    schemas.refer('JsonValueFilter', () => {
      const self = schemas.refer('JsonValueFilter', () => ({}));
      const properties = { ...comparisons(description, 'Text'), ...groups(self), $has: oneOrSome(ANY_VALUE) };
      return orBare(ANY_VALUE, {
        ...conditionObject(properties),
        patternProperties: { '^[^$]': self },
      });
    });
  return schemas.refer('JsonFilter', () => {
    const self = schemas.refer('JsonFilter', () => ({}));
    const compared = Object.entries(comparisons(description, 'Text')).filter(
      ([name]) => name !== '$between' && !ORDER.some((order) => order === name),
    );
    const properties = {
      ...Object.fromEntries(compared),
      ...groups(self),
      $has: oneOrSome(ANY_VALUE),
      $at: {
        type: 'object',
        minProperties: 1,
        patternProperties: { '^[^$]': inside() },
        properties: groups({ type: 'object' }),
        additionalProperties: false,
        description: 'Conditions on what is at the keys of an object.',
      },
    };
    return orBare(ANY_VALUE, conditionObject(properties));
  });
}

/** Conditions on an entry: its attributes by name. */
export const filterSchema = (description: Description, schema: Schema): JsonSchema => {
  const { schemas } = description;
  const name = `${description.nameOf(schema)}Filters`;
  return schemas.refer(name, () => {
    const self = schemas.refer(name, () => ({}));
    return {
      ...conditionObject({ ...attributeFilters(description, schema), ...groups(self) }),
      minProperties: 0,
      description: `Conditions on ${schema.uid}.`,
    };
  });
};

const attributeFilters = (description: Description, schema: Schema): Properties =>
  Object.fromEntries(
    description.view
      .conditions(schema, 'filter')
      .map((attribute) => [attribute.name, attributeFilter(description, attribute)]),
  );

function attributeFilter(description: Description, attribute: Attribute): JsonSchema {
  const { view } = description;
  switch (attribute.kind) {
    case 'scalar': {
      const as = comparedAs(attribute.type);
      return as === null ? jsonFilter(description) : scalarFilter(description, as);
    }
    case 'component':
      return relatedFilter(description, view.schemaOf(attribute.component), attribute.many);
    case 'localizations':
      return relatedFilter(description, view.schemaOf(attribute.target), true);
    case 'relation':
      return relatedFilter(description, view.schemaOf(attribute.target), attribute.many);
    default:
      return { not: {} };
  }
}

/** Under the name of a relation: conditions on a related entry, its id, or all of them together. */
function relatedFilter(description: Description, schema: Schema, many: boolean): JsonSchema {
  const { schemas } = description;
  const name = `${description.nameOf(schema)}${many ? 'List' : 'Relation'}Filter`;
  return schemas.refer(name, () => {
    const self = schemas.refer(name, () => ({}));
    const id: JsonSchema = COMPARED.Number;
    const one = memberFilter(description, schema);
    return orBare(
      id,
      conditionObject({
        ...attributeFilters(description, schema),
        ...comparisons(description, 'Number'),
        ...groups(self),
        ...each(['$some', '$none', '$every'], one),
        ...(many && { $all: oneOrSome(ANY_VALUE), $count: countFilter(description, schema, one) }),
      }),
    );
  });
}

/** A condition on one of the related entries. */
function memberFilter(description: Description, schema: Schema): JsonSchema {
  const { schemas } = description;
  const name = `${description.nameOf(schema)}MemberFilter`;
  return schemas.refer(name, () => {
    const self = schemas.refer(name, () => ({}));
    const properties = {
      ...attributeFilters(description, schema),
      ...comparisons(description, 'Number'),
      ...groups(self),
    };
    return anyOf(COMPARED.Number, listOf(COMPARED.Number), conditionObject(properties));
  });
}

function countFilter(description: Description, schema: Schema, where: JsonSchema): JsonSchema {
  const { schemas } = description;
  return schemas.refer(`${description.nameOf(schema)}CountFilter`, () => {
    const value: JsonSchema = COMPARED.Number;
    const compared = {
      ...each(['$eq', '$ne', '$in', '$notIn'], anyOf(value, listOf(value))),
      ...each(ORDER, value),
      $between: { type: 'array', items: value, minItems: 2, maxItems: 2 },
    };
    return anyOf(value, listOf(value), conditionObject({ ...compared, where }));
  });
}
