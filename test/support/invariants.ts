// What holds of stored content at every moment, whoever is writing: asked of the database itself, in SQL that every
// database understands.
import type { Model } from '../../src/model/types.ts';
import { contentChecks } from '../../src/sql/content-checks.ts';

export type Ask = (sql: string) => Promise<readonly (readonly unknown[])[]>;

/** Everything that is not as it should be; the answers to `ask` must come from one state of the data. */
export async function violations(model: Model, ask: Ask): Promise<string[]> {
  const found: string[] = [];
  for (const { what, sql } of contentChecks(model)) {
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
