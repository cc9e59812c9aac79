// The writes that clients send over HTTP, and the content they need. Each operation has documents of its own; what they
// link to is shared: all operations of a workload by as many clients have the same chef, categories or authors, or take
// turns with a few of them. So lists grow alike for one client and for several.
import type { Documents, EntryData, Sheaf } from '../src/index.ts';
import type { WriteRequest } from './clients.ts';
import { show } from './data.ts';

/** Who shares targets: the operations of one of these. */
const SHARING = ['create', 'update', 'connect', 'delete', 'createArticle', 'publishAgain', 'wide'] as const;
type Sharing = (typeof SHARING)[number];

export interface Amount {
  /** Operations of a workload by one client; as many follow by several. */
  readonly half: number;
  /** How many targets of a kind take turns. */
  readonly targets: number;
}

export interface ClientContent extends Amount {
  readonly chefs: readonly string[];
  /** Three times as many as chefs: two that restaurants have from the start, one that is connected. */
  readonly categories: readonly string[];
  /** Twice as many as chefs. */
  readonly authors: readonly string[];
  /** Of the type that the forty relations lead to; five times as many as chefs. */
  readonly linked: readonly string[];
  /** From here on there is one for each operation. */
  readonly owners: readonly string[];
  readonly dishes: readonly string[];
  readonly tags: readonly string[];
  readonly updated: readonly string[];
  readonly connected: readonly string[];
  readonly deleted: readonly string[];
  readonly articles: readonly string[];
  readonly wides: readonly string[];
}

/** What is made for each operation, where a workload needs it. */
export type OwnContent = 'owners' | 'tags' | 'updated' | 'connected' | 'deleted' | 'articles' | 'wides';

export interface ClientWorkload {
  readonly needs: readonly OwnContent[];
  /** Whether an operation is so short that a turn must have more of them. */
  readonly isShort?: boolean;
  /** A write of a document that no other operation writes, unless it is short. */
  request(content: ClientContent, index: number): WriteRequest;
  /** The same write of one document, where that makes sense. */
  onOne?(content: ClientContent, index: number): WriteRequest;
}

export const at = <Item>(items: readonly Item[], index: number): Item => items[index % items.length]!;

/** The targets of an operation: so many from a list that has as many for each place. */
function sharedTargets(amount: Amount, items: readonly string[], sharing: Sharing, index: number): string[] {
  const { half, targets } = amount;
  const groups = SHARING.length * 2 * targets;
  const group = (SHARING.indexOf(sharing) * 2 + (index % (2 * half) < half ? 0 : 1)) * targets + (index % targets);
  const count = items.length / groups;
  return items.slice(group * count, (group + 1) * count);
}

/** The category that is connected is none of those that restaurants have. */
export const connectedCategory = (content: ClientContent, index: number): string =>
  sharedTargets(content, content.categories, 'connect', index)[2]!;

/** The newest first: they are at the end of the lists that close their gaps. */
export const deletedAt = ({ half, deleted }: ClientContent, index: number): string =>
  deleted[(index < half ? half : 3 * half) - 1 - index]!;

const put = (path: string, documentId: string, data: EntryData): WriteRequest => ({
  method: 'PUT',
  path: `/api/${path}/${documentId}`,
  body: { data },
});

const changeFields = (documentId: string, index: number): WriteRequest =>
  put('restaurants', documentId, { stars: index % 6, rating: (index % 50) / 10 });
const connect = (documentId: string, category: string): WriteRequest =>
  put('restaurants', documentId, { categories: { connect: [{ documentId: category, position: { start: true } }] } });
const publishAgain = (documentId: string, index: number): WriteRequest =>
  put('articles', documentId, { title: `Changed ${index}` });
/** Of its forty relations one gets a target at its start, and another one a target if there is a second. */
const changeWide = (documentId: string, [first, second]: readonly string[], index: number): WriteRequest =>
  put('wides', documentId, {
    title: `Changed ${index}`,
    relation0: { connect: [{ documentId: first!, position: { start: true } }] },
    ...(second !== undefined && { relation1: second }),
  });

export const restaurantData = (content: ClientContent, index: number) => ({
  name: `New restaurant ${index}`,
  slug: `new-${index}`,
  stars: 2,
  chef: sharedTargets(content, content.chefs, 'create', index)[0]!,
  owner: content.owners[index]!,
  categories: sharedTargets(content, content.categories, 'create', index).slice(0, 2),
  signatureDish: content.dishes[index]!,
});

const article = (index: number) => ({
  title: `New article ${index}`,
  slug: `new-article-${index}`,
  body: 'A text about food. '.repeat(20),
  readingMinutes: 5,
});

export const articleData = (content: ClientContent, index: number) => ({
  ...article(index),
  authors: sharedTargets(content, content.authors, 'createArticle', index),
  tags: [content.tags[index]!],
});

/** Targets that take turns on one document. */
const ONE_LIST = 10;

