// `env`, as the configuration files of a Strapi project call it: a variable or a default, and casts of its text.
import { errorMessage } from '../type-guards.ts';

export interface EnvHelper {
  (key: string, otherwise?: unknown): unknown;
  int(key: string, otherwise?: number): number | undefined;
  float(key: string, otherwise?: number): number | undefined;
  bool(key: string, otherwise?: boolean): boolean | undefined;
  json(key: string, otherwise?: unknown): unknown;
  array(key: string, otherwise?: readonly string[]): readonly string[] | undefined;
  date(key: string, otherwise?: Date): Date | undefined;
  oneOf(key: string, allowed: readonly unknown[], otherwise?: unknown): unknown;
}

/** A variable that is not there gives the default as it is, without a cast. */
export function envHelper(environment: NodeJS.ProcessEnv): EnvHelper {
  const cast =
    <T>(read: (text: string, key: string) => T) =>
    (key: string, otherwise?: T): T | undefined => {
      const text = environment[key];
      return text === undefined ? otherwise : read(text, key);
    };
  const env = (key: string, otherwise?: unknown): unknown => environment[key] ?? otherwise;
  return Object.assign(env, {
    int: cast((text) => Number.parseInt(text, 10)),
    float: cast((text) => Number.parseFloat(text)),
    bool: cast((text) => text === 'true'),
    json: cast<unknown>(parseJson),
    array: cast<readonly string[]>((text) =>
      text
        .replace(/^\[(.*)\]$/s, '$1')
        .split(',')
        .map(unquoted),
    ),
    date: cast((text) => new Date(text)),
    oneOf(key: string, allowed: readonly unknown[], otherwise?: unknown): unknown {
      const value = env(key, otherwise);
      return allowed.includes(value) ? value : otherwise;
    },
  });
}

const unquoted = (text: string): string => text.trim().replace(/^"+|"+$/g, '');

function parseJson(text: string, key: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`the variable ${key} is not valid JSON: ${errorMessage(error)}`);
  }
}
