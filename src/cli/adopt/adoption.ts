// What adopting a project would mean: reads its package, configuration, definitions, code and database, and changes none
// of them. What is wrong ends nothing; it is collected, so that one report has all of it.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type Withheld, withheldBy } from '../../access/withheld.ts';
import type { StoredRole } from '../../accounts/roles.ts';
import { open, openDatabase } from '../../app.ts';
import { diffSchema, missingForReads, type SchemaDiff } from '../../db/schema.ts';
import { SetupError } from '../../errors.ts';
import { loadModel } from '../../model/build.ts';
import { USER } from '../../model/builtin.ts';
import { tablesOf } from '../../model/tables.ts';
import type { Model } from '../../model/types.ts';
import type { CodeFinding } from '../../project/code/code-finding.ts';
import { readProjectCode } from '../../project/code/project-code.ts';
import { openOptions, readConfig, type ServerConfig, type ServerOptions } from '../../project/environment.ts';
import { isObject } from '../../type-guards.ts';

/** What package.json says. */
export interface PackageFacts {
  readonly name: string | null;
  /** The version of Strapi that it asks for; null where it asks for none. */
  readonly strapi: string | null;
}

export interface DatabaseFacts {
  readonly kind: 'SQLite' | 'PostgreSQL';
  readonly diff: SchemaDiff;
  /** Tables that the content model does not know. */
  readonly otherTables: readonly string[];
  /** Null where the database has no accounts yet. */
  readonly accounts: AccountFacts | null;
}

export interface AccountFacts {
  readonly users: number;
  readonly roles: readonly StoredRole[];
  /** Variables of secrets that are not set, so that tokens of Strapi are refused. */
  readonly missingSecrets: readonly string[];
  /** Providers that are turned on, and that nobody can log in with here. */
  readonly otherProviders: readonly string[];
}

/** Everything that was found. What could not be read is null, and among the problems. */
export interface Adoption {
  readonly project: string;
  /** Null where there is none. */
  readonly package: PackageFacts | null;
  readonly config: ServerConfig | null;
  readonly model: Model | null;
  readonly findings: readonly CodeFinding[] | null;
  readonly withheld: Withheld | null;
  readonly database: DatabaseFacts | null;
  /** What a start would fail with. */
  readonly problems: readonly string[];
}

export async function readAdoption(options: ServerOptions & { readonly project: string }): Promise<Adoption> {
  const { project } = options;
  const problems: string[] = [];
  const attempt = async <T>(work: () => T | Promise<T>): Promise<T | null> => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof SetupError)) throw error;
      problems.push(error.message);
      return null;
    }
  };
  const facts = packageFacts(project);
  if (facts && facts.strapi !== null && majorOf(facts.strapi) < 5)
    problems.push(`package.json asks for Strapi ${facts.strapi}; the project has to be upgraded to Strapi 5 first`);
  const config = await attempt(() => readConfig(options));
  const model = await attempt(() => loadModel(project));
  const code = model && (await attempt(() => readProjectCode(project, model.contentTypes.values())));
  const findings = code?.findings ?? null;
  const withheld = config && findings && (await attempt(() => withheldBy(findings, config.settings)));
  const database = config && model && (await attempt(() => databaseFacts(config, model)));
  // What could not be read for one purpose is told again for the next.
  return { project, package: facts, config, model, findings, withheld, database, problems: [...new Set(problems)] };
}

function packageFacts(project: string): PackageFacts | null {
  const file = path.join(project, 'package.json');
  if (!existsSync(file)) return null;
  const content = asObject(parsed(readFileSync(file, 'utf8')));
  const dependencies = { ...asObject(content.devDependencies), ...asObject(content.dependencies) };
  const strapi = dependencies['@strapi/strapi'];
  return {
    name: typeof content.name === 'string' ? content.name : null,
    strapi: typeof strapi === 'string' ? strapi : null,
  };
}

const asObject = (value: unknown): Record<string, unknown> => (isObject(value) ? value : {});

/** Infinity for what names no number, such as `latest`. */
const majorOf = (version: string): number => Number(/\d+/.exec(version)?.[0] ?? Number.POSITIVE_INFINITY);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

async function databaseFacts(config: ServerConfig, model: Model): Promise<DatabaseFacts> {
  const options = openOptions(config);
  const database = await openDatabase(options.database, 'pretend');
  try {
    const diff = await diffSchema(database, model);
    if (diff.incompatibleColumns.length > 0)
      throw new SetupError('The database does not fit the content model:', diff.incompatibleColumns);
    const known = new Set(tablesOf(model).map(({ name }) => name));
    const tables = [...(await database.describe()).keys()];
    const isReadable = !diff.isNew && (await missingForReads(database, model)).length === 0;
    return {
      kind: options.database.startsWith('sqlite:') ? 'SQLite' : 'PostgreSQL',
      diff,
      otherTables: tables.filter((name) => !known.has(name) && !name.startsWith('sqlite_')).sort(),
      accounts: isReadable ? await accountFacts(config) : null,
    };
  } finally {
    await database.close();
  }
}

/** Opens the project as a start does, except that nothing is written; so it also finds what is wrong with access rules. */
async function accountFacts(config: ServerConfig): Promise<AccountFacts> {
  const sheaf = await open({ ...openOptions(config), readOnly: true });
  try {
    const { roles, accounts, missingSecrets } = await sheaf.auth();
    const { others: otherProviders } = await accounts.logInWays();
    return { users: await sheaf.documents(USER).count(), roles: await roles.list(), missingSecrets, otherProviders };
  } finally {
    await sheaf.close();
  }
}
