// The in-process interface: documents(uid).findMany(…) and its kin. HTTP calls the same methods in their JSON form,
// so the two can never differ.

import { EVERYTHING, FIRST_PAGE, type ReadDefaults, type ReadParameters } from '../request/parse-read.ts';
import type { Pagination } from '../request/read-request.ts';
import type { PageText } from '../run/read.ts';
import type { Entry, FindOneParameters, FindParameters, Page } from './parameters.ts';
import type { Pipeline, Prepared } from './pipeline.ts';

const IN_PROCESS = { status: 'draft' } as const;
const OVER_HTTP = { status: 'published' } as const;

export class Documents {
  readonly #pipeline: Pipeline;
  readonly #uid: string;

  constructor(pipeline: Pipeline, uid: string) {
    this.#pipeline = pipeline;
    this.#uid = uid;
  }

  /** Every entry that matches, or the page asked for. */
  async findMany(parameters: FindParameters = {}): Promise<Entry[]> {
    const defaults: ReadDefaults = { ...IN_PROCESS, pagination: EVERYTHING };
    const { entries } = await this.#pipeline.list(this.#uid, withoutCount(parameters), defaults).run();
    return JSON.parse(`[${entries}]`) as Entry[];
  }

  /** A page of entries with its pagination, as a list request answers. */
  async findPage(parameters: FindParameters = {}): Promise<Page> {
    const defaults: ReadDefaults = { ...IN_PROCESS, pagination: FIRST_PAGE };
    const list = this.#pipeline.list(this.#uid, parameters as ReadParameters, defaults);
    return JSON.parse(pageJson(list.request.pagination, await list.run())) as Page;
  }

  async findFirst(parameters: FindOneParameters = {}): Promise<Entry | null> {
    const [first] = await this.findMany({ ...parameters, pagination: { start: 0, limit: 1 } });
    return first ?? null;
  }

  async findOne(parameters: FindOneParameters & { readonly documentId: string }): Promise<Entry | null> {
    const { documentId, ...rest } = parameters;
    const defaults: ReadDefaults = { ...IN_PROCESS, pagination: EVERYTHING };
    const one = this.#pipeline.one(this.#uid, rest as ReadParameters, defaults, true);
    const text = await one.run(documentId);
    return text === null ? null : (JSON.parse(text) as Entry);
  }

  async count(parameters: FindOneParameters = {}): Promise<number> {
    const defaults: ReadDefaults = { ...IN_PROCESS, pagination: EVERYTHING };
    return this.#pipeline.count(this.#uid, parameters as ReadParameters, defaults);
  }

  /** The forms that HTTP sends: prepared once for a request, answered as JSON text. */
  prepareList(parameters: ReadParameters): Prepared<[], string> {
    const list = this.#pipeline.list(this.#uid, parameters, { ...OVER_HTTP, pagination: FIRST_PAGE });
    const { pagination } = list.request;
    return { timing: list.timing, run: async () => pageJson(pagination, await list.run()) };
  }

  prepareOne(parameters: ReadParameters, byDocument: boolean): Prepared<[documentId: string | null], string | null> {
    const one = this.#pipeline.one(this.#uid, parameters, { ...OVER_HTTP, pagination: FIRST_PAGE }, byDocument);
    return {
      timing: one.timing,
      run: async (documentId) => {
        const text = await one.run(documentId);
        return text === null ? null : `{"data":${text},"meta":{}}`;
      },
    };
  }
}

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
