// Conditions and steps → SQL fragments. Decides nothing: what is allowed and what it means was settled in the
// plan. Aliases count up from the root, so the same plan always gives the same text.
import { sql } from 'kysely';
import type { LinkTable } from '../model/types.ts';
import type { ColumnRef, Condition, PlanCountTest, RelationStep, ValueRef } from '../plan/read/nodes.ts';
import type { Dialect, Fragment } from './dialect.ts';
import { isOfRowAlone, namesFew } from './selectivity.ts';
import type { Binding, ContextName, ValueForm } from './statement.ts';

export const bind = (binding: Binding): Fragment => sql`${sql.val(binding)}`;
export const bindContext = (name: ContextName): Fragment => bind({ from: 'context', name });

/** A row in the text: how to write one of its columns. */
export interface RowScope {
  column(name: string): Fragment;
  /** Of a row that a step leads to inside a condition: the row that it leads from, of which only the id is known. */
  readonly holder?: RowScope;
  /** Whether something else leads to the rows that are asked, and they are few. */
  readonly isOneOfFew?: boolean;
}

/** Whether a condition is asked of all rows of a table, as for a total, or of some until there are enough. */
export type Asked = 'all' | 'some';

/** Aliases of a link table and of the table it leads to. */
export interface StepAliases {
  readonly pair: string;
  readonly target: string;
}

/** How links are joined to the rows that they lead to, and how their end is written in conditions. */
interface Joining {
  readonly join: Fragment;
  readonly targetId: (id: Fragment) => Fragment;
}

/** As the database sees fit. */
const FREELY: Joining = { join: sql`join`, targetId: (id) => id };

/** What narrows rows before they are grouped, and the groups. */
interface GroupOfRows {
  readonly condition?: Fragment;
  readonly having: Fragment;
}

export const rowOf = (alias: string, holder?: RowScope): RowScope => ({
  column: (name) => sql.id(alias, name),
  ...(holder && { holder }),
});

/** Says of the row of a pair that it is behind a step; nothing is asked of the row before it. */
const BEHIND_STEP: RowScope = {
  column: (name) => {
    throw new Error(`${name} of a row before the last`);
  },
};

const NUMBERS = new Set(['integer', 'biginteger', 'float', 'decimal']);

export class ConditionCompiler {
  readonly #dialect: Dialect;
  readonly #asked: Asked;
  #aliases = 0;

  constructor(dialect: Dialect, asked: Asked = 'some') {
    this.#dialect = dialect;
    this.#asked = asked;
  }

  alias(prefix: string): string {
    return `${prefix}${++this.#aliases}`;
  }

