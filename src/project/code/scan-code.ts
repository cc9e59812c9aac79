// Parses the files of a project that are not as Strapi generates them, and tells what each does.
// Loaded only for a project that has such files: it brings a compiler and a parser.

import type { CompiledCache } from '../compiled-cache.ts';
import { sourcesOf } from '../transpile.ts';
import type { CodeFile } from './code-files.ts';
import type { CodeFinding, TypeNames } from './code-finding.ts';
import { CodeModule } from './code-module.ts';
import { ownActions, type ParsedFile, scanLifecycles, scanNamedCode, scanReplacement } from './scan-api.ts';
import {
  cronFinding,
  extendedActions,
  scanApplicationMiddlewares,
  scanExtension,
  scanPluginSettings,
} from './scan-config.ts';
import { scanHooks, scanIndex } from './scan-hooks.ts';
import { scanRoutes } from './scan-routes.ts';

export interface ScannedCode {
  readonly findings: readonly CodeFinding[];
  /** What controllers have beside the core, by the names that are granted. */
  readonly actions: readonly string[];
  /** The uids that some file of routes makes core routes for. */
  readonly routed: ReadonlySet<string>;
}

/** `generated`: the uids that generated files of routes name. */
export async function scanCode(
  files: readonly CodeFile[],
  types: readonly TypeNames[],
  generated: readonly string[],
  cache: CompiledCache | null,
): Promise<ScannedCode> {
  const sources = await sourcesOf(
    files.map((file) => file.path),
    cache,
  );
  const parsed = files.map(
    (file): ParsedFile => ({ ...file, module: CodeModule.parse(sources.get(file.path) ?? null) }),
  );
  const routers = parsed.filter(({ role }) => role === 'routes');
  const routed = new Set([
    ...generated,
    ...routers.flatMap(({ module }) => module?.factoryUids('createCoreRouter') ?? []),
  ]);
  const findings = parsed.flatMap((file) => [
    ...scanFile(file, types, routed),
    ...(mayHaveHooks(file) ? scanHooks(file, types) : []),
  ]);
  return { findings, routed, actions: parsed.flatMap((file) => [...ownActions(file), ...extendedActions(file)]) };
}

const mayHaveHooks = ({ role }: CodeFile): boolean => role !== 'plugin settings' && role !== 'application middlewares';

function scanFile(file: ParsedFile, types: readonly TypeNames[], routed: ReadonlySet<string>): readonly CodeFinding[] {
  switch (file.role) {
    case 'controllers':
    case 'services':
      return scanReplacement(file, types);
    case 'routes':
      return scanRoutes(file, types, routed);
    case 'policies':
    case 'middlewares':
      return scanNamedCode(file);
    case 'lifecycles':
      return scanLifecycles(file, types);
    case 'index':
      return scanIndex(file);
    case 'extension':
      return scanExtension(file);
    case 'application middlewares':
      return scanApplicationMiddlewares(file);
    case 'plugin settings':
      return scanPluginSettings(file);
    case 'cron tasks':
      return [cronFinding(file)];
    default:
      return [];
  }
}
