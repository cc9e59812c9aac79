// What `strapi.eventHub` tells of documents and files: once a write is committed, one event for each row that it was
// about, with the entry as it stands then or, where it is gone, as it was.
import { isWrite, type Operation, type WriteOperation } from '../../../access/operation.ts';
import type { Sheaf } from '../../../app.ts';
import { FILE } from '../../../model/builtin.ts';
import type { ContentType, Schema } from '../../../model/types.ts';
import type { HookResult, OperationHooks } from '../../../operations/hooks.ts';
import type { Entry } from '../../../operations/parameters.ts';
import type { Version } from '../../../store/write-session.ts';
import type { Written } from '../../../store/write-version.ts';
import type { EventHub } from '../event-hub.ts';
import { sanitizeOutput } from '../sanitize.ts';
import type { StrapiLog } from '../strapi-types.ts';
import { Rows } from './rows.ts';
import type { Schemas } from './schemas.ts';

/** The beginnings of the names of all of them. */
const ENTRY = 'entry.';
const MEDIA = 'media.';

/** Writes that remove rows, or may make one where another would be changed. */
const ABOUT_STORED: ReadonlySet<string> = new Set<WriteOperation['name']>(['update', 'delete', 'unpublish']);

type Populate = Record<string, unknown>;

interface EntryEvent {
  readonly name: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

export class EntryEvents implements OperationHooks {
  readonly #sheaf: Sheaf;
  readonly #hub: EventHub;
  readonly #log: StrapiLog;
  /** The rows of a document before it is written. */
  readonly #stored = new WeakMap<Operation, readonly Entry[]>();
  /** Resolves when all writes so far have begun to be told, so that they are told in their order. */
  #told: Promise<void> = Promise.resolve();

  constructor(sheaf: Sheaf, hub: EventHub, log: StrapiLog) {
    this.#sheaf = sheaf;
    this.#hub = hub;
    this.#log = log;
  }

  concerns(uid: string, name: string): boolean {
    if (!isWrite(name)) return false;
    return uid === FILE ? this.#hub.hears(MEDIA) : uid.startsWith('api::') && this.#hub.hears(ENTRY);
  }

  async before<O extends Operation>(operation: O): Promise<O> {
    if (!('data' in operation) || operation.row !== undefined || !ABOUT_STORED.has(operation.name)) return operation;
    const { documentId, type } = operation;
    const where = documentId === null ? {} : { documentId };
    this.#stored.set(operation, await new Rows(this.#sheaf, type.uid).findMany({ where }));
    return operation;
  }

  committed(operation: WriteOperation, { written }: HookResult): void {
    // Code that writes rows is not told of documents.
    if (operation.row !== undefined || written === null) return;
    const events = this.#told.then(() => this.#events(operation, written));
    // What listeners do is not waited for: one that hangs would keep back the events of all later writes.
    this.#told = events.then((found) => void this.#emit(found).catch(this.#fail), this.#fail);
  }

  readonly #fail = (error: unknown): void => this.#log.error(error instanceof Error ? error : new Error(String(error)));

  async #events(operation: WriteOperation, { versions }: Written): Promise<EntryEvent[]> {
    const { name, type } = operation;
    const stored = this.#stored.get(operation) ?? [];
    const events: EntryEvent[] = [];
    for (const version of versions) {
      const before = stored.find(({ id }) => id === version.id) ?? null;
      const entry = name === 'delete' || name === 'unpublish' ? before : await this.#entry(type, version.id);
      const event = eventOf(operation, version, before !== null);
      const shown = sanitizeOutput(this.#sheaf.model, type, entry, null);
      if (type.uid === FILE) events.push({ name: MEDIA + event, payload: { media: shown } });
      else events.push({ name: ENTRY + event, payload: { model: type.singularName, uid: type.uid, entry: shown } });
    }
    return events;
  }

  async #emit(events: readonly EntryEvent[]): Promise<void> {
    for (const { name, payload } of events) await this.#hub.emit(name, payload);
  }

  #entry(type: ContentType, id: number): Promise<Entry | null> {
    const populate = type.uid === FILE ? undefined : contentOf(this.#sheaf.model, type, []);
    return new Rows(this.#sheaf, type.uid).findOne({ where: { id }, populate });
  }
}

function eventOf({ name, type }: WriteOperation, { published }: Version, wasStored: boolean): string {
  switch (name) {
    case 'delete':
    case 'publish':
    case 'unpublish':
      return name;
    case 'discardDraft':
      return 'draft-discard';
    default:
      if (type.draftAndPublish && published) return 'publish';
      return wasStored ? 'update' : 'create';
  }
}

/** What entries lead to, at one level, and components with all that they hold. */
function contentOf(schemas: Schemas, schema: Schema, within: readonly string[]): Populate {
  const componentOf = (uid: string): unknown => {
    const component = schemas.components.get(uid);
    if (!component || within.includes(uid)) return true;
    return { populate: contentOf(schemas, component, [...within, uid]) };
  };
  const populate: Populate = {};
  for (const attribute of schema.attributes.values()) {
    if (attribute.private) continue;
    if (attribute.kind === 'relation' || attribute.kind === 'media' || attribute.kind === 'morph')
      populate[attribute.name] = true;
    if (attribute.kind === 'component') populate[attribute.name] = componentOf(attribute.component);
    if (attribute.kind === 'dynamiczone')
      populate[attribute.name] = {
        on: Object.fromEntries(attribute.components.map(({ uid }) => [uid, componentOf(uid)])),
      };
  }
  return populate;
}
