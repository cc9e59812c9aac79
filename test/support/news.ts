// A news site with every kind of type, attribute and relation that some may use and others may not, for tests of rights.
import { expect } from 'vitest';
import { USER } from '../../src/model/builtin.ts';
import { type Answer, type Json, localized, type Project, relation } from './content.ts';

export const ARTICLE = 'api::article.article';
export const WRITER = 'api::writer.writer';
export const TOPIC = 'api::topic.topic';
export const VAULT = 'api::vault.vault';
export const FRONT = 'api::front.front';

export const text = { type: 'string' };
export const integer = { type: 'integer' };

/** Every kind of type, with attributes and relations that some may use and others may not. */
export const NEWS: Project = {
  locales: ['en', 'fr'],
  types: {
    article: {
      drafts: true,
      localized: true,
      attributes: {
        title: { ...text, required: true, ...localized },
        rank: { ...integer, ...localized },
        state: { ...text, ...localized },
        hint: text,
        note: { ...text, private: true },
        pin: { type: 'password' },
        author: relation('manyToOne', 'writer', { inversedBy: 'articles' }),
        topics: relation('manyToMany', 'topic', { inversedBy: 'articles' }),
        related: relation('manyToMany', 'article'),
        vault: relation('manyToOne', 'vault', { inversedBy: 'articles' }),
        seal: { type: 'component', component: 'kit.seal' },
        parts: { type: 'dynamiczone', components: ['kit.seal', 'kit.pick'] },
      },
    },
    writer: {
      attributes: {
        name: text,
        email: { type: 'email' },
        age: integer,
        hush: { ...text, private: true },
        pin: { type: 'password' },
        account: { type: 'relation', relation: 'oneToOne', target: USER },
        articles: relation('oneToMany', 'article', { mappedBy: 'author' }),
        mentor: relation('manyToOne', 'writer', { inversedBy: 'pupils' }),
        pupils: relation('oneToMany', 'writer', { mappedBy: 'mentor' }),
        vault: relation('oneToOne', 'vault'),
      },
    },
    topic: {
      attributes: {
        name: text,
        open: { type: 'boolean' },
        weight: integer,
        articles: relation('manyToMany', 'article', { mappedBy: 'topics' }),
      },
    },
    vault: {
      options: { populateCreatorFields: true },
      attributes: { code: text, articles: relation('oneToMany', 'article', { mappedBy: 'vault' }) },
    },
    front: {
      single: true,
      drafts: true,
      attributes: { title: text, lead: relation('oneToOne', 'article'), picks: relation('oneToMany', 'topic') },
    },
  },
  components: {
    'kit.seal': {
      label: text,
      note: { ...text, private: true },
      topic: relation('oneToOne', 'topic'),
      vault: relation('oneToOne', 'vault'),
    },
    'kit.pick': {
      caption: text,
      topics: relation('oneToMany', 'topic'),
      topic: relation('oneToOne', 'vault'),
    },
  },
};

/** One type of every kind that has paths of its own. */
export const SMALL: Project = {
  locales: ['en', 'fr'],
  types: {
    article: {
      drafts: true,
      localized: true,
      attributes: { title: { ...text, required: true, ...localized }, topics: relation('manyToMany', 'topic') },
    },
    topic: { attributes: { name: text } },
    front: { single: true, attributes: { title: text } },
  },
  components: { 'kit.seal': { label: text } },
};

export const CONTENT = [ARTICLE, WRITER, TOPIC, FRONT];
export const reads = (...uids: string[]): string[] => uids.flatMap((uid) => [`${uid}.find`, `${uid}.findOne`]);
/** A type that has one entry has no findOne. */
export const readsOf = (...uids: string[]): string[] =>
  uids.flatMap((uid) => (uid === FRONT ? [`${uid}.find`] : reads(uid)));

export const envelope = (status: number, name: string, message: string) => ({
  data: null,
  error: { status, name, message, details: {} },
});
export const FORBIDDEN = envelope(403, 'ForbiddenError', 'Forbidden');
export const MISSING = envelope(404, 'NotFoundError', 'Not Found');

export const namesOf = (answer: Answer): unknown[] => {
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body.data.map((entry: Json) => entry.name ?? entry.title);
};

export const failureOf = async (work: () => Promise<unknown>): Promise<unknown> => {
  try {
    await work();
  } catch (error) {
    return error;
  }
  return null;
};

export const everyAction = (uid: string): string[] =>
  (uid === FRONT ? ['find', 'update', 'delete'] : ['find', 'findOne', 'create', 'update', 'delete']).map(
    (verb) => `${uid}.${verb}`,
  );

/** A document that no database has. */
export const NO_DOCUMENT = 'a'.repeat(24);
export const NO_ROW = 987_654_321;
