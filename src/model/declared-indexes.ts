// Indexes that a project declares: names of attributes → columns of the type's own table.
import type { Attribute, DeclaredIndex, ScalarType } from './types.ts';

export interface IndexDeclaration {
  readonly names: readonly string[];
  /** File and key, for messages. */
  readonly at: string;
}

/** Values of any length, or none that anybody filters or sorts by. An index of PostgreSQL holds some 2,700 bytes. */
export const NOT_INDEXED = new Set<ScalarType>(['text', 'richtext', 'json', 'blocks', 'password']);

/** Each list of columns once. One that needs no index beside those that exist anyway is left out. */
export function declaredIndexes(
  declarations: readonly IndexDeclaration[],
  attributes: ReadonlyMap<string, Attribute>,
  problems: string[],
): readonly DeclaredIndex[] {
  const indexes = new Map<string, DeclaredIndex>();
  for (const { names, at } of declarations) {
    const found = names.map((name) => ({ name, attribute: attributes.get(name) }));
    const wrong = found.map(({ name, attribute }) => problemOf(name, attribute, names.length > 1));
    problems.push(...wrong.filter((problem) => problem !== null).map((problem) => `${at}: ${problem}`));
    if (new Set(names).size < names.length) problems.push(`${at}: expected every attribute once`);
    const columns = found.map(({ attribute }) => columnOf(attribute)).filter((column) => column !== null);
    // The key of a relation has an index of its own already, and so has every link table.
    if (columns.length < names.length || (names.length === 1 && found[0]!.attribute!.kind === 'relation')) continue;
    if (columns.length === 1 && columns[0]!.column === 'id') continue;
    const name = columns.map(({ column }) => column).join('_');
    const other = indexes.get(name);
    if (other?.some(({ column }, position) => column !== columns[position]?.column))
      problems.push(`${at}: another index of the type would have the same name; expected other attributes`);
    indexes.set(name, columns);
  }
  return [...indexes.values()];
}

/** The column of a type's own table that holds an attribute; null where another table does. */
export function columnOf(attribute: Attribute | undefined): DeclaredIndex[number] | null {
  if (attribute?.kind === 'scalar') return { column: attribute.column, type: attribute.type };
  if (attribute?.kind === 'relation' && attribute.storage === 'column' && attribute.owning)
    return { column: attribute.link.to, type: 'integer' };
  return null;
}

function problemOf(name: string, attribute: Attribute | undefined, amongOthers: boolean): string | null {
  const expected = 'expected scalar attributes, or a relation to one';
  if (!attribute) return `there is no attribute "${name}"; ${expected}`;
  if (attribute.kind === 'scalar')
    return NOT_INDEXED.has(attribute.type)
      ? `"${name}" is ${attribute.type}, which cannot be indexed; ${expected}`
      : null;
  if (attribute.kind !== 'relation' || attribute.many) return `"${name}" is ${kindOf(attribute)}; ${expected}`;
  return amongOthers && columnOf(attribute) === null
    ? `"${name}" is kept in a table of links, which is indexed already; expected attributes with a column of their own`
    : null;
}

const kindOf = (attribute: Attribute): string => {
  switch (attribute.kind) {
    case 'relation':
      return 'a relation to many';
    case 'dynamiczone':
      return 'a dynamic zone';
    case 'morph':
      return 'a polymorphic relation';
    case 'media':
      return 'media';
    default:
      return `a ${attribute.kind === 'component' ? 'component' : 'list of locales'}`;
  }
};
