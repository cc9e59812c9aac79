// The settings that hold for a project, and where each comes from: config/sheaf.json first, then the files of Strapi,
// then defaults.
import { ADJUSTABLE_LIMITS, LARGEST_PAGE_SIZE } from '../limits.ts';
import { isObject } from '../type-guards.ts';
import { completeSettings, DEFAULT_SETTINGS, readOwnSettings, type Settings, settingProblems } from './settings.ts';
import { merged, StrapiConfig } from './strapi-config.ts';
import { type GivenSetting, settingsOfStrapi } from './strapi-settings.ts';

export const OWN_FILE = 'config/sheaf.json';
export const DEFAULT_SOURCE = 'default';

export interface Configuration {
  readonly settings: Settings;
  /** The files of Strapi, for what is not a setting. */
  readonly strapi: StrapiConfig;
  /** What of the files of Strapi is not used. */
  readonly notes: readonly string[];
  /** Where the setting at a path of keys comes from. */
  sourceOf(keys: readonly string[]): string;
}

/** `environment`: the variables that the files of Strapi see. */
export function readConfiguration(project: string, environment: NodeJS.ProcessEnv): Configuration {
  const own = readOwnSettings(project);
  const strapi = new StrapiConfig(project, environment);
  const { settings: given, notes } = settingsOfStrapi(strapi);
  const usable = new UsableSettings(given);
  const isDefault = own === null && usable.settings.length === 0;
  const nested = usable.settings.reduce<unknown>((below, one) => merged(below, nest(one.path, one.value)), {});
  return {
    settings: isDefault ? DEFAULT_SETTINGS : completeSettings(merged(nested, own ?? {})),
    strapi,
    notes: [...notes, ...usable.notes],
    sourceOf(keys) {
      if (has(own, keys)) return OWN_FILE;
      const one = usable.settings.findLast(({ path }) => path.every((key, index) => key === keys[index]));
      return one?.source ?? DEFAULT_SOURCE;
    },
  };
}

/** The settings of Strapi's files that can be used, and notes on the others. */
class UsableSettings {
  readonly settings: GivenSetting[] = [];
  readonly notes: string[] = [];

  constructor(given: readonly GivenSetting[]) {
    for (const one of given) {
      const bounded = this.#bounded(one);
      const [problem] = settingProblems(nest(one.path, bounded.value));
      if (!problem) this.settings.push(bounded);
      else this.notes.push(`${one.source}: ${one.path.join('.')} is not used: ${problem.message}`);
    }
  }

  /** Strapi knows no highest value for some numbers; here the highest one holds in place of a higher one. */
  #bounded(one: GivenSetting): GivenSetting {
    const most = MOST[one.path.join('.')];
    if (most === undefined || typeof one.value !== 'number' || one.value <= most) return one;
    this.notes.push(`${one.source}: ${one.path.join('.')} ${one.value} is more than is possible; ${most} holds`);
    return { ...one, value: most };
  }
}

const MOST: Readonly<Record<string, number>> = {
  'rest.maxLimit': LARGEST_PAGE_SIZE,
  'limits.bodyBytes': ADJUSTABLE_LIMITS.bodyBytes.most,
};

const nest = (path: readonly string[], value: unknown): unknown =>
  path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);

function has(value: unknown, keys: readonly string[]): boolean {
  const [key, ...rest] = keys;
  if (key === undefined) return true;
  return isObject(value) && Object.hasOwn(value, key) && has(value[key], rest);
}
