// Conditions as clauses of a sentence, which begin with "whose", "that" or "with".
import type { ConsoleAttribute } from '../../../src/console/contract.ts';
import { pluralOf } from '../../../src/model/english-plural.ts';
import {
  type Count,
  type FilterDraft,
  type Group,
  isComplete,
  type Join,
  type Operator,
  type Step,
  type Test,
} from './draft.ts';
import { valueKindOf } from './operators.ts';
import { attributeIn, isToMany, leadsOn, type SchemaView, targetOf } from './schema-view.ts';
import { article, humanized, isPlural, listed, possessive, relativeDateWords } from './words.ts';

/** Titles of entries by documentId, where they are known. */
export type Titles = ReadonlyMap<string, string>;

/** What a clause is about. */
export interface About {
  readonly view: SchemaView | null;
  readonly titles: Titles;
  /** Whether it is about entries, rather than about one of them. */
  readonly many: boolean;
  /** The value that comparisons without a path are of. */
  readonly value: { readonly name: string; readonly attribute: ConsoleAttribute | undefined } | null;
}

/** What conditions say, in words; empty where none is complete. */
export function clausesOf(nodes: readonly FilterDraft[], join: Join, about: About): string {
  const complete = nodes.filter(isComplete);
  const texts = complete.map((node) => {
    const text = clauseOf(node, about);
    const isChoice =
      node.kind === 'group' && node.join === 'or' && !node.negated && node.of.filter(isComplete).length > 1;
    return isChoice && join === 'and' && complete.length > 1 ? `either ${text}` : text;
  });
  return listed(texts, join);
}

function clauseOf(node: FilterDraft, about: About): string {
  switch (node.kind) {
    case 'raw':
      return `that meet${about.many ? '' : 's'} “${node.key}” as it is written`;
    case 'group':
      return groupClause(node, about);
    case 'scope':
      return along(node.path, about, (inner) => clausesOf(node.of, node.join, inner));
    case 'test':
      return along(node.path.slice(0, -1), about, (inner) => testClause(node, inner), node);
    case 'count':
      return along(node.path.slice(0, -1), about, (inner) => countClause(node, inner));
  }
}

function groupClause({ of, join, negated }: Group, about: About): string {
  const clause = clausesOf(of, join, about);
  if (!negated) return clause;
  if (about.value) return `${isPlural(about.value.name) ? 'are not ones' : 'is not one'} that ${clause}`;
  return about.many ? `that are not among those ${clause}` : `that is not one ${clause}`;
}

type Inner = (about: About) => string;

/** What is said of the entry to which a path leads, as said of the entry at its beginning. */
function along(path: readonly Step[], about: About, inner: Inner, test?: Test): string {
  const [first, ...rest] = path;
  if (!first) return inner(about);
  const attribute = attributeIn(about.view, first.name);
  const name = humanized(first.name);
  if (attribute && !leadsOn(attribute)) return `whose ${name} ${inner({ ...about, value: { name, attribute } })}`;
  const short = test && shortClause(path, test, about);
  if (short) return short;
  const view = about.view && attribute ? targetOf(about.view.model, attribute) : null;
  if (test?.op === '$all' && rest.length === 0 && first.set === null) {
    const values = valuesOf(test, attributeIn(view, test.path.at(-1)!.name), about);
    return `with ${name} that among them have every ${valueName(test, test.path.at(-1)!.name)} of ${listed(values, 'and')}`;
  }
  const clause = along(rest, { ...about, view, many: false, value: null }, inner, test);
  const one = attribute && isToMany(attribute) ? oneOf(name, view) : name;
  if (first.set === 'none') return `with no ${one} ${clause}`;
  if (first.set === 'every')
    return `where every ${one} is ${clause.replace(/^(?!that is )/, 'one ').replace(/^that is /, '')}`;
  return `with ${article(one)} ${clause}`;
}

/** "whose chef’s country’s name is …": a path through relations to one. */
function shortClause(path: readonly Step[], test: Test, about: About): string | null {
  let { view } = about;
  for (const { name, set } of path) {
    const attribute = attributeIn(view, name);
    if (set !== null || !view || !attribute || isToMany(attribute)) return null;
    view = targetOf(view.model, attribute);
  }
  const owners = path.map(({ name }) => humanized(name));
  const last = test.path.at(-1)!;
  const attribute = attributeIn(view, last.name);
  if (attribute && leadsOn(attribute)) return null;
  const isEntry = last.name === 'documentId';
  const names = isEntry ? owners : [...owners, valueName(test, last.name)];
  const whose = [...names.slice(0, -1).map(possessive), names.at(-1)!].join(' ');
  return `whose ${whose} ${isEntry ? entryWords(test, about, 'is') : predicate(test, attribute, names.at(-1)!, about)}`;
}

export const oneName = (view: SchemaView | null): string | null => {
  if (!view) return null;
  return humanized('singularName' in view.schema ? String(view.schema.singularName) : view.schema.displayName);
};

/** One of several: "dish" of dishes, "person among the helpers" where the name does not say of what they are. */
function oneOf(name: string, view: SchemaView | null): string {
  const one = oneName(view);
  if (one === null) return name;
  return name === manyName(view) || name === pluralOf(one) ? one : `${one} among the ${name}`;
}

export const manyName = (view: SchemaView | null): string | null => {
  if (!view) return null;
  const { schema } = view;
  if ('kind' in schema && schema.kind === 'singleType') return `the ${oneName(view)}`;
  return humanized('pluralName' in schema ? String(schema.pluralName) : schema.displayName);
};

/** `seats in meta`, of a value inside of JSON. */
const valueName = ({ at }: Test, name: string): string =>
  at.length === 0 ? humanized(name) : `${at.join(' ')} in ${humanized(name)}`;

