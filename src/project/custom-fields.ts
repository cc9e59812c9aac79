// The types of custom fields, as the code of the project and of its plugins registers them. The code is read, not run:
// a call of customFields.register with constants tells the type of a field.
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { AnyNode } from 'acorn';
import { isObject } from '../type-guards.ts';
import { CodeModule } from './code/code-module.ts';
import { propertyName } from './code/code-nodes.ts';
import { sourcesOf } from './transpile.ts';

/** Types by the uid of the field, for those of the given uids that are found. */
export async function registeredCustomFields(
  project: string,
  uids: ReadonlySet<string>,
): Promise<ReadonlyMap<string, string>> {
  const plugins = [...ownCode(project), ...packageCode(project, uids)];
  const mayRegister = (file: string): boolean => readFileSync(file, 'utf8').includes('customFields');
  const files = new Map(
    plugins.flatMap(({ files, plugin }) => files.filter(mayRegister).map((file) => [file, plugin])),
  );
  const found = new Map<string, string>();
  for (const [file, code] of await sourcesOf([...files.keys()]))
    for (const { name, type, plugin } of registrationsIn(CodeModule.parse(code))) {
      const owner = plugin === OWN_PLUGIN ? files.get(file)! : plugin;
      const uid = owner === null ? `global::${name}` : `plugin::${owner}.${name}`;
      if (uids.has(uid) && !found.has(uid)) found.set(uid, type);
    }
  return found;
}

/** Where fields may be registered; `plugin`: whose code it is, null for the project's own. */
interface PluginCode {
  readonly files: readonly string[];
  readonly plugin: string | null;
}

const CODE = /(?<!\.d)\.[cm]?[jt]s$/;
/** Folders without code of a server. */
const SKIPPED: ReadonlySet<string> = new Set(['node_modules', 'admin']);

function codeBelow(folder: string): string[] {
  return entriesOf(folder).flatMap((entry) => {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) return SKIPPED.has(entry.name) || entry.name.startsWith('.') ? [] : codeBelow(file);
    return CODE.test(entry.name) ? [file] : [];
  });
}

const entriesOf = (folder: string) => {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
};

/** What the project runs at its start, and its local plugins. */
function ownCode(project: string): PluginCode[] {
  const source = path.join(project, 'src');
  const atStart = entriesOf(source).filter(({ name }) => /^index\.[cm]?[jt]s$/.test(name));
  const plugins = entriesOf(path.join(source, 'plugins')).filter((entry) => entry.isDirectory());
  return [
    { files: atStart.map(({ name }) => path.join(source, name)), plugin: null },
    { files: codeBelow(path.join(source, 'extensions')), plugin: null },
    ...plugins.map(({ name }) => {
      const folder = path.join(source, 'plugins', name);
      return { files: codeBelow(folder), plugin: pluginName(folder) ?? name };
    }),
  ];
}

/** The installed plugins whose fields are asked for. */
function packageCode(project: string, uids: ReadonlySet<string>): PluginCode[] {
  const { dependencies } = readPackage(project);
  const { resolve } = createRequire(path.join(path.resolve(project), 'package.json'));
  return Object.keys(isObject(dependencies) ? dependencies : {}).flatMap((name) => {
    const folders = (resolve.paths(name) ?? []).map((folder) => path.join(folder, name));
    const folder = folders.find((one) => pluginName(one) !== null);
    const plugin = folder === undefined ? null : pluginName(folder);
    const isUsed = [...uids].some((uid) => uid.startsWith(`plugin::${plugin}.`));
    return folder !== undefined && isUsed ? [{ files: codeBelow(folder), plugin }] : [];
  });
}

function readPackage(folder: string): Readonly<Record<string, unknown>> {
  try {
    const content: unknown = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
    return isObject(content) ? content : {};
  } catch {
    return {};
  }
}

/** The name of a plugin as its package tells it; null for what is no plugin. */
function pluginName(folder: string): string | null {
  const { strapi } = readPackage(folder);
  return isObject(strapi) && typeof strapi.name === 'string' ? strapi.name : null;
}

/** The plugin whose code it is: a name that is imported is taken for its own. */
const OWN_PLUGIN = Symbol('own plugin');

interface Registration {
  readonly name: string;
  readonly type: string;
  /** Null: none, the field is one of the project. */
  readonly plugin: string | typeof OWN_PLUGIN | null;
}

function registrationsIn(module: CodeModule | null): Registration[] {
  if (!module) return [];
  return module.nodes.flatMap((node) =>
    isRegistration(node) ? (node.arguments[0] ? registrationsOf(module, node.arguments[0]) : []) : [],
  );
}

function isRegistration(node: AnyNode): node is Extract<AnyNode, { type: 'CallExpression' }> {
  if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return false;
  const { object } = node.callee;
  if (propertyName(node.callee) !== 'register') return false;
  return (object.type === 'Identifier' ? object.name : propertyName(object)) === 'customFields';
}

/** One field, or a list of them. */
function registrationsOf(module: CodeModule, given: AnyNode): Registration[] {
  const fields = module.elements(given);
  if (fields) return fields.flatMap((field) => registrationsOf(module, field));
  const properties = module.properties(given);
  const text = (key: string): string | null => module.string(properties?.get(key) ?? null);
  const [name, type] = [text('name'), text('type')];
  if (name === null || type === null) return [];
  return [{ name, type, plugin: properties!.has('plugin') ? (text('plugin') ?? OWN_PLUGIN) : null }];
}
