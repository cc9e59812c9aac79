// Indexes that a project declares: made at the start, shown in advance, refused where they cannot be, and what
// `sheaf explain` says of them.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { explainRequest } from '../src/cli/explain.ts';
import { schemaApply, schemaDiff } from '../src/cli/schema-commands.ts';
import { SetupError } from '../src/errors.ts';
import { loadModel } from '../src/model/build.ts';
import type { ServerConfig } from '../src/project/environment.ts';
import { type Content, type Json, type Project, relation, useContents } from './support/content.ts';
import { describeOnEveryDatabase } from './support/database.ts';

const PLACE = 'api::place.place';

const places = (more: Json = {}, options: Json = {}): Project => ({
  types: {
    place: {
      attributes: {
        name: { type: 'string' },
        cuisine: { type: 'enumeration', enum: ['french', 'italian'], index: true },
        stars: { type: 'integer' },
        rating: { type: 'decimal' },
        visits: { type: 'biginteger' },
        open: { type: 'boolean' },
        inspectedAt: { type: 'datetime' },
        slug: { type: 'uid', index: true },
        notes: { type: 'text' },
        meta: { type: 'json' },
        owner: relation('manyToOne', 'person', { useJoinTable: false, index: true }),
        chef: relation('manyToOne', 'person', { index: true }),
        guests: relation('manyToMany', 'person'),
        seo: { type: 'component', component: 'shared.seo' },
        ...more,
      },
      options,
    },
    person: { attributes: { name: { type: 'string' } } },
  },
  components: { 'shared.seo': { title: { type: 'string', index: true } } },
});

const OPTIONS = { indexes: [['owner', 'rating'], ['cuisine', 'rating'], ['cuisine', 'rating'], ['id']] };
const LISTED = { [PLACE]: [['stars', 'rating'], ['visits'], ['open'], ['inspectedAt', 'id'], ['name']] };

function writeSettings(folder: string, settings: Json): void {
  mkdirSync(path.join(folder, 'config'), { recursive: true });
  writeFileSync(path.join(folder, 'config', 'sheaf.json'), JSON.stringify(settings));
}

const EXPECTED = [
  'sheaf_places_cuisine_declared on places (cuisine)',
  'sheaf_places_slug_declared on places (slug)',
  'sheaf_places_owner_id_rating_declared on places (owner_id, rating)',
  'sheaf_places_cuisine_rating_declared on places (cuisine, rating)',
  'sheaf_places_stars_rating_declared on places (stars, rating)',
  'sheaf_places_visits_declared on places (visits)',
  'sheaf_places_open_declared on places (open)',
  'sheaf_places_inspected_at_id_declared on places (inspected_at, id)',
  'sheaf_places_name_declared on places (name)',
];

describeOnEveryDatabase('Indexes that a project declares', (engine) => {
  const contents = useContents(engine);
  let folder: string;
  let url: string;
  let content: Content;

  const command = (action: 'diff' | 'apply') =>
    (action === 'diff' ? schemaDiff : schemaApply)({ project: folder, database: url } as ServerConfig).then(
      ({ text }) => text,
    );

  beforeAll(async () => {
    folder = contents.project(places({}, OPTIONS));
    url = engine.freshDatabaseUrl();
    // A database that was made without them.
    const plain = places();
    delete (plain.types.place!.attributes.cuisine as Json).index;
    delete (plain.types.place!.attributes.slug as Json).index;
    delete (plain.components!['shared.seo']!.title as Json).index;
    await (await contents.open(plain, url)).close();
    writeSettings(folder, { indexes: LISTED });
  });

  it('are shown by schema diff, made by schema apply, and then there', async () => {
    const seo = 'sheaf_components_shared_seos_title_declared on components_shared_seos (title)';
    const diff = await command('diff');
    expect(diff.split('\n').slice(0, -2)).toEqual([seo, ...EXPECTED].map((index) => `  create index ${index}`));
    expect(diff).toContain('A start would make these 10 additions');
    expect(await command('apply')).toContain('Done: 10 additions.');
    expect(await command('diff')).toBe('The database fits; a start would change nothing.\n');
    content = await contents.open(folder, url);
    const present = (await content.sheaf.database.describe()).get('places')!;
    for (const index of EXPECTED) expect(present.indexes).toContain(index.split(' ')[0]);
  });

  it('serve filters and sorts of every type that they are made for', async () => {
    const rows = Array.from({ length: 400 }, (_, index) => index + 1);
    const datetime = (index: number) =>
      content.sheaf.database.dialect.name === 'sqlite'
        ? String(1_700_000_000_000 + index)
        : `to_timestamp(${1_700_000_000 + index})`;
    const values = rows.map(
      (n) =>
        `('d${n}', 'n${n}', 'c${n}', ${n}, ${n}.5, ${n}, ${n === 7 ? 'true' : 'false'}, ${datetime(n)}, 's${n}', ${datetime(0)})`,
    );
    await content.execute(
      `insert into places (document_id, name, cuisine, stars, rating, visits, open, inspected_at, slug, published_at) values ${values.join()}`,
    );
    await content.execute('analyze');
    const indexesOf = async (query: string) =>
      /^Indexes: (.*)$/m.exec(
        await explainRequest(content.sheaf, `/api/places?pagination[withCount]=false&${query}`),
      )![1];
    expect(await indexesOf('filters[name]=n3')).toContain('sheaf_places_name_declared');
    expect(await indexesOf('filters[cuisine]=c3')).toMatch(/sheaf_places_cuisine_(rating_)?declared/);
    expect(await indexesOf('filters[stars]=3&filters[rating]=3.5')).toContain('sheaf_places_stars_rating_declared');
    expect(await indexesOf('filters[visits]=3')).toContain('sheaf_places_visits_declared');
    expect(await indexesOf('filters[open]=true')).toContain('sheaf_places_open_declared');
    expect(await indexesOf('filters[inspectedAt]=2023-11-14T22:13:20.003Z')).toContain(
      'sheaf_places_inspected_at_id_declared',
    );
    for (const sort of ['name', 'name:desc', 'visits', 'stars:desc,rating:desc', 'inspectedAt'])
      expect(await indexesOf(`sort=${sort}&pagination[pageSize]=1`), sort).toMatch(/^sheaf_places_\w+_declared\b/);
  });

  it('are asked for by explain where a filter or a sort of the list has none', async () => {
    const hints = async (query: string) =>
      (await explainRequest(content.sheaf, `/api/places?${query}`)).match(/^No index begins with .*$/gm) ?? [];
    const hint = (name: string) =>
      `No index begins with ${name}. Declare "index": true at ${name}, or "indexes": {"${PLACE}": [["${name}"]]} in config/sheaf.json`;
    expect(await hints('filters[rating][$gt]=3&sort=createdAt&populate=guests')).toEqual([
      hint('rating'),
      hint('createdAt'),
    ]);
    // Indexed, through a relation, or in a way that no index serves.
    for (const query of [
      'filters[name]=a&sort=stars',
      'sort=chef.name',
      'filters[rating][$ne]=3',
      'filters[notes]=a',
      '',
    ])
      expect(await hints(query), query).toEqual([]);
  });

  it('are not asked for where an index that was made by hand serves', async () => {
    const query = '/api/places?filters[rating]=3.5&pagination[withCount]=false';
    expect(await explainRequest(content.sheaf, query)).toContain('No index begins with rating');
    await content.execute('create index by_hand on places (rating)');
    await content.execute('analyze');
    const explained = await explainRequest(content.sheaf, query);
    expect(explained).toMatch(/^Indexes: by_hand\b/m);
    expect(explained).not.toContain('No index begins');
  });
});

