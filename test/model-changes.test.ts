// Changes of the model with data in the tables: what a start says, what is done when it is allowed, what the answers are
// then, and that taking it back gives every answer as it was. All on the guide's own database, one change after another.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { open, type Sheaf } from '../src/app.ts';
import {
  schemaApply,
  schemaDiff,
  schemaHistory,
  schemaRelease,
  schemaRename,
  schemaUndo,
} from '../src/cli/schema-commands.ts';
import { listApplied } from '../src/migrate/undo.ts';
import { tablesOf } from '../src/model/tables.ts';
import type { ServerConfig } from '../src/project/environment.ts';
import { type Answered, GUIDE_PROJECT } from './support/content.ts';
import { describeOnEveryDatabase } from './support/database.ts';
import { componentOrphans, violations } from './support/invariants.ts';
import { SCALE, scaled } from './support/scale.ts';

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));

type Json = Record<string, Answered>;
const uid = (name: string): string => `api::${name}.${name}`;

/** A change of the guide's definitions, by the file it is made in. */
interface Case {
  readonly title: string;
  readonly edits: Readonly<Record<string, (schema: Json) => void>>;
  /** What has to be allowed; nothing where it is done at once. */
  readonly steps: readonly string[];
  /** What holds of the answers then. */
  check?(after: Answers, before: Answers, sheaf: Sheaf): void | Promise<void>;
}

/** Every entry of every type, as it is answered: `type status locale`. */
type Answers = ReadonlyMap<string, Answered[]>;

const NAMES = [
  'article',
  'author',
  'bookmark',
  'category',
  'chef',
  'country',
  'dish',
  'homepage',
  'owner',
  'restaurant',
  'review',
  'tag',
];
const LOCALES = ['en', 'fr', 'de'];

async function answersOf(sheaf: Sheaf): Promise<Answers> {
  const answers = new Map<string, Answered[]>();
  for (const name of NAMES) {
    const type = [...sheaf.model.contentTypes.values()].find((one) => one.uid === uid(name));
    if (!type) continue;
    for (const status of ['draft', 'published'] as const)
      for (const locale of type.localized ? LOCALES : [undefined])
        answers.set(
          `${name} ${status} ${locale ?? '-'}`,
          await sheaf.documents(type.uid).findMany({
            status,
            sort: 'id',
            populate: '*',
            pagination: { limit: 100 },
            ...(locale !== undefined && { locale }),
          } as Answered),
        );
  }
  return answers;
}

const of = (answers: Answers, name: string, status = 'published', locale = '-'): Answered[] => {
  const found = answers.get(`${name} ${status} ${locale}`);
  if (!found) throw new Error(`there are no answers for ${name} ${status} ${locale}`);
  return found;
};
const ids = (entries: readonly Answered[]): string[] => entries.map(({ documentId }) => documentId);
/** What people see of an entry: no ids of rows, which differ between versions, and no moment of publication. */
const shown = (entry: Answered): Answered =>
  JSON.parse(
    JSON.stringify(entry, (key, value) =>
      ['id', 'publishedAt', 'locale', 'localizations', 'createdAt', 'updatedAt'].includes(key) ? undefined : value,
    ),
  );

