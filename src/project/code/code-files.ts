// The files of a project that Strapi's server would load, and what each is by its place. Files that hold what Strapi
// generates, one factory call with the uid and nothing else, are told by their text, so that a project without code of
// its own is never parsed.
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';

export type FileRole =
  | 'controllers'
  | 'routes'
  | 'services'
  | 'policies'
  | 'middlewares'
  | 'lifecycles'
  | 'index'
  | 'extension'
  | 'plugin'
  | 'helper'
  | 'application middlewares'
  | 'plugin settings'
  | 'cron tasks';

export interface CodeFile {
  /** Below the project, with `/` between folders. */
  readonly file: string;
  readonly path: string;
  readonly role: FileRole;
  /** The folder in `src/api`, `src/extensions` or `src/plugins`; null elsewhere. */
  readonly owner: string | null;
  /** The file's name without its ending; of lifecycles the name of their folder. */
  readonly name: string;
  readonly text: string;
}

const CODE = /\.[cm]?[jt]sx?$/;
const ENDING = /\.(?:[cm]?[jt]sx?|json)$/;
/** What Strapi also takes as JSON. */
const JSON_ROLES: ReadonlySet<FileRole> = new Set(['routes', 'application middlewares', 'plugin settings']);
const NO_SERVER_CODE = /\.d\.[cm]?ts$|\.(?:test|spec)\.[cm]?[jt]sx?$/;
const SKIPPED_FOLDERS: ReadonlySet<string> = new Set(['node_modules', '__tests__', '__mocks__']);
/** Of a plugin it may be all that there is. */
const isSkipped = (folder: string, name: string): boolean =>
  SKIPPED_FOLDERS.has(name) || name.startsWith('.') || (name === 'dist' && /^src\b(?!\/plugins\/)/.test(folder));

export function codeFiles(project: string): CodeFile[] {
  const found: CodeFile[] = [];
  const add = (file: string, role: Placed | null): void => {
    if (!role || (file.endsWith('.json') && !JSON_ROLES.has(role.role))) return;
    const full = path.resolve(project, file);
    found.push({ file, path: full, ...role, text: readFileSync(full, 'utf8') });
  };
  for (const file of filesBelow(project, 'src')) add(file, roleInSource(file.split('/').slice(1)));
  for (const file of filesBelow(project, 'config')) add(file, roleInConfig(file));
  for (const folder of pluginFolders(project, found))
    for (const file of filesBelow(project, folder)) if (!file.includes('/admin/')) add(file, { ...HELPER, name: file });
  return [...found, ...importedElsewhere(project, found)];
}

