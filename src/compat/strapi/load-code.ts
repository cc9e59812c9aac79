// Loads the code of a Strapi project: the `strapi` object, its configuration, the stand-ins for Strapi's packages, and the
// files by their uids. Nothing of it runs yet but the files themselves.
import type { Server } from 'node:http';
import type { Auth } from '../../accounts/auth.ts';
import type { Sheaf } from '../../app.ts';
import { SetupError } from '../../errors.ts';
import type { Log } from '../../extend/define-project.ts';
import type { ContentType } from '../../model/types.ts';
import { codeCache } from '../../project/compiled-cache.ts';
import { projectVariables } from '../../project/environment.ts';
import { StrapiConfig } from '../../project/strapi-config.ts';
import { CodeRegistry, type LoadedFile } from './code-registry.ts';
import { contentApi } from './content-api.ts';
import { coreController } from './core-controller.ts';
import { coreService } from './core-service.ts';
import { createDataMembers, type DataMembers } from './data/data-members.ts';
import { EntryEvents } from './data/entry-events.ts';
import { type Knex, openKnex } from './data/knex-connection.ts';
import { pluginServices } from './data/plugin-services.ts';
import { EventHub } from './event-hub.ts';
import { type CoreMembers, createFactories } from './factories.ts';
import { notOffered } from './not-offered.ts';
import {
  CORE_CONTROLLERS,
  coreControllerOf,
  EXTENDED_PLUGIN,
  extendPlugin,
  type PluginExtension,
} from './plugin-extension.ts';
import { type ProjectConfig, projectConfig } from './project-config.ts';
import { RequestContext } from './request-context.ts';
import { StrapiModules } from './strapi-modules.ts';
import { emptyStrapi, MISSING_MEMBERS, strapiDirs, strapiLog, strapiPlugins, strapiServer } from './strapi-object.ts';
import { strapiPackages } from './strapi-packages.ts';
import type { Members, Strapi } from './strapi-types.ts';

export interface LoadedCode {
  readonly strapi: Strapi;
  readonly modules: StrapiModules;
  readonly registry: CodeRegistry;
  readonly config: ProjectConfig;
  readonly core: CoreMembers;
  readonly createCoreRouter: ReturnType<typeof createFactories>['createCoreRouter'];
  readonly requestContext: RequestContext;
  readonly data: DataMembers;
  /** Of the plugin of users; null where the project has none. */
  readonly extension: PluginExtension | null;
  readonly log: Log;
}

/** `httpServer`: null where nothing begins. */
export async function loadCode(sheaf: Sheaf, auth: Auth, log: Log, httpServer: Server | null): Promise<LoadedCode> {
  const { project, model, settings, code } = sheaf;
  const environment: NodeJS.ProcessEnv & { readonly NODE_ENV: string } = {
    NODE_ENV: 'development',
    ...projectVariables(project),
  };
  const strapi = emptyStrapi();
  const core = coreMembers(sheaf, strapi, () => registry);
  const factories = createFactories(core, (uid) => model.contentTypes.get(uid));
  const modules: StrapiModules = new StrapiModules({
    project,
    cache: codeCache(sheaf.state, sheaf.database.isReadOnly),
    environment,
    standIn: (specifier) => packages(specifier),
  });
  const { default: slugify } = await import('@sindresorhus/slugify');
  const packages = strapiPackages(factories, modules.env, { slugify, required: (name) => modules.required(name) });
  const files = new StrapiConfig(project, environment, modules);
  const { NODE_ENV, JWT_SECRET: jwtSecret } = environment;
  const config = projectConfig({ project, environment: NODE_ENV, files, settings, jwtSecret });
  const requestContext = new RequestContext();
  const data = createDataMembers(sheaf);
  const eventHub = new EventHub();
  const strapiLogs = strapiLog(log);
  // After lifecycles, so that it is told of what they made of a write.
  sheaf.operations.addHooks(new EntryEvents(sheaf, eventHub, strapiLogs));
  offerKnex(sheaf, data.db, modules);
  let extension: PluginExtension | null = null;
  const controllerOf = (uid: string): Members | undefined =>
    extension?.controller(uid) ?? coreControllerOf(uid) ?? registry.made('controllers', uid, core.controller);
  const plugins = pluginMembers(sheaf, auth, { data, config, controller: controllerOf });
  Object.assign(strapi, {
    ...data,
    ...plugins,
    contentAPI: contentApi(model),
    log: strapiLogs,
    config,
    dirs: strapiDirs(project, String(config.get('server.dirs.public', './public'))),
    requestContext,
    eventHub,
    server: strapiServer(httpServer),
    ...PLAIN_MEMBERS,
    service: (uid: string) => serviceOf(uid, plugins) ?? registry.made('services', uid, core.service),
    controller: controllerOf,
  });
  await modules.prepare(code.files.map((file) => file.path));
  const registry: CodeRegistry = new CodeRegistry(modules, code.files, strapi);
  Object.assign(strapi, byUid(registry, strapi));
  for (const file of registry.all('lifecycles')) subscribe(file, data);
  extension = await extendPlugin(code.files, { strapi, modules, registry });
  for (const [uid, functions] of extension?.lifecycles ?? [])
    data.db.lifecycles.subscribe({ models: [uid], ...functions });
  return {
    strapi,
    modules,
    registry,
    config,
    core,
    createCoreRouter: factories.createCoreRouter,
    requestContext,
    data,
    extension,
    log,
  };
}

