// Checks requests and responses against an OpenAPI document, as a client does that knows nothing else of the server.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import qs from 'qs';

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly (Referable & { readonly name?: string; readonly in?: string })[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Readonly<Record<string, unknown>> };
  readonly responses: Readonly<Record<string, Referable & { readonly content?: Content }>>;
}

interface Referable {
  readonly $ref?: string;
}

type Content = Readonly<Record<string, { readonly schema: { readonly anyOf?: readonly unknown[] } }>>;

export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

export interface Exchange {
  readonly method: string;
  /** With its query. */
  readonly url: string;
  readonly requestBody: unknown;
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  /** Null where there is none. */
  readonly body: unknown;
}

const JSON_TYPE = 'application/json';
const BASE = 'openapi';

const escaped = (key: string): string => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'));

export class Contract {
  readonly document: OpenApi;
  readonly #ajv: Ajv2020;
  readonly #compiled = new Map<string, ValidateFunction>();

  constructor(document: OpenApi) {
    this.document = document;
    this.#ajv = new Ajv2020({ strict: false, validateSchema: false, allErrors: false, logger: false });
    // The package has its function under both names.
    const add = 'default' in addFormats ? (addFormats.default as unknown as typeof addFormats) : addFormats;
    (add as unknown as (ajv: Ajv2020) => void)(this.#ajv);
    this.#ajv.addSchema(document as object, BASE);
  }

  /** What is wrong with an exchange; nothing where the document describes it. */
  problems(exchange: Exchange): string[] {
    const { method, status } = exchange;
    const [pathname = '', query = ''] = exchange.url.split('?', 2);
    const place = this.placeOf(method, pathname);
    if (place === null) return this.#refused(exchange);
    return [
      ...(status < 300 ? [...this.#query(place, query, exchange), ...this.#request(place, exchange)] : []),
      ...this.#response(place, query, exchange),
    ];
  }

  /** Where an operation stands in the document. */
  placeOf(method: string, pathname: string): readonly string[] | null {
    const segments = pathname.replace(/\/$/, '').split('/');
    const fits = (template: string): boolean => {
      const parts = template.split('/');
      return (
        parts.length === segments.length &&
        parts.every((part, index) => part.startsWith('{') || part.toLowerCase() === segments[index]!.toLowerCase())
      );
    };
    const templates = Object.keys(this.document.paths).filter(fits);
    const [template] = templates.sort((one, other) => one.split('{').length - other.split('{').length);
    const operation = template !== undefined && this.document.paths[template]?.[method.toLowerCase()];
    return operation ? ['paths', template, method.toLowerCase()] : null;
  }

  #operation(place: readonly string[]): Operation {
    return this.document.paths[place[1]!]![place[2]!]!;
  }

  /** What is not offered is refused, by an error that the document describes. */
  #refused({ status, body }: Exchange): string[] {
    if (status === 405 && body === '<text> Method Not Allowed') return [];
    if (status < 400) return [`is not described, and answered with ${status}`];
    return this.validate(['components', 'responses', `Error${status}`, 'content', JSON_TYPE, 'schema'], body);
  }

  #query(place: readonly string[], query: string, { headers }: Exchange): string[] {
    const given = qs.parse(query, { depth: 20, arrayLimit: 500, strictNullHandling: true, allowDots: false });
    const ignored = String(headers['x-sheaf-ignored'] ?? '').split(/, |\[/);
    const parameters = this.#operation(place).parameters ?? [];
    return Object.entries(given).flatMap(([name, value]) => {
      const index = parameters.findIndex((one) => (this.#resolve(one) as { name?: string }).name === name);
      if (index < 0) return ignored.includes(name) ? [] : [`takes no ${name}`];
      const reference = parameters[index]!.$ref?.slice(2).split('/');
      const at = reference ? [...reference, 'schema'] : [...place, 'parameters', String(index), 'schema'];
      return this.validate(at, value).map((problem) => `${name}: ${problem}`);
    });
  }

  #resolve(value: Referable): unknown {
    const keys = value.$ref?.slice(2).split('/') ?? [];
    return keys.reduce<unknown>(
      (inner, key) => (inner as Record<string, unknown>)[key],
      keys.length > 0 ? this.document : value,
    );
  }

  #request(place: readonly string[], { requestBody }: Exchange): string[] {
    const described = this.#operation(place).requestBody;
    if (requestBody === undefined || requestBody === null)
      return described?.required === true ? ['the body is missing'] : [];
    if (!described) return ['takes no body'];
    return this.validate([...place, 'requestBody', 'content', JSON_TYPE, 'schema'], requestBody).map(
      (problem) => `body: ${problem}`,
    );
  }

  #response(place: readonly string[], query: string, { status, body, requestBody }: Exchange): string[] {
    const { responses } = this.#operation(place);
    const response = responses[status];
    if (!response) return [`is not described to answer with ${status}`];
    const at = response.$ref?.slice(2).split('/') ?? [...place, 'responses', String(status)];
    const { content } = this.#resolve(response) as { content?: Content };
    if (!content) return body === null ? [] : ['answers with a body'];
    const schema = [...at, 'content', JSON_TYPE, 'schema'];
    const hasVariants = status < 300 && content[JSON_TYPE]!.schema.anyOf !== undefined;
    // The first variant is for requests that ask for no fields.
    return this.validate(hasVariants && !asksForFields(query, requestBody) ? [...schema, 'anyOf', '0'] : schema, body);
  }