/** Changes that need a database of their own. */
const CASES: readonly Case[] = [
  {
    title: 'drafts on, of a type with components, files and relations of every kind',
    edits: {
      restaurant: ({ options }) => {
        options.draftAndPublish = true;
      },
    },
    steps: [`drafts-on:${uid('restaurant')}`],
    check(after, before) {
      const [old, drafts, published] = [
        of(before, 'restaurant'),
        of(after, 'restaurant', 'draft'),
        of(after, 'restaurant'),
      ];
      expect(ids(published)).toEqual(ids(old));
      expect(published.map(({ id }) => id)).toEqual(old.map(({ id }) => id));
      expect(new Set(ids(drafts))).toEqual(new Set(ids(old)));
      // What was published stays as it was, and the drafts show the same.
      expect(published.map(shown)).toEqual(old.map(shown));
      const byDocument = new Map(drafts.map((draft) => [draft.documentId, shown(draft)]));
      expect(published.map(({ documentId }) => byDocument.get(documentId))).toEqual(published.map(shown));
      // Others show them as before, drafts among drafts.
      for (const name of ['chef', 'category', 'dish', 'owner', 'homepage'])
        for (const status of ['draft', 'published'])
          expect(of(after, name, status).map(shown), `${name} ${status}`).toEqual(of(before, name, status).map(shown));
    },
  },
  {
    title: 'drafts on, of a type that articles with drafts lead to, and in several locales',
    edits: {
      tag: ({ options }) => {
        options.draftAndPublish = true;
      },
    },
    steps: [`drafts-on:${uid('tag')}`],
    check(after, before) {
      for (const locale of LOCALES) {
        expect(of(after, 'tag', 'published', locale).map(shown)).toEqual(
          of(before, 'tag', 'published', locale).map(shown),
        );
        expect(of(after, 'tag', 'draft', locale).length).toBe(of(before, 'tag', 'published', locale).length);
        for (const status of ['draft', 'published'])
          expect(of(after, 'article', status, locale).map(shown)).toEqual(
            of(before, 'article', status, locale).map(shown),
          );
      }
    },
  },
  {
    title: 'drafts off: published rows stay, drafts are set aside',
    edits: {
      author: ({ options }) => {
        options.draftAndPublish = false;
      },
    },
    steps: [`drafts-off:${uid('author')}`],
    check(after, before) {
      const published = of(before, 'author');
      expect(of(after, 'author').map(shown)).toEqual(published.map(shown));
      expect(of(after, 'author', 'draft').map(shown)).toEqual(
        published.map(({ documentId }) => expect.objectContaining({ documentId })),
      );
      for (const locale of LOCALES) {
        const inBefore = of(before, 'article', 'published', locale);
        expect(of(after, 'article', 'published', locale).map(shown)).toEqual(inBefore.map(shown));
        // A draft shows the authors that are left.
        const left = new Set(ids(published));
        for (const [index, draft] of of(after, 'article', 'draft', locale).entries())
          expect(ids(draft.authors)).toEqual(
            ids(of(before, 'article', 'draft', locale)[index].authors).filter((id) => left.has(id)),
          );
      }
    },
  },
  {
    title: 'drafts off, of a type with locales, components, zones and a relation to itself',
    edits: {
      article: ({ options }) => {
        options.draftAndPublish = false;
      },
    },
    steps: [`drafts-off:${uid('article')}`],
    check(after, before) {
      for (const locale of LOCALES)
        expect(of(after, 'article', 'published', locale).map(shown)).toEqual(
          of(before, 'article', 'published', locale).map(shown),
        );
    },
  },
  {
    title: 'locales on: what there is, is in the default locale',
    edits: {
      restaurant: (schema) => {
        schema.pluginOptions = { i18n: { localized: true } };
      },
    },
    steps: [`locales-on:${uid('restaurant')}`],
    check(after, before) {
      expect(of(after, 'restaurant', 'published', 'en').map(shown)).toEqual(of(before, 'restaurant').map(shown));
      expect(of(after, 'restaurant', 'published', 'fr')).toEqual([]);
      expect(of(after, 'restaurant', 'published', 'en').every(({ locale }) => locale === 'en')).toBe(true);
    },
  },
  {
    title: 'locales off: the default locale stays, the others are set aside',
    edits: {
      article: (schema) => {
        schema.pluginOptions = {};
      },
    },
    steps: [`locales-off:${uid('article')}`],
    check(after, before) {
      for (const status of ['draft', 'published'])
        expect(of(after, 'article', status).map(shown)).toEqual(of(before, 'article', status, 'en').map(shown));
      // What was linked in another locale leads to the same document.
      const linked = (answers: Answers) => of(answers, 'bookmark').map(({ articles }) => ids(articles));
      expect(linked(after)).toEqual(linked(before));
    },
  },
  {
    title: 'drafts and locales of one type at once',
    edits: {
      tag: (schema) => {
        schema.options.draftAndPublish = true;
        schema.pluginOptions = {};
      },
    },
    steps: [`drafts-on:${uid('tag')}`, `locales-off:${uid('tag')}`],
    check(after, before) {
      expect(of(after, 'tag').map(shown)).toEqual(of(before, 'tag', 'published', 'en').map(shown));
      expect(of(after, 'tag', 'draft').length).toBe(of(after, 'tag').length);
    },
  },
  {
    title: 'types that can hold every value: at once, without being asked',
    edits: {
      restaurant: ({ attributes }) => {
        attributes.stars.type = 'biginteger';
        attributes.internalNote.type = 'text';
        attributes.cuisine.enum.push('martian');
      },
    },
    steps: [],
    check(after, before) {
      const stars = (answers: Answers) =>
        of(answers, 'restaurant').map((entry) => (entry.stars === null ? null : String(entry.stars)));
      expect(stars(after)).toEqual(stars(before));
    },
  },
];

