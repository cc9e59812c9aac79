// The least SQL for a change: what an engineer who knows the tables would send, and nothing to find out what may be
// affected. It takes locks only where it would otherwise run into deadlocks, so two writers may give two entries of a
// list the same position; Sheaf does not. Publications that compare lists are not short, and have none.
import { createId } from '@paralleldrive/cuid2';
import { articleData, type ClientContent, connectedCategory, deletedAt, restaurantData } from './client-workloads.ts';
import type { ReplayOperation, ReplayStatement, ReplayValue } from './replay.ts';

/** How statements differ between databases: the form of an instant, and whether writes can be sent as one. */
export interface LeastDialect {
  readonly postgres: boolean;
}

/** The id that the first statement returns, in its first column. */
const created = (row = 0): ReplayValue => ({ id: { statement: 0, row, column: 0, recorded: 0 } });

const instant = ({ postgres }: LeastDialect): string | number => (postgres ? new Date().toISOString() : Date.now());

/** Placeholders are written `?`; statements after the first write different rows, so PostgreSQL takes them as one. */
function operation({ postgres }: LeastDialect, first: ReplayStatement, ...rest: ReplayStatement[]): ReplayOperation {
  if (!postgres) return { written: [first, ...rest], read: [] };
  const numbered = (statement: ReplayStatement): ReplayStatement => {
    let count = 0;
    return { ...statement, sql: statement.sql.replaceAll('?', () => `$${++count}`) };
  };
  const last = rest.at(-1);
  if (!last) return { written: [numbered(first)], read: [] };
  const tables = rest.slice(0, -1).map(({ sql }, index) => `w${index} as (${sql})`);
  const sql = tables.length > 0 ? `with ${tables.join(', ')} ${last.sql}` : last.sql;
  return { written: [numbered(first), numbered({ sql, values: rest.flatMap(({ values }) => values) })], read: [] };
}

/** A link from the row just created to a document, at the end of the target's list where that has an order. */
function link(table: string, [own, target]: readonly [string, string], options: LinkOptions): ReplayStatement {
  const { of, documentId, row = 0, place, end, status = 'published' } = options;
  const next = `(select coalesce(max(${end}), 0) + 1 from ${table} where ${target} = t.id)`;
  const columns = [own, target, ...(place ? [place[0]] : []), ...(end ? [end] : [])];
  const values = ['cast(? as integer)', 't.id', ...(place ? [String(place[1])] : []), ...(end ? [next] : [])];
  const published = `t.published_at is ${status === 'draft' ? '' : 'not '}null`;
  return {
    sql: `insert into ${table} (${columns.join(', ')}) select ${values.join(', ')} from ${of} t where t.document_id = ? and ${published}`,
    values: [created(row), documentId],
  };
}

interface LinkOptions {
  readonly of: string;
  readonly documentId: string;
  /** Which of the rows created. */
  readonly row?: number;
  /** Column and value of the place in the own list. */
  readonly place?: readonly [column: string, value: number];
  /** The column of the place in the target's list. */
  readonly end?: string;
  readonly status?: 'draft' | 'published';
}

type Least = (dialect: LeastDialect, content: ClientContent, index: number) => ReplayOperation;

function createRestaurant(dialect: LeastDialect, content: ClientContent, index: number): ReplayOperation {
  const { name, slug, stars, chef, owner, categories, signatureDish } = restaurantData(content, index);
  const now = instant(dialect);
  return operation(
    dialect,
    {
      sql: 'insert into restaurants (document_id, created_at, updated_at, published_at, name, slug, stars, open) values (?, ?, ?, ?, ?, ?, ?, ?) returning id, *',
      values: [createId(), now, now, now, name, slug, stars, 1],
    },
    link('restaurants_chef_lnk', ['restaurant_id', 'chef_id'], {
      of: 'chefs',
      documentId: chef,
      end: 'restaurant_ord',
    }),
    link('restaurants_owner_lnk', ['restaurant_id', 'owner_id'], { of: 'owners', documentId: owner }),
    ...categories.map((documentId, place) =>
      link('restaurants_categories_lnk', ['restaurant_id', 'category_id'], {
        of: 'categories',
        documentId,
        place: ['category_ord', place + 1],
        end: 'restaurant_ord',
      }),
    ),
    link('restaurants_signature_dish_lnk', ['restaurant_id', 'dish_id'], { of: 'dishes', documentId: signatureDish }),
  );
}

