// Conditions and order keys as SQL. Whole statements are in test/golden; here is what each kind of condition becomes,
// and where the text must not be simpler than it is.
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { modelOf, relation } from '../../test/support/project.ts';
import { systemAccess } from '../access/access.ts';
import { PlanContext } from '../plan/read/context.ts';
import type { Condition, OrderKey } from '../plan/read/nodes.ts';
import { planFilter } from '../plan/read/plan-filter.ts';
import { planSort } from '../plan/read/plan-sort.ts';
import { NO_LIMIT, parseRead } from '../request/parse-read.ts';
import { ConditionCompiler, rowOf } from './compile-condition.ts';
import { OrderCompiler, ordered } from './compile-order.ts';
import { statement } from './compile-read.ts';
import type { Fragment } from './dialect.ts';
import { postgresDialect } from './dialect-postgres.ts';
import { sqliteDialect } from './dialect-sqlite.ts';

const model = modelOf({
  types: {
    page: {
      attributes: {
        title: { type: 'string' },
        rank: { type: 'integer' },
        writer: relation('manyToOne', 'writer'),
        key: relation('manyToOne', 'writer', { useJoinTable: false }),
        seal: { type: 'component', component: 'kit.seal' },
      },
    },
    writer: { drafts: true, attributes: { name: { type: 'string' }, pages: relation('oneToMany', 'page') } },
    plain: { localized: true, attributes: { name: { type: 'string' }, self: relation('manyToOne', 'plain') } },
  },
  components: { 'kit.seal': { year: { type: 'integer' } } },
});

const context = (): PlanContext =>
  new PlanContext(model, { status: 'published', publication: null }, systemAccess(model));
const parsed = (parameters: object) => parseRead(parameters, { status: 'published', pagination: NO_LIMIT }).shape;
const typeOf = (name: string) => model.contentTypes.get(`api::${name}.${name}`)!;

/** The text of a condition without the quotes of names, and what it binds. */
function compiled(condition: Condition, dialect = sqliteDialect) {
  const text = statement(dialect, sql`${new ConditionCompiler(dialect).condition(condition, rowOf('t0'))}`);
  return { sql: text.sql.replaceAll('"', ''), bindings: text.bindings };
}
const textOf = (filters: object, type = 'page', dialect = sqliteDialect): string =>
  compiled(planFilter(context(), typeOf(type), parsed({ filters }).filters!, { param: 'filters', path: [] }), dialect)
    .sql;

describe('a condition on a column', () => {
  it.each([
    ['a test for null', { title: { $null: true } }, 't0.title is null'],
    ['a comparison', { rank: { $gte: 1 } }, 't0.rank >= ?'],
    ['its negative', { rank: { $ne: 1 } }, 'not (t0.rank = ?)'],
    [
      'a list, from which null is never absent',
      { rank: { $notIn: [1] } },
      '(t0.rank is not null and not (t0.rank in (select value from json_each(?))))',
    ],
    [
      'groups, each in its parentheses',
      { $or: [{ rank: 1 }, { rank: 2, title: 'x' }] },
      '(t0.rank = ? or (t0.rank = ? and t0.title = ?))',
    ],
  ])('is %s', (_name, filters, text) => {
    expect(textOf(filters)).toBe(text);
  });

  it('binds each value in the order of the text, by its slot', () => {
    const filters = { $or: [{ title: { $startsWith: 'x' } }, { rank: { $between: [1, 2] } }] };
    const shape = parsed({ filters });
    const { bindings } = compiled(
      planFilter(context(), typeOf('page'), shape.filters!, { param: 'filters', path: [] }),
    );
    expect(bindings.map((binding) => binding.from === 'value' && [binding.ref.slot, binding.form])).toEqual([
      [0, 'textLength'],
      [0, 'text'],
      [1, 'first'],
      [1, 'second'],
    ]);
  });

  it('is never met by what was found to be impossible', () => {
    expect(compiled({ is: 'never' }).sql).toBe('1 = 0');
  });
});

