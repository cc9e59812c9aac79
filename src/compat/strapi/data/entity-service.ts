// `strapi.entityService`: documents by the ids of their rows. Strapi 5 keeps it for code of older projects.
import type { Sheaf } from '../../../app.ts';
import type { Entry } from '../../../operations/parameters.ts';
import { isPlainObject } from '../../../request/grammar.ts';
import type { DocumentParameters } from './document-parameters.ts';
import { Rows } from './rows.ts';
import { contentTypeOf } from './schemas.ts';
import type { StrapiDocuments } from './strapi-documents.ts';

type Options = DocumentParameters;
type Id = number | string;

const DEFAULT_PAGE_SIZE = 10;

export class EntityService {
  readonly #sheaf: Sheaf;
  readonly #documents: StrapiDocuments;

  constructor(sheaf: Sheaf, documents: StrapiDocuments) {
    this.#sheaf = sheaf;
    this.#documents = documents;
  }

  /** The entries; of a single type, its one entry. */
  async findMany(uid: string, options: Options = {}): Promise<unknown> {
    const isSingle = contentTypeOf(this.#sheaf.model, uid).kind === 'singleType';
    return isSingle ? this.#documents(uid).findFirst(options) : this.#documents(uid).findMany(options);
  }

  async findPage(uid: string, options: Options = {}): Promise<unknown> {
    const page = Math.max(1, Number(options.page ?? 1));
    const pageSize = Math.max(1, Number(options.pageSize ?? DEFAULT_PAGE_SIZE));
    const range = { start: (page - 1) * pageSize, limit: pageSize };
    const { page: _page, pageSize: _pageSize, ...asked } = options;
    const results = await this.#documents(uid).findMany({ ...asked, ...range });
    const total = Number(await this.#documents(uid).count(asked));
    return { results, pagination: { page, pageSize, pageCount: Math.ceil(total / pageSize), total } };
  }

  async findOne(uid: string, id: Id, options: Options = {}): Promise<unknown> {
    const row = await this.#row(uid, id);
    return row && this.#documents(uid).findOne({ ...options, ...this.#documentOf(uid, row) });
  }

  async count(uid: string, options: Options = {}): Promise<unknown> {
    return this.#documents(uid).count(options);
  }

  async create(uid: string, options: Options = {}): Promise<unknown> {
    const status = isDraft(options.data) ? 'draft' : 'published';
    return this.#documents(uid).create({ status, ...options });
  }

  /** A draft stays a draft, unless the data says that it is published. */
  async update(uid: string, id: Id, options: Options = {}): Promise<unknown> {
    const row = await this.#row(uid, id);
    if (!row) return null;
    const { draftAndPublish } = contentTypeOf(this.#sheaf.model, uid);
    const isKeptDraft = draftAndPublish && row.publishedAt === null && !isPublished(options.data);
    const status = isKeptDraft || isDraft(options.data) ? 'draft' : 'published';
    return this.#documents(uid).update({ status, ...options, ...this.#documentOf(uid, row) });
  }

  /** The row as it was; null where there was none. */
  async delete(uid: string, id: Id, options: Options = {}): Promise<unknown> {
    const row = await this.#row(uid, id);
    if (!row) return null;
    const entry = await this.findOne(uid, id, options);
    await this.#documents(uid).delete(this.#documentOf(uid, row));
    return entry;
  }

  /** What an entry leads to, by the name of a relation, or by several of them. */
  load(
    uid: string,
    entity: { readonly id: Id },
    names: string | readonly string[],
    options: Options = {},
  ): Promise<unknown> {
    const { fields, filters, sort, populate, start, limit } = options;
    const given = { select: fields, where: filters, orderBy: sort, populate, offset: start, limit };
    const asked = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    return new Rows(this.#sheaf, uid).load(entity, names, Object.keys(asked).length === 0 ? true : asked);
  }

  #row(uid: string, id: Id): Promise<Entry | null> {
    return new Rows(this.#sheaf, uid).findOne({ where: { id } });
  }

  #documentOf(uid: string, { documentId, locale }: Entry): Options {
    return { documentId, ...(contentTypeOf(this.#sheaf.model, uid).localized && { locale }) };
  }
}

const publishedAt = (data: unknown): unknown => (isPlainObject(data) ? data.publishedAt : undefined);
const isDraft = (data: unknown): boolean => publishedAt(data) === null;
const isPublished = (data: unknown): boolean => publishedAt(data) !== undefined && publishedAt(data) !== null;