function createArticle(dialect: LeastDialect, content: ClientContent, index: number): ReplayOperation {
  const { title, slug, body, readingMinutes, authors, tags } = articleData(content, index);
  const now = instant(dialect);
  const columns = [createId(), 'en', now, now, title, slug, body, readingMinutes];
  const links = (['draft', 'published'] as const).flatMap((status, row) => [
    ...authors.map((documentId, place) =>
      link('articles_authors_lnk', ['article_id', 'author_id'], {
        of: 'authors',
        documentId,
        row,
        place: ['author_ord', place + 1],
        end: 'article_ord',
        status,
      }),
    ),
    link('articles_tags_lnk', ['article_id', 'tag_id'], {
      of: 'tags',
      documentId: tags[0]!,
      row,
      place: ['tag_ord', 1],
    }),
  ]);
  const row = '(?, ?, ?, ?, ?, ?, ?, ?, ?)';
  return operation(
    dialect,
    {
      sql: `insert into articles (document_id, locale, created_at, updated_at, title, slug, body, reading_minutes, published_at) values ${row}, ${row} returning id, *`,
      values: [...columns, null, ...columns, now],
    },
    ...links,
  );
}

const updateFields: Least = (dialect, { updated }, index) =>
  operation(dialect, {
    sql: 'update restaurants set stars = ?, rating = ?, updated_at = ? where document_id = ? returning id, *',
    values: [index % 6, (index % 50) / 10, instant(dialect), updated[index % updated.length]!],
  });

const connectCategory: Least = (dialect, content, index) =>
  operation(
    dialect,
    {
      sql: 'update restaurants set updated_at = ? where document_id = ? returning id, *',
      values: [instant(dialect), content.connected[index]!],
    },
    {
      sql: 'update restaurants_categories_lnk set category_ord = category_ord + 1 where restaurant_id = ?',
      values: [created()],
    },
    link('restaurants_categories_lnk', ['restaurant_id', 'category_id'], {
      of: 'categories',
      documentId: connectedCategory(content, index),
      place: ['category_ord', 1],
      end: 'restaurant_ord',
    }),
  );

/** Entries after the one deleted move up in the lists of its targets; its links go with it. */
const closeGaps = (table: string, target: string): ReplayStatement => ({
  sql: `update ${table} as l set restaurant_ord = l.restaurant_ord - 1 from ${table} as g where g.restaurant_id = ? and l.${target} = g.${target} and l.restaurant_ord > g.restaurant_ord`,
  values: [created()],
});

/** Two that close gaps in the same lists would wait for each other, so those whose lists they are come first. */
const lockTargets = (table: string, links: string, target: string): ReplayStatement => ({
  sql: `select t.id from ${table} t join ${links} l on l.${target} = t.id where l.restaurant_id = $1 order by t.id for no key update of t`,
  values: [created()],
});

const deleteRestaurant: Least = (dialect, content, index) => {
  const { written, read } = operation(
    dialect,
    { sql: 'select id from restaurants where document_id = ?', values: [deletedAt(content, index)] },
    closeGaps('restaurants_chef_lnk', 'chef_id'),
    closeGaps('restaurants_categories_lnk', 'category_id'),
    { sql: 'delete from restaurants where id = ?', values: [created()] },
  );
  const [find, ...changes] = written;
  const locks = [
    lockTargets('categories', 'restaurants_categories_lnk', 'category_id'),
    lockTargets('chefs', 'restaurants_chef_lnk', 'chef_id'),
  ];
  return { written: [find!, ...(dialect.postgres ? locks : []), ...changes], read };
};

/** By the name of the workload. */
export const LEAST_SQL: Readonly<Record<string, Least>> = {
  'create with 4 relations': createRestaurant,
  'update of two fields': updateFields,
  'connect with a position': connectCategory,
  'create and publish an article': createArticle,
  delete: deleteRestaurant,
};
