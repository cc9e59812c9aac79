// The in-process interface: documents(uid).findMany(…) and its kin. HTTP calls the same methods in their JSON form,
// so the two can never differ.

import { validationError } from '../errors.ts';
import type { ContentType } from '../model/types.ts';
import { EVERYTHING, FIRST_PAGE, type ReadDefaults, type ReadParameters } from '../request/parse-read.ts';
import { checkDepth } from '../request/parse-write.ts';
import type { Pagination } from '../request/read-request.ts';
import type { PageText } from '../run/read.ts';
import type { Version } from '../run/write-session.ts';
import type {
  CreateParameters,
  DocumentParameters,
  DocumentVersions,
  Entry,
  EntryData,
  FindOneParameters,
  FindParameters,
  Page,
  UpdateParameters,
} from './parameters.ts';
import type { Pipeline, Prepared } from './pipeline.ts';
import type { Writer } from './writer.ts';

const IN_PROCESS = { status: 'draft' } as const;
const OVER_HTTP = { status: 'published' } as const;

export class Documents {
  readonly #pipeline: Pipeline;
  readonly #writer: Writer;
  readonly #type: ContentType;

  constructor(pipeline: Pipeline, writer: Writer, type: ContentType) {
    this.#pipeline = pipeline;
    this.#writer = writer;
    this.#type = type;
  }

  /** Every entry that matches, or the page asked for. */
  async findMany(parameters: FindParameters = {}): Promise<Entry[]> {
    const defaults: ReadDefaults = { ...IN_PROCESS, pagination: EVERYTHING };
    const { entries } = await this.#pipeline.list(this.#type.uid, withoutCount(parameters), defaults).run();
    return JSON.parse(`[${entries}]`) as Entry[];
  }

  /** A page of entries with its pagination, as a list request answers. */
  async findPage(parameters: FindParameters = {}): Promise<Page> {
    const defaults: ReadDefaults = { ...IN_PROCESS, pagination: FIRST_PAGE };
    const list = this.#pipeline.list(this.#type.uid, parameters as ReadParameters, defaults);
    return JSON.parse(pageJson(list.request.pagination, await list.run())) as Page;
  }

  async findFirst(parameters: FindOneParameters = {}): Promise<Entry | null> {
    const [first] = await this.findMany({ ...parameters, pagination: { start: 0, limit: 1 } });
    return first ?? null;
  }

  async findOne(parameters: FindOneParameters & { readonly documentId: string }): Promise<Entry | null> {
    const { documentId, ...rest } = parameters;
    const defaults: ReadDefaults = { ...IN_PROCESS, pagination: EVERYTHING };
    const one = this.#pipeline.one(this.#type.uid, rest as ReadParameters, defaults, true);
    const text = await one.run(documentId);
    return text === null ? null : (JSON.parse(text) as Entry);
  }

  async count(parameters: FindOneParameters = {}): Promise<number> {
    const defaults: ReadDefaults = { ...IN_PROCESS, pagination: EVERYTHING };
    return this.#pipeline.count(this.#type.uid, parameters as ReadParameters, defaults);
  }

