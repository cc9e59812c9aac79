// Entries and components as responses show them. Of each there are two schemas: `Dish` for a request that asks for no
// `fields`, which shows every attribute, and `DishSelected` for one that does. What `populate` adds is optional in both.
import type { ContentType, ScalarAttribute, Schema } from '../model/types.ts';
import type { Description } from './description.ts';
import { anyOf, COUNT, type JsonSchema, listOf, NULL, type Properties, strictObject } from './named-schemas.ts';
import { shownScalar } from './scalar-schemas.ts';
import type { PopulatedAttribute } from './view.ts';

/** Whether an entry shows every attribute, or those that `fields` names. */
export type Variant = 'full' | 'selected';

/** What tells the members of a list of several types apart. */
type Tag = '__component' | '__type';

const TAGGED: Readonly<Record<Tag, string>> = { __component: 'InZone', __type: 'InRelation' };

/** The schema of an entry, by reference. */
export function entrySchema(description: Description, schema: Schema, variant: Variant, tag?: Tag): JsonSchema {
  const name = `${description.nameOf(schema)}${tag ? TAGGED[tag] : ''}${variant === 'selected' ? 'Selected' : ''}`;
  return description.schemas.refer(name, () => makeEntry(description, schema, variant, tag));
}

function makeEntry(description: Description, schema: Schema, variant: Variant, tag?: Tag): JsonSchema {
  const { view } = description;
  const scalars = view.scalars(schema);
  const properties: Record<string, JsonSchema> = {};
  if (tag) properties[tag] = { const: schema.uid };
  for (const attribute of scalars) properties[attribute.name] = shownAttribute(schema, attribute);
  for (const attribute of view.populated(schema))
    properties[attribute.name] = populatedSchema(description, attribute, variant);
  const identity = schema.kind === 'component' ? ['id'] : ['id', 'documentId'];
  const shown = variant === 'full' ? scalars.map(({ name }) => name) : identity;
  const required = [...(tag ? [tag] : []), ...shown];
  return strictObject(properties, required, { description: entryText(schema, variant) });
}

const entryText = ({ uid }: Schema, variant: Variant): string =>
  variant === 'full' ? `${uid}, with all its attributes.` : `${uid}, with the attributes that \`fields\` names.`;

export const shownAttribute = (schema: Schema, attribute: ScalarAttribute): JsonSchema =>
  shownScalar(attribute, isPresent(schema, attribute));

/** Whether a value is never null: it has to be there in whatever is stored, and there are no drafts. */
function isPresent(schema: Schema, { name, required, visibleWhen }: ScalarAttribute): boolean {
  if (name === 'id' || name === 'documentId') return true;
  return schema.kind !== 'component' && !schema.draftAndPublish && required && visibleWhen === null;
}

/** What is shown in the place of entries with `count: true`. */
const counted = ({ schemas }: Description): JsonSchema =>
  schemas.refer('PopulatedCount', () =>
    strictObject({ count: COUNT }, ['count'], { description: 'What `count: true` shows: how many entries there are.' }),
  );

function populatedSchema(description: Description, attribute: PopulatedAttribute, variant: Variant): JsonSchema {
  const member = memberSchema(description, attribute, variant);
  const many = attribute.kind === 'localizations' || attribute.kind === 'dynamiczone' || attribute.many;
  return many
    ? anyOf(listOf(member), countedList(description, member), counted(description))
    : anyOf(member, counted(description), NULL);
}

/** A list with its total, as `pagination[withCount]` of populate shows it. */
const countedList = (description: Description, member: JsonSchema): JsonSchema =>
  strictObject({ data: listOf(member), meta: strictObject({ pagination: offsetSchema(description) }) });

function memberSchema(description: Description, attribute: PopulatedAttribute, variant: Variant): JsonSchema {
  const { view } = description;
  const union = (uids: readonly string[], tag: Tag): JsonSchema => {
    const members = uids.map((uid) => [uid, entrySchema(description, view.schemaOf(uid), variant, tag)] as const);
    // Nothing of what it leads to may be seen.
    if (members.length === 0) return { not: {} };
    return {
      oneOf: members.map(([, schema]) => schema),
      discriminator: {
        propertyName: tag,
        mapping: Object.fromEntries(members.map(([uid, { $ref }]) => [uid, $ref])),
      },
    };
  };
  switch (attribute.kind) {
    case 'dynamiczone':
      return union(
        attribute.components.map(({ uid }) => uid),
        '__component',
      );
    case 'morph':
      return union(view.found(attribute.targets.map(({ uid }) => uid)), '__type');
    case 'component':
      return entrySchema(description, view.schemaOf(attribute.component), variant);
    default:
      return entrySchema(description, view.schemaOf(attribute.target), variant);
  }
}

const offsetSchema = ({ schemas }: Description): JsonSchema =>
  schemas.refer('OffsetPagination', () =>
    strictObject({ start: COUNT, limit: COUNT, total: COUNT }, ['start', 'limit'], {
      description: 'A page that was asked for by `start` and `limit`. Without `total` where it was not to be counted.',
    }),
  );

/** Which page a list is. */
export const paginationSchema = (description: Description): JsonSchema =>
  description.schemas.refer('Pagination', () => {
    const page = { page: COUNT, pageSize: COUNT };
    const cursor = { type: ['string', 'null'] };
    return anyOf(
      strictObject({ ...page, pageCount: COUNT, total: COUNT }),
      strictObject(page, undefined, { description: 'With `withCount=false`.' }),
      offsetSchema(description),
      strictObject({ pageSize: COUNT, next: cursor, previous: cursor, total: COUNT }, ['pageSize', 'next', 'previous']),
    );
  });

const OMITTED: Properties = {
  omitted: listOf(
    { type: 'string' },
    { description: 'Relations that `*` left out, since the caller may not find what they lead to.' },
  ),
};

const FACETS: Properties = {
  facets: {
    type: 'object',
    additionalProperties: listOf(
      strictObject({ value: { type: ['string', 'number', 'boolean', 'null'] }, count: COUNT }),
    ),
    description: 'What `facets` asks for: values with the number of entries of each.',
  },
};

/** A list in its envelope. */
export const pageOf = (description: Description, member: JsonSchema, rest: Properties = {}): JsonSchema =>
  strictObject({
    data: listOf(member),
    meta: strictObject({ pagination: paginationSchema(description), ...rest }, ['pagination']),
  });

const suffix = (variant: Variant): string => (variant === 'selected' ? 'Selected' : '');

/** Both variants of a response: the first for requests without `fields`, the second for those with. */
const variants = (make: (variant: Variant) => JsonSchema): JsonSchema => anyOf(make('full'), make('selected'));

/** A page of entries. */
export const pageSchema = (description: Description, type: ContentType): JsonSchema =>
  variants((variant) =>
    description.schemas.refer(`${description.nameOf(type)}${suffix(variant)}Page`, () =>
      pageOf(description, entrySchema(description, type, variant), { ...FACETS, ...OMITTED }),
    ),
  );

/** One entry in its envelope. */
export const documentSchema = (description: Description, type: ContentType): JsonSchema =>
  variants((variant) =>
    description.schemas.refer(`${description.nameOf(type)}${suffix(variant)}Document`, () =>
      strictObject({ data: entrySchema(description, type, variant), meta: strictObject(OMITTED, []) }),
    ),
  );

/** An entry without an envelope, and a list of them. */
export const bareEntry = (description: Description, type: ContentType): JsonSchema =>
  variants((variant) => entrySchema(description, type, variant));

export const bareList = (description: Description, type: ContentType): JsonSchema =>
  variants((variant) => listOf(entrySchema(description, type, variant)));
