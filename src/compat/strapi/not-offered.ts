// What Strapi has and Sheaf does not: it fails when it is touched, with its name and what to do instead. Whoever only
// names it, as in `const { yup } = require('@strapi/utils')`, is left alone.

export class NotOfferedError extends Error {
  constructor(name: string, instead: string) {
    super(`${name} is not offered; ${instead}`);
    this.name = 'NotOfferedError';
  }
}

/** Names that are looked up of anything: by promises, by the console, by conversions. */
const HARMLESS: ReadonlySet<string | symbol> = new Set(['then', 'catch', 'toJSON', 'constructor', '__esModule']);

/** A value that can be named and passed on, and nothing else. */
export function notOffered(name: string, instead: string): object {
  const fail = (): never => {
    throw new NotOfferedError(name, instead);
  };
  return new Proxy(fail, {
    get: (_target, key) => (typeof key === 'symbol' || HARMLESS.has(key) ? undefined : fail()),
    set: fail,
    apply: fail,
    construct: fail,
    has: fail,
    ownKeys: fail,
    deleteProperty: fail,
    defineProperty: fail,
  });
}

/** A module of which members may be asked for that are not offered. */
export function withMissing(module: Readonly<Record<string, unknown>>, name: string, instead: string): unknown {
  return new Proxy(module, {
    get(target, key) {
      if (typeof key === 'symbol' || HARMLESS.has(key) || Object.hasOwn(target, key)) return Reflect.get(target, key);
      return notOffered(`${name}.${key}`, instead);
    },
  });
}