function testClause(test: Test, about: About): string {
  const last = test.path.at(-1);
  const are = about.many ? 'are' : 'is';
  if (!last && about.value) return predicate(test, about.value.attribute, about.value.name, about);
  if (!last) return `that ${predicate(test, undefined, about.many ? 'ids' : 'id', about)}`;
  const attribute = attributeIn(about.view, last.name);
  const name = valueName(test, last.name);
  if (last.name === 'documentId') return `that ${entryWords(test, about, are)}`;
  if (attribute?.type === 'boolean' && (test.op === '$eq' || test.op === '$ne')) {
    const yes = (test.values[0] === 'true') === (test.op === '$eq');
    return `that ${are}${yes ? '' : ' not'} ${name}`;
  }
  if (attribute && leadsOn(attribute)) return relationClause(test, attribute, name, about);
  return `whose ${name} ${predicate(test, attribute, name, about)}`;
}

function relationClause(test: Test, attribute: ConsoleAttribute, name: string, about: About): string {
  const what = isToMany(attribute) ? name : article(name);
  if (test.op === '$null') return `without ${what}`;
  if (test.op === '$notNull') return `with ${what}`;
  if (test.op === '$all') return `with all of ${listed(valuesOf(test, undefined, about), 'and')} among the ${name}`;
  return `whose ${name} ${predicate(test, undefined, name, about)}`;
}

/** Of a documentId: which entry it is. */
function entryWords(test: Test, about: About, are: string): string {
  const names = valuesOf(test, undefined, about);
  switch (test.op) {
    case '$eq':
      return `${are} ${names[0]}`;
    case '$ne':
      return `${are} not ${names[0]}`;
    case '$in':
      return `${are} ${listed(names, 'or')}`;
    case '$notIn':
      return names.length === 1 ? `${are} not ${names[0]}` : `${are} neither ${listed(names, 'nor')}`;
    default:
      return predicate(test, undefined, 'document', about);
  }
}

function predicate(test: Test, attribute: ConsoleAttribute | undefined, name: string, about: About): string {
  const isTime = attribute !== undefined && /^(date|datetime|time|timestamp)$/.test(attribute.type);
  const values = valuesOf(test, attribute, about);
  const some = listed(values, 'or');
  const none = listed(values, 'nor');
  const [are, s, does] = isPlural(name) ? ['are', '', 'do'] : ['is', 's', 'does'];
  const words: Readonly<Record<Operator, string>> = {
    $eq: `${are} ${some}`,
    $ne: `${are} not ${none}`,
    $eqi: `${are} ${some}, ignoring case`,
    $nei: `${are} not ${none}, ignoring case`,
    $lt: `${are} ${isTime ? 'before' : 'less than'} ${some}`,
    $lte: isTime ? `${are} ${some} or earlier` : `${are} at most ${some}`,
    $gt: `${are} ${isTime ? 'after' : 'more than'} ${some}`,
    $gte: isTime ? `${are} ${some} or later` : `${are} at least ${some}`,
    $in: `${are} ${some}`,
    $notIn: values.length > 1 ? `${are} neither ${none}` : `${are} not ${none}`,
    $between: `${are} between ${listed(values, 'and')}`,
    $contains: `contain${s} ${some}`,
    $notContains: `${does} not contain ${none}`,
    $containsi: `contain${s} ${some}, ignoring case`,
    $notContainsi: `${does} not contain ${none}, ignoring case`,
    $startsWith: `start${s} with ${some}`,
    $startsWithi: `start${s} with ${some}, ignoring case`,
    $endsWith: `end${s} with ${some}`,
    $endsWithi: `end${s} with ${some}, ignoring case`,
    $has: `${s ? 'has' : 'have'} ${some} in the list`,
    $all: `${are} each of ${listed(values, 'and')}`,
    $null: `${are} empty`,
    $notNull: `${are} not empty`,
  };
  return words[test.op];
}

function valuesOf({ values, at }: Test, attribute: ConsoleAttribute | undefined, { titles }: About): string[] {
  const kind = attribute && at.length === 0 ? valueKindOf(attribute) : null;
  return values.map((value) => {
    if (kind === 'number' || kind === 'boolean' || kind === 'time') return value;
    if (kind === 'date' || kind === 'datetime') return relativeDateWords(value) ?? value;
    if (at.length > 0 && /^(-?\d+(\.\d+)?|true|false)$/.test(value)) return value;
    return titles.get(value) ?? `“${value}”`;
  });
}

function countClause({ path, op, values, where }: Count, about: About): string {
  const last = path.at(-1);
  const attribute = last && attributeIn(about.view, last.name);
  const view = about.view && attribute ? targetOf(about.view.model, attribute) : null;
  const isOne = values.length === 1 && values[0] === '1';
  const many = last ? humanized(last.name) : 'entries';
  const name = isOne ? (view ? oneOf(many, view) : 'entry') : many;
  const numbers: Readonly<Record<Count['op'], string>> = {
    $eq: values[0] === '0' ? 'no' : listed(values, 'or'),
    $ne: `other than ${values[0]}`,
    $lt: `fewer than ${values[0]}`,
    $lte: `at most ${values[0]}`,
    $gt: `more than ${values[0]}`,
    $gte: `at least ${values[0]}`,
    $in: listed(values, 'or'),
    $notIn: `neither ${listed(values, 'nor')}`,
    $between: `${values[0]} to ${values[1]}`,
  };
  const clause = clausesOf(where, 'and', { ...about, view, many: !isOne, value: null });
  return `with ${numbers[op]} ${name}${clause && ` ${clause}`}`;
}