/** Changes of attributes that have nothing to do with one another. */
const CASES_OF_ATTRIBUTES: readonly Case[] = [
  {
    title: 'a type that not every value can have: converted one by one',
    edits: {
      restaurant: ({ attributes }) => {
        attributes.stars = { type: 'string' };
        attributes.averagePrice = { type: 'integer' };
      },
    },
    steps: [`convert:${uid('restaurant')}.stars`, `convert:${uid('restaurant')}.averagePrice`],
    check(after, before) {
      const pairs = of(after, 'restaurant').map((entry, index) => [entry, of(before, 'restaurant')[index]] as const);
      for (const [entry, old] of pairs) {
        expect(entry.stars).toBe(old.stars === null ? null : String(old.stars));
        expect(entry.averagePrice).toBe(Number.isInteger(old.averagePrice) ? old.averagePrice : null);
      }
    },
  },
  {
    title: 'an enumeration that allows less: values in use are set aside',
    edits: {
      restaurant: ({ attributes }) => {
        attributes.cuisine.enum = attributes.cuisine.enum.slice(0, 1);
      },
    },
    steps: [`convert:${uid('restaurant')}.cuisine`],
    check(after, before, { model }) {
      const attribute = model.contentTypes.get(uid('restaurant'))!.attributes.get('cuisine');
      const allowed = attribute?.kind === 'scalar' ? attribute.rules.enum! : [];
      expect(of(after, 'restaurant').map(({ cuisine }) => cuisine)).toEqual(
        of(before, 'restaurant').map(({ cuisine }) => (allowed.includes(cuisine) ? cuisine : null)),
      );
    },
  },
  {
    title: 'manyToMany to manyToOne: the first of each list stays',
    edits: {
      restaurant: ({ attributes }) => {
        attributes.categories = { ...attributes.categories, relation: 'manyToOne' };
      },
      category: ({ attributes }) => {
        attributes.restaurants = { ...attributes.restaurants, relation: 'oneToMany' };
      },
    },
    steps: [`relation:${uid('restaurant')}.categories`],
    check(after, before) {
      expect(of(after, 'restaurant').map(({ categories }) => categories?.documentId ?? null)).toEqual(
        of(before, 'restaurant').map(({ categories }) => categories[0]?.documentId ?? null),
      );
    },
  },
  {
    title: 'manyToOne to manyToMany: every link stays',
    edits: {
      dish: ({ attributes }) => {
        attributes.restaurant = { ...attributes.restaurant, relation: 'manyToMany' };
      },
      restaurant: ({ attributes }) => {
        attributes.dishes = { ...attributes.dishes, relation: 'manyToMany' };
      },
    },
    steps: [`relation:${uid('dish')}.restaurant`],
    check(after, before) {
      expect(of(after, 'restaurant').map(({ dishes }) => ids(dishes))).toEqual(
        of(before, 'restaurant').map(({ dishes }) => ids(dishes)),
      );
      expect(of(after, 'dish').map(({ restaurant }) => ids(restaurant))).toEqual(
        of(before, 'dish').map(({ restaurant }) => (restaurant ? [restaurant.documentId] : [])),
      );
    },
  },
  {
    title: 'a relation of types with drafts: manyToMany to oneToMany, kept by the other side',
    edits: {
      article: ({ attributes }) => {
        attributes.authors = {
          type: 'relation',
          relation: 'manyToOne',
          target: uid('author'),
          inversedBy: 'articles',
        };
      },
      author: ({ attributes }) => {
        attributes.articles = {
          type: 'relation',
          relation: 'oneToMany',
          target: uid('article'),
          mappedBy: 'authors',
        };
      },
    },
    steps: [`relation:${uid('article')}.authors`],
    check(after, before) {
      for (const status of ['draft', 'published'])
        expect(of(after, 'article', status, 'en').map(({ authors }) => authors?.documentId ?? null)).toEqual(
          of(before, 'article', status, 'en').map(({ authors }) => authors[0]?.documentId ?? null),
        );
    },
  },
  {
    title: 'another target: the links are set aside',
    edits: {
      review: ({ attributes }) => {
        attributes.restaurant.target = uid('dish');
      },
    },
    steps: [`relation:${uid('review')}.restaurant`],
    check: (after) => expect(of(after, 'review').every(({ restaurant }) => restaurant === null)).toBe(true),
  },
  {
    title: 'a list of components or files that takes one only; of files there are none too many',
    edits: {
      restaurant: ({ attributes }) => {
        attributes.openingHours.repeatable = false;
        attributes.gallery.multiple = false;
      },
    },
    steps: [`single:${uid('restaurant')}.openingHours`],
    check(after, before) {
      const first = (list: Answered[] | null) => (list?.[0] ? shown(list[0]) : null);
      expect(of(after, 'restaurant').map(({ openingHours }) => openingHours && shown(openingHours))).toEqual(
        of(before, 'restaurant').map(({ openingHours }) => first(openingHours)),
      );
      expect(of(after, 'restaurant').map(({ gallery }) => gallery && shown(gallery))).toEqual(
        of(before, 'restaurant').map(({ gallery }) => first(gallery)),
      );
    },
  },
  {
    title: 'an attribute that could be another one under a new name',
    edits: {
      chef: (schema) => {
        const { age, ...rest } = schema.attributes;
        schema.attributes = { ...rest, years: age };
      },
    },
    steps: [`replace:${uid('chef')}.age`],
    check: (after) => expect(of(after, 'chef').every(({ years }) => years === null)).toBe(true),
  },
];

