// `strapi.db.query(uid)`: rows, not documents. Drafts, published rows and locales are found alike, hashes of passwords
// are values like others, and what is written is that row alone.
import { type Caller, systemCaller } from '../../../access/caller.ts';
import type { WriteName, WriteOperation } from '../../../access/operation.ts';
import type { Sheaf } from '../../../app.ts';
import { validationError } from '../../../errors.ts';
import type { ContentType } from '../../../model/types.ts';
import { type ShownChanges, shownAs } from '../../../operations/hooks.ts';
import type { Entry } from '../../../operations/parameters.ts';
import { entriesOfPage } from '../../../read/read-strategy.ts';
import { isPlainObject } from '../../../request/grammar.ts';
import { ANY_PAGE, NO_LIMIT } from '../../../request/parse-read.ts';
import { NotOfferedError } from '../not-offered.ts';
import { isText } from './code-conditions.ts';
import { knownData } from './known-data.ts';
import { chosenOf, mostRows, type RowParameters, readOfRows, rowsBefore } from './row-parameters.ts';
import { rowTypeOf } from './schemas.ts';

export interface RowWrite extends RowParameters {
  readonly data?: unknown;
}

export interface RowPage {
  readonly results: Entry[];
  readonly pagination: {
    readonly page: number;
    readonly pageSize: number;
    readonly pageCount: number;
    readonly total: number;
  };
}

export type ReadEvent = 'FindMany' | 'FindOne' | 'Count';
/** Of writes of several rows at once, of which nobody is told one by one. */
export type ManyEvent = 'CreateMany' | 'UpdateMany' | 'DeleteMany';

/** Code that is told of what other code reads, and may change it. */
export interface AroundReads {
  /** Whether there is any for a type, so that no read may go past it. */
  hearsReads(uid: string): boolean;
  /** Runs a read with what is told before and after. Both may change what they are given. */
  around<P extends object, R>(
    type: ContentType,
    event: ReadEvent,
    given: P,
    read: (params: P) => Promise<R>,
  ): Promise<R>;
}

/** The same for rows that code writes. */
export interface AroundRows extends AroundReads {
  aroundMany<P extends object, R>(
    type: ContentType,
    event: ManyEvent,
    given: P,
    write: (params: P) => Promise<R>,
  ): Promise<R>;
  /** Runs a write, and tells what of its rows is shown otherwise than it is stored, by their ids. */
  shownBy<T>(write: () => Promise<T>): Promise<{ result: T; changes: ReadonlyMap<number, ShownChanges> }>;
}

/** What code says of a row that the server decides otherwise: the id of its document, and its dates. */
export function givenTo(data: Readonly<Record<string, unknown>>): Pick<WriteOperation, 'documentId' | 'dates'> {
  const { documentId, createdAt, updatedAt, publishedAt } = data;
  return {
    documentId: typeof documentId === 'string' && documentId !== '' ? documentId : null,
    dates: { createdAt, updatedAt, publishedAt },
  };
}

const DEFAULT_PAGE_SIZE = 10;

interface WrittenRow {
  readonly id: number | null;
  /** What lifecycles show otherwise than it is stored. */
  readonly changes: ShownChanges | null;
}

export class Rows {
  readonly #sheaf: Sheaf;
  readonly #type: ContentType;
  readonly #caller: Caller;
  readonly #lifecycles: AroundRows | null;

  /** `lifecycles`: what is told of reads and rows; null where it is the server that works, and not code. */
  constructor(sheaf: Sheaf, uid: string, lifecycles: AroundRows | null = null) {
    this.#sheaf = sheaf;
    this.#lifecycles = lifecycles;
    this.#type = rowTypeOf(sheaf.model, uid);
    this.#caller = systemCaller(sheaf.model, 'everything');
  }

  findMany(parameters: RowParameters = {}): Promise<Entry[]> {
    return this.#told('FindMany', parameters, (told) => this.#find(told));
  }

