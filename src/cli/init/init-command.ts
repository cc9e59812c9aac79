// `sheaf init`: a project with one content-type, secrets of its own and an SQLite file. Makes what is missing, adds what
// is missing to package.json and .gitignore, and leaves everything else as it is.
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { SetupError } from '../../errors.ts';
import { PACKAGE_ROOT } from '../../package-root.ts';
import { OWN_FILE } from '../../project/configuration.ts';
import { errorMessage, isObject } from '../../type-guards.ts';
import { addType } from '../define/define-commands.ts';
import { contentTypeFile, jsonText, schemaReference } from '../define/definition-files.ts';
import { shellWord } from '../grant-hint.ts';
import { ENVIRONMENT_EXAMPLE, environmentFile, IGNORED, packageFile, readmeFile, SCRIPTS } from './project-template.ts';

export interface Initialized {
  readonly project: string;
  /** Files that were made. */
  readonly made: readonly string[];
  /** Files that got longer, each with what was added. */
  readonly extended: Readonly<Record<string, readonly string[]>>;
  /** Files that were there and stay as they are. */
  readonly kept: readonly string[];
  /** Commands to run next. */
  readonly next: readonly string[];
}

const EXAMPLE_TYPE = 'article';
const EXAMPLE_ATTRIBUTES = ['title:string!', 'slug:uid(title)', 'body:richtext'];
const OWN_MODE = 0o600;

export function initProject(given: string): Initialized {
  const project = path.resolve(given);
  requireUsable(project);
  mkdirSync(project, { recursive: true });
  const files = new ProjectFiles(project);
  const name = packageName(path.basename(project));
  const dependencies = { ...ownNode(), sheaf: ownVersion(project) };
  files.makeOr('package.json', packageFile({ name, dependencies, engines: OWN_PACKAGE.engines }), (text) =>
    withPackageParts(text, dependencies),
  );
  files.makeOr('.gitignore', `${IGNORED.join('\n')}\n`, withIgnored);
  files.make('.env', environmentFile(), OWN_MODE);
  files.make('.env.example', ENVIRONMENT_EXAMPLE);
  files.make(OWN_FILE, jsonText(schemaReference(project, OWN_FILE, 'settings.json')));
  files.make('README.md', readmeFile(name));
  // The package is known by now, so that the definition names its JSON Schema.
  if (!hasTypes(project)) {
    addType(project, EXAMPLE_TYPE, EXAMPLE_ATTRIBUTES, {});
    files.made.push(contentTypeFile(EXAMPLE_TYPE));
  }
  const { made, extended, kept } = files;
  return { project, made, extended, kept, next: nextCommands(given, project) };
}

function requireUsable(project: string): void {
  const found = statSync(project, { throwIfNoEntry: false });
  if (found && !found.isDirectory()) throw new SetupError(`${project} is no folder`, ['name one: sheaf init DIR']);
  const { dependencies } = readPackage(path.join(project, 'package.json'));
  if (isObject(dependencies) && '@strapi/strapi' in dependencies)
    throw new SetupError(`${project} is a project of Strapi already`, [
      'sheaf adopt says how it can be served as it is',
    ]);
}

/** What can be read of a package.json; nothing where there is none. */
function readPackage(file: string): Record<string, unknown> {
  if (!existsSync(file)) return {};
  try {
    const content: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return isObject(content) ? content : {};
  } catch (error) {
    throw new SetupError(`${file}: not valid JSON: ${errorMessage(error)}`);
  }
}

const OWN_FOLDER = fileURLToPath(PACKAGE_ROOT);
const OWN_PACKAGE = readPackage(path.join(OWN_FOLDER, 'package.json')) as {
  readonly version: string;
  readonly engines: Readonly<Record<string, string>>;
};

/** As the package is asked for where it was installed, so that the new project gets the same one. */
function ownVersion(project: string): string {
  const holder = path.dirname(path.dirname(OWN_FOLDER));
  const { dependencies } =
    path.basename(path.dirname(OWN_FOLDER)) === 'node_modules' ? readPackage(path.join(holder, 'package.json')) : {};
  const asked = isObject(dependencies) ? dependencies.sheaf : undefined;
  if (typeof asked !== 'string') return `^${OWN_PACKAGE.version}`;
  if (!asked.startsWith('file:')) return asked;
  const file = path.resolve(holder, asked.slice('file:'.length));
  return `file:${path.relative(project, file).replaceAll(path.sep, '/')}`;
}

