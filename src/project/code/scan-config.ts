// What reaches a project's server through its configuration: middlewares of the application, jobs, plugins, and
// extensions of plugins.
import type { AnyNode } from 'acorn';
import type { CodeFile } from './code-files.ts';
import { APPLICATION, type CodeFinding } from './code-finding.ts';
import { type CodeModule, returnedBy } from './code-module.ts';
import { isFunction } from './code-nodes.ts';
import { described, listed } from './code-purpose.ts';
import type { ParsedFile } from './scan-api.ts';

/** What a file of config exports, or what the function returns that it exports. */
function configured(module: CodeModule): AnyNode | null {
  const exported = module.defaultExport;
  if (!exported || !isFunction(exported)) return exported;
  const [returned, ...others] = returnedBy(exported);
  return returned && others.length === 0 ? module.resolve(returned) : null;
}

const OWN = 'middlewares of its own';

/** `config/middlewares`: whatever is not Strapi's own stands in front of every route. */
export function scanApplicationMiddlewares({ file, module, text }: ParsedFile): CodeFinding[] {
  const list = module?.elements(configured(module));
  const names = list?.map((element) => middlewareName(module!, element)) ?? [null];
  const own = names.filter((name) => !name?.startsWith('strapi::'));
  if (own.length === 0) return [];
  const { does, instead } = described(listed(own.map((name) => name ?? OWN)), text, 'rules in access/*.json');
  return [{ file, kind: 'middlewares', subject: APPLICATION, does, closes: 'all', instead }];
}

function middlewareName(module: CodeModule, element: AnyNode): string | null {
  const properties = module.properties(element);
  if (properties?.has('resolve')) return module.string(properties.get('resolve')!) ?? OWN;
  return module.string(properties?.get('name') ?? element);
}

export const cronFinding = ({ file }: CodeFile): CodeFinding => ({
  file,
  kind: 'cron',
  subject: null,
  does: 'jobs that are not run',
  closes: 'nothing',
  instead: 'a program that calls Sheaf in process, started by cron',
});

/** Plugins whose routes Sheaf serves. */
const SERVED_PLUGINS: ReadonlySet<string> = new Set(['users-permissions', 'upload', 'i18n']);

/** `src/extensions/<plugin>/strapi-server`: may change whatever the plugin serves. */
export function scanExtension({ file, module, owner, text }: ParsedFile): CodeFinding[] {
  if (module && changesNothing(module)) return [];
  const { does, instead } = described('changes the plugin', text, 'grants and rules in access/*.json');
  const closes = SERVED_PLUGINS.has(owner!) ? 'all' : 'nothing';
  return [{ file, kind: 'extension', subject: `plugin::${owner}`, does, closes, instead }];
}

/** Handlers as routes name them, such as `user.greet`. */
const HANDLER = /['"`](\w+\.\w+)['"`]/g;

/** The actions that routes of an extension may lead to, as they are granted. */
export const extendedActions = ({ role, owner, text }: ParsedFile): readonly string[] =>
  role === 'extension' ? [...text.matchAll(HANDLER)].map(([, handler]) => `plugin::${owner}.${handler}`) : [];

/** Whether it returns the plugin as it was. */
function changesNothing(module: CodeModule): boolean {
  const exported = module.defaultExport;
  if (module.runsWhenLoaded || !exported || !isFunction(exported)) return false;
  const {
    body,
    params: [plugin],
  } = exported;
  const isPlugin = (node: AnyNode | null | undefined): boolean =>
    node?.type === 'Identifier' && plugin?.type === 'Identifier' && node.name === plugin.name;
  if (body.type !== 'BlockStatement') return isPlugin(body);
  return body.body.every((node) => node.type === 'ReturnStatement' && isPlugin(node.argument));
}

/** `config/plugins`: plugins that stand elsewhere than in `src/plugins`. */
export function scanPluginSettings({ file, module }: ParsedFile): CodeFinding[] {
  const plugins = module?.properties(configured(module));
  const elsewhere = [...(plugins ?? [])].flatMap(([name, settings]) => {
    const resolve = module!.properties(settings)?.get('resolve');
    const place = resolve && module!.string(resolve);
    return !resolve || place?.includes('src/plugins/') ? [] : `${name} (${place ?? 'a computed path'})`;
  });
  if (plugins && elsewhere.length === 0) return [];
  const does = plugins ? `plugins that are not run: ${listed(elsewhere)}` : 'plugins that cannot be read';
  return [{ file, kind: 'plugin', subject: null, does, closes: 'nothing', instead: null }];
}
