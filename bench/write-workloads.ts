// The writes that are measured, and the content they need on top of the data set: entries that are free to be linked,
// long lists, and articles with relations and components that wait to be published.
import { DatabaseSync } from 'node:sqlite';
import type { Documents, EntryData, Sheaf } from '../src/index.ts';

const LISTS = 10;
const LIST_LENGTH = 1_000;
const RESTAURANT = 'api::restaurant.restaurant';
const ARTICLE = 'api::article.article';
const CATEGORY = 'api::category.category';

export interface WriteContent {
  readonly restaurants: readonly string[];
  readonly chefs: readonly string[];
  readonly categories: readonly string[];
  readonly dishes: readonly string[];
  /** Without a restaurant. */
  readonly owners: readonly string[];
  /** Categories that list a thousand restaurants. */
  readonly lists: readonly string[];
  /** Never published. */
  readonly drafts: readonly string[];
  /** Published, then changed. */
  readonly changed: readonly string[];
}

export interface WriteWorkload {
  /** As often as the others, or so many times as often: where an operation takes microseconds, code must warm up. */
  readonly times: number;
  run(sheaf: Sheaf, content: WriteContent, index: number): Promise<unknown>;
}

const at = <Item>(items: readonly Item[], index: number): Item => items[index % items.length]!;

export const WRITE_WORKLOADS: Readonly<Record<string, WriteWorkload>> = {
  'create with 5 relations': {
    times: 1,
    run: (sheaf, content, index) =>
      sheaf.documents(RESTAURANT).create({
        data: {
          name: `New restaurant ${index}`,
          description: 'A place that has just opened',
          slug: `new-${index}`,
          stars: 2,
          rating: 4.25,
          cuisine: 'french',
          openedOn: '2025-05-05',
          chef: at(content.chefs, index),
          owner: at(content.owners, index),
          categories: [at(content.categories, index), at(content.categories, index + 7)],
          signatureDish: at(content.dishes, index),
          neighbours: [at(content.restaurants, index)],
        },
      }),
  },
  'update of two fields': {
    times: 50,
    run: (sheaf, content, index) =>
      sheaf.documents(RESTAURANT).update({
        documentId: at(content.restaurants, index * 7),
        data: { name: `Renamed ${index}`, stars: index % 6 },
      }),
  },
  'connect into a list of 1,000': {
    times: 1,
    run(sheaf, content, index) {
      const added = { documentId: at(content.restaurants, LIST_LENGTH + index), position: { start: true } };
      return sheaf
        .documents(CATEGORY)
        .update({ documentId: at(content.lists, index), data: { restaurants: { connect: [added] } } });
    },
  },
  publish: {
    times: 1,
    run: (sheaf, content, index) => sheaf.documents(ARTICLE).publish({ documentId: at(content.drafts, index) }),
  },
  'publish again': {
    times: 1,
    run: (sheaf, content, index) => sheaf.documents(ARTICLE).publish({ documentId: at(content.changed, index) }),
  },
};

/** Adds what the workloads need for so many operations each, and says where to find it. */
export async function addContent(sheaf: Sheaf, file: string, operations: number): Promise<WriteContent> {
  const database = new DatabaseSync(file, { readOnly: true });
  const ids = (table: string): string[] =>
    database
      .prepare(`select document_id from ${table} order by id`)
      .all()
      .map((row) => String(row.document_id));
  const [restaurants, chefs, categories, dishes] = ['restaurants', 'chefs', 'categories', 'dishes'].map(ids) as [
    string[],
    string[],
    string[],
    string[],
  ];
  database.close();
  const make = async (documents: Documents, count: number, data: (index: number) => EntryData): Promise<string[]> => {
    const made: string[] = [];
    for (let index = 0; index < count; index++) made.push((await documents.create({ data: data(index) })).documentId);
    return made;
  };
  const owners = await make(sheaf.documents('api::owner.owner'), operations, (index) => ({ name: `Free ${index}` }));
  const lists = await make(sheaf.documents(CATEGORY), LISTS, (index) => ({
    name: `Long list ${index}`,
    restaurants: restaurants.slice(0, LIST_LENGTH),
  }));
  const authors = await make(sheaf.documents('api::author.author'), 10, (index) => ({ name: `Author ${index}` }));
  for (const documentId of authors) await sheaf.documents('api::author.author').publish({ documentId });
  const tags = await make(sheaf.documents('api::tag.tag'), 3 * operations, (index) => ({ label: `Tag ${index}` }));
  const article = (index: number): EntryData => ({
    title: `Article ${index}`,
    slug: `article-${index}`,
    body: 'A text about food. '.repeat(20),
    readingMinutes: 5,
    authors: [at(authors, index), at(authors, index + 1)],
    restaurants: [at(restaurants, index), at(restaurants, index + 1), at(restaurants, index + 2)],
    tags: [tags[index]!],
    seo: { metaTitle: `Article ${index}`, keywords: ['food', 'wine'] },
    blocks: [
      { __component: 'blocks.quote', text: 'Earthy.', author: at(authors, index) },
      { __component: 'shared.link', label: 'More', url: 'https://example.com' },
    ],
  });
  const articles = sheaf.documents(ARTICLE);
  const drafts = await make(articles, operations, article);
  const changed = await make(articles, operations, (index) => article(operations + index));
  for (const documentId of changed) {
    await articles.publish({ documentId });
    await articles.update({ documentId, data: { title: 'Changed since', authors: [authors[0]!] } });
  }
  return { restaurants, chefs, categories, dishes, owners, lists, drafts, changed };
}
