// Files in answers whose URLs have to be signed: where the plan of a read shows them, and nowhere else, so that nobody
// gets a URL signed by writing it into some other attribute.
import type { EntityPlan, PopulatePlan } from '../plan/read/nodes.ts';
import type { AuthorizedReadPlan } from '../plan/read/plan-read.ts';
import type { ReadPage } from '../read/read-strategy.ts';
import { isObject } from '../type-guards.ts';

export type SignFile = (file: Record<string, unknown>) => Promise<Record<string, unknown>>;

const FILES_TABLE = 'files';
const known = new WeakMap<EntityPlan, boolean>();

const entitiesOf = ({ populate }: EntityPlan): EntityPlan[] =>
  populate.flatMap((one) => (one.kind === 'related' ? [one.part.entity] : one.parts.map(({ entity }) => entity)));

/** Whether entries of a plan show files below them. */
export function showsFiles(entity: EntityPlan): boolean {
  let shows = known.get(entity);
  if (shows === undefined) {
    shows = entitiesOf(entity).some((one) => one.table === FILES_TABLE || showsFiles(one));
    known.set(entity, shows);
  }
  return shows;
}

/** The members of a JSON array of entries, with all files below them signed. */
export async function withSignedFiles(entries: string, entity: EntityPlan, sign: SignFile): Promise<string> {
  const list: unknown = JSON.parse(`[${entries}]`);
  if (Array.isArray(list)) for (const entry of list) if (isObject(entry)) await signBelow(entry, entity, sign);
  return JSON.stringify(list).slice(1, -1);
}

async function signBelow(entry: Record<string, unknown>, { populate }: EntityPlan, sign: SignFile): Promise<void> {
  for (const one of populate) {
    const value = entry[one.key];
    // A number of files has no URLs.
    if (value === undefined || one.count) continue;
    entry[one.key] =
      one.page?.withCount && isObject(value)
        ? { ...value, data: await signedRows(value.data, one, sign) }
        : await signedRows(value, one, sign);
  }
}

/** The rows of a populated list, or the row where there is one at most. */
async function signedRows(rows: unknown, populate: PopulatePlan, sign: SignFile): Promise<unknown> {
  const entityOf = (row: Record<string, unknown>): EntityPlan | undefined =>
    populate.kind === 'related'
      ? populate.part.entity
      : populate.parts.find(({ uid }) => uid === row[populate.tag])?.entity;
  const signed = async (row: unknown): Promise<unknown> => {
    if (!isObject(row)) return row;
    const entity = entityOf(row);
    if (!entity) return row;
    await signBelow(row, entity, sign);
    return entity.table === FILES_TABLE ? sign(row) : row;
  };
  return Array.isArray(rows) ? Promise.all(rows.map(signed)) : signed(rows);
}

/** Signs the files of answers, once there is something to sign them with: where none are private there is not. */
export class FileSigning {
  sign: SignFile | null = null;

  entry(found: Promise<string | null>, plan: AuthorizedReadPlan): Promise<string | null> {
    const { sign } = this;
    if (sign === null || !showsFiles(plan.entity)) return found;
    return found.then((text) => (text === null ? null : withSignedFiles(text, plan.entity, sign)));
  }

  page(found: Promise<ReadPage>, plan: AuthorizedReadPlan): Promise<ReadPage> {
    const { sign } = this;
    if (sign === null || !showsFiles(plan.entity)) return found;
    return found.then(async ({ text, objects: _unsigned, ...rest }) => {
      const signed = await withSignedFiles(text(), plan.entity, sign);
      return { ...rest, text: () => signed };
    });
  }
}
