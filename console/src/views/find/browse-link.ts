// A request as the list of entries shows it, as far as it can.
import { query } from '../../../../src/client/query-text.ts';
import type { ConsoleType } from '../../../../src/console/contract.ts';
import type { ReadDraft } from '../../query/draft.ts';
import { parametersOf } from '../../query/draft-text.ts';
import { typePath } from '../../shell/paths.ts';

/** The page of the entries that meet the same conditions, in the same order. */
export function browsePath(draft: ReadDraft, type: ConsoleType): string {
  const { filters } = parametersOf(draft);
  const sort = draft.sort
    .filter(({ aggregate }) => aggregate === null)
    .map(({ path, descending }) => path.join('.') + (descending ? ':desc' : ''));
  const text = query({
    ...(draft.q !== '' && { _q: draft.q }),
    ...(draft.locale.length === 1 && { locale: draft.locale[0] }),
    ...(type.draftAndPublish && draft.status !== 'draft' && { state: 'live' }),
    ...(sort.length > 0 && { sort: sort.join(',') }),
    ...(filters !== undefined && { filters }),
  });
  return `${typePath(type)}${text && `?${text}`}`;
}
