// The project that clients write to: the example, and a type with forty relations beside it.
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PROJECT } from './data.ts';

export const RELATIONS = 40;

type Attributes = Record<string, Record<string, unknown>>;

/** Kinds of relations in turn, each with that of its counterpart where it has one. */
const KINDS = [
  ['manyToMany', 'manyToMany'],
  ['manyToOne', 'oneToMany'],
  ['oneToOne', 'oneToOne'],
  ['manyToMany', null],
  ['oneToMany', 'manyToOne'],
] as const;

/** Writes the project below a folder and returns where it is. */
export function writeProject(folder: string): string {
  const project = path.join(folder, 'project');
  cpSync(PROJECT, project, { recursive: true, filter: (source) => path.basename(source) !== '.sheaf' });
  const wide: Attributes = { title: { type: 'string' } };
  const target: Attributes = { name: { type: 'string' } };
  for (let index = 0; index < RELATIONS; index++) {
    const [kind, inverse] = KINDS[index % KINDS.length]!;
    const [name, counterpart] = [`relation${index}`, `wide${index}`];
    // The side that holds many of one-to-many cannot own the relation.
    const [mine, theirs] = kind === 'oneToMany' ? ['mappedBy', 'inversedBy'] : ['inversedBy', 'mappedBy'];
    wide[name] = relation(kind, 'target', inverse ? { [mine]: counterpart } : {});
    if (inverse) target[counterpart] = relation(inverse, 'wide', { [theirs]: name });
  }
  writeType(project, 'wide', wide);
  writeType(project, 'target', target);
  return project;
}

const relation = (kind: string, target: string, options: Record<string, string>): Record<string, unknown> => ({
  type: 'relation',
  relation: kind,
  target: `api::${target}.${target}`,
  ...options,
});

function writeType(project: string, name: string, attributes: Attributes): void {
  const folder = path.join(project, 'src', 'api', name, 'content-types', name);
  const schema = {
    kind: 'collectionType',
    collectionName: `${name}s`,
    info: { singularName: name, pluralName: `${name}s`, displayName: name },
    options: { draftAndPublish: true },
    attributes,
  };
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'schema.json'), JSON.stringify(schema, null, 2));
}
