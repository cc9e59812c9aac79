// The whole path of a write on one screen: parse → plan → hash what is secret → one transaction → read the answer.
import bcrypt from 'bcrypt';
import type { Session } from '../db/database.ts';
import { admitLocale } from '../db/settings.ts';
import { MAX_CACHED_PLANS, MAX_CACHED_REQUEST_LENGTH } from '../limits.ts';
import { Lru } from '../lru.ts';
import type { Attribute, ContentType } from '../model/types.ts';
import { type DecimalColumns, sketchWrite } from '../plan/plan-write.ts';
import type { EntityChange } from '../plan/write-plan.ts';
import { FIRST_PAGE, type ReadDefaults, type ReadParameters } from '../request/parse-read.ts';
import { parseLocales, parseWriteParameters, unknownLocale } from '../request/parse-write.ts';
import type { Status } from '../request/read-request.ts';
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
} from '../run/write.ts';
import { type Version, WriteSession } from '../run/write-session.ts';
import { WriteStatements } from '../sql/compile-write.ts';
import type { Pipeline, PreparedOne } from './pipeline.ts';

export type LocaleChoice = readonly (string | null)[] | 'all';

export class Writer {
  readonly #pipeline: Pipeline;
  readonly #statements: WriteStatements;
  readonly #decimals: DecimalColumns;
  readonly #readers = new Lru<string, PreparedOne>(MAX_CACHED_PLANS);
  readonly #secrets = new WeakMap<ContentType, ReadonlySet<string>>();

  constructor(pipeline: Pipeline, decimals: DecimalColumns) {
    this.#pipeline = pipeline;
    this.#decimals = decimals;
    this.#statements = new WriteStatements(pipeline.database.dialect);
  }

  /** Each answers with the entry as it stands after the write, as JSON. */
  async create(
    type: ContentType,
    data: Record<string, unknown>,
    parameters: ReadParameters,
    status: Status,
  ): Promise<string> {
    return (await this.#written(type, data, parameters, status, createDocument))!;
  }

  /** Null where there is no such document. */
  update(
    type: ContentType,
    documentId: string,
    data: Record<string, unknown>,
    parameters: ReadParameters,
    status: Status,
  ): Promise<string | null> {
    return this.#written(type, data, parameters, status, (write, target, plan) =>
      updateDocument(write, target, documentId, plan),
    );
  }

  async updateSingle(
    type: ContentType,
    data: Record<string, unknown>,
    parameters: ReadParameters,
    status: Status,
  ): Promise<string> {
    return (await this.#written(type, data, parameters, status, updateSingle))!;
  }

  async #written(
    type: ContentType,
    data: Record<string, unknown>,
    parameters: ReadParameters,
    defaultStatus: Status,
    work: (write: WriteSession, target: WriteTarget, plan: Plan) => Promise<Written | null>,
  ): Promise<string | null> {
    const { status, locale: asked, answer } = parseWriteParameters(parameters, defaultStatus);
    const locale = type.localized ? (asked ?? this.#pipeline.defaultLocale) : null;
    // What shapes the answer is checked before anything is written, and read before anyone else can write.
    const read = this.#reader(type, answer, status, locale);
    const { sketch, secrets } = await this.#sketch(type, data);
    const target: WriteTarget = { type, locale, publishes: status === 'published' };
    return this.#transaction(async (write, session) => {
      if (locale !== null && !(await admitLocale(session, this.#pipeline.database.dialect, locale)))
        throw unknownLocale();
      const written = await work(write, target, planBody(write, type, data, sketch, secrets));
      return written && read.runIn(session, written.documentId);
    });
  }

  /** The read that answers a write; one that names nothing special is kept. */
  #reader(type: ContentType, answer: ReadParameters, status: Status, locale: string | null): PreparedOne {
    let key = `${type.uid} ${status} ${locale ?? ''}`;
    if (Object.keys(answer).length > 0) key += JSON.stringify(answer);
    let reader = this.#readers.get(key);
    if (!reader) {
      const defaults: ReadDefaults = { status, pagination: FIRST_PAGE };
      reader = this.#pipeline.one(type.uid, { ...answer, ...(locale !== null && { locale }) }, defaults, true);
      if (key.length <= MAX_CACHED_REQUEST_LENGTH) this.#readers.set(key, reader);
    }
    return reader;
  }

  /** What must be known of a body before its transaction: what to lock, and passwords to hash. */
  async #sketch(type: ContentType, data: Record<string, unknown>): Promise<{ sketch: EntityChange; secrets: Secrets }> {
    const secret = this.#secretNames(type);
    if (!this.#pipeline.database.dialect.locks && !Object.keys(data).some((name) => secret.has(name)))
      return NOTHING_TO_PREPARE;
    const sketch = sketchWrite(this.#pipeline.model, type, data);
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

  delete(type: ContentType, documentId: string | null, locale: unknown): Promise<Version[]> {
    return this.#transaction((write) => deleteDocument(write, type, documentId, this.#locales(type, locale)));
  }

  publish(type: ContentType, documentId: string, locale: unknown): Promise<Version[]> {
    return this.#transaction((write) => publishDocument(write, type, documentId, this.#locales(type, locale)));
  }

  unpublish(type: ContentType, documentId: string, locale: unknown): Promise<Version[]> {
    return this.#transaction((write) => unpublishDocument(write, type, documentId, this.#locales(type, locale)));
  }

  discardDraft(type: ContentType, documentId: string, locale: unknown): Promise<Version[]> {
    return this.#transaction((write) => discardDocument(write, type, documentId, this.#locales(type, locale)));
  }

  async clone(type: ContentType, documentId: string, data: Record<string, unknown>, locale: unknown): Promise<string> {
    const { sketch, secrets } = await this.#sketch(type, data);
    return this.#transaction(async (write, session) => {
      const plan = planBody(write, type, data, sketch, secrets);
      const clone = await cloneDocument(write, type, documentId, this.#locales(type, locale), plan);
      const read = this.#reader(type, {}, 'draft', clone.locale);
      return (await read.runIn(session, clone.documentId))!;
    });
  }

  #locales(type: ContentType, locale: unknown): LocaleChoice {
    const choice = parseLocales(locale);
    if (choice === 'all' || !type.localized) return 'all';
    return choice === 'default' ? [this.#pipeline.defaultLocale] : choice;
  }

  #transaction<T>(work: (write: WriteSession, session: Session) => Promise<T>): Promise<T> {
    const { database, model, defaultLocale } = this.#pipeline;
    return database.transaction((session) =>
      work(new WriteSession(session, model, this.#statements, defaultLocale, this.#decimals), session),
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
        secrets.set(path.join('.'), await bcrypt.hash(value, attribute.rules.rounds));
    for (const { items } of entity.components) for (const item of items) await visit(item.entity);
  };
  await visit(change);
  return secrets;
}
