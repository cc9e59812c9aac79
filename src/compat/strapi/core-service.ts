// The core service of a content-type: what `createCoreService` adds to a project's service. It acts for the code that
// calls it, asks for no rights, and works on what is published unless told otherwise.
import type { ContentType } from '../../model/types.ts';
import type { PageRules } from '../../request/parse-pagination.ts';
import { membersOf } from './code-values.ts';
import type { Documents, Members, Params, Strapi } from './strapi-types.ts';

/** What the query string of a request may say for no. */
const NO: readonly unknown[] = [false, 'false', 0, '0'];

const published = (params: Params): Params => ({ status: 'published', ...params });

export function coreService(strapi: Strapi, type: ContentType, pages: PageRules): Members {
  const documents = (): Documents => strapi.documents(type.uid);
  return {
    contentType: strapi.contentType(type.uid),
    getFetchParams: (params: Params = {}): Params => published(params),
    ...(type.kind === 'singleType' ? ofSingle(documents) : ofCollection(documents, pages)),
  };
}

function ofSingle(documents: () => Documents): Members {
  const stored = (params: Params) => documents().findFirst({ ...params, status: 'draft' });
  return {
    find: (params: Params = {}) => documents().findFirst(published(params)),
    async createOrUpdate({ data, ...params }: Params = {}) {
      const found = await stored({});
      const rest = published({ ...params, data });
      return found ? documents().update({ ...rest, documentId: found.documentId }) : documents().create(rest);
    },
    async delete(params: Params = {}) {
      const found = await stored({});
      if (!found) return { deletedEntries: 0 };
      const { entries } = await documents().delete({ ...params, documentId: found.documentId });
      return { deletedEntries: entries.length };
    },
  };
}

function ofCollection(documents: () => Documents, pages: PageRules): Members {
  return {
    find: (params: Params = {}) => findPage(documents(), published(params), pages),
    findOne: (documentId: string, params: Params = {}) => documents().findOne({ ...published(params), documentId }),
    create: (params: Params = {}) => documents().create(published(params)),
    update: (documentId: string, params: Params = {}) => documents().update({ ...published(params), documentId }),
    async delete(documentId: string, params: Params = {}) {
      const { entries } = await documents().delete({ ...params, documentId });
      return { deletedEntries: entries.length };
    },
  };
}

async function findPage(documents: Documents, { pagination, ...params }: Params, pages: PageRules): Promise<object> {
  const asked = membersOf(pagination);
  const isCut = asked.start !== undefined || asked.limit !== undefined;
  const size = limitOf(isCut ? asked.limit : asked.pageSize, pages);
  const page = Math.max(1, Number(asked.page ?? 1));
  const start = isCut ? Math.max(0, Number(asked.start ?? 0)) : (page - 1) * size;
  const results = await documents.findMany({ ...params, start, limit: size });
  const shown = isCut ? { start, limit: size } : { page, pageSize: size };
  const isCounted = asked.withCount === undefined ? pages.withCount : !NO.includes(asked.withCount);
  if (!isCounted) return { results, pagination: shown };
  const total = await documents.count(params);
  const counted = isCut ? { ...shown, total } : { ...shown, pageCount: Math.ceil(total / size), total };
  return { results, pagination: counted };
}

function limitOf(asked: unknown, { defaultLimit, maxLimit }: PageRules): number {
  const limit = asked === undefined ? defaultLimit : Number(asked);
  return limit === -1 ? maxLimit : Math.min(Math.max(1, limit), maxLimit);
}
