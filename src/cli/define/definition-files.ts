// Definitions as files of a project: what `sheaf type add` writes is what a person would, and is written only where the
// whole model can be loaded with it.
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { SCHEMA_KEY } from '../../check-json.ts';
import { SetupError } from '../../errors.ts';
import { loadModel } from '../../model/build.ts';
import type { AttributeDefinition } from '../../model/types.ts';
import { OWN_FILE } from '../../project/configuration.ts';
import { isObject } from '../../type-guards.ts';

/** New contents of files, by their paths in the project. */
export type Changes = ReadonlyMap<string, string>;

export const contentTypeFile = (name: string): string =>
  path.join('src', 'api', name, 'content-types', name, 'schema.json');
export const componentFile = (uid: string): string =>
  path.join('src', 'components', `${uid.replace('.', path.sep)}.json`);

/** The JSON Schema of a file, as the file names it; nothing where the project has no such package. */
export function schemaReference(project: string, file: string, schema: string): Readonly<Record<string, string>> {
  const folder = path.resolve(project);
  const holder = [...ancestors(folder)].find((one) => existsSync(path.join(one, 'node_modules', 'sheaf', 'schemas')));
  if (holder === undefined && !dependsOnUs(folder)) return {};
  const target = path.join(holder ?? folder, 'node_modules', 'sheaf', 'schemas', schema);
  const relative = path.relative(path.dirname(path.join(folder, file)), target);
  return { [SCHEMA_KEY]: relative.replaceAll(path.sep, '/') };
}

function* ancestors(folder: string): Generator<string> {
  yield folder;
  const above = path.dirname(folder);
  if (above !== folder) yield* ancestors(above);
}

function dependsOnUs(project: string): boolean {
  const file = path.join(project, 'package.json');
  if (!existsSync(file)) return false;
  try {
    const { dependencies = {}, devDependencies = {} } = JSON.parse(readFileSync(file, 'utf8'));
    return 'sheaf' in dependencies || 'sheaf' in devDependencies;
  } catch {
    return false;
  }
}

export const jsonText = (value: unknown, indent: string | number = 2): string =>
  `${JSON.stringify(value, null, indent)}\n`;

/** The text of a file with further attributes, indented as it is. */
export function withAttributes(text: string, attributes: Readonly<Record<string, AttributeDefinition>>): string {
  const json: unknown = JSON.parse(text);
  const content = isObject(json) ? json : {};
  const own = isObject(content.attributes) ? content.attributes : {};
  const [, indent = '  '] = /^([ \t]+)\S/m.exec(text) ?? [];
  return jsonText({ ...content, attributes: { ...own, ...attributes } }, indent);
}

/** Refuses changes with which the model cannot be loaded; nothing is written then. */
export function checkChanges(project: string, changes: Changes): void {
  const copy = mkdtempSync(path.join(os.tmpdir(), 'sheaf-define-'));
  try {
    for (const part of ['src', OWN_FILE])
      if (existsSync(path.join(project, part)))
        cpSync(path.join(project, part), path.join(copy, part), { recursive: true, filter: isDefinition });
    mkdirSync(path.join(copy, 'src'), { recursive: true });
    write(copy, changes);
    loadModel(copy);
  } finally {
    rmSync(copy, { recursive: true });
  }
}

const isDefinition = (file: string): boolean =>
  path.basename(file) !== 'node_modules' && (file.endsWith('.json') || statSync(file).isDirectory());

export function writeChanges(project: string, changes: Changes): void {
  checkChanges(project, changes);
  write(project, changes);
}

function write(folder: string, changes: Changes): void {
  for (const [file, text] of changes) {
    const target = path.join(folder, file);
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, text);
  }
}

export function requireAbsent(project: string, file: string, what: string): void {
  if (existsSync(path.join(project, file)))
    throw new SetupError(`There is ${what} already: ${file}`, [
      'sheaf attribute add gives it further attributes; change the file for everything else',
    ]);
}