  /** Tells code of a read, where there is any to tell. */
  #told<R>(event: ReadEvent, parameters: RowParameters, read: (told: RowParameters) => Promise<R>): Promise<R> {
    return this.#lifecycles ? this.#lifecycles.around(this.#type, event, parameters, read) : read(parameters);
  }

  async #find(parameters: RowParameters): Promise<Entry[]> {
    const { limit = NO_LIMIT.limit, offset = 0 } = parameters;
    const range = { start: rowsBefore('offset', offset), limit: mostRows('limit', limit) };
    const read = this.#sheaf.operations.find(
      {
        name: 'find',
        type: this.#type,
        parameters: { ...readOfRows(this.#sheaf.model, this.#type, parameters), ...this.#everyLocale },
        defaults: { status: 'any', pagination: { ...NO_LIMIT, ...range }, populatedPages: ANY_PAGE },
      },
      this.#caller,
    );
    const entries: Entry[] = entriesOfPage(await read.run({ caller: this.#caller }));
    const unnamed = unnamedIds(parameters);
    return unnamed.length === 0 ? entries : entries.map((entry) => omitted(entry, unnamed));
  }

  findOne(parameters: RowParameters = {}): Promise<Entry | null> {
    return this.#told('FindOne', parameters, (told) => this.#first(told));
  }

  async #first(parameters: RowParameters): Promise<Entry | null> {
    const [first] = await this.#find({ ...parameters, limit: 1 });
    return first ?? null;
  }

  async findWithCount(parameters: RowParameters = {}): Promise<[Entry[], number]> {
    return [await this.findMany(parameters), await this.count(parameters)];
  }

  async findPage(
    parameters: RowParameters & { readonly page?: number; readonly pageSize?: number } = {},
  ): Promise<RowPage> {
    const page = Math.max(1, Number(parameters.page ?? 1));
    const pageSize = Math.max(1, Number(parameters.pageSize ?? DEFAULT_PAGE_SIZE));
    const rows = { ...parameters, limit: pageSize, offset: (page - 1) * pageSize };
    const [results, total] = await this.findWithCount(rows);
    return { results, pagination: { page, pageSize, pageCount: Math.ceil(total / pageSize), total } };
  }

  count(parameters: RowParameters = {}): Promise<number> {
    return this.#told('Count', parameters, (told) => this.#count(told));
  }

  #count(parameters: RowParameters): Promise<number> {
    return this.#sheaf.operations.count(
      {
        name: 'count',
        type: this.#type,
        parameters: { ...chosenOf(this.#sheaf.model, this.#type, parameters), ...this.#everyLocale },
        defaults: { status: 'any', pagination: NO_LIMIT },
      },
      { caller: this.#caller },
    );
  }

  /** What a row leads to, by the name of a relation, or by several of them; null where there is no such row. */
  async load(
    { id }: { readonly id: number | string },
    names: string | readonly string[],
    populate: unknown = true,
  ): Promise<unknown> {
    const list = [names].flat();
    for (const name of list) {
      const attribute = this.#type.attributes.get(name);
      if (!attribute || attribute.kind === 'scalar')
        throw new Error(`Invalid load. Expected ${name} to be a relational attribute`);
    }
    const asked = Object.fromEntries(list.map((name) => [name, populate]));
    const row = await this.findOne({ where: { id: Number(id) }, select: ['id'], populate: asked });
    if (!row) return null;
    if (typeof names === 'string') return row[names];
    return Object.fromEntries(list.map((name) => [name, row[name]]));
  }

  async create({ data, ...shown }: RowWrite = {}): Promise<Entry> {
    const { id, changes } = await this.#write('create', 'new', data);
    return shownAs((await this.#shown(id!, shown))!, changes);
  }

  createMany(params: { readonly data: readonly unknown[] }): Promise<{ count: number; ids: number[] }> {
    return this.#many('CreateMany', params, async ({ data }) => {
      const ids: number[] = [];
      for (const one of data) ids.push((await this.#write('create', 'new', one)).id!);
      return { count: ids.length, ids };
    });
  }

  /** The first row that matches; null where none does. */
  async update({ where, filters, data, ...shown }: RowWrite): Promise<Entry | null> {
    const row = await this.#first({ where, filters, select: ['id'] });
    if (!row) return null;
    const { changes } = await this.#write('update', row.id, data);
    const written = await this.#shown(row.id, shown);
    return written && shownAs(written, changes);
  }

  updateMany(params: RowWrite): Promise<{ count: number }> {
    return this.#many('UpdateMany', params, ({ where, filters, _q, data }) =>
      this.#each({ where, filters, _q }, (id) => this.#write('update', id, data)),
    );
  }

  /** The row as it was; null where there was none. */
  async delete({ where, filters, ...shown }: RowParameters): Promise<Entry | null> {
    const row = await this.findOne({ ...shown, where, filters });
    return row && shownAs(row, (await this.#write('delete', row.id, {})).changes);
  }

  deleteMany(params: RowParameters = {}): Promise<{ count: number }> {
    return this.#many('DeleteMany', params, ({ where, filters, _q }) =>
      this.#each({ where, filters, _q }, (id) => this.#write('delete', id, {})),
    );
  }

  /** Together or not at all, with those who are told of it. */
  #many<P extends object, R>(event: ManyEvent, params: P, write: (told: P) => Promise<R>): Promise<R> {
    return this.#sheaf.transaction(() =>
      this.#lifecycles ? this.#lifecycles.aroundMany(this.#type, event, params, write) : write(params),
    );
  }

  async #each(found: RowParameters, work: (id: number) => Promise<unknown>): Promise<{ count: number }> {
    const rows = await this.#find({ ...found, select: ['id'] });
    for (const { id } of rows) await work(id);
    return { count: rows.length };
  }

  #shown(id: number, { select, populate }: RowParameters): Promise<Entry | null> {
    return this.findOne({ where: { id }, select, populate });
  }

  async #write(name: WriteName, row: number | 'new', given: unknown): Promise<WrittenRow> {
    if (this.#sheaf.model.components.has(this.#type.uid))
      throw new NotOfferedError(
        `${name} of db.query('${this.#type.uid}')`,
        'write the entries that hold the component',
      );
    if (!isPlainObject(given)) throw validationError('Invalid data: expected an object', { key: 'data' });
    const data = asText(this.#type, knownData(this.#sheaf.model, this.#type, given, 'id'));
    const { locale } = given;
    const status = given.publishedAt === null ? 'draft' : 'published';
    const parameters = this.#type.localized && typeof locale === 'string' ? { locale } : {};
    const operation = {
      name,
      type: this.#type,
      ...givenTo(given),
      // A row stays in its document.
      ...(name !== 'create' && { documentId: null }),
      data,
      parameters,
      defaultStatus: status,
      row,
    } as const;
    const outcome = await this.#sheaf.operations.write(operation, this.#caller, false);
    return { id: outcome?.written.versions[0]?.id ?? null, changes: outcome?.changes ?? null };
  }

  get #everyLocale(): { locale?: '*' } {
    return this.#type.localized ? { locale: '*' } : {};
  }
}

/** The ids that a read shows and code did not select; the id of a row is there as well where it populates. */
function unnamedIds({ select, populate }: RowParameters): readonly string[] {
  const named = [select ?? '*'].flat();
  if (named.includes('*')) return [];
  return ['documentId', ...(populate ? [] : ['id'])].filter((name) => !named.includes(name));
}

const omitted = (entry: Entry, names: readonly string[]): Entry =>
  Object.fromEntries(Object.entries(entry).filter(([name]) => !names.includes(name))) as Entry;

/** Numbers and truth values are kept as text where an attribute is text, as in Strapi: rows are not validated there. */
const asText = ({ attributes }: ContentType, data: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(data).map(([name, value]) => {
      const isPlain = typeof value === 'number' || typeof value === 'boolean';
      return [name, isPlain && isText(attributes.get(name)) ? String(value) : value];
    }),
  );
