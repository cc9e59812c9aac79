// The whole path of a write on one screen: parse → plan → hash what is secret → one transaction → read the answer.

import type { Access } from '../access/access.ts';
import { mayRead } from '../access/actions.ts';
import type { Caller } from '../access/caller.ts';
import type { Session } from '../db/database.ts';
import { admitLocale } from '../db/stored-settings.ts';
import { MAX_CACHED_PLANS, MAX_CACHED_REQUEST_LENGTH } from '../limits.ts';
import { Lru } from '../lru.ts';
import type { Attribute, ContentType } from '../model/types.ts';
import { hashPassword } from '../passwords.ts';
import type { EntityChange } from '../plan/write/changes.ts';
import { type DecimalColumns, sketchWrite } from '../plan/write/plan-write.ts';
import { FIRST_PAGE, type ReadDefaults, type ReadParameters } from '../request/parse-read.ts';
import { parseLocales, parseWriteParameters, unknownLocale } from '../request/parse-write.ts';
import type { Status } from '../request/read-request.ts';
import { WriteStatements } from '../sql/write-statements.ts';
import { RowRules } from '../store/row-rules.ts';
import {
  cloneDocument,
  createDocument,
  deleteDocument,
  discardDocument,
  type Plan,
  planBody,
  publishDocument,
  type Secrets,
  unpublishDocument,
  updateDocument,
  updateSingle,
  type WriteTarget,
  type Written,
} from '../store/write.ts';
import { type Version, WriteSession, type WriteSetting } from '../store/write-session.ts';
import type { Pipeline, PreparedOne } from './pipeline.ts';

export type LocaleChoice = readonly (string | null)[] | 'all';

export interface WriteRequest {
  readonly type: ContentType;
  readonly data: Record<string, unknown>;
  /** What shapes the answer, and the locale and status that are written. */
  readonly parameters: ReadParameters;
  readonly defaultStatus: Status;
  readonly caller: Caller;
  /** Runs inside the transaction before anything is changed; what it throws ends the write. */
  readonly guard?: (write: WriteSession) => Promise<void>;
}

export interface WrittenEntry {
  /** JSON. */
  readonly text: string;
  /** Paths of relations that `*` left out. */
  readonly omitted: readonly string[];
}

export class Writer {
  readonly #pipeline: Pipeline;
  readonly #setting: WriteSetting;
  readonly #readers = new Lru<string, PreparedOne>(MAX_CACHED_PLANS);
  readonly #secrets = new WeakMap<ContentType, ReadonlySet<string>>();

  constructor(pipeline: Pipeline, decimals: DecimalColumns) {
    this.#pipeline = pipeline;
    const { model, database, defaultLocale } = pipeline;
    const sql = new WriteStatements(database.dialect);
    this.#setting = { model, sql, defaultLocale, decimals, rules: new RowRules(model, database.dialect) };
  }