describe('An index that cannot be declared', () => {
  const contents = useContents({} as never);
  const SCHEMA = 'src/api/place/content-types/place/schema.json';

  function problemsOf(project: Project, settings: Json = {}): readonly string[] {
    const folder = contents.project(project);
    writeSettings(folder, settings);
    try {
      loadModel(folder);
    } catch (error) {
      expect(error).toBeInstanceOf(SetupError);
      return (error as SetupError).problems;
    }
    return [];
  }

  const expected = 'expected scalar attributes, or a relation to one';

  it('is told with its file and key: at an attribute', () => {
    expect(problemsOf(places({ name: { type: 'string', index: 'yes' } }))).toEqual([
      `${SCHEMA}: attributes.name.index: expected true or false`,
    ]);
    expect(
      problemsOf(
        places({
          meta: { type: 'json', index: true },
          notes: { type: 'text', index: true },
          seo: { type: 'component', component: 'shared.seo', index: true },
          guests: relation('manyToMany', 'person', { index: true }),
        }),
      ),
    ).toEqual([
      `${SCHEMA}: attributes.notes.index: "notes" is text, which cannot be indexed; ${expected}`,
      `${SCHEMA}: attributes.meta.index: "meta" is json, which cannot be indexed; ${expected}`,
      `${SCHEMA}: attributes.guests.index: "guests" is a relation to many; ${expected}`,
      `${SCHEMA}: attributes.seo.index: "seo" is a component; ${expected}`,
    ]);
  });

  it('is told with its file and key: options.indexes of the wrong shape', () => {
    for (const indexes of ['cuisine', ['cuisine'], [[]], [[7]], {}, null])
      expect(problemsOf(places({}, { indexes })), JSON.stringify(indexes)).toEqual([
        `${SCHEMA}: options.indexes: expected a list of lists of attribute names, such as [["cuisine", "rating"]]`,
      ]);
  });

  it('is told with its file and key: in options', () => {
    expect(problemsOf(places({}, { indexes: [['nothing'], ['name', 'name'], ['chef', 'rating']] }))).toEqual([
      `${SCHEMA}: options.indexes[0]: there is no attribute "nothing"; ${expected}`,
      `${SCHEMA}: options.indexes[1]: expected every attribute once`,
      `${SCHEMA}: options.indexes[2]: "chef" is kept in a table of links, which is indexed already; expected attributes with a column of their own`,
    ]);
  });

  it('is told where two would have the same name', () => {
    const more = { starsRating: { type: 'integer', index: true } };
    expect(problemsOf(places(more, { indexes: [['stars', 'rating']] }))).toEqual([
      `${SCHEMA}: options.indexes[0]: another index of the type would have the same name; expected other attributes`,
    ]);
  });

  it('is told with its file and key: in the settings', () => {
    expect(problemsOf(places(), { indexes: { [PLACE]: [['meta']], 'api::nothing.nothing': [['a']] } })).toEqual([
      `config/sheaf.json: indexes.${PLACE}[0]: "meta" is json, which cannot be indexed; ${expected}`,
      'config/sheaf.json: indexes.api::nothing.nothing: there is no content-type "api::nothing.nothing"; expected the uid of one of this project',
    ]);
    expect(problemsOf(places(), { indexes: { [PLACE]: [['name', 7], 'stars', []] } })).toEqual([
      `indexes.${PLACE}.0.1: expected the name of an attribute`,
      `indexes.${PLACE}.1: expected lists of attribute names, such as [["cuisine", "rating"]]`,
      `indexes.${PLACE}.2: expected lists of attribute names, such as [["cuisine", "rating"]]`,
    ]);
    expect(problemsOf(places(), { indexes: [] })).toEqual([
      'indexes: expected an object of lists by content-type, such as {"api::dish.dish": [["price"]]}',
    ]);
  });
});
