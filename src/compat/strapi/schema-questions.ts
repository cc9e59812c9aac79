// `contentTypes` of `@strapi/utils`: what code asks about a content-type or component, as `strapi.getModel` shows it, and
// about its attributes.

interface Attribute {
  readonly type?: string;
  readonly relation?: string;
  readonly visible?: boolean;
  readonly writable?: boolean;
  readonly private?: unknown;
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
/** What every type has of a kind, and what else is not of the other. */
const beside = (always: readonly string[], schema: AskedSchema, isOther: typeof isVisible): string[] => [
  ...new Set([...always, ...namesOf(schema, (...given) => !isOther(...given))]),
];
const isPrivate = ({ private: isHidden }: Attribute): boolean => isHidden === true;
/** Of these names, those that a type has. */
const among =
  (...names: readonly string[]) =>
  ({ attributes }: AskedSchema): string[] =>
    names.filter((name) => Object.hasOwn(attributes, name));
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
  getNonVisibleAttributes: (schema: AskedSchema) => beside(INVISIBLE, schema, isVisible),
  getNonWritableAttributes: (schema: AskedSchema) => beside(UNWRITABLE, schema, isWritable),
  getPrivateAttributes: (schema: AskedSchema) => namesOf(schema, isPrivate),
  isPrivateAttribute: (schema: AskedSchema, name: string) => namesOf(schema, isPrivate).includes(name),
  getTimestamps: among('createdAt', 'updatedAt'),
  getCreatorFields: among('createdBy', 'updatedBy'),
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

const isRelationOf =
  (...kinds: readonly string[]) =>
  (attribute?: Attribute): boolean =>
    kinds.includes(attribute?.relation ?? '');

/** `relations` of `@strapi/utils`. */
export const relationQuestions = {
  constants: { MANY_RELATIONS: ['oneToMany', 'manyToMany'] },
  getRelationalFields: schemaQuestions.getRelationalAttributes,
  isOneToAny: isRelationOf('oneToOne', 'oneToMany'),
  isManyToAny: isRelationOf('manyToMany', 'manyToOne'),
  isAnyToOne: isRelationOf('oneToOne', 'manyToOne'),
  isAnyToMany: isRelationOf('oneToMany', 'manyToMany'),
  isPolymorphic: isRelationOf('morphOne', 'morphMany', 'morphToOne', 'morphToMany'),
};