  /** Each answers with the entry as it stands after the write; its text is `null` where the caller may not find it. */
  async create(request: WriteRequest): Promise<WrittenEntry> {
    return (await this.#written(request, 'create', createDocument))!;
  }

  /** Null where there is no such document. */
  update(request: WriteRequest, documentId: string): Promise<WrittenEntry | null> {
    return this.#written(request, 'update', (write, target, plan) => updateDocument(write, target, documentId, plan));
  }

  async updateSingle(request: WriteRequest): Promise<WrittenEntry> {
    return (await this.#written(request, 'update', updateSingle))!;
  }

  async #written(
    { type, data, parameters, defaultStatus, caller, guard }: WriteRequest,
    verb: 'create' | 'update',
    work: (write: WriteSession, target: WriteTarget, plan: Plan) => Promise<Written | null>,
  ): Promise<WrittenEntry | null> {
    const { status, locale: asked, answer } = parseWriteParameters(parameters, defaultStatus);
    const locale = type.localized ? (asked ?? this.#pipeline.defaultLocale) : null;
    // What shapes the answer is checked before anything is written, and read before anyone else can write.
    let read = this.#reader(type, answer, status, locale, caller.access);
    // Who may change entries but not read them hears which one it was; of a new one they know what is in it.
    if (verb === 'update' && !mayRead(type, caller.access.may))
      read = this.#reader(type, { fields: 'documentId' }, status, locale, caller.access);
    const { sketch, secrets } = await this.#sketch(type, data, caller.access);
    const target: WriteTarget = { type, locale, publishes: status === 'published' };
    return this.#transaction(caller, async (write, session) => {
      if (locale !== null && !(await admitLocale(session, this.#pipeline.database.dialect, locale)))
        throw unknownLocale();
      const plan = { ...planBody(write, type, data, sketch, secrets), ...(guard && { guard: () => guard(write) }) };
      const written = await work(write, target, plan);
      if (!written) return null;
      const run = { documentId: written.documentId, user: caller.user };
      return { text: (await read.runIn(session, run)) ?? 'null', omitted: read.omitted };
    });
  }

  /** The read that answers a write; one that names nothing special is kept. */
  #reader(
    type: ContentType,
    answer: ReadParameters,
    status: Status,
    locale: string | null,
    access: Access,
  ): PreparedOne {
    let key = `${access.key} ${type.uid} ${status} ${locale ?? ''}`;
    if (Object.keys(answer).length > 0) key += JSON.stringify(answer);
    let reader = this.#readers.get(key);
    if (!reader) {
      const parameters = { ...answer, ...(locale !== null && { locale }) };
      const defaults: ReadDefaults = { status, pagination: FIRST_PAGE };
      reader = this.#pipeline.one({ uid: type.uid, parameters, defaults, access, action: null }, true);
      if (key.length <= MAX_CACHED_REQUEST_LENGTH) this.#readers.set(key, reader);
    }
    return reader;
  }

  /** What must be known of a body before its transaction: what to lock, and passwords to hash. */
  async #sketch(
    type: ContentType,
    data: Record<string, unknown>,
    access: Access,
  ): Promise<{ sketch: EntityChange; secrets: Secrets }> {
    const secret = this.#secretNames(type);
    if (!this.#pipeline.database.dialect.locks && !Object.keys(data).some((name) => secret.has(name)))
      return NOTHING_TO_PREPARE;
    const sketch = sketchWrite(this.#pipeline.model, type, data, access);
    return { sketch, secrets: await hashSecrets(sketch) };
  }

  /** Attributes that are passwords, or components that may hold some. */
  #secretNames(type: ContentType): ReadonlySet<string> {
    let names = this.#secrets.get(type);
    if (!names) {
      const isSecret = (attribute: Attribute): boolean =>
        attribute.kind === 'scalar'
          ? attribute.type === 'password'
          : attribute.kind === 'component' || attribute.kind === 'dynamiczone';
      names = new Set([...type.attributes.values()].filter(isSecret).map(({ name }) => name));
      this.#secrets.set(type, names);
    }
    return names;
  }

  delete(type: ContentType, documentId: string | null, locale: unknown, caller: Caller): Promise<Version[]> {
    return this.#transaction(caller, (write) => deleteDocument(write, type, documentId, this.#locales(type, locale)));
  }

  publish(type: ContentType, documentId: string, locale: unknown, caller: Caller): Promise<Version[]> {
    return this.#transaction(caller, (write) => publishDocument(write, type, documentId, this.#locales(type, locale)));
  }

  unpublish(type: ContentType, documentId: string, locale: unknown, caller: Caller): Promise<Version[]> {
    return this.#transaction(caller, (write) =>
      unpublishDocument(write, type, documentId, this.#locales(type, locale)),
    );
  }

  discardDraft(type: ContentType, documentId: string, locale: unknown, caller: Caller): Promise<Version[]> {
    return this.#transaction(caller, (write) => discardDocument(write, type, documentId, this.#locales(type, locale)));
  }

  async clone(
    type: ContentType,
    documentId: string,
    data: Record<string, unknown>,
    locale: unknown,
    caller: Caller,
  ): Promise<string> {
    const { sketch, secrets } = await this.#sketch(type, data, caller.access);
    return this.#transaction(caller, async (write, session) => {
      const plan = planBody(write, type, data, sketch, secrets);
      const clone = await cloneDocument(write, type, documentId, this.#locales(type, locale), plan);
      const read = this.#reader(type, {}, 'draft', clone.locale, caller.access);
      return (await read.runIn(session, { documentId: clone.documentId, user: caller.user }))!;
    });
  }

  #locales(type: ContentType, locale: unknown): LocaleChoice {
    const choice = parseLocales(locale);
    if (choice === 'all' || !type.localized) return 'all';
    return choice === 'default' ? [this.#pipeline.defaultLocale] : choice;
  }

  #transaction<T>(caller: Caller, work: (write: WriteSession, session: Session) => Promise<T>): Promise<T> {
    return this.#pipeline.database.transaction((session) =>
      work(new WriteSession(session, caller, this.#setting), session),
    );
  }
}

const NOTHING_TO_PREPARE: { sketch: EntityChange; secrets: Secrets } = {
  sketch: { scalars: [], relations: [], components: [] },
  secrets: new Map(),
};

/** Passwords are hashed once, before the transaction, so that nobody waits for it; by the path they were given at. */
async function hashSecrets(change: EntityChange): Promise<Secrets> {
  const secrets = new Map<string, string>();
  const visit = async (entity: EntityChange): Promise<void> => {
    for (const { attribute, value, path } of entity.scalars)
      if (attribute.type === 'password' && typeof value === 'string')
        secrets.set(path.join('.'), await hashPassword(value, attribute.rules.rounds));
    for (const { items } of entity.components) for (const item of items) await visit(item.entity);
  };
  await visit(change);
  return secrets;
}
