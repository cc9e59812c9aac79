// Looks for a project's own code: everything beyond what Strapi generates. Strapi would run it, Sheaf does not, and
// what it guards must not be served as if it were not there. The code is read and never run.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { CompiledCache } from '../compiled-cache.ts';
import { type CodeFile, codeFiles, defaultFile, type FileRole } from './code-files.ts';
import type { CodeFinding, TypeNames } from './code-finding.ts';
import { localPluginFindings, packagePluginFindings } from './plugin-findings.ts';
import { typeOfFile } from './scan-api.ts';
import type { ScannedCode, scanCode } from './scan-code.ts';

export interface ProjectCode {
  readonly findings: readonly CodeFinding[];
  /** All that Strapi's server would load. */
  readonly files: readonly CodeFile[];
  /** What its controllers have beside the core, by the names that are granted. */
  readonly actions: readonly string[];
  /** Whether any of them is not as Strapi generates it. */
  readonly isOwn: boolean;
}

/** The program that scans; the name of a bundled file changes with what it loads. Null for sources, which have none. */
const PROGRAM = import.meta.url.endsWith('.ts') ? null : path.basename(import.meta.url);

/** What was found is kept until a file, the model or the program changes: the parser alone takes a tenth of a start. */
const scan: typeof scanCode = async (files, types, generated, cache) => {
  const place = [`scan ${PROGRAM}`, 'code of the project'] as const;
  const asked = JSON.stringify([files, types.map(namesOf), generated]);
  const kept = PROGRAM === null ? null : (cache?.get(...place, asked) ?? null);
  if (kept !== null) return scannedOf(JSON.parse(kept));
  const scanned = await (await import('./scan-code.ts')).scanCode(files, types, generated, cache);
  const [form, file] = place;
  if (PROGRAM !== null)
    cache?.set(form, { file, text: asked }, JSON.stringify({ ...scanned, routed: [...scanned.routed] }));
  return scanned;
};

/** The names alone, of what may be a whole content-type. */
const namesOf = ({ uid, kind, singularName, pluralName }: TypeNames): TypeNames => ({
  uid,
  kind,
  singularName,
  pluralName,
});

const scannedOf = (kept: Omit<ScannedCode, 'routed'> & { readonly routed: readonly string[] }): ScannedCode => ({
  ...kept,
  routed: new Set(kept.routed),
});

/** `types`: the content-types that the project serves, those of plugins included. `cache`: where compiled files are. */
export async function readProjectCode(
  project: string,
  types: Iterable<TypeNames>,
  cache: CompiledCache | null = null,
): Promise<ProjectCode> {
  const known = [...types];
  const files = codeFiles(project);
  const generated: string[] = [];
  const own = files.filter((file) => {
    const found = defaultFile(file);
    if (found?.uid && file.role === 'routes') generated.push(found.uid);
    return found === null || (found.uid !== null && isOfAnother(file, found.uid, known));
  });
  const scanned: ScannedCode =
    own.length > 0
      ? await scan(own, known, generated, cache)
      : { findings: [], actions: [], routed: new Set(generated) };
  return {
    files,
    actions: scanned.actions,
    isOwn: own.length > 0 || hasJobs(project),
    findings: [
      ...scanned.findings,
      ...unroutedFindings(known, scanned),
      ...localPluginFindings(files),
      ...packagePluginFindings(project),
    ],
  };
}

const SERVER = ['ts', 'js', 'json'].map((ending) => `config/server.${ending}`);

/** Whether the configuration of the server may hold jobs. */
const hasJobs = (project: string): boolean =>
  SERVER.map((file) => path.join(project, file)).some(
    (file) => existsSync(file) && /\bcron\b/.test(readFileSync(file, 'utf8')),
  );

const REPLACING: ReadonlySet<FileRole> = new Set(['controllers', 'services']);

/** Whether a generated file is made for another type than the one that it has the name of. */
function isOfAnother(file: CodeFile, uid: string, types: readonly TypeNames[]): boolean {
  const named = REPLACING.has(file.role) ? typeOfFile(file, types) : null;
  return named !== null && named.uid !== uid;
}

/** Types that Strapi has no routes for, in a project that has core routes; files of definitions alone have none. */
function unroutedFindings(types: readonly TypeNames[], { findings, routed }: ScannedCode): CodeFinding[] {
  if (routed.size === 0) return [];
  const told = new Set(findings.flatMap(({ kind, subject }) => (kind === 'routes' ? (subject ?? []) : [])));
  return types
    .filter(({ uid }) => uid.startsWith('api::') && !routed.has(uid) && !told.has(uid))
    .map(({ uid }) => ({
      file: `src/api/${uid.slice('api::'.length, uid.indexOf('.'))}`,
      kind: 'routes',
      subject: uid,
      does: 'has no core routes',
      closes: 'all',
      instead: null,
    }));
}