/** Where Node came as a package, because that of the machine is too old, the project needs it too. */
const ownNode = (): Readonly<Record<string, string>> =>
  process.execPath.split(path.sep).includes('node_modules') ? { node: `^${process.versions.node}` } : {};

const packageName = (folder: string): string =>
  folder
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '') || 'content';

/** A text with additions, and their names; no names where there is nothing to add. */
interface Extended {
  readonly text: string;
  readonly added: readonly string[];
}

/** Further scripts and dependencies, where there are none of their names. */
function withPackageParts(text: string, dependencies: Readonly<Record<string, string>>): Extended {
  const json: unknown = JSON.parse(text);
  const content = isObject(json) ? json : {};
  const added: string[] = [];
  const missing = (section: string, parts: Readonly<Record<string, string>>): object => {
    const own = isObject(content[section]) ? content[section] : {};
    const devs = isObject(content.devDependencies) ? content.devDependencies : {};
    const names = Object.keys(parts).filter((name) => !(name in own) && !(section === 'dependencies' && name in devs));
    added.push(...names.map((name) => `${section}.${name}`));
    const more = Object.fromEntries(names.map((name) => [name, parts[name]]));
    return names.length === 0 ? {} : { [section]: { ...own, ...more } };
  };
  const [, indent = '  '] = /^([ \t]+)\S/m.exec(text) ?? [];
  const parts = { ...missing('scripts', SCRIPTS), ...missing('dependencies', dependencies) };
  return { text: jsonText({ ...content, ...parts }, indent), added };
}

function withIgnored(text: string): Extended {
  const present = new Set(text.split('\n').map((line) => line.trim().replaceAll(/^\/|\/$/g, '')));
  const added = IGNORED.filter((line) => !present.has(line.replace(/\/$/, '')));
  const ended = text === '' || text.endsWith('\n') ? text : `${text}\n`;
  return { text: `${ended}${added.map((line) => `${line}\n`).join('')}`, added };
}

class ProjectFiles {
  readonly made: string[] = [];
  readonly extended: Record<string, readonly string[]> = {};
  readonly kept: string[] = [];
  readonly #project: string;

  constructor(project: string) {
    this.#project = project;
  }

  make(file: string, text: string, mode?: number): void {
    const target = path.join(this.#project, file);
    if (existsSync(target)) {
      this.kept.push(file);
      return;
    }
    mkdirSync(path.dirname(target), { recursive: true });
    // Never over a file that appeared meanwhile.
    writeFileSync(target, text, { flag: 'wx', ...(mode !== undefined && { mode }) });
    this.made.push(file);
  }

  /** Makes a file, or adds to the one that is there. */
  makeOr(file: string, text: string, extend: (text: string) => Extended): void {
    const target = path.join(this.#project, file);
    if (!existsSync(target)) {
      this.make(file, text);
      return;
    }
    const extended = extend(readFileSync(target, 'utf8'));
    if (extended.added.length === 0) this.kept.push(file);
    else {
      writeFileSync(target, extended.text);
      this.extended[file] = extended.added;
    }
  }
}

/** Whether the project has content-types of its own. */
function hasTypes(project: string): boolean {
  const folder = path.join(project, 'src', 'api');
  return existsSync(folder) && readdirSync(folder).length > 0;
}

const nextCommands = (given: string, project: string): string[] => [
  ...(project === process.cwd() ? [] : [`cd ${shellWord(given)}`]),
  ...(existsSync(path.join(project, 'node_modules', 'sheaf')) ? [] : ['npm install']),
  'npx sheaf dev',
];

export function initReport({ project, made, extended, kept, next }: Initialized): string {
  const lines = [
    made.length === 0 ? `Nothing is missing in ${project}` : `Made in ${project}`,
    ...made.map((file) => `  ${file}${file === '.env' ? '  (secrets of its own)' : ''}`),
    ...Object.entries(extended).map(([file, added]) => `Added to ${file}: ${added.join(', ')}`),
    ...(kept.length > 0 ? [`Kept as they are: ${kept.join(', ')}`] : []),
    'Next',
    ...next.map((command) => `  ${command}`),
  ];
  return lines.join('\n');
}
