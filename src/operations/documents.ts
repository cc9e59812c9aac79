// The in-process interface: documents(uid).findMany(…) and its kin. HTTP calls the same methods in their JSON form,
// so the two can never differ.

import { type Access, everything } from '../access/access.ts';
import { actionOn } from '../access/actions.ts';
import type { Caller } from '../access/caller.ts';
import { validationError } from '../errors.ts';
import type { ContentType } from '../model/types.ts';
import type { PageText } from '../read/run-read.ts';
import { EVERYTHING, FIRST_PAGE, type ReadDefaults, type ReadParameters } from '../request/parse-read.ts';
import { checkDepth } from '../request/parse-write.ts';
import type { Version } from '../store/write-session.ts';
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
import type { Asked, Pipeline, PreparedList, PreparedOne } from './pipeline.ts';
import type { WriteRequest, Writer, WrittenEntry } from './writer.ts';

const IN_PROCESS = { status: 'draft' } as const;
const OVER_HTTP = { status: 'published' } as const;

export class Documents {
  readonly #pipeline: Pipeline;
  readonly #writer: Writer;
  readonly #type: ContentType;
  /** Whoever calls in process may do everything. */
  readonly #self: Caller;

  constructor(pipeline: Pipeline, writer: Writer, type: ContentType) {
    this.#pipeline = pipeline;
    this.#writer = writer;
    this.#type = type;
    this.#self = { access: everything(pipeline.model), user: null };
  }

  /** Every entry that matches, or the page asked for. */
  async findMany(parameters: FindParameters = {}): Promise<Entry[]> {
    const { entries } = await this.#pipeline.list(this.#asked(withoutCount(parameters), EVERYTHING)).run({});
    return JSON.parse(`[${entries}]`) as Entry[];
  }

  /** A page of entries with its pagination, as a list request answers. */
  async findPage(parameters: FindParameters = {}): Promise<Page> {
    const list = this.#pipeline.list(this.#asked(parameters, FIRST_PAGE));
    return JSON.parse(pageJson(list, await list.run({}))) as Page;
  }

  async findFirst(parameters: FindOneParameters = {}): Promise<Entry | null> {
    const [first] = await this.findMany({ ...parameters, pagination: { start: 0, limit: 1 } });
    return first ?? null;
  }

  async findOne(parameters: FindOneParameters & { readonly documentId: string }): Promise<Entry | null> {
    const { documentId, ...rest } = parameters;
    const text = await this.#pipeline.one(this.#asked(rest, EVERYTHING), true).run({ documentId });
    return text === null ? null : (JSON.parse(text) as Entry);
  }

  /** The entry with an id, as it stands now rather than as a replica may still have it. */
  async findLatest(filters: { readonly id: number } | { readonly documentId: string }): Promise<Entry | null> {
    const text = await this.#pipeline.latest(this.#pipeline.one(this.#asked({ filters }, EVERYTHING), false), {});
    return text === null ? null : (JSON.parse(text) as Entry);
  }

  async count(parameters: FindOneParameters = {}): Promise<number> {
    return this.#pipeline.count(this.#asked(parameters, EVERYTHING));
  }

