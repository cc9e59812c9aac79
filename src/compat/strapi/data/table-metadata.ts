// `strapi.db.metadata`: in which tables and columns content-types and components are, as code that writes SQL asks for it.
import type { Attribute, LinkTable, Model, Schema } from '../../../model/types.ts';
import { viewOf } from './schema-views.ts';

export interface TableMetadata {
  readonly uid: string;
  readonly singularName: string;
  readonly tableName: string;
  readonly attributes: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** By uid. To ask for one that is not there is an error. */
export class TablesMetadata extends Map<string, TableMetadata> {
  override get(uid: string): TableMetadata {
    const found = super.get(uid);
    if (!found) throw new Error(`Metadata for "${uid}" not found`);
    return found;
  }
}

export function tablesMetadata(model: Model): TablesMetadata {
  const schemas: readonly Schema[] = [...model.contentTypes.values(), ...model.components.values()];
  return new TablesMetadata(schemas.map((schema) => [schema.uid, metadataOf(model, schema)]));
}

function metadataOf(model: Model, schema: Schema): TableMetadata {
  const { uid, singularName, table: tableName } = schema;
  const { attributes: declared } = viewOf(model, schema);
  const attributes = [...schema.attributes.values()].map((attribute) => [
    attribute.name,
    { ...declared[attribute.name], ...placeOf(attribute) },
  ]);
  return { uid, singularName, tableName, attributes: Object.fromEntries(attributes) };
}

/** What is said of an attribute beside its declaration. */
function placeOf(attribute: Attribute): object {
  switch (attribute.kind) {
    case 'scalar':
      return { type: attribute.name === 'id' ? 'increments' : attribute.type, columnName: attribute.column };
    case 'relation':
      if (attribute.storage === 'linkTable') return { joinTable: joinTableOf(attribute.link) };
      return attribute.storage === 'column' ? { joinColumn: columnOf(attribute.link.to) } : {};
    case 'component': {
      const relation = attribute.many ? 'oneToMany' : 'oneToOne';
      const joinTable = { ...joinTableOf(attribute.link), on: { field: attribute.name } };
      return { type: 'relation', relation, target: attribute.component, joinTable };
    }
    case 'morph':
      return attribute.many
        ? { joinTable: morphTableOf(attribute.targets) }
        : { owner: true, morphColumn: morphColumnOf(attribute.targets) };
    case 'dynamiczone': {
      const joinTable = { ...morphTableOf(attribute.components), on: { field: attribute.name } };
      return { type: 'relation', relation: 'morphToMany', joinTable };
    }
    default:
      return {};
  }
}

const columnOf = (name: string) => ({ name, referencedColumn: 'id' });

const joinTableOf = ({ table, from, to, order, inverseOrder }: LinkTable) => ({
  name: table,
  joinColumn: columnOf(from),
  inverseJoinColumn: columnOf(to),
  pivotColumns: [from, to],
  ...(order !== null && { orderColumnName: order, orderBy: { [order]: 'asc' } }),
  ...(inverseOrder !== null && { inverseOrderColumnName: inverseOrder }),
});

type MorphTargets = readonly { readonly uid: string; readonly link: LinkTable }[];

/** The table of links to rows of several types. All targets have the same columns. */
function morphTableOf(targets: MorphTargets): object {
  const link = targets[0]?.link;
  if (!link) return {};
  const { table: name, from, order } = link;
  const orderBy = order === null ? {} : { orderBy: { [order]: 'asc' } };
  return { name, joinColumn: columnOf(from), morphColumn: morphColumnOf(targets), ...orderBy };
}

/** Where the id and the type of a row are kept that a link leads to. */
function morphColumnOf(targets: MorphTargets): object {
  const [target] = targets;
  const type = target?.link.constants.find(({ value }) => value === target.uid);
  return target && type ? { idColumn: columnOf(target.link.to), typeColumn: { name: type.column } } : {};
}
