// The PostgreSQL server of a test run: started before the first test and stopped after the last, whatever becomes of
// them. It holds templates, which a test's database is a copy of.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { open } from '../../src/app.ts';
import { withClient } from './postgres-client.ts';
import {
  columnTypes,
  EMPTY_GUIDE_TEMPLATE,
  fillTables,
  GUIDE_TEMPLATE,
  readSqlite,
  sqliteTemplate,
  TEMPLATE_LOCALES,
  templateOf,
} from './postgres-content.ts';
import { startPostgres } from './postgres-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The URL of the server, without the name of a database. */
    postgres: string;
    /** The folder of SQLite files that are copied: by the names of the templates of PostgreSQL. */
    sqliteTemplates: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgres();
  const files = mkdtempSync(path.join(os.tmpdir(), 'sheaf-templates-'));
  const stop = async (): Promise<void> => {
    await server.stop();
    rmSync(files, { recursive: true, force: true });
  };
  try {
    await makeTemplates(server.url);
    await makeTables(GUIDE, sqliteTemplate(files, EMPTY_GUIDE_TEMPLATE));
    for (const locales of TEMPLATE_LOCALES) await makeBareTemplates(server.url, files, locales);
  } catch (error) {
    await stop();
    throw error;
  }
  project.provide('postgres', server.url);
  project.provide('sqliteTemplates', files);
  return stop;
}

const GUIDE = fileURLToPath(new URL('../../examples/guide', import.meta.url));

async function makeTables(project: string, database: string): Promise<void> {
  const sheaf = await open({ project, database });
  await sheaf.close();
}

/** The guide's databases, without content and with it. */
async function makeTemplates(server: string): Promise<void> {
  await withClient(`${server}/postgres`, (client) => client.query(`create database ${GUIDE_TEMPLATE}`));
  const url = `${server}/${GUIDE_TEMPLATE}`;
  await makeTables(GUIDE, url);
  await withClient(`${server}/postgres`, (client) =>
    client.query(`create database ${EMPTY_GUIDE_TEMPLATE} template ${GUIDE_TEMPLATE} strategy file_copy`),
  );
  const fixture = fileURLToPath(new URL('../fixtures/guide.sqlite', import.meta.url));
  await withClient(url, async (client) => {
    // Tables that the fixture does not have are empty in a database that was adopted.
    const others = [...(await columnTypes(client)).keys()].map((table) => [table, []] as const);
    await fillTables(client, { ...Object.fromEntries(others), ...readSqlite(fixture) });
    // As a server has done that has run for a while: it plans by what tables hold, and knows their sizes.
    await client.query('analyze');
  });
}

/** What a database holds before the tables of a project's own. */
async function makeBareTemplates(server: string, files: string, locales: readonly string[] | null): Promise<void> {
  const name = templateOf(locales);
  await withClient(`${server}/postgres`, (client) => client.query(`create database ${name}`));
  const project = mkdtempSync(path.join(os.tmpdir(), 'sheaf-bare-'));
  for (const folder of ['src', 'config']) mkdirSync(path.join(project, folder));
  if (locales) writeFileSync(path.join(project, 'config', 'locales.json'), JSON.stringify(locales));
  for (const database of [`${server}/${name}`, sqliteTemplate(files, name)]) await makeTables(project, database);
  rmSync(project, { recursive: true });
}