  condition(condition: Condition, row: RowScope): Fragment {
    switch (condition.is) {
      case 'and':
        return this.#eachRelated(condition.of, row) ?? sql`(${and(this.#together(condition.of, row))})`;
      case 'or':
        return sql`(${sql.join(this.all(condition.of, row), sql` or `)})`;
      case 'never':
        return sql`1 = 0`;
      case 'null':
        return sql`${this.#operand(condition.column, row)} is null`;
      case 'notNull':
        return sql`${this.#operand(condition.column, row)} is not null`;
      case 'compare':
        return this.#compare(condition, row);
      case 'compareCursor': {
        const { column, op, slot } = condition;
        return this.#dialect.compare(row.column(column.column), column.type, op, () =>
          bind({ from: 'cursor', slot, type: column.type }),
        );
      }
      case 'related': {
        const { step, where } = condition;
        const some = row.isOneOfFew ? this.#someOfFew(step, where, row) : this.#some(step, where, row);
        return condition.orNone ? sql`(${some} or ${this.#unrelated(step, row)})` : some;
      }
      case 'unrelated':
        return this.#unrelated(condition.step, row);
      case 'none':
        return this.#none(condition.step, condition.where, row);
      case 'all':
        return this.#allOf(condition, row);
      case 'count':
        return this.#count(condition, row);
      case 'notTrue':
        return sql`(${this.condition(condition.where, row)}) is not true`;
      case 'ofHolder':
        return this.condition(condition.where, row.holder!);
      case 'given':
        return sql`${this.#dialect.input(this.#value(condition.value, 'value'), condition.value.type)} is not null`;
      case 'sibling':
        return this.#sibling(condition, row);
      case 'locale':
        return condition.slot === null
          ? sql`${row.column('locale')} = ${bindContext('defaultLocale')}`
          : sql`${row.column('locale')} in (select value from ${this.#dialect.listTable(bind({ from: 'locales', slot: condition.slot }), 'l', 'text')})`;
      case 'document':
        return sql`${row.column('document_id')} = ${bindContext('documentId')}`;
      case 'linked':
        return this.#linked(condition.link, row);
      case 'search': {
        const { slot } = condition;
        const found = condition.columns.map(({ column, type }) =>
          this.#dialect.searchText(row.column(column), type, (form) =>
            bind({ from: 'search', slot, form: NUMBERS.has(type) && form === 'folded' ? 'number' : form }),
          ),
        );
        return sql`(${sql.join(found, sql` or `)})`;
      }
    }
  }

  /** Members that probably select few rows lead, and the others are asked of those. */
  #together(members: readonly Condition[], row: RowScope): Fragment[] {
    // What is behind a step is found once for all rows in front of it.
    const hasLead = row.holder === undefined && members.some(namesFew);
    const led = hasLead ? { ...row, isOneOfFew: true } : row;
    return members.map((one) => this.condition(one, namesFew(one) ? row : led));
  }

  /** A column, or what is inside of it. */
  #operand({ column, path }: ColumnRef, row: RowScope): Fragment {
    if (!path) return row.column(column);
    return this.#dialect.jsonAt(row.column(column), {
      whole: () => bind({ from: 'path', path }),
      keys: () => Array.from({ length: path.length }, (_, index) => bind({ from: 'key', path, index })),
    });
  }

  #compare({ column, op, negated, value }: Condition & { is: 'compare' }, row: RowScope): Fragment {
    const operand = this.#operand(column, row);
    const bindValue = (form: ValueForm) => this.#value(value, form);
    const comparison = column.path
      ? this.#dialect.compareInJson(operand, op, bindValue)
      : this.#dialect.compare(operand, column.type, op, bindValue);
    if (!negated) return comparison;
    // Null is in no list, not even outside an empty one.
    if (op === 'in') return sql`(${operand} is not null and not (${comparison}))`;
    return sql`not (${comparison})`;
  }

  /** Whether the link leads to a row from the one that is given. */
  #linked(link: LinkTable, row: RowScope): Fragment {
    const { table, from, to, constants } = link;
    const pair = this.alias('l');
    const isLinked = [
      sql`${sql.id(pair, from)} = ${bindContext('parent')}`,
      ...constants.map(({ column, value }) => sql`${sql.id(pair, column)} = ${sql.lit(value)}`),
    ];
    return sql`${row.column('id')} in (select ${sql.id(pair, to)} from ${sql.table(table)} as ${sql.id(pair)} where ${and(isLinked)})`;
  }

  #value(ref: ValueRef, form: ValueForm): Fragment {
    return bind({ from: 'value', ref, form });
  }

  /** Some row at the end of the step meets the condition: a semi-join on the row's id. */
  #some(step: RelationStep, where: Condition | null, row: RowScope): Fragment {
    const target = this.alias('t');
    if (!step.link) {
      const there = rowOf(target, row);
      const conditions = [this.otherLocale(there, row), ...this.all([step.where, where], there)];
      return sql`exists (select 1 from ${sql.table(step.table)} as ${sql.id(target)} where ${and(conditions)})`;
    }
    const { table, from } = step.link;
    const pair = this.alias('p');
    const { there, join, isThere } = this.targetOf(step, pair, target);
    const conditions = [...this.match(step, pair), ...this.all([step.where, where], there)].concat(isThere());
    return sql`${row.column('id')} in (select ${sql.id(pair, from)} from ${sql.table(table)} as ${sql.id(pair)}${join()}${whereOf(conditions)})`;
  }

  /**
   * The same for a row that is one of few: its own links are followed. SQLite does as it is told, and would find all rows
   * that have related ones before it asks the few; so would PostgreSQL, where there is a choice of conditions.
   */
  #someOfFew(step: RelationStep, where: Condition | null, row: RowScope): Fragment {
    const { from, conditions } = this.#relatedTo(step, where, row, this.#linksLead());
    return sql`exists (select 1 from ${from} where ${and(conditions)})`;
  }

  /**
   * For each member, some row at the end of the same step meets it, as $all asks. The rows that have one of each are
   * found first: to look up those of one member, and then test them for the others, takes several times as long. Null
   * where the members ask for anything else.
   */
  #eachRelated(members: readonly Condition[], row: RowScope): Fragment | null {
    const [first] = members;
    if (first?.is !== 'related' || first.step.link === null) return null;
    const { step } = first;
    const conditions: (Condition | null)[] = [];
    for (const one of members) {
      if (one.is !== 'related' || one.step !== step || one.orNone) return null;
      conditions.push(one.where);
    }
    const holders = conditions.map((where) => this.#holders(step, where));
    return sql`${row.column('id')} ${this.#dialect.inFew(sql.join(holders, sql` intersect `))}`;
  }

  #unrelated(step: RelationStep, row: RowScope): Fragment {
    const { from, conditions } = this.#relatedTo(step, null, row, FREELY);
    return sql`not exists (select 1 from ${from} where ${and(conditions)})`;
  }

  /** No row at the end of the step meets the condition. */
  #none(step: RelationStep, where: Condition | null, row: RowScope): Fragment {
    // Behind a step, rows are asked for each path that leads to them, and this would follow their own: it is found once.
    const isFoundOnce = row.holder !== undefined || (this.#asksAll(row) && namesFew(where));
    if (where && step.link && isFoundOnce) return this.#dialect.absent(row.column('id'), this.#holders(step, where));
    const { from, conditions } = this.#relatedTo(step, where, row, this.#linksLead());
    const isQuick = this.#asked === 'some' && isOfRowAlone(where) && isOfRowAlone(step.where);
    const end = isQuick ? this.#dialect.askedRowByRow : sql``;
    return sql`not exists (select 1 from ${from} where ${and(conditions)}${end})`;
  }

  #asksAll({ isOneOfFew = false }: RowScope): boolean {
    return this.#asked === 'all' && !isOneOfFew;
  }

  /** Rows are looked for along the links of a row, never among all rows that meet a condition, once for each row. */
  #linksLead(): Joining {
    return { join: this.#dialect.nestedJoin, targetId: (id) => this.#dialect.withoutIndexHint(id) };
  }

  /** The rows at the end of the step that belong to a row and meet the condition. */
  #relatedTo(step: RelationStep, where: Condition | null, row: RowScope, joining: Joining) {
    const target = this.alias('t');
    if (!step.link) {
      const there = rowOf(target, row);
      const conditions = [this.otherLocale(there, row), ...this.all([step.where, where], there)];
      return { there, from: sql`${sql.table(step.table)} as ${sql.id(target)}`, conditions };
    }
    const pair = this.alias('p');
    const { there, join } = this.targetOf(step, pair, target, joining);
    const conditions = [
      sql`${sql.id(pair, step.link.from)} = ${row.column('id')}`,
      sql`${sql.id(pair, step.link.to)} is not null`,
      ...this.match(step, pair),
      ...this.all([step.where, where], there),
    ];
    return { there, from: sql`${sql.table(step.link.table)} as ${sql.id(pair)}${join()}`, conditions };
  }

  /** Selects, as `id`, the rows from which a step leads to rows that meet the condition, or to groups of such rows. */
  #holders(step: RelationStep, where: Condition | null, grouped?: (there: RowScope) => GroupOfRows): Fragment {
    const [target, pair] = [this.alias('t'), this.alias('p')];
    // To group many rows takes an index on the links, which must lead then; few rows are found first.
    const linksLead = grouped !== undefined && where !== null && !namesFew(where);
    const { there, join, isThere } = this.targetOf(step, pair, target, linksLead ? this.#linksLead() : FREELY);
    const from = sql.id(pair, step.link!.from);
    const { condition, having } = grouped?.(there) ?? {};
    const conditions = [
      sql`${from} is not null`,
      ...this.match(step, pair),
      ...this.all([step.where, where], there),
      ...(condition ? [condition] : []),
    ].concat(isThere());
    const groups = having ? sql` group by ${from} having ${having}` : sql``;
    return sql`select ${from} as id from ${sql.table(step.link!.table)} as ${sql.id(pair)}${join()} where ${and(conditions)}${groups}`;
  }

  /** The number of related rows: counted for each row that is asked, or for all rows in one pass over the links. */
  #count({ step, where, tests, negated, trueOfZero }: Condition & { is: 'count' }, row: RowScope): Fragment {
    const inOnePass = row.holder !== undefined || this.#asksAll(row);
    if (!step.link || trueOfZero === null || !inOnePass) {
      const { there, from, conditions } = this.#relatedTo(step, where, row, this.#linksLead());
      const count = sql`count(${there.column('id')})`;
      return sql`(select ${this.#passes(count, tests, negated)} from ${from} where ${and(conditions)})`;
    }
    // Rows without any are in no group. Where they pass, the groups that do not pass are left out instead.
    const having = this.#passes(sql`count(*)`, tests, negated !== trueOfZero);
    const holders = this.#holders(step, where, () => ({ having }));
    return trueOfZero ? this.#dialect.absent(row.column('id'), holders) : sql`${row.column('id')} in (${holders})`;
  }

  #passes(count: Fragment, tests: readonly PlanCountTest[], negated: boolean): Fragment {
    const all = tests.map(({ op, negated: not, value }) => {
      const comparison = this.#dialect.compare(count, 'integer', op, (form) => this.#value(value, form));
      return not ? sql`not (${comparison})` : comparison;
    });
    return negated ? sql`not (${and(all)})` : and(all);
  }

  /** Among the related rows there are as many different values of the list as it has. */
  #allOf({ step, column: { column, type }, negated, value }: Condition & { is: 'all' }, row: RowScope): Fragment {
    const bindValue = (form: ValueForm) => this.#value(value, form);
    const among = (there: RowScope): Required<GroupOfRows> => ({
      condition: this.#dialect.compare(there.column(column), type, 'in', bindValue),
      having: sql`count(distinct ${this.#dialect.sortValue(there.column(column), type)}) = ${this.#dialect.input(bindValue('listLength'), 'integer')}`,
    });
    if (!step.link) {
      const { there, from, conditions } = this.#relatedTo(step, null, row, FREELY);
      const { condition, having } = among(there);
      const found = sql`(select ${having} from ${from} where ${and([...conditions, condition])})`;
      return negated ? sql`not ${found}` : found;
    }
    const holders = this.#holders(step, null, among);
    return negated ? this.#dialect.absent(row.column('id'), holders) : sql`${row.column('id')} in (${holders})`;
  }

  /** The row at the far end of a pair. Its id stands in the pair, so the table is joined only if more is needed. */
  targetOf(step: RelationStep, pair: string, target: string, joining: Joining = FREELY) {
    let joined = false;
    const there: RowScope = {
      column(name) {
        if (name === 'id') return joining.targetId(sql`${sql.id(pair, step.link!.to)}`);
        joined = true;
        return sql.id(target, name);
      },
      holder: { column: () => sql.id(pair, step.link!.from), holder: BEHIND_STEP },
    };
    const join = () =>
      joined
        ? sql` ${joining.join} ${sql.table(step.table)} as ${sql.id(target)} on ${sql.id(target, 'id')} = ${sql.id(pair, step.link!.to)}`
        : sql``;
    // The pairs of a foreign key are rows of the table itself, and those whose key is null lead nowhere.
    const isThere = () => (joined || step.link!.from !== 'id' ? [] : [sql`${sql.id(pair, step.link!.to)} is not null`]);
    return { there, join, isThere };
  }

  otherLocale(there: RowScope, row: RowScope): Fragment {
    return sql`${there.column('document_id')} = ${row.column('document_id')} and ${there.column('id')} <> ${row.column('id')}`;
  }

  all(conditions: readonly (Condition | null)[], row: RowScope): Fragment[] {
    return conditions.filter((one) => one !== null).map((one) => this.condition(one, row));
  }

  match({ link, among }: RelationStep, pair: string): Fragment[] {
    const operand = (column: string): Fragment => this.#dialect.withoutIndexHint(sql.id(pair, column));
    const constants = link!.constants.map(({ column, value }) => sql`${operand(column)} = ${sql.lit(value)}`);
    if (!among) return constants;
    const values = sql.join(among.values.map((value) => sql.lit(value)));
    return [...constants, sql`${operand(among.column)} in (${values})`];
  }

  #sibling({ table, sibling, where, negated }: Condition & { is: 'sibling' }, row: RowScope): Fragment {
    const alias = this.alias('s');
    const other = rowOf(alias);
    const [draft, published] = sibling.status === 'draft' ? [other, row] : [row, other];
    const conditions = [
      sql`${other.column('document_id')} = ${row.column('document_id')}`,
      sibling.status === 'draft'
        ? sql`${other.column('published_at')} is null`
        : sql`${other.column('published_at')} is not null`,
    ];
    if (sibling.sameLocale) conditions.push(this.#dialect.same(other.column('locale'), row.column('locale')));
    if (where) conditions.push(this.condition(where, other));
    if (sibling.draftIsNewer !== null)
      conditions.push(
        sql`${draft.column('updated_at')} ${sibling.draftIsNewer ? sql`>` : sql`<=`} ${published.column('updated_at')}`,
      );
    const exists = sql`exists (select 1 from ${sql.table(table)} as ${sql.id(alias)} where ${and(conditions)})`;
    return negated ? sql`not ${exists}` : exists;
  }

  /** A link table joined to the rows it leads to, with all that narrows them; those of few rows are few. */
  stepSource(step: RelationStep, where: Condition | null, from: RowScope, aliases: StepAliases): Fragment {
    const { pair, target } = aliases;
    const there: RowScope = { ...rowOf(target), isOneOfFew: from.isOneOfFew === true };
    if (!step.link) {
      const conditions = [this.otherLocale(there, from), ...this.all([step.where, where], there)];
      return sql`${sql.table(step.table)} as ${sql.id(target)} on ${and(conditions)}`;
    }
    const links = this.linksFrom(step, step.link, from, pair);
    return sql`${sql.table(step.link.table)} as ${sql.id(pair)} on ${and(links)} join ${this.#targetSource(step, where, there, aliases)}`;
  }

  /** The same behind links that were found already, and are few. */
  linkedSource(step: RelationStep, where: Condition | null, links: Fragment, aliases: StepAliases): Fragment {
    const there: RowScope = { ...rowOf(aliases.target), isOneOfFew: true };
    const target = this.#targetSource(step, where, there, aliases);
    return sql`${links} as ${sql.id(aliases.pair)} join ${target}${whereOf(this.match(step, aliases.pair))}`;
  }

  #targetSource(
    { link, table, where: visible }: RelationStep,
    where: Condition | null,
    there: RowScope,
    { pair, target }: StepAliases,
  ): Fragment {
    const conditions = [sql`${there.column('id')} = ${sql.id(pair, link!.to)}`, ...this.all([visible, where], there)];
    return sql`${sql.table(table)} as ${sql.id(target)} on ${and(conditions)}`;
  }

  linksFrom(step: RelationStep, link: LinkTable, row: RowScope, pair: string): Fragment[] {
    return [sql`${sql.id(pair, link.from)} = ${row.column('id')}`, ...this.match(step, pair)];
  }

  /** Joins the row that a step leads to, or one of nulls where there is none. For steps that lead to one row at most. */
  outerStep(step: RelationStep, from: RowScope, { pair, target }: StepAliases): Fragment {
    const there = rowOf(target);
    const isLinked = [sql`${sql.id(pair, step.link!.from)} = ${from.column('id')}`, ...this.match(step, pair)];
    const isSeen = [sql`${there.column('id')} = ${sql.id(pair, step.link!.to)}`, ...this.all([step.where], there)];
    return sql` left join ${sql.table(step.link!.table)} as ${sql.id(pair)} on ${and(isLinked)} left join ${sql.table(step.table)} as ${sql.id(target)} on ${and(isSeen)}`;
  }

  /** The different values at the end of steps, each with the `id` of the row that the steps lead from. */
  valuesReached(steps: readonly RelationStep[], values: (row: RowScope) => readonly Fragment[]): Fragment {
    const [first, ...rest] = steps as [RelationStep, ...RelationStep[]];
    const [holder, target] = [this.alias(first.link ? 'p' : 'o'), this.alias('t')];
    let row = rowOf(target);
    const isThere = first.link
      ? [sql`${row.column('id')} = ${sql.id(holder, first.link.to)}`, ...this.match(first, holder)]
      : [this.otherLocale(row, rowOf(holder))];
    const conditions = [...isThere, ...this.all([first.where], row)];
    let source = sql`${sql.table(first.link?.table ?? first.table)} as ${sql.id(holder)} join ${sql.table(first.table)} as ${sql.id(target)} on ${and(conditions)}`;
    for (const step of rest) {
      const aliases = { pair: this.alias('p'), target: this.alias('t') };
      source = sql`${source} join ${this.stepSource(step, null, row, aliases)}`;
      row = rowOf(aliases.target);
    }
    return sql`select distinct ${sql.id(holder, first.link?.from ?? 'id')} as id, ${sql.join(values(row))} from ${source}`;
  }
}

export const and = (conditions: readonly Fragment[]): Fragment => sql`${sql.join(conditions, sql` and `)}`;
export const whereOf = (conditions: readonly Fragment[]): Fragment =>
  conditions.length > 0 ? sql` where ${and(conditions)}` : sql``;
