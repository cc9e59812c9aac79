// Controllers, services, policies, middlewares and lifecycles in src/api: what of them Strapi puts in the way of the
// core routes.

import type { CodeFile } from './code-files.ts';
import { type CodeFinding, type CodeKind, closedBy, type TypeNames, UNREADABLE } from './code-finding.ts';
import type { CodeModule } from './code-module.ts';
import { counted, described, listed } from './code-purpose.ts';

/** A file with its syntax tree; null where it is not valid code. */
export interface ParsedFile extends CodeFile {
  readonly module: CodeModule | null;
}

/** Names that Strapi may take for the same: it writes them in lower case, with hyphens between words. */
const squashed = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');

const kebab = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/[\s_.]+/g, '-')
    .toLowerCase();

/** The content-type that a file of an API belongs to by its name. */
export function typeOfFile({ owner, name }: CodeFile, types: readonly TypeNames[]): TypeNames | null {
  const uids = [`api::${owner}.${name}`, `api::${kebab(owner ?? '')}.${kebab(name)}`];
  const isNear = (uid: string): boolean =>
    uid.startsWith('api::') && squashed(uid) === squashed(`api${owner ?? ''}${name}`);
  return types.find(({ uid }) => uids.includes(uid)) ?? types.find(({ uid }) => isNear(uid)) ?? null;
}

/** The content-types of the API that a file belongs to. */
export const typesOfApi = ({ owner }: CodeFile, types: readonly TypeNames[]): readonly TypeNames[] =>
  types.filter(({ uid }) => {
    const [api] = uid.slice('api::'.length).split('.');
    return uid.startsWith('api::') && squashed(api ?? '') === squashed(owner ?? '');
  });

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

/** A controller or a service: closes what passes through the core functions that it replaces. */
export function scanReplacement(file: ParsedFile, types: readonly TypeNames[]): CodeFinding[] {
  const { kind, factory, core, own } = REPLACEABLE[file.role]!;
  const exported = file.module?.defaultExport ?? null;
  const call = file.module?.factoryCall(exported, factory) ?? null;
  const subjects = new Set(types.filter(({ uid }) => uid === call?.uid).map(({ uid }) => uid));
  const named = typeOfFile(file, types);
  if (named) subjects.add(named.uid);
  const members = membersOf(file.module, call, exported);
  const isOther = call !== null && named !== null && call.uid !== named.uid;
  if (members?.size === 0) {
    const does = `is that of ${call?.uid ?? 'a type that cannot be read'}`;
    return isOther ? [{ file: file.file, kind, does, instead: null, subject: named.uid, closes: 'all' }] : [];
  }
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

/** The functions of a controller beside those of the core, as they are granted; none where it cannot be read. */
export function ownActions(file: ParsedFile): readonly string[] {
  if (file.role !== 'controllers' || !file.module) return [];
  const { factory } = REPLACEABLE.controllers!;
  const exported = file.module.defaultExport;
  const members = membersOf(file.module, file.module.factoryCall(exported, factory), exported);
  const uid = `api::${kebab(file.owner ?? '')}.${kebab(file.name)}`;
  return [...(members ?? [])].filter((name) => !CORE_CONTROLLER.has(name)).map((name) => `${uid}.${name}`);
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

export const FIND_EVENTS = /\b(?:before|after)(?:Find|Count)/;

/** Lifecycles of a type: its writes pass through them, its reads where they have events of reading. */
export function scanLifecycles(file: ParsedFile, types: readonly TypeNames[]): CodeFinding[] {
  const events = eventsOf(file.module);
  if (events?.size === 0) return [];
  const type = typeOfFile(file, types);
  // The folder need not have the name of the type whose definition is in it.
  const subjects = (type ? [type] : typesOfApi(file, types)).map(({ uid }) => uid);
  if (subjects.length > 0) return subjects.map((subject) => lifecycleFinding(file, subject, events, file.text));
  return [{ ...lifecycleFinding(file, null, events, file.text), closes: 'nothing' }];
}

/** Null where not all of them are known. */
function eventsOf(module: CodeModule | null): ReadonlySet<string> | null {
  if (!module) return null;
  return module.runsWhenLoaded || module.defaultExport === null
    ? module.exportedNames
    : module.members(module.defaultExport);
}

/** `events`: null where not all of them are known. */
export function lifecycleFinding(
  { file }: CodeFile,
  subject: string | null,
  events: ReadonlySet<string> | null,
  code: string,
): CodeFinding {
  const closes = events === null || FIND_EVENTS.test(code) ? 'all' : 'writes';
  return { file, kind: 'lifecycles', subject, ...described(events ? listed([...events]) : UNREADABLE, code), closes };
}

/** Policies and middlewares do something where a route or the application names them, and close it there. */
export function scanNamedCode(file: ParsedFile): CodeFinding[] {
  const kind = file.role === 'policies' ? 'policies' : 'middlewares';
  const scope = file.owner === null ? 'global' : `api::${file.owner}`;
  const name = file.owner === null ? `${scope}::${file.name}` : `${scope}.${kebab(file.name)}`;
  const { does, instead } = described(name, file.text);
  return [{ file: file.file, kind, subject: null, does, closes: 'nothing', instead }];
}
