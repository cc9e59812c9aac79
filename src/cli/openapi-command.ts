// `sheaf openapi` and `sheaf schema json`: descriptions of the API for programs and for whoever reviews a change of it.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Access } from '../access/access.ts';
import { tokenAccess } from '../access/role-access.ts';
import { open, type Sheaf } from '../app.ts';
import { describedTypes, typeSchemas } from '../describe/type-schemas.ts';
import { SetupError } from '../errors.ts';
import { callerFor } from '../http/explain-request.ts';
import { describeApi } from '../http/openapi-routes.ts';
import { routeTable } from '../http/route-table.ts';
import { loadModel } from '../model/build.ts';
import type { Model } from '../model/types.ts';
import { openOptions, type ServerConfig } from '../project/environment.ts';

export interface OpenApiOptions {
  /** What this role may do; null for all that there is. */
  readonly role: string | null;
  /** Where to write it; null for standard output. */
  readonly out: string | null;
}

export async function openApiCommand(config: ServerConfig, { role, out }: OpenApiOptions): Promise<string> {
  const text = role === null ? await describeAll(config) : await describeRole(config, role);
  if (out === null) return text;
  writeFileSync(out, text);
  return `Wrote ${out}\n`;
}

async function describeRole(config: ServerConfig, role: string): Promise<string> {
  const sheaf = await open({ ...openOptions(config), readOnly: true });
  try {
    return await documentText(sheaf, (await callerFor(sheaf, role)).access);
  } finally {
    await sheaf.close();
  }
}

/** What there is does not depend on what is stored, so an empty database will do that is thrown away. */
async function describeAll({ project, settings }: ServerConfig): Promise<string> {
  const state = mkdtempSync(path.join(os.tmpdir(), 'sheaf-openapi-'));
  try {
    const sheaf = await open({ project, settings, state, database: `sqlite:${path.join(state, 'empty.db')}` });
    try {
      const access = fullAccess(sheaf.model);
      const may = (action: string): boolean => access.may(action) && !sheaf.withheld.has(action);
      return await documentText(sheaf, { ...access, may });
    } finally {
      await sheaf.close();
    }
  } finally {
    rmSync(state, { recursive: true, force: true });
  }
}

/** What an API token of full access may do, which is the most that anyone may do from outside. */
function fullAccess(model: Model): Access {
  const access = tokenAccess(model, { id: 0, type: 'full-access', actions: [] });
  if (!access) throw new Error('there are no tokens of full access');
  return access;
}

async function documentText(sheaf: Sheaf, access: Access): Promise<string> {
  const auth = await sheaf.auth();
  const routes = routeTable(sheaf, auth, { docs: sheaf.settings.openapi.page === true });
  return `${JSON.stringify(JSON.parse(await describeApi(sheaf, routes, { access })), null, 2)}\n`;
}

export interface SchemaJsonOptions {
  /** One type; null for all that have schemas. */
  readonly uid: string | null;
  /** A folder for a file of each schema; null for standard output. */
  readonly out: string | null;
}

export function schemaJson({ project, settings }: ServerConfig, { uid, out }: SchemaJsonOptions): string {
  const model = loadModel(project, { privateAttributes: settings.rest.privateAttributes });
  const described = { model, settings, access: fullAccess(model) };
  const uids = uid === null ? describedTypes(described) : [uid];
  const schemas = uids.map((one) => {
    const found = typeSchemas(described, one);
    if (!found)
      throw new SetupError(`There is no type "${one}"`, [`expected one of ${describedTypes(described).join(', ')}`]);
    return [one, found] as const;
  });
  if (out === null) return printed(uid === null ? Object.fromEntries(schemas) : schemas[0]![1]);
  mkdirSync(out, { recursive: true });
  const files = schemas.flatMap(([one, found]) =>
    Object.entries(found).map(([name, schema]) => [`${fileName(one)}.${name}.json`, printed(schema)] as const),
  );
  for (const [name, text] of files) writeFileSync(path.join(out, name), text);
  return `Wrote ${files.length} files into ${out}\n`;
}

const printed = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** A uid as the name of a file; some systems take no colons. */
const fileName = (uid: string): string => uid.replace('::', '.');
