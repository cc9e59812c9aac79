// Carries a new name through the files of a project: definitions, and the folder and files of a type. Says which other
// files mention the old name.
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Rename } from '../migrate/rename.ts';
import { isObject } from '../type-guards.ts';

type Json = Record<string, unknown>;

/** What a definition file holds. */
type Content = Json & { readonly attributes: Json };

const isContent = (value: unknown): value is Content => isObject(value) && isObject(value.attributes);

export interface RenamedFiles {
  readonly changed: readonly string[];
  /** Files that mention the old name and are left as they are. */
  readonly mentions: readonly string[];
}

export function renameInFiles(project: string, rename: Rename): RenamedFiles {
  const changed = new Set<string>();
  for (const file of filesBelow(path.join(project, 'src'), '.json')) {
    const text = readFileSync(file, 'utf8');
    const json: unknown = parseOrNull(text);
    if (!isContent(json)) continue;
    const isOwn = uidOf(project, file) === (rename.what === 'attribute' ? rename.uid : rename.from.uid);
    const renamed = rename.what === 'attribute' ? withAttribute(json, isOwn, rename) : withSchema(json, isOwn, rename);
    const written = JSON.stringify(renamed, null, indentOf(text)) + (text.endsWith('\n') ? '\n' : '');
    if (JSON.stringify(renamed) === JSON.stringify(json)) continue;
    writeFileSync(file, written);
    changed.add(path.relative(project, file));
  }
  if (rename.what === 'schema') for (const file of moveFiles(project, rename)) changed.add(file);
  return { changed: [...changed].sort(), mentions: mentionsOf(project, rename) };
}

function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const indentOf = (text: string): string => /\n([ \t]+)"/.exec(text)?.[1] ?? '  ';

const filesBelow = (folder: string, ...endings: string[]): string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && endings.some((ending) => entry.name.endsWith(ending)))
        .map((entry) => path.join(entry.parentPath, entry.name))
        .filter((file) => !file.split(path.sep).includes('node_modules'))
    : [];

/** The uid of the definition that a file holds. */
function uidOf(project: string, file: string): string | null {
  const parts = path.relative(path.join(project, 'src'), file).split(path.sep);
  const [first, second, third, fourth] = parts;
  if (first === 'components') return `${second}.${third?.slice(0, -'.json'.length)}`;
  if (third !== 'content-types' || parts.at(-1) !== 'schema.json') return null;
  return first === 'api' ? `api::${second}.${fourth}` : first === 'extensions' ? `plugin::${second}.${fourth}` : null;
}

const mapAttributes = (json: Content, change: (name: string, attribute: Json) => [string, unknown]): Json => ({
  ...json,
  attributes: Object.fromEntries(
    Object.entries(json.attributes).map(([name, attribute]) =>
      isObject(attribute) ? change(name, attribute) : [name, attribute],
    ),
  ),
});

const replaced = (attribute: Json, key: string, from: string, to: string): Json =>
  attribute[key] === from ? { ...attribute, [key]: to } : attribute;

function withAttribute(json: Content, isOwn: boolean, { uid, from, to }: Rename & { what: 'attribute' }): Json {
  const named = mapAttributes(json, (name, attribute) => {
    let changed = attribute;
    if (attribute.target === uid)
      for (const side of ['mappedBy', 'inversedBy', 'morphBy']) changed = replaced(changed, side, from, to);
    if (isOwn) changed = replaced(changed, 'targetField', from, to);
    return [isOwn && name === from ? to : name, changed];
  });
  const { indexes } = named;
  if (!isOwn || !Array.isArray(indexes)) return named;
  const inIndex = (one: unknown): unknown => (Array.isArray(one) ? one.map(inIndex) : one === from ? to : one);
  return { ...named, indexes: indexes.map(inIndex) };
}

function withSchema(json: Content, isOwn: boolean, { from, to }: Rename & { what: 'schema' }): Json {
  const named = mapAttributes(json, (name, attribute) => {
    let changed = attribute;
    for (const key of ['target', 'component']) changed = replaced(changed, key, from.uid, to.uid);
    if (Array.isArray(changed.components))
      changed = { ...changed, components: changed.components.map((uid) => (uid === from.uid ? to.uid : uid)) };
    return [name, changed];
  });
  if (!isOwn) return named;
  const info = isObject(named.info) ? named.info : {};
  const names = from.uid.includes('::') ? { singularName: to.singularName, pluralName: to.pluralName } : {};
  return {
    ...named,
    collectionName: to.collectionName,
    info: { ...info, ...names, displayName: displayName(to.singularName) },
  };
}

const displayName = (kebab: string): string => {
  const words = kebab.replaceAll('-', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** Moves the definition, and for a type its folder with the files that have its name. */
function moveFiles(project: string, { from, to }: Rename & { what: 'schema' }): string[] {
  const source = path.join(project, 'src');
  const move = (old: string, next: string): void => {
    if (old !== next && existsSync(old)) renameSync(old, next);
  };
  const [, name] = split(from.uid);
  const [, next] = split(to.uid);
  if (!from.uid.includes('::')) {
    const folder = path.join(source, 'components', split(from.uid)[0]);
    move(path.join(folder, `${name}.json`), path.join(folder, `${next}.json`));
    return [path.relative(project, path.join(folder, `${next}.json`))];
  }
  const [oldApi, api] = [split(from.uid)[0].slice('api::'.length), split(to.uid)[0].slice('api::'.length)];
  move(path.join(source, 'api', oldApi), path.join(source, 'api', api));
  const folder = path.join(source, 'api', api);
  move(path.join(folder, 'content-types', name), path.join(folder, 'content-types', next));
  const changed = new Set([path.relative(project, path.join(folder, 'content-types', next, 'schema.json'))]);
  for (const file of filesBelow(folder, '.js', '.ts', '.cjs', '.mjs')) {
    const renamed = path.basename(file).replace(new RegExp(`^${name}(?=\\.)`), next);
    const target = path.join(path.dirname(file), renamed);
    move(file, target);
    const text = readFileSync(target, 'utf8');
    const replacedText = text.replaceAll(wholeUid(from.uid), to.uid);
    if (replacedText !== text) writeFileSync(target, replacedText);
    if (target !== file || replacedText !== text) changed.add(path.relative(project, target));
  }
  return [...changed];
}

const split = (uid: string): [string, string] => [
  uid.slice(0, uid.lastIndexOf('.')),
  uid.slice(uid.lastIndexOf('.') + 1),
];
const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
const wholeUid = (uid: string): RegExp => new RegExp(`(?<![\\w:.-])${escaped(uid)}(?![\\w-])`, 'g');

/** Rules, settings and code that may have to follow. */
function mentionsOf(project: string, rename: Rename): string[] {
  const pattern =
    rename.what === 'schema' ? wholeUid(rename.from.uid) : new RegExp(`(?<![\\w-])${escaped(rename.from)}(?![\\w-])`);
  const files = ['src', 'config', 'access'].flatMap((folder) =>
    filesBelow(path.join(project, folder), '.json', '.js', '.ts', '.cjs', '.mjs'),
  );
  return files
    .filter((file) => !file.endsWith('schema.json') && readFileSync(file, 'utf8').search(pattern) >= 0)
    .filter((file) => !file.includes(`${path.sep}components${path.sep}`))
    .map((file) => path.relative(project, file))
    .sort();
}
