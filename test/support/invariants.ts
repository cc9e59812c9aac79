// What holds of stored content at every moment, whoever is writing: asked of the database itself, in SQL that every
// database understands.
import type { Model, RelationAttribute, Schema } from '../../src/model/types.ts';

export type Ask = (sql: string) => Promise<readonly (readonly unknown[])[]>;

/** Everything that is not as it should be; the answers to `ask` must come from one state of the data. */
export async function violations(model: Model, ask: Ask): Promise<string[]> {
  const found: string[] = [];
  for (const { what, sql } of checksOf(model)) {
    const rows = await ask(sql);
    if (rows.length > 0) found.push(`${what}: ${JSON.stringify(rows.slice(0, 3))}`);
  }
  return found;
}

/** Rows of components that no row holds, and links to components that lead nowhere. */
export async function componentOrphans(model: Model, ask: Ask): Promise<string[]> {
  const found: string[] = [];
  const holders = [...model.contentTypes.values(), ...model.components.values()].filter(({ attributes }) =>
    [...attributes.values()].some(({ kind }) => kind === 'component' || kind === 'dynamiczone'),
  );
  for (const { uid, table } of model.components.values()) {
    const held = holders.map(
      (holder) => `select cmp_id from "${holder.componentTable}" where component_type = '${uid}'`,
    );
    const free = await ask(`select id from "${table}" where id not in (${held.join(' union all ') || 'select 0'})`);
    if (free.length > 0) found.push(`${table} has rows that nothing holds: ${JSON.stringify(free)}`);
    for (const { componentTable, table: own } of holders) {
      const links = await ask(`select id, entity_id, cmp_id from "${componentTable}" l where component_type = '${uid}'
        and (cmp_id not in (select id from "${table}") or entity_id not in (select id from "${own}"))`);
      if (links.length > 0) found.push(`${componentTable} leads to nothing: ${JSON.stringify(links)}`);
    }
  }
  return found;
}

interface Check {
  readonly what: string;
  /** Selects what breaks the rule. */
  readonly sql: string;
}

function checksOf(model: Model): Check[] {
  // What the reference keeps for itself follows its own rules.
  const types = [...model.contentTypes.values()].filter(({ exposure }) => exposure === 'routes');
  const checks = types.map(oneRowForEachVersion);
  for (const schema of [...types, ...model.components.values()])
    for (const attribute of schema.attributes.values())
      if (attribute.kind === 'relation' && attribute.owning && attribute.storage === 'linkTable')
        checks.push(...linkChecks(model, schema, attribute));
  return checks;
}

const oneRowForEachVersion = ({ table }: Schema): Check => ({
  what: `${table} holds a version of a document twice`,
  sql: `select document_id, locale, published_at is null, count(*) from "${table}"
    group by document_id, locale, published_at is null having count(*) > 1`,
});

function linkChecks(model: Model, schema: Schema, attribute: RelationAttribute): Check[] {
  const { table, from, to, order, inverseOrder } = attribute.link;
  const target = model.contentTypes.get(attribute.target)!;
  const dense = (owner: string, place: string): Check => ({
    what: `${table}.${place} is not 1 to n`,
    sql: `select "${owner}", count(*), count(distinct "${place}"), min("${place}"), max("${place}") from "${table}"
      group by "${owner}" having count(distinct "${place}") <> count(*) or min("${place}") <> 1 or max("${place}") <> count(*)`,
  });
  const one = (owner: string, other: string, others: Schema): Check => ({
    what: `${table}.${owner} has more than one ${other}`,
    sql: `select p."${owner}", count(distinct o.document_id) from "${table}" p join "${others.table}" o on o.id = p."${other}"
      group by p."${owner}" having count(distinct o.document_id) > 1`,
  });
  const leadsNowhere = (column: string, other: Schema): Check => ({
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
