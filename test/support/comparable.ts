// What must be equal in the answers of different databases: their bytes. Only what has to differ is put aside: ids, instants
// of writing, and the order of keys in JSON attributes, which PostgreSQL does not keep.
import { expect } from 'vitest';
import type { Model } from '../../src/model/types.ts';
import type { Answer, Replay } from './conformance.ts';

const TIMESTAMPS = new Set(['createdAt', 'updatedAt', 'publishedAt']);
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const DOCUMENT_ID = /^[a-z][a-z0-9]{23}$/;

/** Names of attributes that hold JSON; none of them is the name of another kind of attribute elsewhere. */
function jsonAttributes(model: Model): ReadonlySet<string> {
  const named = (isJson: boolean): string[] =>
    [...model.contentTypes.values(), ...model.components.values()].flatMap(({ attributes }) =>
      [...attributes.values()].flatMap((attribute) => {
        const holdsJson = attribute.kind === 'scalar' && (attribute.type === 'json' || attribute.type === 'blocks');
        return holdsJson === isJson ? [attribute.name] : [];
      }),
    );
  const others = new Set(named(false));
  return new Set(named(true).filter((name) => !others.has(name)));
}

/** Makes answers of one database comparable; a document that has no name is known by when it was first seen. */
export class Comparable {
  readonly #json: ReadonlySet<string>;
  readonly #documents = new Map<string, string>();

  constructor(model: Model) {
    this.#json = jsonAttributes(model);
  }

  of({ status, text, body }: Answer, replay: Replay): string {
    if (typeof body === 'string' || body === null) return `${status} ${text}`;
    // Then to compare what was parsed is to compare the bytes.
    expect(JSON.stringify(body)).toBe(text);
    return `${status} ${JSON.stringify(this.#shown(body, replay, ''))}`;
  }

  #shown(value: unknown, replay: Replay, name: string): unknown {
    if (this.#json.has(name)) return inOneOrder(value);
    if (Array.isArray(value)) return value.map((item) => this.#shown(item, replay, name));
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, this.#shown(inner, replay, key)]));
    if (typeof value === 'number') return name === 'id' ? '<id>' : value;
    if (typeof value !== 'string') return value;
    if (name === 'jwt') return '<jwt>';
    if (TIMESTAMPS.has(name) && INSTANT.test(value)) return '<instant>';
    if (name === 'documentId' && DOCUMENT_ID.test(value)) {
      if (!this.#documents.has(value)) this.#documents.set(value, `<document ${this.#documents.size}>`);
      return this.#documents.get(value);
    }
    return replay.keys.shown(value);
  }
}

function inOneOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOneOrder);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, inOneOrder(inner)]));
}
