// Link tables: how each kind of attribute walks from a row to the rows that it is linked with.

import {
  componentTableName,
  idColumnName,
  inverseIdColumnName,
  inverseOrderColumnName,
  joinTableName,
  morphTableName,
  orderColumnName,
  typeColumnName,
} from './identifiers.ts';
import type { AttributeDefinition, Definition, LinkTable } from './types.ts';

/** A definition with the name of its table. */
export interface NamedDefinition extends Definition {
  readonly table: string;
}

export const ownColumn = (definition: NamedDefinition, column: string): LinkTable => ({
  table: definition.table,
  from: 'id',
  to: column,
  constants: [],
  order: null,
  inverseOrder: null,
});

export const componentPairs = (definition: NamedDefinition, field: string, component: string): LinkTable => ({
  table: componentTableName(definition.collectionName),
  from: 'entity_id',
  to: 'cmp_id',
  constants: [
    { column: 'field', value: field },
    { column: 'component_type', value: component },
  ],
  order: 'order',
  inverseOrder: null,
});

/** From a type to the rows that point at it through their `morphToMany`. */
export const morphInversePairs = (holder: NamedDefinition, morphBy: string, uid: string, field: string): LinkTable => ({
  table: morphTableName(holder.table, morphBy),
  from: idColumnName(morphBy),
  to: idColumnName(holder.singularName),
  targetTable: holder.table,
  constants: [
    { column: typeColumnName(morphBy), value: uid },
    { column: 'field', value: field },
  ],
  order: 'order',
  inverseOrder: null,
});

/** The link table of an owning relation, before a side is chosen. */
interface Link {
  readonly ownColumn: string | null;
  readonly table: string;
  readonly targetTable: string;
  readonly ownerId: string;
  readonly targetId: string;
  readonly targetOrder: string | null;
  readonly ownerOrder: string | null;
}

export function linkOf(
  owner: NamedDefinition,
  name: string,
  declared: AttributeDefinition,
  target: NamedDefinition,
): Link {
  const ownerId = idColumnName(owner.singularName);
  const same = ownerId === idColumnName(target.singularName);
  const many = declared.relation === 'oneToMany' || declared.relation === 'manyToMany';
  const twoWay = declared.inversedBy != null;
  const ownerHasOrder = twoWay && (declared.relation === 'manyToOne' || declared.relation === 'manyToMany');
  return {
    ownColumn: declared.useJoinTable === false ? idColumnName(name) : null,
    table: joinTableName(owner.table, name),
    targetTable: target.table,
    ownerId,
    targetId: same ? inverseIdColumnName(target.singularName) : idColumnName(target.singularName),
    targetOrder: many ? orderColumnName(target.singularName) : null,
    ownerOrder: ownerHasOrder
      ? same && many
        ? inverseOrderColumnName(owner.singularName)
        : orderColumnName(owner.singularName)
      : null,
  };
}

/** No document has an empty documentId, so this leads to no rows. */
export const noRows = (target: NamedDefinition): LinkTable => ({
  table: target.table,
  from: 'id',
  to: 'id',
  constants: [{ column: 'document_id', value: '' }],
  order: null,
  inverseOrder: null,
});

export const forward = (owner: NamedDefinition, link: Link): LinkTable =>
  link.ownColumn !== null
    ? ownColumn(owner, link.ownColumn)
    : {
        table: link.table,
        from: link.ownerId,
        to: link.targetId,
        targetTable: link.targetTable,
        constants: [],
        order: link.targetOrder,
        inverseOrder: link.ownerOrder,
      };

export const reversed = (owner: NamedDefinition, link: Link): LinkTable =>
  link.ownColumn !== null
    ? { table: owner.table, from: link.ownColumn, to: 'id', constants: [], order: null, inverseOrder: null }
    : {
        table: link.table,
        from: link.targetId,
        to: link.ownerId,
        targetTable: owner.table,
        constants: [],
        order: link.ownerOrder,
        inverseOrder: link.targetOrder,
      };