export const CLIENT_WORKLOADS: Readonly<Record<string, ClientWorkload>> = {
  'create with 4 relations': {
    needs: ['owners'],
    request: (content, index) => ({
      method: 'POST',
      path: '/api/restaurants',
      body: { data: restaurantData(content, index) },
    }),
  },
  'update of two fields': {
    needs: ['updated'],
    isShort: true,
    request: ({ updated }, index) => changeFields(at(updated, index), index),
    onOne: ({ updated }, index) => changeFields(updated[0]!, index),
  },
  'connect with a position': {
    needs: ['connected', 'updated'],
    request: (content, index) => connect(content.connected[index]!, connectedCategory(content, index)),
    // From the second time on, what is connected moves to the start.
    onOne: ({ updated, categories }, index) => connect(updated[1]!, categories[index % ONE_LIST]!),
  },
  'create and publish an article': {
    needs: ['tags'],
    request: (content, index) => ({
      method: 'POST',
      path: '/api/articles',
      body: { data: articleData(content, index) },
    }),
  },
  'publish again': {
    needs: ['articles'],
    isShort: true,
    request: ({ articles }, index) => publishAgain(at(articles, index), index),
    onOne: ({ articles }, index) => publishAgain(articles[0]!, index),
  },
  delete: {
    needs: ['deleted'],
    request: (content, index) => ({ method: 'DELETE', path: `/api/restaurants/${deletedAt(content, index)}` }),
  },
  'publish with 40 relations': {
    needs: ['wides'],
    request: (content, index) =>
      changeWide(content.wides[index]!, sharedTargets(content, content.linked, 'wide', index), index),
    // The list alone: links that come and go on one document cannot be replayed in another order.
    onOne: ({ wides, linked }, index) => changeWide(wides[0]!, [linked[index % ONE_LIST]!], index),
  },
};
type Make = (uid: string, count: number, data: (index: number) => EntryData) => Promise<string[]>;

/** Adds what the workloads need. */
export async function addClientContent(
  sheaf: Sheaf,
  amount: Amount,
  needs: ReadonlySet<OwnContent>,
): Promise<ClientContent> {
  const make: Make = async (uid, count, data) => {
    if (count > 0) show(`content: ${count} of ${uid}`);
    const documents: Documents = sheaf.documents(uid);
    const made: string[] = [];
    for (let index = 0; index < count; index++) made.push((await documents.create({ data: data(index) })).documentId);
    return made;
  };
  const publish = async (uid: string, documentIds: readonly string[]): Promise<void> => {
    for (const documentId of documentIds) await sheaf.documents(uid).publish({ documentId });
  };
  const places = SHARING.length * 2 * amount.targets;
  const chefs = await make('api::chef.chef', places, (index) => ({ name: `Shared chef ${index}` }));
  const categories = await make('api::category.category', 3 * places, (index) => ({ name: `Shared ${index}` }));
  const authors = await make('api::author.author', 2 * places, (index) => ({ name: `Shared author ${index}` }));
  await publish('api::author.author', authors);
  const linked = await make('api::target.target', 5 * places, (index) => ({ name: `Target ${index}` }));
  await publish('api::target.target', linked);

  const operations = 2 * amount.half;
  const count = (own: OwnContent): number => (needs.has(own) ? operations : 0);
  const owners = await make('api::owner.owner', count('owners'), (index) => ({ name: `Free ${index}` }));
  const dishes = await make('api::dish.dish', count('owners'), (index) => ({ name: `Dish ${index}`, price: 10 }));
  const tags = await make('api::tag.tag', count('tags'), (index) => ({ label: `Tag ${index}` }));
  const restaurants = (own: OwnContent, sharing: Sharing): Promise<string[]> =>
    make('api::restaurant.restaurant', count(own), (index) => ({
      name: `To ${sharing} ${index}`,
      chef: sharedTargets(amount, chefs, sharing, index)[0],
      categories: sharedTargets(amount, categories, sharing, index).slice(0, 2),
    }));
  const updated = await restaurants('updated', 'update');
  const connected = await restaurants('connected', 'connect');
  const deleted = await restaurants('deleted', 'delete');
  const oldTags = await make('api::tag.tag', count('articles'), (index) => ({ label: `Old tag ${index}` }));
  const articles = await make('api::article.article', count('articles'), (index) => ({
    ...article(index),
    slug: `old-article-${index}`,
    authors: sharedTargets(amount, authors, 'publishAgain', index),
    tags: [oldTags[index]!],
  }));
  await publish('api::article.article', articles);
  const own = await make('api::target.target', 2 * count('wides'), (index) => ({ name: `Own ${index}` }));
  const wides = await make('api::wide.wide', count('wides'), (index) => ({
    title: `Wide ${index}`,
    relation2: own[2 * index],
    relation3: sharedTargets(amount, linked, 'wide', index).slice(2),
    relation4: [own[2 * index + 1]],
  }));
  await publish('api::wide.wide', wides);
  const shared = { ...amount, chefs, categories, authors, linked };
  return { ...shared, owners, dishes, tags, updated, connected, deleted, articles, wides };
}
