// The state of the server, as the console shows it to who runs it.
import cluster from 'node:cluster';
import { readFileSync } from 'node:fs';
import type { Sheaf } from '../../app.ts';
import type { ServerState } from '../../console/contract.ts';
import { modelOn } from '../../db/model-on.ts';
import { diffSchema } from '../../db/schema.ts';
import { SetupError } from '../../errors.ts';
import { baseModel, planChanges } from '../../migrate/plan.ts';
import { loadModel } from '../../model/build.ts';
import { PACKAGE_ROOT } from '../../package-root.ts';
import { isObject } from '../../type-guards.ts';
import type { RequestLoad } from '../request-load.ts';

/** How long what takes time to find out is believed. */
const BELIEVED_MS = 60_000;

type FoundOut = Pick<ServerState, 'version' | 'database' | 'schema'>;

export class ServerStateReader {
  readonly #sheaf: Sheaf;
  readonly #load: RequestLoad;
  #found: Promise<FoundOut> | null = null;
  #until = 0;

  constructor(sheaf: Sheaf, load: RequestLoad) {
    this.#sheaf = sheaf;
    this.#load = load;
  }

  async read(): Promise<ServerState> {
    const { version, database, schema } = await this.#findOut();
    return {
      version,
      node: process.version,
      startedAt: new Date(performance.timeOrigin).toISOString(),
      database,
      schema,
      isOneOfSeveral: cluster.isWorker,
      memory: { residentBytes: process.memoryUsage.rss() },
      load: this.#load.points(),
      errors: this.#load.errors,
      slow: this.#load.slow,
    };
  }

  /** Whoever asks meanwhile waits for the same answer; one that failed is not kept. */
  #findOut(): Promise<FoundOut> {
    if (!this.#found || Date.now() > this.#until) {
      const found = this.#ask();
      this.#until = Date.now() + BELIEVED_MS;
      this.#found = found;
      found.catch(() => {
        if (this.#found === found) this.#found = null;
      });
    }
    return this.#found;
  }

  async #ask(): Promise<FoundOut> {
    const version = ownVersion();
    const changes = await pendingChanges(this.#sheaf);
    return {
      version,
      database: await this.#sheaf.database.info(),
      schema: { isUpToDate: changes.length === 0, changes },
    };
  }
}

/** The version of this package. */
function ownVersion(): string {
  const content: unknown = JSON.parse(readFileSync(new URL('package.json', PACKAGE_ROOT), 'utf8'));
  if (isObject(content) && typeof content.version === 'string') return content.version;
  throw new Error('package.json tells no version');
}

/** What a start with the definitions as they are now would change, and what keeps it from starting. */
async function pendingChanges({ database, project }: Sheaf): Promise<string[]> {
  try {
    const { model, rebuild } = await modelOn(database, project, loadModel(project));
    const plan = await planChanges(database, model, rebuild);
    const diff = await diffSchema(database, baseModel(plan, model, rebuild));
    const steps = [...diff.steps, ...diff.trackingSteps, ...plan.changes].map(({ text }) => text);
    return [...diff.incompatibleColumns, ...steps];
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    return [error.summary, ...error.problems];
  }
}
