// `strapi`: one object for all code of a project, put together from members that other files provide. It stays the same
// from the first file that is loaded on, and code may hang further members on it.
import type { Server } from 'node:http';
import path from 'node:path';
import { format } from 'node:util';
import type { Log } from '../../extend/define-project.ts';
import { INSTEAD, MISSING_PLUGINS, withMissingServices } from './missing-services.ts';
import { NotOfferedError, notOffered, withMissing } from './not-offered.ts';
import type { Members, Strapi, StrapiLog } from './strapi-types.ts';

/** Members of Strapi that are not offered, and what there is instead. */
const MISSING: Readonly<Record<string, string>> = {
  admin:
    'The console takes its place; accounts, API tokens and roles are managed there, or by `sheaf admin`, `sheaf token` and `sheaf role`',
  get: 'ask for the member itself, such as strapi.config or strapi.service(uid)',
  load: 'the server is running already',
  apis: 'use strapi.service(uid) and strapi.contentType(uid)',
  api: 'use strapi.service(uid) and strapi.contentType(uid)',
  webhookStore: 'declare a committed hook in src/sheaf.ts',
  webhookRunner: 'declare a committed hook in src/sheaf.ts',
  reload: 'sheaf dev reloads what changes',
  container: 'ask for the member itself, such as strapi.config',
};

/** Offered to projects that have the package it is made with. */
export const KNEX = 'db.connection';

/** The same with what is below other members. */
export const MISSING_MEMBERS: Readonly<Record<string, string>> = {
  ...MISSING,
  [KNEX]: 'it needs the package knex in the project; or use strapi.db.query(uid) or strapi.documents(uid)',
};

/** Own members win over what is not offered, so that these names, too, can be hung on it. */
export function emptyStrapi(): Strapi {
  const strapi: Members = {};
  for (const [name, instead] of Object.entries(MISSING))
    Object.defineProperty(strapi, name, {
      configurable: true,
      enumerable: false,
      get(): never {
        throw new NotOfferedError(`strapi.${name}`, instead);
      },
      set(value: unknown) {
        Object.defineProperty(strapi, name, { value, writable: true, configurable: true, enumerable: true });
      },
    });
  return strapi as Strapi;
}

/** The server of this process, for web sockets and for whoever waits until it listens; null where none begins. */
export const strapiServer = (httpServer: Server | null): unknown =>
  withMissing(
    { httpServer: httpServer ?? undefined },
    'strapi.server',
    'declare routes in src/api/*/routes, and middlewares in config/middlewares',
  );

/** Plugins that are there, with their services. */
type PluginServices = Readonly<Record<string, Readonly<Record<string, object>>>>;

interface StrapiPlugin {
  readonly services: Readonly<Record<string, object>>;
  service(name: string): object | undefined;
  readonly controllers: Readonly<Record<string, unknown>>;
  controller(name: string): unknown;
  contentType(name: string): unknown;
  config(key: string, otherwise?: unknown): unknown;
}

/** What plugins share with the rest of `strapi`. */
interface PluginDeps {
  contentType(uid: string): unknown;
  controller(uid: string): unknown;
  /** Names of the controllers of a plugin. */
  controllersOf(plugin: string): readonly string[];
  config(plugin: string, key: string): unknown;
}

/** `strapi.plugin(name)` and `strapi.plugins[name]`; undefined for a plugin that is not there. */
export function strapiPlugins(offered: PluginServices, deps: PluginDeps) {
  const { contentType, config } = deps;
  const plugins: Record<string, StrapiPlugin> = {};
  for (const [name, members] of Object.entries(offered)) {
    const services = withMissingServices(name, members);
    plugins[name] = {
      services,
      service: (service) => (Object.hasOwn(services, service) ? services[service] : undefined),
      controller: (of) => deps.controller(`plugin::${name}.${of}`),
      get controllers() {
        return Object.fromEntries(deps.controllersOf(name).map((of) => [of, deps.controller(`plugin::${name}.${of}`)]));
      },
      contentType: (type) => contentType(`plugin::${name}.${type}`),
      config: (key, otherwise) => config(name, key) ?? otherwise,
    };
  }
  for (const name of MISSING_PLUGINS)
    Object.defineProperty(plugins, name, { value: notOffered(`strapi.plugin('${name}')`, INSTEAD) });
  return { plugins, plugin: (name: string) => (Object.hasOwn(plugins, name) ? plugins[name] : undefined) };
}

/** As winston takes its arguments: text, which may have places for values, objects and errors. */
export function strapiLog(log: Log): StrapiLog & Members {
  const at =
    (level: keyof Log) =>
    (...values: unknown[]): void => {
      const [first] = values;
      if (first instanceof Error && values.length === 1) log[level]({ err: first }, first.message);
      else log[level]({}, format(...values));
    };
  const [info, warn, error, debug] = [at('info'), at('warn'), at('error'), at('debug')];
  return { info, warn, error, debug, http: info, verbose: debug, silly: debug, fatal: error, trace: debug, log: info };
}

/** Absolute paths; TypeScript is not compiled to `dist`, so that both are the project's folder. */
export function strapiDirs(project: string, publicFolder: string) {
  const root = path.resolve(project);
  const places = {
    root,
    src: path.join(root, 'src'),
    api: path.join(root, 'src', 'api'),
    components: path.join(root, 'src', 'components'),
    extensions: path.join(root, 'src', 'extensions'),
    policies: path.join(root, 'src', 'policies'),
    middlewares: path.join(root, 'src', 'middlewares'),
    config: path.join(root, 'config'),
  };
  return { app: places, dist: places, static: { public: path.resolve(root, publicFolder) } };
}