/** Several changes as one. */
function together(cases: readonly Case[]): Case {
  const names = new Set(cases.flatMap(({ edits }) => Object.keys(edits)));
  const edit = (name: string) => (schema: Json) => {
    for (const { edits } of cases) edits[name]?.(schema);
  };
  return {
    title: 'many attributes at once',
    edits: Object.fromEntries([...names].map((name) => [name, edit(name)])),
    steps: cases.flatMap(({ steps }) => steps),
    async check(after, before, sheaf) {
      for (const one of cases) await one.check?.(after, before, sheaf);
    },
  };
}

describeOnEveryDatabase('A changed model', (engine) => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'sheaf-model-'));
  const project = path.join(folder, 'guide');
  const original = GUIDE_PROJECT;
  let url: string;
  let before: Answers;
  const config = () => ({ project, database: url, readOnly: false }) as ServerConfig;
  const file = (name: string, root = project) =>
    path.join(root, 'src', 'api', name, 'content-types', name, 'schema.json');

  const restore = (): void => {
    rmSync(project, { recursive: true, force: true });
    cpSync(original, project, { recursive: true });
  };
  const edit = (edits: Case['edits']): void => {
    for (const [name, change] of Object.entries(edits)) {
      const schema = JSON.parse(readFileSync(file(name), 'utf8'));
      change(schema);
      writeFileSync(file(name), JSON.stringify(schema, null, 2));
    }
  };
  const withSheaf = async <T>(work: (sheaf: Sheaf) => Promise<T>): Promise<T> => {
    const sheaf = await open({ project, database: url });
    try {
      return await work(sheaf);
    } finally {
      await sheaf.close();
    }
  };
  const undoAll = async (): Promise<void> => {
    const { changes } = (await schemaHistory(config())).value as { changes: unknown[] };
    for (const _ of changes) await schemaUndo(config(), false);
  };
  /** The columns of the model's tables, as the database describes them. */
  const layoutOf = async ({ model, database }: Sheaf): Promise<Json> => {
    const present = await database.describe();
    const { storedName } = database.dialect;
    const tables = tablesOf(model).filter(({ name }) => !name.startsWith('sheaf_'));
    return Object.fromEntries(
      tables.map(({ name, columns }) => {
        const described = present.get(storedName(name))!;
        const types = columns.map((column) => [column.name, described.columns.get(storedName(column.name))]);
        const indexes = [...described.indexes].filter((index) => !index.startsWith('sheaf_')).sort();
        return [name, { columns: Object.fromEntries(types), indexes }];
      }),
    );
  };
  /** That of a database that is made for the project as it is. */
  const freshLayout = async (): Promise<Json> => {
    const sheaf = await open({ project, database: engine.bareDatabaseUrl(null) });
    try {
      return await layoutOf(sheaf);
    } finally {
      await sheaf.close();
    }
  };
  const isFirst = engine.name === 'SQLite';
  // What a change of an attribute does alone is known by then.
  const ofAttributes = isFirst || SCALE > 1 ? CASES_OF_ATTRIBUTES : [together(CASES_OF_ATTRIBUTES)];

  // A case leaves the database as it was, unless it fails.
  let isClean = false;
  beforeEach(async () => {
    if (isClean) return;
    restore();
    url = engine.guideDatabaseUrl();
    before = await withSheaf(answersOf);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each([...CASES, ...ofAttributes].map((one) => [one.title, one] as const))(
    '%s',
    async (_title, { edits, steps, check }) => {
      isClean = false;
      edit(edits);
      if (steps.length > 0) {
        // A start does nothing and says what waits. What it says does not depend on the database.
        if (isFirst) {
          const refused = await open({ project, database: url }).then(
            async (sheaf) => {
              await sheaf.close();
              return 'it started';
            },
            (error: Error) => error.message,
          );
          for (const step of steps) expect(refused).toContain(step);
        }
        const diff = await schemaDiff(config());
        expect(
          (diff.value as Answered).changes
            .filter(({ atOnce }: Answered) => !atOnce)
            .map(({ id }: Answered) => id)
            .sort(),
        ).toEqual([...steps].sort());
        expect(diff.code).toBe(1);
        const applied = await schemaApply(config(), { allow: steps });
        expect(applied.code, applied.text).toBe(0);
      }
      const applied = await withSheaf(async (sheaf) => {
        const after = await answersOf(sheaf);
        await check?.(after, before, sheaf);
        const ask = (sql: string) => sheaf.database.snapshot((session) => session.rows({ sql, bindings: [] }, []));
        expect(await violations(sheaf.model, ask)).toEqual([]);
        expect(await componentOrphans(sheaf.model, ask)).toEqual([]);
        // A database to compare with is soon made on SQLite alone; elsewhere one is, where columns and tables change.
        if (isFirst || steps.some((step) => /restaurant\.stars|article\.authors/.test(step)))
          expect(await layoutOf(sheaf)).toEqual(await freshLayout());
        return listApplied(sheaf.database);
      });
      expect(engine.damage(url)).toEqual([]);
      if (isFirst) expect((await schemaDiff(config())).text).toMatch(/^The database fits/);
      // Taken back, every answer is as it was.
      for (const _ of applied) await schemaUndo(config(), false);
      restore();
      expect(await withSheaf(answersOf)).toEqual(before);
      expect(engine.damage(url)).toEqual([]);
      isClean = true;
    },
  );

  describe('under another name', () => {
    const RENAMES: readonly (readonly [string, string, string])[] = [
      ['a scalar', `${uid('restaurant')}.name`, 'signboard'],
      ['a relation with two sides', `${uid('restaurant')}.categories`, 'kinds'],
      ['the other side of one', `${uid('restaurant')}.dishes`, 'menu'],
      ['a relation of types with drafts', `${uid('article')}.authors`, 'writers'],
      ['a list of components', `${uid('restaurant')}.openingHours`, 'hours'],
      ['a zone', `${uid('article')}.blocks`, 'parts'],
      ['a file', `${uid('article')}.cover`, 'picture'],
      ['a component', 'shared.seo', 'meta-tags'],
    ];
    const attributes = RENAMES.filter(([, what]) => what.includes('::'));
    const oldNames = new Map(attributes.map(([, what, to]) => [to, what.slice(what.lastIndexOf('.') + 1)]));
    const withOldNames = (value: unknown): unknown =>
      JSON.parse(JSON.stringify(value).replaceAll('shared.meta-tags', 'shared.seo'), (_key, inner) =>
        typeof inner === 'object' && inner !== null && !Array.isArray(inner)
          ? Object.fromEntries(Object.entries(inner).map(([key, held]) => [oldNames.get(key) ?? key, held]))
          : inner,
      );

    // One after another, each beside those that came before, and taken back in turn.
    it('an attribute or a component of every kind keeps what it holds', async () => {
      isClean = false;
      for (const [title, what, to] of RENAMES) {
        const { code, text } = await schemaRename(config(), [what, to]);
        expect(code, `${title}: ${text}`).toBe(0);
      }
      const after = await withSheaf(answersOf);
      const [restaurant] = of(after, 'restaurant');
      const [article] = of(after, 'article', 'published', 'en');
      for (const name of oldNames.keys()) expect(name in restaurant || name in article, name).toBe(true);
      expect(withOldNames([...after])).toEqual(JSON.parse(JSON.stringify([...before])));
      expect((await schemaDiff(config())).text).toMatch(/^The database fits/);
      for (const _ of RENAMES) await schemaUndo(config(), false);
      // The files have their names and texts again.
      expect(await withSheaf(answersOf)).toEqual(before);
      isClean = true;
    });

    it('a type keeps its rows, links, files and grants', async () => {
      isClean = false;
      await withSheaf(async (sheaf) => (await sheaf.auth()).roles.grant('public', [`${uid('author')}.find`]));
      const { text } = await schemaRename(config(), [uid('author'), 'person'], { plural: 'people' });
      expect(text).toContain('api::person.person');
      await withSheaf(async (sheaf) => {
        const people = await sheaf
          .documents(uid('person'))
          .findMany({ status: 'published', sort: 'id', populate: '*' });
        expect(people).toEqual(of(before, 'author'));
        const articles = await sheaf
          .documents(uid('article'))
          .findMany({ status: 'published', sort: 'id', populate: '*' });
        expect(articles).toEqual(of(before, 'article', 'published', 'en'));
        const [role] = (await (await sheaf.auth()).roles.list()).filter(({ type }) => type === 'public');
        expect(role!.actions).toContain(`${uid('person')}.find`);
        expect(role!.actions).not.toContain(`${uid('author')}.find`);
        const tables = await sheaf.database.describe();
        expect([...tables.keys()].filter((table) => /^authors/.test(table))).toEqual([]);
      });
      await withSheaf(async (sheaf) => expect(await layoutOf(sheaf)).toEqual(await freshLayout()));
      await schemaUndo(config(), false);
      expect(await withSheaf(answersOf)).toEqual(before);
      isClean = true;
    });

    it('is found again where the definition was changed by hand', async () => {
      isClean = false;
      edit({
        chef: (schema) => {
          const { age, ...rest } = schema.attributes;
          schema.attributes = { ...rest, years: age };
        },
      });
      await schemaRename(config(), [`${uid('chef')}.age`, 'years']);
      const after = await withSheaf(answersOf);
      expect(of(after, 'chef').map(({ years }) => years)).toEqual(of(before, 'chef').map(({ age }) => age));
      await schemaUndo(config(), false);
      restore();
      expect(await withSheaf(answersOf)).toEqual(before);
      isClean = true;
    });

    it('of a table, or of the folder of a type, is followed when that is allowed', async () => {
      isClean = false;
      edit({
        author: (schema) => {
          schema.collectionName = 'writers';
        },
        owner: (schema) => {
          schema.info.singularName = 'landlord';
          schema.info.pluralName = 'landlords';
        },
        restaurant: ({ attributes }) => {
          attributes.owner.target = uid('landlord');
        },
      });
      const api = (name: string) => path.join(project, 'src', 'api', name);
      cpSync(
        path.join(api('owner'), 'content-types', 'owner'),
        path.join(api('landlord'), 'content-types', 'landlord'),
        {
          recursive: true,
        },
      );
      rmSync(api('owner'), { recursive: true });
      await expect(open({ project, database: url })).rejects.toThrow(
        /rename:api::author\.author: .*kept in writers[\s\S]*rename:api::owner\.owner: .*called api::landlord\.landlord/,
      );
      await schemaApply(config(), { all: true });
      await withSheaf(async (sheaf) => {
        const read = (name: string) =>
          sheaf.documents(uid(name)).findMany({ sort: 'id', populate: '*', status: 'published' });
        expect(await read('author')).toEqual(of(before, 'author'));
        expect(await read('landlord')).toEqual(of(before, 'owner'));
        expect(await read('restaurant')).toEqual(of(before, 'restaurant'));
      });
      await undoAll();
      restore();
      expect(await withSheaf(answersOf)).toEqual(before);
      isClean = true;
    });

    it.each([
      [[`${uid('chef')}.nonsense`, 'years'], /has no attribute "nonsense".*it has .*age/s],
      [[`${uid('chef')}.age`, 'name'], /has an attribute "name" already/],
      [[`${uid('chef')}.age`, 'two words'], /no name for an attribute/],
      [[uid('chef'), 'author'], /There is a api::author\.author already/],
      [['nothing', 'else'], /no content-type, component or attribute "nothing"/],
    ])('is refused where it does not fit (%j)', async ([what, to], message) => {
      await expect(schemaRename(config(), [what!, to!])).rejects.toThrow(message);
    });
  });

  it('is not taken back over what was written since, unless that is said', async () => {
    isClean = false;
    edit({
      author: ({ options }) => {
        options.draftAndPublish = false;
      },
    });
    await schemaApply(config(), { all: true });
    const [author] = of(before, 'author');
    await withSheaf((sheaf) =>
      sheaf.documents(uid('author')).update({ documentId: author.documentId, data: { name: 'New' } }),
    );
    // Writes to other content are no obstacle.
    await withSheaf((sheaf) => sheaf.documents(uid('country')).create({ data: { name: 'Elsewhere', code: 'XX' } }));
    await schemaUndo(config(), false);
    await schemaApply(config(), { all: true });
    await withSheaf(async (sheaf) => {
      const [draft] = of(before, 'author', 'draft').filter(({ documentId }) => documentId === author.documentId);
      const [link] = (await sheaf.documents(uid('article')).findMany({ status: 'draft', populate: '*' })).filter(
        (article: Answered) => ids(article.authors).includes(draft.documentId),
      );
      if (link) await sheaf.documents(uid('article')).update({ documentId: link.documentId, data: { authors: [] } });
    });
    await expect(schemaUndo(config(), false)).rejects.toThrow(
      /written since.*articles_authors_lnk.*--discard-changes/s,
    );
    expect((await schemaUndo(config(), true)).text).toContain('Taken back');
  });

  it('is kept until it is released', async () => {
    isClean = false;
    edit({
      tag: (schema) => {
        schema.pluginOptions = {};
      },
    });
    await schemaApply(config(), { all: true });
    const tables = async () =>
      [...(await withSheaf((sheaf) => sheaf.database.describe())).keys()].filter((table) =>
        table.startsWith('sheaf_aside_'),
      );
    expect((await tables()).length).toBeGreaterThan(0);
    expect((await schemaHistory(config())).text).toContain(`locales-off:${uid('tag')}`);
    expect((await schemaRelease(config())).text).toContain('loses its locales');
    expect(await tables()).toEqual([]);
    await expect(schemaUndo(config(), false)).rejects.toThrow('There is no change to take back');
  });

  it('refuses steps that are not there, and leaves those that are not allowed', async () => {
    isClean = false;
    edit({
      tag: (schema) => {
        schema.pluginOptions = {};
      },
      author: ({ options }) => {
        options.draftAndPublish = false;
      },
    });
    await expect(schemaApply(config(), { allow: ['nonsense'] })).rejects.toThrow(
      /no step "nonsense".*drafts-off:api::author\.author/s,
    );
    const { code, text } = await schemaApply(config(), { allow: [`locales-off:${uid('tag')}`] });
    expect(code).toBe(1);
    expect(text).toMatch(/wait to be allowed.*drafts-off:api::author\.author/s);
    await expect(open({ project, database: url })).rejects.toThrow(`drafts-off:${uid('author')}`);
    await expect(open({ project, database: url, readOnly: true })).rejects.toThrow(`drafts-off:${uid('author')}`);
    expect((await schemaApply(config(), { all: true })).code).toBe(0);
  });

  it('is the old one or the new one after a kill in the middle', async () => {
    for (let kill = 0; kill < scaled(2); kill++) {
      isClean = false;
      restore();
      url = engine.guideDatabaseUrl();
      const old = await withSheaf(answersOf);
      edit({
        restaurant: ({ options }) => {
          options.draftAndPublish = true;
        },
      });
      const words = ['schema', 'apply', '--all', '--project', project, '--database', url];
      const child = spawn(process.execPath, [MAIN, ...words], { stdio: ['ignore', 'ignore', 'ignore'] });
      const ended = once(child, 'exit');
      // Any moment will do; one after the start of the program hits the work more often.
      await sleep(200 + Math.random() * 400);
      child.kill('SIGKILL');
      await ended;
      const { changes } = (await schemaDiff(config())).value as Answered;
      if (changes.length > 0) {
        restore();
        expect(await withSheaf(answersOf)).toEqual(old);
      } else {
        const after = await withSheaf(answersOf);
        expect(of(after, 'restaurant', 'draft').length).toBe(of(old, 'restaurant').length);
        await undoAll();
        restore();
        expect(await withSheaf(answersOf)).toEqual(old);
      }
      expect(engine.damage(url)).toEqual([]);
    }
  });

  it('is brought about once by nodes that start together', async () => {
    isClean = false;
    restore();
    url = engine.guideDatabaseUrl();
    await withSheaf(async () => undefined);
    edit({
      restaurant: ({ attributes }) => {
        attributes.stars.type = 'biginteger';
      },
    });
    const nodes = await Promise.all([1, 2, 3].map(() => open({ project, database: url })));
    for (const node of nodes) await node.close();
    expect(((await schemaHistory(config())).value as Answered).changes.length).toBe(1);
  });
});