const RELATIVE = /['"`](\.{1,2}\/[^'"`]*)['"`]/g;

/** Folders elsewhere than in `src` that the settings of plugins name, as seen from the project. */
function pluginFolders(project: string, files: readonly CodeFile[]): ReadonlySet<string> {
  const settings = files.filter(({ role }) => role === 'plugin settings');
  const named = settings.flatMap((file) =>
    [...file.text.matchAll(RELATIVE)].flatMap(([, place]) =>
      [project, path.dirname(file.path)].map((from) => path.relative(project, path.resolve(from, place!))),
    ),
  );
  const folders = named.map((folder) => folder.split(path.sep).join('/'));
  return new Set(folders.filter((folder) => /[^./]/.test(folder) && !/^(?:src|config)(?:\/|$)/.test(folder)));
}

const IMPORT = /(?:\bfrom|\bimport|\brequire\s*\(|\bimport\s*\()\s*['"](\.{1,2}(?:\/[^'"]*)?)['"]/g;
const TRIED_ENDINGS = ['', '.ts', '.js', '.cts', '.cjs', '.mts', '.mjs', '/index.ts', '/index.js'];

/** Files beside those of `src` that they import, one by the other. */
function importedElsewhere(project: string, files: readonly CodeFile[]): CodeFile[] {
  const known = new Set(files.map((file) => file.path));
  const found: CodeFile[] = [];
  const queue = [...files];
  for (let file = queue.pop(); file; file = queue.pop())
    for (const [, specifier] of file.text.matchAll(IMPORT)) {
      const full = fileAt(path.resolve(path.dirname(file.path), specifier!));
      if (full === null || known.has(full)) continue;
      known.add(full);
      const shown = path.relative(project, full).split(path.sep).join('/');
      const name = path.basename(full).replace(ENDING, '');
      const next: CodeFile = { ...HELPER, file: shown, path: full, name, text: readFileSync(full, 'utf8') };
      found.push(next);
      queue.push(next);
    }
  return found;
}

const HELPER = { role: 'helper', owner: null } as const;

/** The file of code that an import means, also where it has the ending of what is compiled. */
function fileAt(target: string): string | null {
  if (target.includes(`${path.sep}node_modules${path.sep}`)) return null;
  const targets = [target, target.replace(/\.([cm]?)js$/, '.$1ts')];
  const tried = targets.flatMap((one) => TRIED_ENDINGS.map((ending) => one + ending));
  return tried.find((file) => CODE.test(file) && statSync(file, { throwIfNoEntry: false })?.isFile()) ?? null;
}

/** In the order of their names, which is the order in which Strapi loads them. */
function filesBelow(project: string, folder: string, above: readonly string[] = []): string[] {
  const place = path.join(project, folder);
  if (!existsSync(place)) return [];
  // A link may lead back to a folder that it stands in.
  const real = realpathSync(place);
  if (above.includes(real)) return [];
  const files: string[] = [];
  for (const name of readdirSync(place)) {
    const file = `${folder}/${name}`;
    const found = statSync(path.join(project, file), { throwIfNoEntry: false });
    if (found?.isDirectory()) {
      if (!isSkipped(folder, name)) files.push(...filesBelow(project, file, [...above, real]));
    } else if (found?.isFile() && ENDING.test(name) && !NO_SERVER_CODE.test(name)) files.push(file);
  }
  return files.sort();
}

type Placed = Pick<CodeFile, 'role' | 'owner' | 'name'>;

const API_FOLDERS: Readonly<Record<string, FileRole>> = {
  controllers: 'controllers',
  routes: 'routes',
  services: 'services',
  policies: 'policies',
  middlewares: 'middlewares',
};

/** By the folders below `src` and the file's name. Null for what the server does not load. */
function roleInSource(parts: readonly string[]): Placed | null {
  const [first, owner, folder, third] = parts;
  const name = parts.at(-1)!.replace(ENDING, '');
  const is = (role: FileRole, of: string | null = null): Placed => ({ role, owner: of, name });
  if (first === 'admin') return null;
  // Ours, and not Strapi's: it is run.
  if (parts.length === 1 && name === 'sheaf') return null;
  if (parts.length === 1 && name === 'index') return is('index');
  if (parts.length === 2 && (first === 'policies' || first === 'middlewares')) return is(first);
  if (first === 'api' && owner !== undefined) {
    const role = parts.length === 4 ? API_FOLDERS[folder ?? ''] : undefined;
    if (role) return is(role, owner);
    if (folder === 'content-types' && parts.length === 5 && name.toLowerCase() === 'lifecycles')
      return { role: 'lifecycles', owner, name: third! };
  }
  if (first === 'extensions' && parts.length === 3 && name === 'strapi-server') return is('extension', owner);
  if (first === 'plugins' && parts.length > 2)
    return (folder === 'dist' ? third : folder) === 'admin' ? null : is('plugin', owner);
  return is('helper');
}

function roleInConfig(file: string): Placed | null {
  const [, name] = /^config\/(?:env\/[^/]+\/)?([^/]+)\.(?:[cm]?[jt]s|json)$/.exec(file) ?? [];
  const is = (role: FileRole): Placed => ({ role, owner: null, name: name! });
  if (name === 'middlewares') return is('application middlewares');
  if (name === 'plugins') return is('plugin settings');
  return name === 'cron-tasks' ? is('cron tasks') : null;
}

const START = String.raw`^(?:['"]use strict['"];?)?\s*`;
const EXPORT = String.raw`(?:export\s+default|module\.exports\s*=)\s*`;
const factoryFile = (factory: string): RegExp =>
  new RegExp(
    `${START}(?:import\\s*\\{\\s*factories\\s*\\}\\s*from\\s*['"]@strapi/strapi['"];?|` +
      `const\\s*\\{\\s*(?:${factory}|factories)\\s*\\}\\s*=\\s*require\\(['"]@strapi/strapi['"]\\)(?:\\.factories)?;?)\\s*` +
      `${EXPORT}(?:factories\\.)?${factory}\\(\\s*['"]([^'"]+)['"](?:\\s+as\\s+any)?\\s*,?\\s*\\);?\\s*$`,
  );

/** The forms that Strapi generates, without comments. The factories' name the uid. */
const DEFAULT_FORMS: Readonly<Partial<Record<FileRole, RegExp>>> = {
  controllers: factoryFile('createCoreController'),
  services: factoryFile('createCoreService'),
  routes: factoryFile('createCoreRouter'),
  index: new RegExp(
    `${START}(?:import\\s+type\\s[^;'"]*['"][^'"]*['"];?)?\\s*${EXPORT}` +
      String.raw`\{(?:\s*(?:async\s+)?(?:register|bootstrap|destroy)\s*\([^()]*\)\s*\{\s*\}\s*,?)*\s*\};?\s*$`,
  ),
};

const COMMENT = /\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm;
/** Whatever a list of Strapi's own middlewares does without. */
const OWN_MIDDLEWARE = /\b(?:global|api|plugin)::|\bresolve\b|\brequire\b|\bimport\s+(?!type\b)|\.\.\.|\.\w+\s*\(|\+/;
/** A function that is exported; any other function of the file may be a middleware. */
const EXPORTED_FUNCTION = /(?:export\s+default|module\.exports\s*=)\s*\([^()]*\)[^=(]*=>/;
const FUNCTION = /=>|\bfunction\b/;
/** Words without which code registers nothing when the server starts. */
const HOOKS =
  /\b(?:use|subscribe|strapi|server|controllers|contentTypes|contentAPI|entityService|sanitizers|apis)\b|@strapi\//;

/** What a file is by its text alone: as generated, or without anything that Strapi would run on a request. */
export interface DefaultFile {
  /** The uid that a generated file names. */
  readonly uid: string | null;
}

/** Null for a file that has to be read. */
export function defaultFile({ role, text }: CodeFile): DefaultFile | null {
  const code = text.replace(COMMENT, '');
  if (code.trim() === '') return { uid: null };
  const match = DEFAULT_FORMS[role]?.exec(code);
  if (match) return { uid: match[1] ?? null };
  // With comments: what looks like one may stand in a string, such as `https://*`.
  switch (role) {
    case 'application middlewares':
      return OWN_MIDDLEWARE.test(text) || FUNCTION.test(text.replace(EXPORTED_FUNCTION, '')) ? null : { uid: null };
    case 'plugin settings':
      return /\bresolve\b/.test(text) ? null : { uid: null };
    case 'helper':
      return HOOKS.test(text) ? null : { uid: null };
    default:
      return null;
  }
}