describe('a condition on related rows', () => {
  it('joins the target only where more than its id is asked for', () => {
    expect(textOf({ self: { id: 1 } }, 'plain')).toBe(
      't0.id in (select p2.plain_id from plains_self_lnk as p2 where p2.inv_plain_id = ?)',
    );
    expect(textOf({ self: { name: 'x' } }, 'plain')).toBe(
      't0.id in (select p2.plain_id from plains_self_lnk as p2 join plains as t1 on t1.id = p2.inv_plain_id where t1.name = ?)',
    );
    expect(textOf({ writer: { $notNull: true } })).toContain('join writers as t1');
  });

  it('follows the links of the few rows that another condition selects', () => {
    const named = { self: { name: { $contains: 'x' } } };
    const all =
      't0.id in (select p2.plain_id from plains_self_lnk as p2 join plains as t1 on t1.id = p2.inv_plain_id where instr(t1.name, ?) > 0)';
    const followed =
      'exists (select 1 from plains_self_lnk as p2 cross join plains as t1 on t1.id = p2.inv_plain_id where p2.plain_id = t0.id and p2.inv_plain_id is not null and instr(t1.name, ?) > 0)';
    expect(textOf(named, 'plain')).toBe(all);
    expect(textOf({ ...named, name: { $ne: 'y' } }, 'plain')).toBe(`(${all} and not (t0.name = ?))`);
    expect(textOf({ ...named, name: 'y' }, 'plain')).toBe(`(${followed} and t0.name = ?)`);
    const either = { $or: [named, { name: { $null: true } }], id: 1 };
    expect(textOf(either, 'plain')).toBe(`((${followed} or t0.name is null) and t0.id = ?)`);
  });

  it('does not take an empty foreign key for a row', () => {
    const bare: Condition = {
      is: 'related',
      step: {
        link: { table: 'pages', from: 'id', to: 'key_id', constants: [], order: null, inverseOrder: null },
        table: 'plains',
        where: null,
      },
      where: null,
      orNone: false,
    };
    expect(compiled(bare).sql).toBe('t0.id in (select p2.id from pages as p2 where p2.key_id is not null)');
  });

  it('asks for none with all that makes a row count, and nothing else', () => {
    expect(textOf({ writer: { $null: true } })).toBe(
      'not exists (select 1 from pages_writer_lnk as p2 join writers as t1 on t1.id = p2.writer_id where p2.page_id = t0.id and p2.writer_id is not null and t1.published_at is not null)',
    );
  });

  it('looks in the rows of one component field alone, without an index that finds too much', () => {
    const sqlite = textOf({ seal: { year: 1 } });
    expect(sqlite).toContain("+p2.field = 'seal' and +p2.component_type = 'kit.seal'");
    expect(textOf({ seal: { year: 1 } }, 'page', postgresDialect)).toContain(
      "p2.field = 'seal' and p2.component_type = 'kit.seal'",
    );
  });

  it('finds the other locales of a document, and not the row itself', () => {
    expect(textOf({ localizations: { name: 'x' } }, 'plain')).toBe(
      'exists (select 1 from plains as t1 where t1.document_id = t0.document_id and t1.id <> t0.id and t1.name = ?)',
    );
    expect(textOf({ localizations: { $null: true } }, 'plain')).toBe(
      'not exists (select 1 from plains as t1 where t1.document_id = t0.document_id and t1.id <> t0.id)',
    );
  });

  it('gives every table of a statement a name of its own', () => {
    const text = textOf({
      $and: [{ writer: { pages: { title: 'a' } } }, { writer: { name: 'b' } }, { key: { name: 'c' } }],
    });
    const names = [...text.matchAll(/ as (\w+)/g)].map(([, name]) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThan(6);
  });

  it('is the same text for the same plan', () => {
    const filters = { writer: { pages: { title: 'a' } } };
    expect(textOf(filters)).toBe(textOf(filters));
  });
});

describe('a condition on the document', () => {
  it('binds what the run supplies', () => {
    expect(compiled({ is: 'document' })).toEqual({
      sql: 't0.document_id = ?',
      bindings: [{ from: 'context', name: 'documentId' }],
    });
    expect(compiled({ is: 'locale', slot: null }).bindings).toEqual([{ from: 'context', name: 'defaultLocale' }]);
    expect(compiled({ is: 'locale', slot: 3 }).bindings).toEqual([{ from: 'locales', slot: 3 }]);
  });

  it('compares the draft with the published row whichever of the two is asked for', () => {
    const modified = (status: 'draft' | 'published'): string =>
      compiled({
        is: 'sibling',
        table: 'writers',
        sibling: { status, sameLocale: false, draftIsNewer: true },
        where: null,
        negated: false,
      }).sql;
    expect(modified('published')).toContain('t0.updated_at > s1.updated_at');
    expect(modified('draft')).toContain('s1.updated_at > t0.updated_at');
  });

  it('takes two rows without a locale for rows of one', () => {
    const same = (dialect: typeof sqliteDialect): string =>
      compiled(
        {
          is: 'sibling',
          table: 'writers',
          sibling: { status: 'draft', sameLocale: true, draftIsNewer: null },
          where: null,
          negated: true,
        },
        dialect,
      ).sql;
    expect(same(sqliteDialect)).toBe(
      'not exists (select 1 from writers as s1 where s1.document_id = t0.document_id and s1.published_at is null and s1.locale is t0.locale)',
    );
    expect(same(postgresDialect)).toContain('s1.locale is not distinct from t0.locale');
  });
});

describe('a search', () => {
  it('asks numbers only for numbers', () => {
    const { bindings } = compiled({
      is: 'search',
      columns: [
        { column: 'title', type: 'string' },
        { column: 'rank', type: 'integer' },
      ],
      slot: 0,
    });
    expect(bindings.map((binding) => binding.from === 'search' && binding.form)).toEqual([
      'foldedIsAscii',
      'folded',
      'foldedPattern',
      'foldedIsAscii',
      'number',
      'foldedPattern',
    ]);
  });
});

describe('an order', () => {
  const keyOf = (sort: string): OrderKey =>
    planSort(context(), typeOf('page'), parsed({ sort }).sort, { param: 'sort', path: [] })[0]!;
  const orderOf = (sort: string, dialect = sqliteDialect): string => {
    const key = keyOf(sort);
    const { value } = new OrderCompiler(dialect, new ConditionCompiler(dialect)).term(key, rowOf('t0'));
    return statement(dialect, sql`${ordered(value, key)}`).sql.replaceAll('"', '');
  };

  it('has nulls last ascending and first descending; an id is never null', () => {
    expect(orderOf('rank')).toBe('t0.rank asc nulls last');
    expect(orderOf('rank:desc')).toBe('t0.rank desc nulls first');
    expect(orderOf('id:desc')).toBe('t0.id desc');
  });

  it('has the smallest of related rows ascending and the largest descending, of those that are seen', () => {
    expect(orderOf('writer.name')).toBe(
      '(select min(t3.name) from (select 1) as o1 join pages_writer_lnk as p2 on p2.page_id = t0.id join writers as t3 on t3.id = p2.writer_id and t3.published_at is not null) asc nulls last',
    );
    expect(orderOf('writer.name:desc')).toContain('select max(t3.name)');
  });

  it('has no more than one pass over the links of each step where paths multiply', () => {
    const key = keyOf('writer.pages.title');
    expect(key.branches).toBe(true);
    const { value, join } = new OrderCompiler(sqliteDialect, new ConditionCompiler(sqliteDialect)).term(
      key,
      rowOf('t0'),
    );
    const textOf = (part: Fragment): string => statement(sqliteDialect, part).sql.replaceAll('"', '');
    expect(textOf(value)).toBe('k1.value');
    expect(textOf(join!)).toBe(
      ' left join (select p2.page_id as id, min(k4.value) as value from pages_writer_lnk as p2 join writers as t3 on t3.id = p2.writer_id join (select p5.writer_id as id, min(t6.title) as value from writers_pages_lnk as p5 join pages as t6 on t6.id = p5.page_id group by p5.writer_id) as k4 on k4.id = p2.writer_id where t3.published_at is not null group by p2.page_id) as k1 on k1.id = t0.id',
    );
  });

  it('has strings by code point on every database', () => {
    expect(orderOf('title', postgresDialect)).toBe('(t0.title collate C) asc nulls last');
  });
});
