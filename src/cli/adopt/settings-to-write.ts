// The settings that `sheaf adopt --write` puts into config/sheaf.json: what the files of Strapi say and differs from the
// defaults, and what keeps existing clients working. Keys that the file has already stay as they are. Secrets and the
// address of the server belong to a deployment and are never among them.
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { USER } from '../../model/builtin.ts';
import { DEFAULT_SOURCE, OWN_FILE } from '../../project/configuration.ts';
import { DEFAULT_SETTINGS, readOwnSettings, type Settings } from '../../project/settings.ts';
import { merged } from '../../project/strapi-config.ts';
import { isObject } from '../../type-guards.ts';
import type { Adoption } from './adoption.ts';

export interface SettingToWrite {
  readonly path: readonly string[];
  readonly value: unknown;
  readonly reason: string;
}

/** A deployment decides over these. */
const DEPLOYMENT = 'server';

export function settingsToWrite({ config, database }: Adoption): SettingToWrite[] {
  if (!config) return [];
  const found = settingsOf(config.settings).flatMap(([keys, value]): SettingToWrite[] => {
    const source = config.sourceOf(keys);
    if (keys[0] === DEPLOYMENT || source === DEFAULT_SOURCE || source === OWN_FILE) return [];
    return isDeepStrictEqual(value, valueAt(DEFAULT_SETTINGS, keys))
      ? []
      : [{ path: keys, value, reason: `as in ${source}` }];
  });
  const bareList = ['users', 'bareList'];
  const listsUsers = database?.accounts?.roles.some(({ actions }) => actions.includes(`${USER}.find`)) ?? false;
  const isOpen = config.sourceOf(bareList) === DEFAULT_SOURCE && listsUsers;
  const reason = 'a role may list users, and clients of Strapi expect a bare list';
  return isOpen ? [...found, { path: bareList, value: true, reason }] : found;
}

type KeyedValue = readonly [keys: readonly string[], value: unknown];

/** Settings with the keys that lead to them: those of a section one by one, a list or a record as a whole. */
const settingsOf = (settings: Settings): KeyedValue[] =>
  Object.entries(settings).flatMap(([section, value]): KeyedValue[] => {
    const isSection = Object.keys(asObject(valueAt(DEFAULT_SETTINGS, [section]))).length > 0;
    if (!isSection || !isObject(value)) return [[[section], value]];
    return Object.entries(value).map(([key, inner]) => [[section, key], inner]);
  });

const asObject = (value: unknown): object => (isObject(value) ? value : {});

const valueAt = (value: unknown, keys: readonly string[]): unknown =>
  keys.reduce<unknown>((inner, key) => (isObject(inner) ? inner[key] : undefined), value);

export const nested = (settings: readonly SettingToWrite[]): unknown =>
  settings.reduce<unknown>(
    (below, { path: keys, value }) =>
      merged(
        below,
        keys.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value),
      ),
    {},
  );

/** Adds the settings to the file, which appears whole. Returns its name. */
export function writeSettings(project: string, settings: readonly SettingToWrite[]): string {
  const file = path.join(project, OWN_FILE);
  const own = readOwnSettings(project) ?? {};
  // Nothing that the file says is among the settings, so it only gets longer.
  const content = `${JSON.stringify(merged(own, nested(settings)), null, 2)}\n`;
  mkdirSync(path.dirname(file), { recursive: true });
  const unfinished = `${file}.${process.pid}`;
  writeFileSync(unfinished, content);
  renameSync(unfinished, file);
  return file;
}