  /** What is wrong with a value by the schema at a place of the document. */
  validate(at: readonly string[], value: unknown): string[] {
    const reference = `${BASE}#/${at.map(escaped).join('/')}`;
    let validate = this.#compiled.get(reference);
    if (!validate) {
      validate = this.#ajv.compile({ $ref: reference });
      this.#compiled.set(reference, validate);
    }
    if (validate(value)) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${instancePath || 'all of it'} ${message} ${JSON.stringify(params)}`,
    );
  }
}

/** Whether a request chooses the attributes that it is shown, on any level. */
const asksForFields = (query: string, body: unknown): boolean =>
  /(?:^|[&[])fields(?:[=[\]&]|$)/.test(decodeURIComponent(query)) || /"fields":/.test(JSON.stringify(body ?? null));

/** A response that was changed, and how. */
export interface Mutation {
  readonly exchange: Exchange;
  readonly what: string;
}

type Path = readonly (string | number)[];

/** Whether an object is an entry or a component, rather than an envelope or JSON that is stored. */
const isEntity = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  typeof (value as { id?: unknown }).id === 'number';

function* attributesIn(value: unknown, path: Path = []): Generator<Path> {
  if (typeof value !== 'object' || value === null) return;
  if (isEntity(value)) for (const key of Object.keys(value)) yield [...path, key];
  const entries: [string | number, unknown][] = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  for (const [key, inner] of entries) yield* attributesIn(inner, [...path, key]);
}

const at = (body: unknown, path: Path): unknown =>
  path.reduce<unknown>((value, key) => (value as Record<string | number, unknown>)[key], body);

/** A value of another type. */
const ofAnotherType = (value: unknown): unknown => {
  if (typeof value === 'string') return value.length;
  if (typeof value === 'number') return String(value);
  return value === null || typeof value === 'boolean' ? { unexpected: value } : 'unexpected';
};

/** Names of attributes that may hold any JSON, and of those that are there on request only. */
export interface AttributeNames {
  readonly json: ReadonlySet<string>;
  readonly populated: ReadonlySet<string>;
}

/** Responses in which one attribute is missing or of another type, evenly drawn from all there could be. */
export function mutations(exchanges: readonly Exchange[], names: AttributeNames, count: number): Mutation[] {
  const all: { readonly exchange: Exchange; readonly path: Path; readonly drops: boolean }[] = [];
  for (const exchange of exchanges)
    for (const path of attributesIn(exchange.body)) {
      const name = String(path.at(-1));
      if (!names.populated.has(name)) all.push({ exchange, path, drops: true });
      if (!names.json.has(name)) all.push({ exchange, path, drops: false });
    }
  return Array.from({ length: Math.min(count, all.length) }, (_, index) => {
    const { exchange, path, drops } = all[Math.floor((index * all.length) / count)]!;
    const body = structuredClone(exchange.body);
    const holder = at(body, path.slice(0, -1)) as Record<string, unknown>;
    const key = String(path.at(-1));
    if (drops) delete holder[key];
    else holder[key] = ofAnotherType(holder[key]);
    const what = `${exchange.method} ${exchange.url}: ${path.join('.')} ${drops ? 'is missing' : 'is of another type'}`;
    return { exchange: { ...exchange, body }, what };
  });
}

/** Whether a response shows all attributes of its entries. */
export const showsAll = ({ url, requestBody, status }: Exchange): boolean =>
  status < 300 && !asksForFields(url.split('?', 2)[1] ?? '', requestBody);
