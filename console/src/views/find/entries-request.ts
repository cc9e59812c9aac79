// Lists of entries by their titles, for those who choose among them.
import { query } from '../../../../src/client/query-text.ts';
import type { ConsoleType } from '../../../../src/console/contract.ts';
import { api } from '../../shell/api.ts';
import { type Entry, titleOf } from '../../shell/model.ts';

/** The documentId and the title of an entry. */
export interface Titled {
  readonly value: string;
  readonly label: string;
}

/** How long titles are taken to be right, in milliseconds. */
export const TITLES_STAY = 30_000;

/** Every document has a draft, so that no document is missing among the drafts. */
export const titlesPath = (type: ConsoleType, parameters: object): string =>
  `rest/${type.path}?${query({
    ...parameters,
    fields: [type.mainField],
    populate: '',
    ...(type.draftAndPublish && { status: 'draft' }),
  })}`;

/** Users come as a bare list, other entries in an envelope. */
export async function readTitles(type: ConsoleType, path: string, signal: AbortSignal): Promise<readonly Titled[]> {
  const body = await api.get<readonly Entry[] | { readonly data: readonly Entry[] }>(path, signal);
  const entries = 'data' in body ? body.data : body;
  return entries.map((entry) => ({ value: entry.documentId, label: titleOf(type, entry) }));
}
