// The members of `strapi` that work with data, put together.
import type { Sheaf } from '../../../app.ts';
import { NotOfferedError, notOffered } from '../not-offered.ts';
import { KNEX, MISSING_MEMBERS } from '../strapi-object.ts';
import { createStore } from './core-store.ts';
import { EntityService } from './entity-service.ts';
import { Lifecycles } from './lifecycles.ts';
import { Rows } from './rows.ts';
import { type SchemaView, viewOf } from './schema-views.ts';
import { CORE_STORE } from './schemas.ts';
import { SettingsRows } from './settings-rows.ts';
import { createDocuments, type StrapiDocuments } from './strapi-documents.ts';
import { type TablesMetadata, tablesMetadata } from './table-metadata.ts';

/** What the work of a transaction is given; it ends with the work, and is undone where that fails. */
export interface CodeTransaction {
  onCommit(listener: () => void): void;
  onRollback(listener: () => void): void;
  /** Undoes all that the work writes, without an error. */
  rollback(): Promise<void>;
  /** The transaction is committed when its work has ended. */
  commit(): Promise<void>;
  /** The knex of `db.connection`, whose statements are part of the transaction anyway. */
  readonly trx: unknown;
}

type Transacted<T> = (transaction: CodeTransaction) => Promise<T>;

export interface DataMembers {
  readonly documents: StrapiDocuments;
  readonly entityService: EntityService;
  readonly db: {
    query(uid: string): Rows;
    readonly lifecycles: Lifecycles;
    /** Reads and writes of the work, and of all that it calls, take effect together or not at all. */
    transaction<T>(work: Transacted<T>): Promise<T>;
    inTransaction(): boolean;
    readonly metadata: TablesMetadata;
    /** Which database it is, for code that writes SQL. */
    readonly dialect: { readonly client: 'sqlite' | 'postgres' };
  };
  query(uid: string): Rows;
  readonly store: ReturnType<typeof createStore>;
  readonly contentTypes: Readonly<Record<string, SchemaView>>;
  readonly components: Readonly<Record<string, SchemaView>>;
  contentType(uid: string): SchemaView | undefined;
  getModel(uid: string): SchemaView | undefined;
}

/** Code takes it out of what it is given, whether it needs it or not; it fails where it is used. */
function connectionOf(db: DataMembers['db'] & { readonly connection?: unknown }): unknown {
  try {
    return db.connection;
  } catch (error) {
    if (!(error instanceof NotOfferedError)) throw error;
    return notOffered('trx of strapi.db.transaction', MISSING_MEMBERS[KNEX]!);
  }
}

/** From now on, lifecycles run around writes, and around what code reads. */
export function createDataMembers(sheaf: Sheaf): DataMembers {
  const { model } = sheaf;
  const lifecycles = new Lifecycles(sheaf);
  const documents = createDocuments(sheaf, lifecycles);
  sheaf.operations.addHooks(lifecycles);
  // Few projects ask for it.
  let metadata: TablesMetadata | null = null;
  const known = new Map<string, Rows>();
  const query = (uid: string): Rows => {
    const made = (): Rows => (uid === CORE_STORE ? new SettingsRows(sheaf) : new Rows(sheaf, uid, lifecycles));
    const rows = known.get(uid) ?? made();
    known.set(uid, rows);
    return rows;
  };
  const viewsOf = (schemas: Iterable<Parameters<typeof viewOf>[1]>): Record<string, SchemaView> =>
    Object.fromEntries([...schemas].map((schema) => [schema.uid, viewOf(model, schema)]));
  const contentTypes = viewsOf(model.contentTypes.values());
  const components = viewsOf(model.components.values());
  const db: DataMembers['db'] = {
    query,
    lifecycles,
    transaction: (work) => {
      if (typeof work !== 'function')
        throw new NotOfferedError('strapi.db.transaction() without a function', 'give it the work to do');
      return transact(sheaf, work, () => connectionOf(db));
    },
    inTransaction: () => sheaf.operations.database.isInTransaction,
    get metadata() {
      metadata ??= tablesMetadata(model);
      return metadata;
    },
    dialect: { client: sheaf.database.dialect.name },
  };
  return {
    documents,
    entityService: new EntityService(sheaf, documents),
    db,
    query,
    store: createStore(sheaf.database),
    contentTypes,
    components,
    contentType: (uid) => contentTypes[uid],
    getModel: (uid) => contentTypes[uid] ?? components[uid],
  };
}

/** Work that has undone itself, with what it returns. */
class Undone<T> extends Error {
  readonly result: T;

  constructor(result: T) {
    super('the transaction was rolled back by its work');
    this.result = result;
  }
}

async function transact<T>(sheaf: Sheaf, work: Transacted<T>, knex: () => unknown): Promise<T> {
  let undone: (() => void)[] = [];
  const run = async (): Promise<T> => {
    // Begun again, nobody waits for what it was before.
    undone = [];
    let isUndone = false;
    const result = await work({
      onCommit: (listener) => sheaf.operations.database.whenCommitted(listener),
      onRollback: (listener) => undone.push(listener),
      rollback: async () => {
        isUndone = true;
      },
      commit: async () => undefined,
      get trx() {
        return knex();
      },
    });
    if (isUndone) throw new Undone(result);
    return result;
  };
  try {
    return await sheaf.transaction(run);
  } catch (error) {
    for (const listener of undone) listener();
    if (error instanceof Undone) return error.result;
    throw error;
  }
}
