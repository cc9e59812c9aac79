// `contentTypes` of `@strapi/utils`: what code asks about a content-type or component, as `strapi.getModel` shows it, and
// about its attributes.

interface Attribute {
  readonly type?: string;
  readonly relation?: string;
  readonly visible?: boolean;
  readonly writable?: boolean;
}

interface AskedSchema {
  readonly kind?: string;
  readonly options?: { readonly draftAndPublish?: unknown };
  readonly attributes: Readonly<Record<string, Attribute>>;
}

const constants = {
  ID_ATTRIBUTE: 'id',
  DOC_ID_ATTRIBUTE: 'documentId',
  PUBLISHED_AT_ATTRIBUTE: 'publishedAt',
  FIRST_PUBLISHED_AT_ATTRIBUTE: 'firstPublishedAt',
  CREATED_BY_ATTRIBUTE: 'createdBy',
  UPDATED_BY_ATTRIBUTE: 'updatedBy',
  CREATED_AT_ATTRIBUTE: 'createdAt',
  UPDATED_AT_ATTRIBUTE: 'updatedAt',
  SINGLE_TYPE: 'singleType',
  COLLECTION_TYPE: 'collectionType',
};

const UNWRITABLE = ['id', 'documentId', 'createdAt', 'updatedAt'];
const INVISIBLE = [...UNWRITABLE, 'publishedAt'];
const COMPOSED: ReadonlySet<unknown> = new Set(['media', 'component', 'relation', 'dynamiczone']);

const namesOf = ({ attributes }: AskedSchema, isOne: (attribute: Attribute, name: string) => boolean): string[] =>
  Object.entries(attributes).flatMap(([name, attribute]) => (isOne(attribute, name) ? [name] : []));

const isVisible = ({ visible }: Attribute, name: string): boolean => visible !== false && !INVISIBLE.includes(name);
const isWritable = ({ writable }: Attribute, name: string): boolean => writable !== false && !UNWRITABLE.includes(name);
const isScalar = (attribute?: Attribute): boolean => attribute !== undefined && !COMPOSED.has(attribute.type);
const isOf =
  (...types: readonly string[]) =>
  (attribute?: Attribute): boolean =>
    types.includes(attribute?.type ?? '');
const isComponent = isOf('component', 'dynamiczone');
const isRelation = isOf('relation');
const hasDraftAndPublish = ({ options }: AskedSchema): boolean => options?.draftAndPublish === true;

export const schemaQuestions = {
  constants,
  getVisibleAttributes: (schema: AskedSchema) => namesOf(schema, isVisible),
  getWritableAttributes: (schema: AskedSchema) => namesOf(schema, isWritable),
  getScalarAttributes: (schema: AskedSchema) => namesOf(schema, isScalar),
  getMediaAttributes: (schema: AskedSchema) => namesOf(schema, isOf('media')),
  getComponentAttributes: (schema: AskedSchema) => namesOf(schema, isComponent),
  getRelationalAttributes: (schema: AskedSchema) => namesOf(schema, isRelation),
  isVisibleAttribute: (schema: AskedSchema, name: string) => namesOf(schema, isVisible).includes(name),
  isWritableAttribute: (schema: AskedSchema, name: string) => namesOf(schema, isWritable).includes(name),
  isScalarAttribute: isScalar,
  isMediaAttribute: isOf('media'),
  isRelationalAttribute: isRelation,
  isComponentAttribute: isComponent,
  isDynamicZoneAttribute: isOf('dynamiczone'),
  isMorphToRelationalAttribute: (attribute?: Attribute) =>
    isRelation(attribute) && attribute?.relation?.startsWith('morphTo') === true,
  isTypedAttribute: (attribute: Attribute, type: string) => attribute.type === type,
  hasDraftAndPublish,
  isDraft: (entry: { readonly publishedAt?: unknown }, schema: AskedSchema) =>
    hasDraftAndPublish(schema) && entry.publishedAt === null,
  isSingleType: ({ kind }: AskedSchema) => kind === 'singleType',
  isCollectionType: ({ kind = 'collectionType' }: AskedSchema) => kind === 'collectionType',
};
