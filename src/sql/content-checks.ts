// What holds of stored content at every moment, whoever is writing: as statements that select what breaks a rule.
import type { Model, RelationAttribute, Schema } from '../model/types.ts';

export interface ContentCheck {
  readonly what: string;
  /** Selects what breaks the rule. */
  readonly sql: string;
}

/** In SQL that every database understands. */
export function contentChecks(model: Model): readonly ContentCheck[] {
  // What Strapi keeps for itself follows its own rules.
  const types = [...model.contentTypes.values()].filter(({ exposure }) => exposure === 'routes');
  const checks = types.map(oneRowForEachVersion);
  for (const schema of [...types, ...model.components.values()])
    for (const attribute of schema.attributes.values())
      if (attribute.kind === 'relation' && attribute.owning && attribute.storage === 'linkTable')
        checks.push(...linkChecks(model, schema, attribute));
  return checks;
}

const oneRowForEachVersion = ({ table }: Schema): ContentCheck => ({
  what: `${table} holds a version of a document twice`,
  sql: `select document_id, locale, published_at is null, count(*) from "${table}"
    group by document_id, locale, published_at is null having count(*) > 1`,
});

const hasDrafts = (schema: Schema): boolean => schema.kind !== 'component' && schema.draftAndPublish;

function linkChecks(model: Model, schema: Schema, attribute: RelationAttribute): ContentCheck[] {
  const { table, from, to, order, inverseOrder } = attribute.link;
  const target = model.contentTypes.get(attribute.target)!;
  const dense = (owner: string, place: string): ContentCheck => ({
    what: `${table}.${place} is not 1 to n`,
    sql: `select "${owner}", count(*), count(distinct "${place}"), min("${place}"), max("${place}") from "${table}"
      group by "${owner}" having count(distinct "${place}") <> count(*) or min("${place}") <> 1 or max("${place}") <> count(*)`,
  });
  // A row without drafts may have the draft of one document and the published row of another.
  const one = (owner: string, other: string, others: Schema): ContentCheck => ({
    what: `${table}.${owner} has more than one ${other}`,
    sql: `select p."${owner}", count(distinct o.document_id) from "${table}" p join "${others.table}" o on o.id = p."${other}"
      group by p."${owner}"${hasDrafts(others) ? ', o.published_at is null' : ''} having count(distinct o.document_id) > 1`,
  });
  const leadsNowhere = (column: string, other: Schema): ContentCheck => ({
    what: `${table}.${column} leads to nothing`,
    sql: `select id, "${column}" from "${table}" p where not exists (select 1 from "${other.table}" o where o.id = p."${column}")`,
  });
  return [
    {
      what: `${table} has a pair twice`,
      sql: `select "${from}", "${to}", count(*) from "${table}" group by "${from}", "${to}" having count(*) > 1`,
    },
    leadsNowhere(from, schema),
    leadsNowhere(to, target),
    ...(order === null ? [] : [dense(from, order)]),
    ...(inverseOrder === null ? [] : [dense(to, inverseOrder)]),
    ...(attribute.many ? [] : [one(from, to, target)]),
    ...(attribute.exclusive && schema.kind !== 'component' ? [one(to, from, schema)] : []),
  ];
}
