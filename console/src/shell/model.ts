// The content-types and components of the project, as the account may know them.
import { createContext, useContext } from 'react';
import type {
  ConsoleAttribute,
  ConsoleCounts,
  ConsoleModel,
  ConsoleSchema,
  ConsoleType,
} from '../../../src/console/contract.ts';
import { isObject, memberOf } from '../../../src/type-guards.ts';
import { api } from './api.ts';
import type { Reading } from './ready.ts';

export const MODEL: Reading<ConsoleModel> = {
  queryKey: ['model'],
  queryFn: () => api.get('model'),
  staleTime: Number.POSITIVE_INFINITY,
};
export const COUNTS: Reading<ConsoleCounts> = { queryKey: ['counts'], queryFn: () => api.get('counts') };

export const ModelContext = createContext<ConsoleModel | null>(null);

/** The model; every view stands inside one. */
export function useModel(): ConsoleModel {
  const model = useContext(ModelContext);
  if (!model) throw new Error('the model has not been read');
  return model;
}

export const typeOf = (model: ConsoleModel, uid: string): ConsoleType | undefined =>
  model.types.find((type) => type.uid === uid);

/** A content-type or a component. */
export const schemaOf = (model: ConsoleModel, uid: string): ConsoleSchema | undefined =>
  typeOf(model, uid) ?? model.components.find((component) => component.uid === uid);

export const attributeOf = (schema: ConsoleSchema, name: string): ConsoleAttribute | undefined =>
  schema.attributes.find((attribute) => attribute.name === name);

export const defaultLocale = (model: ConsoleModel): string =>
  model.locales.find(({ isDefault }) => isDefault)?.code ?? 'en';

/** An entry as the API gives it. */
export type Entry = Readonly<Record<string, unknown>> & { readonly documentId: string };

export const isEntry = (value: unknown): value is Entry => isObject(value) && typeof value.documentId === 'string';

/** How many there are of a list that came in pages, by its `meta`; undefined where that does not tell. */
export function totalIn(meta: unknown): number | undefined {
  const total = memberOf(memberOf(meta, 'pagination'), 'total');
  return typeof total === 'number' ? total : undefined;
}

/** What names an entry for people: its main attribute, else its document. */
export function titleOf(schema: ConsoleSchema | undefined, entry: Readonly<Record<string, unknown>>): string {
  const value = schema && entry[schema.mainField];
  if (typeof value === 'string' && value !== '') return value;
  if (typeof value === 'number') return String(value);
  return String(entry.documentId ?? entry.id ?? '');
}