  /** Makes a document; with the status `published` it is published at once. */
  async create(parameters: CreateParameters): Promise<Entry> {
    const { data, ...rest } = parameters;
    return JSON.parse(await this.#writer.create(this.#type, checked(data), rest as ReadParameters, IN_PROCESS.status));
  }

  /** Changes a document, or adds a locale to it; null where there is none. */
  async update(parameters: UpdateParameters): Promise<Entry | null> {
    const { documentId, data, ...rest } = parameters;
    const body = checked(data);
    const text = await this.#writer.update(this.#type, documentId, body, rest as ReadParameters, IN_PROCESS.status);
    return text === null ? null : JSON.parse(text);
  }

  /** Deletes a document in a locale (the default one), in several, or in all (`*`), drafts and published alike. */
  async delete(parameters: DocumentParameters): Promise<DocumentVersions> {
    return versionsOf(parameters, await this.#writer.delete(this.#type, parameters.documentId, parameters.locale));
  }

  async publish(parameters: DocumentParameters): Promise<DocumentVersions> {
    return versionsOf(
      parameters,
      await this.#writer.publish(this.#withDrafts(), parameters.documentId, parameters.locale),
    );
  }

  async unpublish(parameters: DocumentParameters): Promise<DocumentVersions> {
    return versionsOf(
      parameters,
      await this.#writer.unpublish(this.#withDrafts(), parameters.documentId, parameters.locale),
    );
  }

  /** Brings the draft back to what is published. */
  async discardDraft(parameters: DocumentParameters): Promise<DocumentVersions> {
    return versionsOf(
      parameters,
      await this.#writer.discardDraft(this.#withDrafts(), parameters.documentId, parameters.locale),
    );
  }

  /** Copies a document under a new id, changed as `data` says. */
  async clone(parameters: DocumentParameters & { readonly data?: EntryData }): Promise<Entry> {
    const { documentId, data = {}, locale } = parameters;
    return JSON.parse(await this.#writer.clone(this.#type, documentId, checked(data), locale));
  }

  #withDrafts(): ContentType {
    if (this.#type.draftAndPublish) return this.#type;
    throw validationError(`${this.#type.uid} has no drafts, so it cannot be published or unpublished`);
  }

  /** The writes that HTTP sends, answered as JSON text. */
  createJson(data: Record<string, unknown>, parameters: ReadParameters): Promise<string> {
    return this.#writer.create(this.#type, data, parameters, OVER_HTTP.status);
  }

  updateJson(documentId: string, data: Record<string, unknown>, parameters: ReadParameters): Promise<string | null> {
    return this.#writer.update(this.#type, documentId, data, parameters, OVER_HTTP.status);
  }

  updateSingleJson(data: Record<string, unknown>, parameters: ReadParameters): Promise<string> {
    return this.#writer.updateSingle(this.#type, data, parameters, OVER_HTTP.status);
  }

  async deleteSingle(locale: unknown): Promise<void> {
    await this.#writer.delete(this.#type, null, locale);
  }

  /** The forms that HTTP sends: prepared once for a request, answered as JSON text. */
  prepareList(parameters: ReadParameters): Prepared<[after?: string | null], string> {
    const list = this.#pipeline.list(this.#type.uid, parameters, { ...OVER_HTTP, pagination: FIRST_PAGE });
    const { pagination } = list.request;
    return { timing: list.timing, run: async (after) => pageJson(pagination, await list.run(after)) };
  }

  prepareOne(
    parameters: ReadParameters,
    byDocument: boolean,
  ): Prepared<[documentId: string | null, after?: string | null], string | null> {
    const one = this.#pipeline.one(this.#type.uid, parameters, { ...OVER_HTTP, pagination: FIRST_PAGE }, byDocument);
    return {
      timing: one.timing,
      run: async (documentId, after) => {
        const text = await one.run(documentId, after);
        return text === null ? null : `{"data":${text},"meta":{}}`;
      },
    };
  }
}

function checked(data: EntryData): Record<string, unknown> {
  checkDepth(data);
  return data as Record<string, unknown>;
}

const versionsOf = ({ documentId }: DocumentParameters, versions: readonly Version[]): DocumentVersions => ({
  documentId,
  entries: versions.map(({ id, locale, published }) => ({ id, locale, status: published ? 'published' : 'draft' })),
});

/** findMany answers with entries alone, so the total would be counted for nothing. */
function withoutCount(parameters: FindParameters): ReadParameters {
  if (!parameters.pagination) return parameters as ReadParameters;
  return { ...parameters, pagination: { ...parameters.pagination, withCount: false } };
}

function pageJson(pagination: Pagination, { entries, total }: PageText): string {
  const { mode, start, limit } = pagination;
  const place =
    mode === 'offset'
      ? `"start":${start},"limit":${limit}`
      : `"page":${Math.floor(start / limit) + 1},"pageSize":${limit}`;
  const pages = mode === 'offset' || total === null ? '' : `,"pageCount":${Math.ceil(total / limit)}`;
  const count = total === null ? '' : `,"total":${total}`;
  return `{"data":[${entries}],"meta":{"pagination":{${place}${pages}${count}}}}`;
}
