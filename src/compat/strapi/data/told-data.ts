// What lifecycles are told that a row will hold, as Strapi's database layer has it: relations and files by the ids of
// rows, passwords as hashes, and the dates that the server sets. What code leaves as it was told is written as it was asked for.
import { isDeepStrictEqual } from 'node:util';
import type { Sheaf } from '../../../app.ts';
import type { ContentType } from '../../../model/types.ts';
import type { Entry } from '../../../operations/parameters.ts';
import { hashPassword } from '../../../passwords.ts';
import { isPlainObject } from '../../../request/grammar.ts';
import { Rows } from './rows.ts';

type Values = Record<string, unknown>;

/** The row that refers to others. */
export interface ToldPlace {
  readonly type: ContentType;
  readonly isPublished: boolean;
  /** In which it is written; null where the type has none. */
  readonly locale: string | null;
}

/** How a relation is told to change; each is a list. */
const CHANGES = ['set', 'connect', 'disconnect'];

/** Dates of a row that the server sets. */
export const DATES = ['createdAt', 'updatedAt', 'publishedAt'];

/** Those that code may set otherwise. */
export const SETTABLE_DATES = ['createdAt', 'publishedAt'];

const isChange = (value: unknown): value is Values =>
  isPlainObject(value) && CHANGES.some((key) => Object.hasOwn(value, key)) && !Object.hasOwn(value, 'documentId');

/** The references in the value of a relation, by what is done with them. */
function referencesIn(value: unknown): ReadonlyMap<string, readonly unknown[]> {
  const listed = (given: unknown): readonly unknown[] => (given === null || given === undefined ? [] : [given].flat());
  if (!isChange(value)) return new Map([['set', listed(value)]]);
  const named = CHANGES.filter((key) => Object.hasOwn(value, key));
  return new Map(named.map((key) => [key, listed(value[key])]));
}

const documentOf = (reference: unknown): string | null => {
  const id = isPlainObject(reference) ? reference.documentId : reference;
  return typeof id === 'string' ? id : null;
};

/** Links of a row in what is written, by the uid of what they lead to. Null means that there are none. */
function linksIn({ attributes }: ContentType, data: Values): (readonly [name: string, target: string])[] {
  return Object.entries(data).flatMap(([name, value]) => {
    const attribute = attributes.get(name);
    const isTold = value !== null && value !== undefined && !(isPlainObject(value) && Object.keys(value).length === 0);
    const isLink = attribute?.kind === 'relation' || attribute?.kind === 'media';
    return isLink && isTold ? [[name, attribute.target] as const] : [];
  });
}

/** Data with its relations and files as lists of ids of rows; what is not there is left for the write to refuse. */
export async function toldData(sheaf: Sheaf, place: ToldPlace, data: Values): Promise<Values> {
  const links = linksIn(place.type, data);
  const wanted = new Map<string, Set<string>>();
  for (const [name, target] of links)
    for (const references of referencesIn(data[name]).values())
      for (const id of references.map(documentOf))
        if (id !== null) wanted.set(target, (wanted.get(target) ?? new Set()).add(id));
  const versions = new Map<string, readonly Entry[]>();
  for (const [target, ids] of wanted) {
    const where = { documentId: { $in: [...ids] } };
    versions.set(target, await new Rows(sheaf, target).findMany({ where, orderBy: 'id' }));
  }
  const told = links.map(([name, target]) => {
    const type = sheaf.model.contentTypes.get(target)!;
    const rowsOf = (reference: unknown) => rowsMeant(reference, { place, type, versions: versions.get(target) ?? [] });
    const lists = [...referencesIn(data[name])].map(([key, references]) => [key, references.flatMap(rowsOf)] as const);
    return [name, Object.fromEntries(lists)] as const;
  });
  return { ...data, ...Object.fromEntries(told) };
}

/** Passwords in data as they are stored, so that nobody notes them as they were sent. `stored`: the row, once it is there. */
export async function toldPasswords({ attributes }: ContentType, data: Values, stored: Entry | null): Promise<Values> {
  const told: Values = {};
  for (const [name, value] of Object.entries(data)) {
    const attribute = attributes.get(name);
    const isSent = attribute?.kind === 'scalar' && attribute.type === 'password' && typeof value === 'string';
    if (isSent) told[name] = stored ? stored[name] : await hashPassword(value);
  }
  return told;
}

interface Meant {
  readonly place: ToldPlace;
  readonly type: ContentType;
  readonly versions: readonly Entry[];
}

/** Rows that a reference means: of a document, those that belong to the status and locale of the row that refers. */
function rowsMeant(reference: unknown, { place, type, versions }: Meant): Values[] {
  const given: Values = isPlainObject(reference) ? reference : {};
  const position = given.position === undefined ? {} : { position: given.position };
  const documentId = documentOf(reference);
  if (documentId === null) return [{ id: isPlainObject(reference) ? given.id : reference, ...position }];
  const locale = given.locale ?? place.locale;
  const isMeant = (version: Entry): boolean => {
    if (version.documentId !== documentId) return false;
    if (type.localized && locale !== null && version.locale !== locale) return false;
    if (!type.draftAndPublish) return true;
    const isPublished = version.publishedAt !== null;
    if (place.type.draftAndPublish) return isPublished === place.isPublished;
    return given.status === undefined || isPublished === (given.status === 'published');
  };
  return versions.filter(isMeant).map(({ id }) => ({ id, ...position }));
}

/** What is to be written: where code has left a value as it was told, what was asked for. */
export function asAsked(asked: Values, told: Values, left: Values): Values {
  const entries = Object.entries(left).map(([name, value]) => {
    const isLeft = Object.hasOwn(asked, name) && isDeepStrictEqual(value, told[name]);
    return [name, isLeft ? asked[name] : value] as const;
  });
  return Object.fromEntries(entries);
}
