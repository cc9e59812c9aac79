// Controllers, services, policies, middlewares and lifecycles in src/api: what of them Strapi puts in the way of the
// core routes.

import type { CodeFile } from './code-files.ts';
import { type CodeFinding, type CodeKind, closedBy, type TypeNames } from './code-finding.ts';
import type { CodeModule } from './code-module.ts';
import { counted, described, listed } from './code-purpose.ts';

/** A file with its syntax tree; null where it is not valid code. */
export interface ParsedFile extends CodeFile {
  readonly module: CodeModule | null;
}

const kebab = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/[\s_.]+/g, '-')
    .toLowerCase();

/** The content-type that a file of an API belongs to by its name. */
export function typeOfFile({ owner, name }: CodeFile, types: readonly TypeNames[]): TypeNames | null {
  const uids = [`api::${owner}.${name}`, `api::${kebab(owner ?? '')}.${kebab(name)}`];
  return types.find(({ uid }) => uids.includes(uid)) ?? null;
}

/** The functions of a core controller that its actions go through, and those of a core service. */
const CORE_CONTROLLER: ReadonlySet<string> = new Set([
  'find',
  'findOne',
  'create',
  'update',
  'delete',
  'transformResponse',
  'sanitizeOutput',
  'sanitizeQuery',
  'sanitizeInput',
  'validateQuery',
  'validateInput',
]);
const CORE_SERVICE: ReadonlySet<string> = new Set([
  'find',
  'findOne',
  'create',
  'update',
  'delete',
  'createOrUpdate',
  'getFetchParams',
]);

interface Replaceable {
  readonly kind: CodeKind;
  readonly factory: string;
  readonly core: ReadonlySet<string>;
  /** What its further functions are called. */
  readonly own: string;
}

const REPLACEABLE: Readonly<Partial<Record<CodeFile['role'], Replaceable>>> = {
  controllers: { kind: 'controller', factory: 'createCoreController', core: CORE_CONTROLLER, own: 'action' },
  services: { kind: 'service', factory: 'createCoreService', core: CORE_SERVICE, own: 'function' },
};

const UNREADABLE = 'cannot be read';

/** A controller or a service: closes what passes through the core functions that it replaces. */
export function scanReplacement(file: ParsedFile, types: readonly TypeNames[]): CodeFinding[] {
  const { kind, factory, core, own } = REPLACEABLE[file.role]!;
  const exported = file.module?.defaultExport ?? null;
  const call = file.module?.factoryCall(exported, factory) ?? null;
  const subjects = new Set(types.filter(({ uid }) => uid === call?.uid).map(({ uid }) => uid));
  const named = typeOfFile(file, types);
  if (named) subjects.add(named.uid);
  const members = membersOf(file.module, call, exported);
  if (members?.size === 0) return [];
  const names = members ? [...members] : undefined;
  const replaced = names?.filter((name) => core.has(name));
  const added = names?.filter((name) => !core.has(name)).length ?? 0;
  const facts = [
    replaced === undefined ? UNREADABLE : replaced.length > 0 && `overrides ${listed(replaced)}`,
    added > 0 && `adds ${counted(added, own)} that ${added === 1 ? 'is' : 'are'} not served`,
  ];
  const { does, instead } = described(facts.filter(Boolean).join(', '), file.text);
  const found = { file: file.file, kind, does, instead };
  // What belongs to no content-type is out of the way of all core routes.
  if (subjects.size === 0) return [{ ...found, subject: null, closes: 'nothing' }];
  return [...subjects].map((subject) => ({ ...found, subject, closes: closedBy(replaced ?? null) }));
}

function membersOf(
  module: CodeModule | null,
  call: ReturnType<CodeModule['factoryCall']>,
  exported: CodeModule['defaultExport'],
): ReadonlySet<string> | null {
  if (!module || module.runsWhenLoaded) return null;
  if (!call) return module.members(exported);
  return call.options ? module.members(call.options) : new Set();
}

const FIND_EVENTS = /\b(?:before|after)(?:Find|Count)/;

/** Lifecycles of a type: its writes pass through them, its reads where they have events of reading. */
export function scanLifecycles(file: ParsedFile, types: readonly TypeNames[]): CodeFinding[] {
  const type = typeOfFile(file, types);
  if (!type) return [];
  const events = file.module?.members(file.module.defaultExport) ?? namedEvents(file.text);
  if (events.size === 0 && file.module) return [];
  return [lifecycleFinding(file, type.uid, [...events], file.text)];
}

const namedEvents = (code: string): ReadonlySet<string> => new Set(code.match(/\b(?:before|after)[A-Z]\w+/g));

export function lifecycleFinding(
  { file }: CodeFile,
  subject: string,
  events: readonly string[],
  code: string,
): CodeFinding {
  const closes = FIND_EVENTS.test(code) ? 'all' : 'writes';
  return { file, kind: 'lifecycles', subject, ...described(listed(events), code), closes };
}

/** Policies and middlewares do something where a route or the application names them, and close it there. */
export function scanNamedCode(file: ParsedFile): CodeFinding[] {
  const kind = file.role === 'policies' ? 'policies' : 'middlewares';
  const scope = file.owner === null ? 'global' : `api::${file.owner}`;
  const name = file.owner === null ? `${scope}::${file.name}` : `${scope}.${kebab(file.name)}`;
  const { does, instead } = described(name, file.text);
  return [{ file: file.file, kind, subject: null, does, closes: 'nothing', instead }];
}