/** Members of `strapi` that depend on nothing. */
const PLAIN_MEMBERS: Members = {
  // What custom fields hold is read from the files before they run.
  customFields: { register: () => undefined },
  fetch: globalThis.fetch,
  telemetry: { send: async () => false },
  isLoaded: true,
  EE: false,
};

interface PluginParts {
  readonly data: DataMembers;
  readonly config: ProjectConfig;
  controller(uid: string): Members | undefined;
}

/** `strapi.plugin(name)` and `strapi.plugins`. */
const pluginMembers = (sheaf: Sheaf, auth: Auth, { data, config, controller }: PluginParts) =>
  strapiPlugins(
    { ...pluginServices(sheaf, auth) },
    {
      contentType: data.contentType,
      controller,
      controllersOf: (plugin) => (plugin === EXTENDED_PLUGIN ? CORE_CONTROLLERS : []),
      config: (plugin, key) => config.get(`plugin::${plugin}.${key}`),
    },
  );

/** A service of a plugin, or what stands for one of the admin. */
function serviceOf(uid: string, { plugin }: ReturnType<typeof strapiPlugins>): object | undefined {
  if (uid.startsWith('admin::')) return notOffered(`strapi.service('${uid}')`, MISSING_MEMBERS.admin!);
  const [, name, service] = /^plugin::([^.]+)\.(.+)$/.exec(uid) ?? [];
  return name === undefined ? undefined : plugin(name)?.service(service!);
}

/** Made when code first asks for it: most projects do not. */
function offerKnex(sheaf: Sheaf, db: object, modules: StrapiModules): void {
  let knex: Knex | null = null;
  const connection = (): Knex => {
    knex ??= openKnex(sheaf, (specifier) => modules.required(specifier));
    return knex;
  };
  Object.defineProperty(db, 'connection', { configurable: true, get: connection });
  const getConnection = (table?: unknown): unknown => (table === undefined ? connection() : connection()(table));
  Object.assign(db, { getConnection });
}

/** `strapi.services` and `strapi.controllers`: those of the project, each made when it is first asked for. */
function byUid(registry: CodeRegistry, strapi: Strapi): Members {
  const members = (role: 'services' | 'controllers', of: (uid: string) => unknown): Members =>
    Object.defineProperties(
      {},
      Object.fromEntries(registry.all(role).map(({ uid }) => [uid, { enumerable: true, get: () => of(uid) }])),
    );
  return { services: members('services', strapi.service), controllers: members('controllers', strapi.controller) };
}

/** Lifecycles in the folder of a content-type. */
function subscribe({ uid, exported }: LoadedFile, { db }: DataMembers): void {
  if (typeof exported !== 'object' || exported === null) return;
  db.lifecycles.subscribe({ models: [uid], ...exported });
}

/** Core controllers and services by uid, each made once. */
function coreMembers(sheaf: Sheaf, strapi: Strapi, registry: () => CodeRegistry): CoreMembers {
  const { model, settings } = sheaf;
  const typeOf = (uid: string): ContentType => {
    const type = model.contentTypes.get(uid);
    if (!type) throw new SetupError(`There is no content-type "${uid}"`);
    return type;
  };
  const service = once((uid) => coreService(strapi, typeOf(uid), settings.rest));
  const controller = once((uid) =>
    coreController({
      sheaf,
      type: typeOf(uid),
      isAround: (use) => strapi.documents.hasMiddlewares || (use === 'find' && strapi.db.lifecycles.hearsReads(uid)),
      service: () => ({ core: service(uid), service: registry().made('services', uid, service) ?? service(uid) }),
    }),
  );
  return { service, controller };
}

/** The same object for the same uid. */
function once(make: (uid: string) => Members): (uid: string) => Members {
  const made = new Map<string, Members>();
  return (uid) => {
    const known = made.get(uid) ?? make(uid);
    made.set(uid, known);
    return known;
  };
}
