// The model as boxes and lines: content-types and components, and what leads from one to another.
import type {
  ConsoleAttribute,
  ConsoleModel,
  ConsoleRelation,
  ConsoleSchema,
  ConsoleType,
} from '../../../../src/console/contract.ts';
import { attributeOf, schemaOf, typeOf } from '../../shell/model.ts';

export type BoxKind = 'collection type' | 'single type' | 'component' | 'built in';

export interface Box {
  readonly uid: string;
  readonly title: string;
  readonly kind: BoxKind;
  readonly schema: ConsoleSchema;
}

export interface Line {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  /** The attribute, and that of the other side if there is one. */
  readonly label: string;
  readonly kind: 'relation' | 'component' | 'zone' | 'media';
  /** How many entries of a side one of the other may have. */
  readonly fromMany: boolean;
  readonly toMany: boolean;
}

export interface ModelGraph {
  readonly boxes: readonly Box[];
  readonly lines: readonly Line[];
}

export interface Shown {
  readonly components: boolean;
  readonly builtIn: boolean;
}

/** The versions of an entry in other languages: every localized type has them, and they are no part of a model. */
const LOCALIZATIONS = 'localizations';

export const kindOf = (model: ConsoleModel, uid: string): BoxKind => {
  const type = typeOf(model, uid);
  if (!type) return 'component';
  if (type.source !== 'own') return 'built in';
  return type.kind === 'singleType' ? 'single type' : 'collection type';
};

export function graphOf(model: ConsoleModel, shown: Shown): ModelGraph {
  const boxes = [...model.types, ...model.components]
    .map((schema) => ({ uid: schema.uid, title: schema.displayName, kind: kindOf(model, schema.uid), schema }))
    .filter(({ kind }) => (kind === 'component' ? shown.components : kind !== 'built in' || shown.builtIn));
  const isShown = (uid: string): boolean => boxes.some((box) => box.uid === uid);
  const lines = new Map<string, Line>();
  for (const { schema } of boxes)
    for (const attribute of schema.attributes)
      for (const line of linesOf(model, schema, attribute)) {
        if (isShown(line.to) && !lines.has(line.id)) lines.set(line.id, line);
      }
  return { boxes, lines: [...lines.values()] };
}

/** What leads from an attribute to other schemas. Both sides of a relation give the same line. */
export function linesOf(model: ConsoleModel, schema: ConsoleSchema, attribute: ConsoleAttribute): readonly Line[] {
  const { name, relation, component, components } = attribute;
  const held = (to: string, kind: Line['kind'], toMany: boolean): Line => ({
    id: `${schema.uid}.${name}-${to}`,
    from: schema.uid,
    to,
    label: name,
    kind,
    fromMany: kind === 'media',
    toMany,
  });
  if (name === LOCALIZATIONS) return [];
  if (component !== undefined) return [held(component, 'component', attribute.repeatable ?? false)];
  if (components) return components.map((uid) => held(uid, 'zone', true));
  if (attribute.type === 'media') {
    const files = model.types.find(({ source }) => source === 'files');
    return files ? [held(files.uid, 'media', attribute.multiple ?? false)] : [];
  }
  const target = relation?.target;
  return target ? [relationLine(model, schema, name, { ...relation, target })] : [];
}

type Targeted = ConsoleRelation & { readonly target: string };

function relationLine(model: ConsoleModel, schema: ConsoleSchema, name: string, relation: Targeted): Line {
  const { target, toMany, inverse } = relation;
  const far = schemaOf(model, target);
  const other = inverse !== null && far ? attributeOf(far, inverse) : undefined;
  const here = `${schema.uid}.${name}`;
  const line: Line = {
    id: here,
    from: schema.uid,
    to: target,
    label: other ? `${name} / ${other.name}` : name,
    kind: 'relation',
    fromMany: other?.relation?.toMany ?? relation.kind.startsWith('manyTo'),
    toMany,
  };
  if (!other) return line;
  const there = `${target}.${other.name}`;
  // The line begins at the side whose name comes first.
  if (here <= there) return { ...line, id: `${here}-${there}` };
  return {
    ...line,
    id: `${there}-${here}`,
    from: target,
    to: schema.uid,
    label: `${other.name} / ${name}`,
    fromMany: toMany,
    toMany: line.fromMany,
  };
}

const sidesInWords = ({ fromMany, toMany }: Line): string =>
  `${fromMany ? 'many' : 'one'} to ${toMany ? 'many' : 'one'}`;

/** `Dish and Restaurant: restaurant / dishes, many to one`. */
export function lineInWords(model: ConsoleModel, line: Line): string {
  const titleOf = (uid: string): string => schemaOf(model, uid)?.displayName ?? uid;
  const [from, to] = [titleOf(line.from), titleOf(line.to)];
  switch (line.kind) {
    case 'component':
      return `${from} holds ${line.toMany ? 'a list of ' : ''}${to}: ${line.label}`;
    case 'zone':
      return `${from} may hold ${to}: ${line.label}`;
    default:
      return `${from} and ${to}: ${line.label}, ${sidesInWords(line)}`;
  }
}

/** Whether a box is meant by what someone types. */
export const matches = ({ title, uid }: Pick<Box, 'title' | 'uid'>, search: string): boolean =>
  `${title} ${uid}`.toLowerCase().includes(search.trim().toLowerCase());

/** What leads to a type or component: the schema that has the attribute, and the attribute. */
export function usesOf(
  model: ConsoleModel,
  uid: string,
): readonly { readonly schema: ConsoleSchema | ConsoleType; readonly attribute: ConsoleAttribute }[] {
  const leads = ({ name, relation, component, components }: ConsoleAttribute): boolean =>
    name !== LOCALIZATIONS && (relation?.target === uid || component === uid || (components?.includes(uid) ?? false));
  return [...model.types, ...model.components].flatMap((schema) =>
    schema.attributes.filter(leads).map((attribute) => ({ schema, attribute })),
  );
}
