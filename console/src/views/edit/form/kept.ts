// Changes that were not saved, kept in this browser until they are: by account, document and locale.
import type { ConsoleAttribute, ConsoleModel, ConsoleSchema } from '../../../../../src/console/contract.ts';
import { isObject } from '../../../../../src/type-guards.ts';
import { schemaOf } from '../../../shell/model.ts';
import { asPart, asParts, type FormValues, formAttributes, isList, type Part } from './values.ts';

export interface Kept {
  /** When it was last changed, as milliseconds. */
  readonly at: number;
  /** The entry as it was loaded, and when that was last changed: it may have been saved by someone else since. */
  readonly loaded: FormValues;
  readonly updatedAt: string | null;
  readonly values: FormValues;
}

export interface KeptAddress {
  readonly account: number;
  readonly uid: string;
  readonly documentId: string | null;
  readonly locale: string | null;
}

type Store = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** The shape of what is kept; what an older console kept in another is dropped. */
const FORMAT = 1;

const keyOf = ({ account, uid, documentId, locale }: KeptAddress): string =>
  `sheaf.unsaved/${account}/${uid}/${documentId ?? 'new'}/${locale ?? ''}`;

/** Where there is no room the changes are in the page alone, as they would be without this. */
export function keep(store: Store, address: KeptAddress, kept: Kept): void {
  try {
    store.setItem(keyOf(address), JSON.stringify({ format: FORMAT, ...kept }));
  } catch {
    store.removeItem(keyOf(address));
  }
}

const isKept = (value: unknown): value is Kept =>
  isObject(value) &&
  value.format === FORMAT &&
  typeof value.at === 'number' &&
  (value.updatedAt === null || typeof value.updatedAt === 'string') &&
  isObject(value.loaded) &&
  isObject(value.values);

export function readKept(store: Store, address: KeptAddress): Kept | null {
  try {
    const kept: unknown = JSON.parse(store.getItem(keyOf(address)) ?? 'null');
    return isKept(kept) ? kept : null;
  } catch {
    return null;
  }
}

export const dropKept = (store: Store, address: KeptAddress): void => store.removeItem(keyOf(address));

/** Passwords are never kept in the browser. */
export function withoutPasswords(model: ConsoleModel, schema: ConsoleSchema, values: FormValues): FormValues {
  const cleaned = (part: Part): Part => {
    const inner = schemaOf(model, part.component);
    return inner ? { ...part, values: withoutPasswords(model, inner, part.values) } : part;
  };
  const cleanedValue = (attribute: ConsoleAttribute, value: unknown): unknown => {
    if (attribute.type === 'password') return null;
    if (isList(attribute)) return asParts(value).map(cleaned);
    const part = attribute.type === 'component' ? asPart(value) : null;
    return part ? cleaned(part) : value;
  };
  return Object.fromEntries(
    formAttributes(schema).map((attribute) => [attribute.name, cleanedValue(attribute, values[attribute.name])]),
  );
}
