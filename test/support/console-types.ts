// Content-types as the console is told them, of a few words each.
import type { ConsoleAttribute, ConsoleSchema, ConsoleType } from '../../src/console/contract.ts';

export const attribute = (name: string, type: string, rest: Partial<ConsoleAttribute> = {}): ConsoleAttribute => ({
  name,
  type,
  required: false,
  unique: false,
  private: false,
  localized: false,
  writable: true,
  hasIndex: false,
  ...rest,
});

/** Named by its first attribute. */
export const schema = (uid: string, attributes: readonly ConsoleAttribute[]): ConsoleSchema => ({
  uid,
  displayName: uid,
  description: null,
  mainField: attributes[0]!.name,
  attributes,
});

export const collectionType = (
  name: string,
  attributes: readonly ConsoleAttribute[],
  rest: Partial<ConsoleType> = {},
): ConsoleType => ({
  ...schema(`api::${name}.${name}`, attributes),
  kind: 'collectionType',
  singularName: name,
  pluralName: `${name}s`,
  path: `${name}s`,
  draftAndPublish: false,
  localized: false,
  source: 'own',
  indexes: [],
  ...rest,
});
