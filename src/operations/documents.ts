// The in-process interface: documents(uid).findMany(…) and its kin, for the system or as a caller. It makes operations
// of its parameters and objects of the answers; HTTP sends the same operations through the same door.
import type { Caller } from '../access/caller.ts';
import type { ReadName, ReadOperation, WriteName, WriteOperation } from '../access/operation.ts';
import { notFoundError, validationError } from '../errors.ts';
import { FILE } from '../model/builtin.ts';
import type { ContentType } from '../model/types.ts';
import { entriesOfPage } from '../read/read-strategy.ts';
import { firstPage, NO_LIMIT, type ReadDefaults, type ReadParameters } from '../request/parse-read.ts';
import { checkData } from '../request/parse-write.ts';
import type { Status } from '../request/read-request.ts';
import { pageJson } from './envelope.ts';
import type { Operations } from './operations.ts';
import type {
  AggregateParameters,
  CreateParameters,
  DocumentParameters,
  DocumentVersions,
  Entry,
  EntryData,
  FindOneParameters,
  FindParameters,
  FindRelatedParameters,
  Group,
  Page,
  UpdateParameters,
} from './parameters.ts';
import type { WriteOutcome } from './writes.ts';

/** Whoever works on content in process works on drafts, unless they say otherwise. */
const DEFAULT_STATUS = 'draft';

export class Documents {
  readonly #operations: Operations;
  readonly #type: ContentType;
  readonly #caller: Caller;
  readonly #defaultStatus: Status;

  /** @internal `defaultStatus`: what is read and written where no status is given. */
  constructor(operations: Operations, type: ContentType, caller: Caller, defaultStatus: Status = DEFAULT_STATUS) {
    this.#defaultStatus = defaultStatus;
    this.#operations = operations;
    this.#type = type;
    this.#caller = caller;
  }

