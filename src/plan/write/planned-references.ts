// The references of a planned write: what a body names, listed once, so that one look-up per type serves the whole
// write and locks can be derived before anything is read.
import type { MediaAttribute, MorphAttribute, RelationAttribute } from '../../model/types.ts';
import type { Reference, RelationInput } from '../../request/parse-relation.ts';
import type { EntityChange, RelationChange, TargetReferences } from './changes.ts';

/** What a relation connects, sets or disconnects, without the anchors of positions. */
export function referencesIn(input: RelationInput): readonly Reference[] {
  switch (input.mode) {
    case 'keep':
      return [];
    case 'set':
      return input.references;
    case 'change':
      return [...input.connect.map(({ reference }) => reference), ...input.disconnect];
  }
}

const anchorsIn = (input: RelationInput): Reference[] =>
  input.mode === 'change'
    ? input.connect.flatMap(({ position }) => ('anchor' in position ? [position.anchor] : []))
    : [];

export const targetOf = (
  attribute: RelationAttribute | MediaAttribute | MorphAttribute,
  { type }: Pick<Reference, 'type'>,
): string => (attribute.kind === 'morph' ? (type ?? '') : attribute.target);

/** Every relation of a change, those of its components included. */
export function relationsIn(change: EntityChange): RelationChange[] {
  return [
    ...change.relations,
    ...change.components.flatMap(({ items }) => items.flatMap(({ entity }) => relationsIn(entity))),
  ];
}

export function targetReferences(change: EntityChange): TargetReferences[] {
  const targets = new Map<string, { documentIds: Set<string>; rowIds: Set<number> }>();
  for (const { attribute, input } of relationsIn(change))
    for (const reference of [...referencesIn(input), ...anchorsIn(input)]) {
      const uid = targetOf(attribute, reference);
      const target = targets.get(uid) ?? { documentIds: new Set(), rowIds: new Set() };
      targets.set(uid, target);
      if (reference.documentId !== null) target.documentIds.add(reference.documentId);
      else target.rowIds.add(reference.id!);
    }
  return [...targets].map(([target, { documentIds, rowIds }]) => ({
    target,
    documentIds: [...documentIds],
    rowIds: [...rowIds],
  }));
}
