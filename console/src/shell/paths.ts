// Where the views of the console are, below its own path.
import type { ConsoleType } from '../../../src/console/contract.ts';

const query = (parameters: Readonly<Record<string, string | null | undefined>>): string => {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value != null) search.set(name, value);
  return search.size === 0 ? '' : `?${search}`;
};

/** The entries of a type; of a single type, its one entry. */
export const typePath = (type: ConsoleType): string =>
  type.kind === 'singleType' ? `/single/${type.path}` : `/content/${type.path}`;

export const entryPath = (type: ConsoleType, documentId: string, locale?: string | null): string =>
  type.kind === 'singleType'
    ? `/single/${type.path}${query({ locale })}`
    : `/content/${type.path}/${documentId}${query({ locale })}`;

export const newEntryPath = (type: ConsoleType, locale?: string | null): string =>
  `/content/${type.path}/new${query({ locale })}`;

/** `url`: a path of the API with its query. */
export const findPath = (url?: string): string => `/find${query({ url })}`;

export const modelPath = (uid?: string): string => (uid === undefined ? '/model' : `/model/${encodeURIComponent(uid)}`);
