// A draft as others send it: as a command with curl, and as code with the client.
import type { QueryValue } from '../../../src/client/query-text.ts';
import type { ConsoleModel, ConsoleType } from '../../../src/console/contract.ts';
import type { ReadDraft } from './draft.ts';
import { parametersOf, urlOf } from './draft-text.ts';
import { isQueryList } from './filter-text.ts';
import { attributeIn, leadsOn, rootView, type SchemaView, schemaView, typeAt, viewBelow } from './schema-view.ts';
import { shellQuoted } from './shell-words.ts';

/** `-g`: curl would take brackets for a pattern. */
export const curlOf = (draft: ReadDraft, { origin, prefix }: { readonly origin: string; readonly prefix: string }) =>
  `curl -g ${shellQuoted(origin + urlOf(draft, prefix))} \\\n  -H "authorization: Bearer $TOKEN"`;

/** What the client calls itself by these names. */
const OF_CLIENT = new Set([
  'users',
  'auth',
  'files',
  'locales',
  'collection',
  'single',
  'then',
  'catch',
  'finally',
  'toJSON',
]);

/** A program that reads what the draft asks for, with `sheaf/client`. */
export function clientCodeOf(draft: ReadDraft, model: ConsoleModel, origin: string): string {
  const prefix = model.prefix === '/api' ? '' : `, prefix: ${JSON.stringify(model.prefix)}`;
  return [
    'import { createClient } from "sheaf/client";',
    '',
    `const client = createClient({ url: ${JSON.stringify(origin)}, token: process.env.SHEAF_TOKEN${prefix} });`,
    call(draft, model),
    '',
  ].join('\n');
}

function call(draft: ReadDraft, model: ConsoleModel): string {
  const type = typeAt(model, draft.type);
  const client = clientOf(draft.type, type);
  const names = draft.below
    .split('/')
    .filter((name) => name !== '')
    .map(decodeURIComponent);
  const argument = argumentOf(draft, model);
  const given = (...before: readonly string[]): string =>
    [...before.map((name) => JSON.stringify(name)), ...(argument === '{}' ? [] : [argument])].join(', ');
  const isSingle = type?.kind === 'singleType';
  if (names[0] === 'aggregate') return `const { data } = await ${client}.aggregate(${given()});`;
  if (names.length === (isSingle ? 1 : 2)) return `const related = await ${client}.related(${given(...names)});`;
  if (names.length === 1) return `const entry = await ${client}.findOne(${given(names[0]!)});`;
  if (isSingle) return `const entry = await ${client}.find(${given()});`;
  if (type?.source === 'users') return `const users = await ${client}.find(${given()});`;
  return `const { data, meta } = await ${client}.find(${given()});`;
}

function clientOf(path: string, type: ConsoleType | undefined): string {
  if (type?.source === 'users') return 'client.users';
  if (type?.source === 'files') return 'client.files';
  if (type?.kind === 'singleType') return `client.single(${JSON.stringify(path)})`;
  if (OF_CLIENT.has(path)) return `client.collection(${JSON.stringify(path)})`;
  return /^[a-z_$][\w$]*$/i.test(path) ? `client.${path}` : `client[${JSON.stringify(path)}]`;
}

/** The parameters as an object of JavaScript. */
const argumentOf = (draft: ReadDraft, model: ConsoleModel): string =>
  literal(parametersOf(draft), { indent: 0, view: rootView(model, draft), isText: true });

interface Context {
  readonly indent: number;
  readonly view: SchemaView | null;
  /** Whether values are texts here; else they may be numbers or booleans that a query writes the same. */
  readonly isText: boolean;
}

const WIDTH = 96;

function literal(value: QueryValue, context: Context): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return context.isText ? JSON.stringify(value) : valueLiteral(value);
  const isList = isQueryList(value);
  const inner = { ...context, indent: context.indent + 1 };
  const parts = isList
    ? value.map((item) => literal(item, inner))
    : Object.entries(value).map(([name, item]) => `${keyOf(name)}: ${literal(item, below(name, inner))}`);
  const [open, close] = isList ? ['[', ']'] : ['{ ', ' }'];
  if (parts.length === 0) return isList ? '[]' : '{}';
  const line = `${open}${parts.join(', ')}${close}`;
  if (!line.includes('\n') && line.length + context.indent * 2 < WIDTH) return line;
  const pad = '  '.repeat(inner.indent);
  return `${open.trim()}\n${parts.map((part) => `${pad}${part},`).join('\n')}\n${'  '.repeat(context.indent)}${close.trim()}`;
}

const keyOf = (name: string): string => (/^[a-z_$][\w$]*$/i.test(name) ? name : JSON.stringify(name));

const NUMBERS = new Set(['integer', 'float', 'decimal']);
const PARTS = new Set(['filters', 'populate', 'on']);
const FLAGS = new Set(['count', 'withCount', '$null', '$notNull']);
const COUNTS = new Set(['$count', 'page', 'pageSize', 'start', 'limit']);

function below(name: string, context: Context): Context {
  if (FLAGS.has(name) || COUNTS.has(name)) return { ...context, isText: false };
  if (name === 'where' && !context.isText) return { ...context, isText: true };
  if (name.startsWith('$') || PARTS.has(name)) return context;
  const attribute = attributeIn(context.view, name);
  if (isUid(name) && context.view) return { ...context, view: schemaView(context.view.model, name), isText: false };
  if (!attribute) return { ...context, isText: true };
  const isText = !NUMBERS.has(attribute.type) && attribute.type !== 'boolean' && !leadsOn(attribute);
  return { ...context, view: viewBelow(context.view, name), isText };
}

/** Of a component, in what is populated of a dynamic zone. */
const isUid = (name: string): boolean => name.includes('.');

/** A number or a boolean, if a query writes it the same way. */
const valueLiteral = (text: string): string =>
  text === 'true' || text === 'false' || (Number.isFinite(Number(text)) && String(Number(text)) === text)
    ? text
    : JSON.stringify(text);
