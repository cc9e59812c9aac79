// Reads ahead all that rows of a schema hold: lists of links and files, component items, and what is on record of lists.
import { memoize } from '../memoize.ts';
import { isForeignKey, isListed } from '../model/links.ts';
import type { Attribute, Model, RelationAttribute, Schema } from '../model/types.ts';
import type { GatherPart } from '../sql/gather-statements.ts';
import { listName } from '../sql/link-names.ts';
import { holdsComponents, itemTablesOf } from './components.ts';
import { gather } from './gather.ts';
import { append } from './gathered.ts';
import type { WriteSession } from './write-session.ts';

/** The lists of a row, of links, files and component items; and what is on record of those that can be. */
interface OwnParts {
  readonly lists: readonly GatherPart[];
  /** The lists, and then what is on record, where there can be anything: of targets that may not be published. */
  readonly withRecords: readonly GatherPart[];
}

/** Keys of components are copied as lists are. */
const isGathered = (schema: Schema, attribute: Attribute): attribute is RelationAttribute =>
  isListed(attribute) || (schema.kind === 'component' && isForeignKey(attribute));

export const ownParts = memoize((schema: Schema, model: Model): OwnParts => {
  const attributes = [...schema.attributes.values()];
  const lists: GatherPart[] = attributes.flatMap((attribute): GatherPart[] => {
    if (attribute.kind !== 'media' && !isGathered(schema, attribute)) return [];
    const { table, draftAndPublish } = model.contentTypes.get(attribute.target)!;
    return [{ read: 'links', link: attribute.link, siblingsIn: draftAndPublish ? table : null }];
  });
  if (holdsComponents(schema)) lists.push({ read: 'items', ...itemTablesOf(schema, model) });
  const recorded = attributes
    .filter((attribute) => isGathered(schema, attribute))
    .filter(({ target }) => model.contentTypes.get(target)!.draftAndPublish)
    .map(({ link }) => listName(link));
  return { lists, withRecords: recorded.length === 0 ? lists : [...lists, { read: 'records', lists: recorded }] };
});

/** Reads all lists of rows ahead. Of those in `recorded`, also what is on record, which it returns by the names of lists. */
export async function gatherLists(
  write: WriteSession,
  schema: Schema,
  rows: readonly number[],
  recorded: readonly number[] = [],
): Promise<ReadonlyMap<string, readonly number[]>> {
  const { lists, withRecords } = ownParts(schema, write.model);
  const parts = recorded.length > 0 ? withRecords : lists;
  const rowsOf = parts.map(({ read }) => (read === 'records' ? recorded : rows));
  const found = await gather(write, parts, rowsOf);
  const records = new Map<string, number[]>();
  for (const [, , , target, , , , list] of found.get(lists.length) ?? []) append(records, list!, target);
  return records;
}
