// What every action of `strapi.documents(uid)` refuses, as Strapi 5 does, whether it has a use for the parameter or not:
// names that the type does not have, pages that there are not, and `lookup`.
import type { Caller } from '../../../access/caller.ts';
import type { Sheaf } from '../../../app.ts';
import { paginationError, validationError } from '../../../errors.ts';
import type { ContentType } from '../../../model/types.ts';
import { ANY_PAGE, NO_LIMIT } from '../../../request/parse-read.ts';

export type DocumentParameters = Record<string, unknown>;

/** Parameters that name attributes. */
const NAMING_KEYS = ['filters', 'sort', 'fields', 'populate'];
const PAGE_KEYS = ['page', 'pageSize'];
const RANGE_KEYS = ['start', 'limit'];

export const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

export const taken = (parameters: DocumentParameters, keys: readonly string[]): DocumentParameters =>
  Object.fromEntries(keys.filter((key) => isGiven(parameters[key])).map((key) => [key, parameters[key]]));

/** What a read of documents takes for granted where it is not told. */
export const READ_OF_DOCUMENTS = { status: 'draft', pagination: NO_LIMIT, populatedPages: ANY_PAGE } as const;

export function checkParameters(parameters: DocumentParameters): void {
  if (isGiven(parameters.lookup)) throw validationError("Invalid params: 'lookup'", { key: 'lookup' });
  const isByPage = PAGE_KEYS.some((key) => isGiven(parameters[key]));
  if (isByPage && RANGE_KEYS.some((key) => isGiven(parameters[key])))
    throw paginationError('Invalid pagination attributes. Use either page and pageSize, or start and limit');
  // A page is checked and not used, which is how Strapi 5 has it.
  for (const key of PAGE_KEYS) checkPage(key, parameters[key]);
}

function checkPage(key: string, value: unknown): void {
  if (!isGiven(value) || (value !== '' && Number.isInteger(Number(value)) && Number(value) > 0)) return;
  throw paginationError(`Invalid '${key}' parameter. Expected an integer > 0, received: ${String(value)}`, { key });
}

/** Names of attributes, in parameters that an action has no use for as well. Reads check theirs by themselves. */
export function checkNames(sheaf: Sheaf, type: ContentType, caller: Caller, given: DocumentParameters): void {
  const parameters = taken(given, NAMING_KEYS);
  if (Object.keys(parameters).length === 0) return;
  sheaf.operations.findAgain({ name: 'find', type, parameters, defaults: READ_OF_DOCUMENTS }, caller);
}