  /** Every entry that matches, or the page asked for. */
  async findMany(parameters: FindParameters = {}): Promise<Entry[]> {
    if (parameters.facets !== undefined)
      throw validationError('Invalid key facets: findMany returns entries alone; findPage has facets', {
        key: 'facets',
      });
    await this.#operations.refresh();
    const read = this.#operations.findAgain(this.#read('find', withoutCount(parameters), NO_LIMIT), this.#caller);
    return entriesOfPage(await read.run({ caller: this.#caller }));
  }

  /** A page of entries with its pagination, as a list request answers. */
  async findPage(parameters: FindParameters = {}): Promise<Page> {
    await this.#operations.refresh();
    const read = this.#operations.findAgain(
      this.#read('find', parameters, firstPage(this.#operations.rules.pages)),
      this.#caller,
    );
    return JSON.parse(pageJson(read.request.pagination, await read.run({ caller: this.#caller }), read.omitted));
  }

  async findFirst(parameters: FindOneParameters = {}): Promise<Entry | null> {
    const [first] = await this.findMany({ ...parameters, pagination: { start: 0, limit: 1 } });
    return first ?? null;
  }

  async findOne(parameters: FindOneParameters & { readonly documentId?: string }): Promise<Entry | null> {
    const { documentId = null, ...rest } = parameters;
    await this.#operations.refresh();
    const read = this.#operations.findOne(this.#read('findOne', rest, NO_LIMIT), this.#caller);
    const text = await read.run({ caller: this.#caller, documentId });
    return text === null ? null : JSON.parse(text);
  }

  async count(parameters: FindOneParameters = {}): Promise<number> {
    await this.#operations.refresh();
    return this.#operations.count(this.#read('count', parameters, NO_LIMIT), { caller: this.#caller });
  }

  /** The entries that a relation of a document leads to, in the order of the relation; null where there is no such document. */
  async findRelated(parameters: FindRelatedParameters): Promise<Page | null> {
    await this.#operations.refresh();
    const { documentId = null, relation, ...rest } = parameters;
    const operation = this.#read('related', rest, firstPage(this.#operations.rules.pages));
    const read = this.#operations.related(operation, relation, this.#caller);
    const page = await read.run({ caller: this.#caller, documentId });
    return page && JSON.parse(pageJson(read.request.pagination, page, read.omitted));
  }

  /** Every group, or the page asked for. */
  async aggregate(parameters: AggregateParameters): Promise<Group[]> {
    await this.#operations.refresh();
    const read = this.#operations.find(this.#read('aggregate', parameters, NO_LIMIT), this.#caller);
    return entriesOfPage(await read.run({ caller: this.#caller }));
  }

  #read(name: ReadName, parameters: object, pagination: ReadDefaults['pagination']): ReadOperation {
    return { name, type: this.#type, parameters, defaults: { status: this.#defaultStatus, pagination } };
  }

  /** Makes a document; with the status `published` it is published at once. */
  async create(parameters: CreateParameters): Promise<Entry> {
    const { data, ...rest } = parameters;
    return entryOf((await this.#write('create', null, data, rest))!);
  }

  /** Changes a document, or adds a locale to it; null where there is none. A single type needs no documentId. */
  async update(parameters: UpdateParameters): Promise<Entry | null> {
    const { documentId = null, data, ...rest } = parameters;
    const outcome = await this.#write('update', this.#documentId(documentId), data, rest);
    return outcome && entryOf(outcome);
  }

  /** Deletes a document in a locale (the default one), in several, or in all (`*`), drafts and published alike. */
  delete(parameters: DocumentParameters = {}): Promise<DocumentVersions> {
    return this.#act('delete', parameters);
  }

  publish(parameters: DocumentParameters = {}): Promise<DocumentVersions> {
    return this.#act('publish', parameters);
  }

  unpublish(parameters: DocumentParameters = {}): Promise<DocumentVersions> {
    return this.#act('unpublish', parameters);
  }

  /** Brings the draft back to what is published. */
  discardDraft(parameters: DocumentParameters = {}): Promise<DocumentVersions> {
    return this.#act('discardDraft', parameters);
  }

  /** Copies a document under a new id, changed as `data` says. */
  async clone(parameters: DocumentParameters & { readonly data?: EntryData }): Promise<Entry> {
    const { documentId = null, data = {}, ...rest } = parameters;
    return entryOf((await this.#write('clone', this.#documentId(documentId), data, rest))!);
  }

  async #act(name: WriteName, { documentId = null, ...rest }: DocumentParameters): Promise<DocumentVersions> {
    const operation = this.#operation(name, this.#documentId(documentId), {}, rest);
    await this.#operations.refresh();
    const outcome = await this.#operations.write(operation, this.#caller, false);
    return versionsOf(documentId, outcome);
  }

  async #write(name: WriteName, documentId: string | null, data: EntryData, parameters: ReadParameters) {
    const operation = this.#operation(name, documentId, data, parameters);
    await this.#operations.refresh();
    return this.#operations.write(operation, this.#caller);
  }

  #operation(name: WriteName, documentId: string | null, data: EntryData, parameters: ReadParameters): WriteOperation {
    // Rows of files are written with their bytes.
    if (this.#type.uid === FILE && this.#caller.kind !== 'system') throw notFoundError();
    checkData(data, this.#operations.rules.limits);
    return { name, type: this.#type, documentId, data, parameters, defaultStatus: this.#defaultStatus };
  }

  /** Only a single type has a document that needs no id. */
  #documentId(documentId: string | null): string | null {
    if (documentId === null && this.#type.kind !== 'singleType')
      throw validationError('Invalid value for documentId: expected the id of a document', { key: 'documentId' });
    return documentId;
  }
}

const entryOf = ({ text }: WriteOutcome): Entry => JSON.parse(text);

const versionsOf = (documentId: string | null, outcome: WriteOutcome | null): DocumentVersions => ({
  documentId: outcome?.written.documentId ?? documentId ?? '',
  entries: (outcome?.written.versions ?? []).map(({ id, locale, published }) => ({
    id,
    locale,
    status: published ? 'published' : 'draft',
  })),
});

/** findMany answers with entries alone, so the total would be counted for nothing. */
function withoutCount(parameters: FindParameters): FindParameters {
  if (!parameters.pagination) return parameters;
  return { ...parameters, pagination: { ...parameters.pagination, withCount: false } };
}