  #asked(parameters: FindParameters | ReadParameters, pagination: ReadDefaults['pagination']): Asked {
    return {
      uid: this.#type.uid,
      parameters: parameters as ReadParameters,
      defaults: { ...IN_PROCESS, pagination },
      access: this.#self.access,
      action: null,
    };
  }

  /** Makes a document; with the status `published` it is published at once. */
  async create(parameters: CreateParameters): Promise<Entry> {
    const { data, ...rest } = parameters;
    return JSON.parse((await this.#writer.create(this.#write(data, rest))).text);
  }

  /** The same, after a check inside its transaction. */
  async createGuarded(data: EntryData, guard: NonNullable<WriteRequest['guard']>): Promise<Entry> {
    return JSON.parse((await this.#writer.create({ ...this.#write(data, {}), guard })).text);
  }

  /** Changes a document, or adds a locale to it; null where there is none. */
  async update(parameters: UpdateParameters): Promise<Entry | null> {
    const { documentId, data, ...rest } = parameters;
    const entry = await this.#writer.update(this.#write(data, rest), documentId);
    return entry && JSON.parse(entry.text);
  }

  #write(data: EntryData, parameters: object): WriteRequest {
    return {
      type: this.#type,
      data: checked(data),
      parameters: parameters as ReadParameters,
      defaultStatus: IN_PROCESS.status,
      caller: this.#self,
    };
  }

  /** Deletes a document in a locale (the default one), in several, or in all (`*`), drafts and published alike. */
  async delete(parameters: DocumentParameters): Promise<DocumentVersions> {
    const { documentId, locale } = parameters;
    return versionsOf(parameters, await this.#writer.delete(this.#type, documentId, locale, this.#self));
  }

  async publish(parameters: DocumentParameters): Promise<DocumentVersions> {
    const { documentId, locale } = parameters;
    return versionsOf(parameters, await this.#writer.publish(this.#withDrafts(), documentId, locale, this.#self));
  }

  async unpublish(parameters: DocumentParameters): Promise<DocumentVersions> {
    const { documentId, locale } = parameters;
    return versionsOf(parameters, await this.#writer.unpublish(this.#withDrafts(), documentId, locale, this.#self));
  }

  /** Brings the draft back to what is published. */
  async discardDraft(parameters: DocumentParameters): Promise<DocumentVersions> {
    const { documentId, locale } = parameters;
    return versionsOf(parameters, await this.#writer.discardDraft(this.#withDrafts(), documentId, locale, this.#self));
  }

  /** Copies a document under a new id, changed as `data` says. */
  async clone(parameters: DocumentParameters & { readonly data?: EntryData }): Promise<Entry> {
    const { documentId, data = {}, locale } = parameters;
    return JSON.parse(await this.#writer.clone(this.#type, documentId, checked(data), locale, this.#self));
  }

  #withDrafts(): ContentType {
    if (this.#type.draftAndPublish) return this.#type;
    throw validationError(`${this.#type.uid} has no drafts, so it cannot be published or unpublished`);
  }

  /** The writes that HTTP sends, answered as JSON text. */
  createJson(request: JsonWrite): Promise<WrittenEntry> {
    return this.#writer.create(this.#overHttp(request));
  }

  updateJson(documentId: string, request: JsonWrite): Promise<WrittenEntry | null> {
    return this.#writer.update(this.#overHttp(request), documentId);
  }

  updateSingleJson(request: JsonWrite): Promise<WrittenEntry> {
    return this.#writer.updateSingle(this.#overHttp(request));
  }

  #overHttp(request: JsonWrite): WriteRequest {
    return { ...request, type: this.#type, defaultStatus: OVER_HTTP.status };
  }

  /** Null: the one document of a single type. Returns how many rows there were. */
  async deleteAs(caller: Caller, documentId: string | null, locale: unknown): Promise<number> {
    return (await this.#writer.delete(this.#type, documentId, locale, caller)).length;
  }

  /** The forms that HTTP sends: prepared once for a request, answered as JSON text. */
  prepareList(parameters: ReadParameters, access: Access, pagination = FIRST_PAGE): PreparedList {
    return this.#pipeline.list(this.#askedOverHttp(parameters, access, actionOn(this.#type, 'find'), pagination));
  }

  /** `action`: the right that is needed, where it is not the usual one; null for the answer to a write. */
  prepareOne(
    parameters: ReadParameters,
    access: Access,
    byDocument: boolean,
    action: string | null = actionOn(this.#type, byDocument ? 'findOne' : 'find'),
  ): PreparedOne {
    return this.#pipeline.one(this.#askedOverHttp(parameters, access, action), byDocument);
  }

  countAs(parameters: ReadParameters, { access, user }: Caller, action: string): Promise<number> {
    return this.#pipeline.count(this.#askedOverHttp(parameters, access, action), { user });
  }

  #askedOverHttp(parameters: ReadParameters, access: Access, action: string | null, pagination = FIRST_PAGE): Asked {
    return { uid: this.#type.uid, parameters, defaults: { ...OVER_HTTP, pagination }, access, action };
  }
}

/** A write as it comes over the wire. */
export type JsonWrite = Pick<WriteRequest, 'data' | 'parameters' | 'caller' | 'guard'>;

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

/** The members of `meta` that tell what `*` left out. */
const omittedJson = (omitted: readonly string[]): string =>
  omitted.length > 0 ? `"omitted":${JSON.stringify(omitted)}` : '';

export const entryJson = (text: string, omitted: readonly string[] = []): string =>
  `{"data":${text},"meta":{${omittedJson(omitted)}}}`;

export function pageJson(list: PreparedList, { entries, total }: PageText): string {
  const { mode, start, limit } = list.request.pagination;
  const place =
    mode === 'offset'
      ? `"start":${start},"limit":${limit}`
      : `"page":${Math.floor(start / limit) + 1},"pageSize":${limit}`;
  const pages = mode === 'offset' || total === null ? '' : `,"pageCount":${Math.ceil(total / limit)}`;
  const count = total === null ? '' : `,"total":${total}`;
  const omitted = list.omitted.length > 0 ? `,${omittedJson(list.omitted)}` : '';
  return `{"data":[${entries}],"meta":{"pagination":{${place}${pages}${count}}${omitted}}}`;
}
