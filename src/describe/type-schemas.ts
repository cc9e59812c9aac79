// JSON Schemas of one type, each complete in itself: of what bodies hold and of what responses show.
import type { ContentType } from '../model/types.ts';
import { type DescribedProject, Description } from './description.ts';
import { documentSchema, entrySchema, pageSchema } from './entries.ts';
import { componentInput, dataSchema } from './inputs.ts';
import { type JsonSchema, NamedSchemas } from './named-schemas.ts';
import { sortedKeys } from './sorted-keys.ts';

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

type MakeSchema = (description: Description) => JsonSchema;

/** The schemas of a content-type or a component by what they are of; null where there is no such type. */
export function typeSchemas(project: DescribedProject, uid: string): Record<string, JsonSchema> | null {
  const { contentTypes, components } = project.model;
  const type = contentTypes.get(uid);
  const component = components.get(uid);
  if (component)
    return made(project, uid, {
      input: (description) => componentInput(description, uid),
      entry: (description) => entrySchema(description, component, 'full'),
    });
  return type && type.exposure !== 'hidden' ? made(project, uid, ofContentType(type)) : null;
}

const ofContentType = (type: ContentType): Record<string, MakeSchema> => ({
  create: (description) => dataSchema(description, type, 'Create'),
  update: (description) => dataSchema(description, type, 'Update'),
  entry: (description) => entrySchema(description, type, 'full'),
  selected: (description) => entrySchema(description, type, 'selected'),
  document: (description) => documentSchema(description, type),
  ...(type.kind === 'collectionType' && { page: (description: Description) => pageSchema(description, type) }),
});

function made(project: DescribedProject, uid: string, makers: Record<string, MakeSchema>): Record<string, JsonSchema> {
  const schemas = Object.entries(makers).map(([name, make]): [string, JsonSchema] => {
    const named = new NamedSchemas('#/$defs/');
    const root = make(new Description(project, named));
    return [name, sortedKeys({ $schema: DIALECT, title: `${uid}: ${name}`, ...root, $defs: named.all() })];
  });
  return Object.fromEntries(schemas);
}

/** The types that have schemas: those with routes of their own, and components. */
export const describedTypes = ({ model }: DescribedProject): readonly string[] =>
  [
    ...[...model.contentTypes.values()].filter(({ exposure }) => exposure === 'routes').map(({ uid }) => uid),
    ...model.components.keys(),
  ].sort();
