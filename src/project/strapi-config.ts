// The configuration of a Strapi project: config/<name> and, over it, config/env/<environment>/<name>. A file is read when
// its name is first asked for.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { isObject } from '../type-guards.ts';
import { ConfigModules } from './config-modules.ts';
import type { EnvHelper } from './env-helper.ts';

/** Those that settings are read from. */
export type ConfigName = 'api' | 'server' | 'database' | 'middlewares' | 'plugins';

/** Runs files of config. */
export interface ConfigLoader {
  readonly env: EnvHelper;
  /** What a file exports by default. */
  load(file: string): unknown;
  failure(file: string, error: unknown): Error;
}

/** What one file says. */
interface ConfigLayer {
  /** As it is shown, from the project's folder. */
  readonly file: string;
  readonly value: unknown;
}

const ENDINGS = ['.ts', '.js', '.json'];
const FOLDER_NAME = /^[\w-]+$/;

export class StrapiConfig {
  readonly #project: string;
  readonly #folders: readonly string[];
  readonly #modules: ConfigLoader;
  readonly #layers = new Map<string, readonly ConfigLayer[]>();

  constructor(project: string, environment: NodeJS.ProcessEnv, loader?: ConfigLoader) {
    this.#project = path.resolve(project);
    const { NODE_ENV = 'development' } = environment;
    const named = FOLDER_NAME.test(NODE_ENV) ? [path.join('config', 'env', NODE_ENV)] : [];
    this.#folders = ['config', ...named];
    this.#modules = loader ?? new ConfigModules(project, { ...environment, NODE_ENV });
  }

  /** The value at a path of keys; undefined where no file has one. */
  value(name: string, ...keys: readonly string[]): unknown {
    return this.#layersOf(name)
      .map((layer) => valueAt(layer.value, keys))
      .filter((value) => value !== undefined)
      .reduce(merged, undefined);
  }

  /** The file that says the value at a path of keys: the last of those that have one. */
  fileOf(name: string, ...keys: readonly string[]): string {
    const layers = this.#layersOf(name);
    return (layers.findLast(({ value }) => valueAt(value, keys) !== undefined) ?? layers[0])!.file;
  }

  has(name: string): boolean {
    return this.#layersOf(name).length > 0;
  }

  #layersOf(name: string): readonly ConfigLayer[] {
    let layers = this.#layers.get(name);
    if (!layers) {
      layers = this.#folders.flatMap((folder) => this.#read(path.join(folder, name)));
      this.#layers.set(name, layers);
    }
    return layers;
  }

  #read(place: string): ConfigLayer[] {
    const file = ENDINGS.map((ending) => place + ending).find((one) => existsSync(path.join(this.#project, one)));
    if (file === undefined) return [];
    const full = path.join(this.#project, file);
    const exported = this.#modules.load(full);
    if (typeof exported !== 'function') return [{ file, value: exported }];
    try {
      const value: unknown = exported({ env: this.#modules.env });
      // Strapi does not wait for it either, and goes on without what the file says.
      if (value instanceof Promise) {
        value.catch(() => undefined);
        throw new Error('it gives a promise, which Strapi does not wait for');
      }
      return [{ file, value }];
    } catch (error) {
      throw this.#modules.failure(full, error);
    }
  }
}

const valueAt = (value: unknown, keys: readonly string[]): unknown =>
  keys.reduce<unknown>((inner, key) => (isObject(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined), value);

/** Objects are merged key by key; of anything else, the later one counts. */
export function merged(below: unknown, above: unknown): unknown {
  if (above === undefined) return below;
  if (!isObject(below) || !isObject(above)) return above;
  const keys = new Set([...Object.keys(below), ...Object.keys(above)]);
  return Object.fromEntries([...keys].map((key) => [key, merged(below[key], above[key])]));
}
