// What bodies hold of entries and components: values, relations in every form, components and zones.
import type { Attribute, ContentType, Schema } from '../model/types.ts';
import { IGNORED_KEYS } from '../plan/write/changes.ts';
import type { Description } from './description.ts';
import { anyOf, FLAG, type JsonSchema, listOf, NULL, strictObject, WHOLE } from './named-schemas.ts';
import { writtenScalar } from './scalar-schemas.ts';

/** Whether a body makes an entry, and so has to hold what is required. */
export type Purpose = 'Create' | 'Update';

/** What `data` of a body holds. */
export const dataSchema = (description: Description, type: ContentType, purpose: Purpose): JsonSchema =>
  description.schemas.refer(`${description.nameOf(type)}${purpose}Data`, () => makeData(description, type, purpose));

/** A body with its envelope. */
export const bodySchema = (description: Description, type: ContentType, purpose: Purpose): JsonSchema =>
  description.schemas.refer(`${description.nameOf(type)}${purpose}Body`, () =>
    strictObject({ data: dataSchema(description, type, purpose) }),
  );

function makeData(description: Description, type: ContentType, purpose: Purpose): JsonSchema {
  const attributes = description.view.written(type);
  const properties = inputProperties(description, type, attributes);
  const ignored = Object.fromEntries(
    [...IGNORED_KEYS].filter((key) => !(key in properties)).map((key) => [key, { description: 'Is ignored.' }]),
  );
  const required = purpose === 'Create' ? attributes.filter((one) => isRequired(type, one)) : [];
  return strictObject(
    { ...properties, ...ignored },
    required.map(({ name }) => name),
    { description: inputText(type, purpose) },
  );
}

function inputText({ uid, draftAndPublish }: ContentType, purpose: Purpose): string {
  const what = purpose === 'Create' ? `A new ${uid}.` : `Changes of ${uid}: what is not named stays as it is.`;
  return draftAndPublish ? `${what} What is required has to be there when it is published.` : what;
}

/** Whether a new entry cannot do without: nothing stands in for it, and a draft would not be spared. */
function isRequired({ draftAndPublish }: ContentType, attribute: Attribute): boolean {
  if (draftAndPublish || !attribute.required || attribute.visibleWhen !== null) return false;
  if (attribute.kind === 'scalar') return attribute.rules.default === undefined;
  return attribute.kind === 'component' || attribute.kind === 'dynamiczone';
}

const inputProperties = (
  description: Description,
  schema: Schema,
  attributes: readonly Attribute[],
): Record<string, JsonSchema> =>
  Object.fromEntries(attributes.map((attribute) => [attribute.name, inputSchema(description, schema, attribute)]));

function inputSchema(description: Description, schema: Schema, attribute: Attribute): JsonSchema {
  switch (attribute.kind) {
    case 'scalar': {
      const written = writtenScalar(attribute, schema.kind !== 'component' && !schema.draftAndPublish);
      return attribute.private ? { ...written, writeOnly: true } : written;
    }
    case 'component': {
      const item = componentSchema(description, attribute.component, false);
      return attribute.many ? listOf(item) : anyOf(item, NULL);
    }
    case 'dynamiczone': {
      const items = attribute.components.map(({ uid }) => [uid, componentSchema(description, uid, true)] as const);
      const mapping = Object.fromEntries(items.map(([uid, { $ref }]) => [uid, $ref]));
      const union = {
        oneOf: items.map(([, item]) => item),
        discriminator: { propertyName: '__component', mapping },
      };
      return listOf(items.length > 0 ? union : { not: {} });
    }
    case 'media':
      return mediaInput(description);
    case 'morph':
      return relationInput(description, description.view.found(attribute.targets.map(({ uid }) => uid)));
    default:
      return relationInput(description, null);
  }
}

/** A component in a body. */
export const componentInput = (description: Description, uid: string): JsonSchema =>
  componentSchema(description, uid, false);

function componentSchema(description: Description, uid: string, inZone: boolean): JsonSchema {
  const { view, schemas } = description;
  const schema = view.schemaOf(uid);
  return schemas.refer(`${description.nameOf(schema)}${inZone ? 'InZone' : ''}Input`, () => {
    const properties = {
      ...(inZone && { __component: { const: uid } }),
      id: {
        type: ['integer', 'string', 'null'],
        pattern: '^\\d+$',
        description: 'Of a component that is there already: it is changed instead of made anew.',
      },
      documentId: { description: 'Is ignored.' },
      ...inputProperties(description, schema, view.written(schema)),
    };
    return strictObject(properties, inZone ? ['__component'] : []);
  });
}

const STATUS: JsonSchema = { enum: ['draft', 'published', null] };
const LOCALE: JsonSchema = { type: ['string', 'null'], minLength: 1 };

/** `types`: of a relation to several types, those that it may lead to. */
function referenceObject(types: readonly string[] | null, rest: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return {
    type: 'object',
    properties: {
      documentId: { type: 'string', minLength: 1 },
      id: { type: ['integer', 'string'] },
      locale: LOCALE,
      status: {},
      __type: types ? { enum: types } : { type: ['string', 'null'] },
      ...rest,
    },
    anyOf: [{ required: ['documentId'] }, { required: ['id'] }],
    ...(types && { required: ['__type'] }),
    description: 'An entry as it was read may stand here as well; only what names it counts.',
  };
}

function reference({ schemas }: Description, types: readonly string[] | null): JsonSchema {
  const make = (): JsonSchema => {
    const object = referenceObject(types, {});
    const bare = types ? [] : [{ type: 'string', minLength: 1, description: 'A documentId.' }, WHOLE];
    return anyOf(...bare, object);
  };
  return types ? make() : schemas.refer('Reference', make);
}

/** Exactly one place. An anchor may have a version of its own. */
const positionSchema = ({ schemas }: Description): JsonSchema =>
  schemas.refer('Position', () => {
    const anchor = anyOf({ type: 'string', minLength: 1 }, WHOLE, referenceObject(null, {}));
    const version = { locale: LOCALE, status: STATUS, __type: { type: ['string', 'null'] } };
    return anyOf(
      strictObject({ before: anchor, ...version }, ['before']),
      strictObject({ after: anchor, ...version }, ['after']),
      strictObject({ start: { const: true } }),
      strictObject({ end: { const: true } }),
    );
  });

const oneOrList = (schema: JsonSchema): JsonSchema => anyOf(schema, listOf(schema));

function relationInput(description: Description, types: readonly string[] | null): JsonSchema {
  const { schemas } = description;
  const make = (): JsonSchema => {
    const one = reference(description, types);
    const placed = anyOf(
      ...(types ? [] : [{ type: 'string', minLength: 1 }, WHOLE]),
      referenceObject(types, { position: positionSchema(description) }),
    );
    const options = strictObject({ strict: FLAG }, []);
    return anyOf(
      NULL,
      oneOrList(one),
      strictObject({ set: anyOf(oneOrList(one), NULL), options }, ['set']),
      strictObject({ connect: anyOf(oneOrList(placed), NULL), disconnect: anyOf(oneOrList(one), NULL), options }, []),
    );
  };
  return types ? make() : schemas.refer('RelationInput', make);
}

/** Files are named themselves; they are not connected. */
const mediaInput = (description: Description): JsonSchema =>
  description.schemas.refer('MediaInput', () => {
    const one = reference(description, null);
    return anyOf(
      NULL,
      oneOrList(one),
      strictObject({ set: anyOf(oneOrList(one), NULL) }),
      strictObject({ disconnect: oneOrList(one) }, []),
    );
  });
