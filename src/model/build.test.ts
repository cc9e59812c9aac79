// From definition files to the model: what a broken definition is told, that all problems are told at once, and that
// the names the model gives to tables and columns are those of a database that Strapi 5 made.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SetupError } from '../errors.ts';
import { MAX_IDENTIFIER_LENGTH } from '../limits.ts';
import { loadModel } from './build.ts';
import type { Attribute, LinkTable, Model, RelationAttribute } from './types.ts';

const TAG = 'src/api/tag/content-types/tag/schema.json';
const POST = 'src/api/post/content-types/post/schema.json';
const SEO = 'src/components/shared/seo.json';

type Json = Record<string, unknown>;
/** File contents by path below the project; text is written as it stands. */
type Files = Record<string, Json | string>;

const contentType = (name: string, attributes: Json, more: Json = {}): Json => ({
  kind: 'collectionType',
  collectionName: `${name}s`,
  info: { singularName: name, pluralName: `${name}s`, displayName: name },
  options: {},
  pluginOptions: {},
  attributes,
  ...more,
});
const component = (attributes: Json, more: Json = {}): Json => ({
  collectionName: 'components_shared_seos',
  info: { displayName: 'seo' },
  attributes,
  ...more,
});
const SOUND: Files = {
  [TAG]: contentType('tag', { name: { type: 'string' } }),
  [POST]: contentType('post', { title: { type: 'string' } }),
  [SEO]: component({ title: { type: 'string' } }),
};

let folder: string;
let projects = 0;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'sheaf-model-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function load(files: Files): Model {
  const project = path.join(folder, String(++projects));
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(project, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  }
  return loadModel(project);
}

function problemsOf(files: Files): readonly string[] {
  try {
    load(files);
  } catch (error) {
    if (error instanceof SetupError) return error.problems;
    throw error;
  }
  return [];
}

/** The problems of a sound project in which the posts have these attributes. */
const problemsOfPost = (attributes: Json): readonly string[] =>
  problemsOf({ ...SOUND, [POST]: contentType('post', attributes) });

const attribute = (model: Model, uid: string, name: string): Attribute => {
  const schema = model.contentTypes.get(uid) ?? model.components.get(uid);
  return schema!.attributes.get(name)!;
};
const relation = (model: Model, uid: string, name: string): RelationAttribute =>
  attribute(model, uid, name) as RelationAttribute;

const TYPES =
  'string, text, richtext, email, uid, enumeration, password, integer, biginteger, float, decimal, boolean, date, time, datetime, timestamp, json, blocks, media, relation, component, dynamiczone, customField';

describe('a file that is broken by itself', () => {
  it('is not the fault of a sound project', () => {
    expect(problemsOf(SOUND)).toEqual([]);
  });

  it.each<[what: string, content: Json | string, problem: string | RegExp]>([
    ['that is no JSON', '{"kind": ', /^src\/api\/tag\/content-types\/tag\/schema\.json: not valid JSON: ./],
    ['that holds a list', '[]', `${TAG}: expected a JSON object`],
    [
      'of an unknown kind',
      contentType('tag', {}, { kind: 'list' }),
      `${TAG}: kind: expected "collectionType" or "singleType"`,
    ],
    [
      'without attributes',
      contentType('tag', {}, { attributes: undefined }),
      `${TAG}: attributes: expected an object of attribute definitions`,
    ],
    [
      'with an empty table name',
      contentType('tag', {}, { collectionName: '' }),
      `${TAG}: collectionName: expected a table name`,
    ],
    [
      'with a table name that is no text',
      contentType('tag', {}, { collectionName: 5 }),
      `${TAG}: collectionName: expected a table name`,
    ],
    [
      'with options that are no object',
      contentType('tag', {}, { options: true }),
      `${TAG}: options: expected an object`,
    ],
    [
      'with plugin options that are no object',
      contentType('tag', {}, { pluginOptions: [] }),
      `${TAG}: pluginOptions: expected an object`,
    ],
    [
      'with an i18n option that is no object',
      contentType('tag', {}, { pluginOptions: { i18n: true } }),
      `${TAG}: pluginOptions: i18n: expected an object`,
    ],
    [
      'that is localized perhaps',
      contentType('tag', {}, { pluginOptions: { i18n: { localized: 'yes' } } }),
      `${TAG}: pluginOptions.i18n.localized: expected true or false`,
    ],
    [
      'that has drafts perhaps',
      contentType('tag', {}, { options: { draftAndPublish: 'yes' } }),
      `${TAG}: options.draftAndPublish: expected true or false`,
    ],
    [
      'that shows creators perhaps',
      contentType('tag', {}, { options: { populateCreatorFields: 1 } }),
      `${TAG}: options.populateCreatorFields: expected true or false`,
    ],
    [
      'with private attributes that are no list',
      contentType('tag', {}, { options: { privateAttributes: 'name' } }),
      `${TAG}: options.privateAttributes: expected a list of names`,
    ],
    [
      'with a name for its folder only',
      contentType('tag', {}, { info: { singularName: 'label', pluralName: 'labels', displayName: 'Label' } }),
      `${TAG}: info.singularName: expected "tag", the name of its folder`,
    ],
    [
      'without a name to show',
      contentType('tag', {}, { info: { singularName: 'tag', pluralName: 'tags' } }),
      `${TAG}: info.displayName: expected a string`,
    ],
    [
      'with a plural in capitals',
      contentType('tag', {}, { info: { singularName: 'tag', pluralName: 'Tags', displayName: 'Tag' } }),
      `${TAG}: info.pluralName: expected a lower-case name such as "tag"`,
    ],
  ])('is told by file, key and what was expected: one %s', (_what, content, problem) => {
    const problems = problemsOf({ ...SOUND, [TAG]: content });
    expect(problems).toEqual([typeof problem === 'string' ? problem : expect.stringMatching(problem)]);
  });

  it('is told when it is not there at all', () => {
    const without = Object.fromEntries(Object.entries(SOUND).filter(([file]) => file !== TAG));
    const problems = problemsOf({ ...without, 'src/api/tag/content-types/tag/other.txt': '' });
    expect(problems).toEqual([`${TAG}: the file is missing; expected a content-type definition in JSON`]);
  });

  it('is told when it is there and cannot be read', () => {
    const without = Object.fromEntries(Object.entries(SOUND).filter(([file]) => file !== TAG));
    const problems = problemsOf({ ...without, [`${TAG}/other.txt`]: '' });
    expect(problems).toEqual([
      expect.stringMatching(/: the file cannot be read \(EISDIR: .*\); expected a content-type/),
    ]);
  });

  it('is told every name it lacks when it has no info', () => {
    expect(problemsOf({ ...SOUND, [TAG]: contentType('tag', {}, { info: undefined }) })).toEqual([
      `${TAG}: info.singularName: expected a lower-case name such as "tag"`,
      `${TAG}: info.pluralName: expected a lower-case name such as "tag"`,
      `${TAG}: info.displayName: expected a string`,
    ]);
  });

  it.each<[what: string, attribute: unknown, problem: string]>([
    ['no object', 'string', `.type: expected one of ${TYPES}`],
    ['without a type', {}, `.type: expected one of ${TYPES}`],
    ['of an unknown type', { type: 'number' }, `.type: expected one of ${TYPES}`],
    ['required perhaps', { type: 'string', required: 'yes' }, '.required: expected true or false'],
    ['private perhaps', { type: 'string', private: 'yes' }, '.private: expected true or false'],
    ['unique perhaps', { type: 'string', unique: 1 }, '.unique: expected true or false'],
    ['searchable perhaps', { type: 'string', searchable: null }, '.searchable: expected true or false'],
    ['with half a length', { type: 'string', minLength: 1.5 }, '.minLength: expected a whole number'],
    ['with a negative length', { type: 'string', maxLength: -1 }, '.maxLength: expected a whole number'],
    ['with a broken pattern', { type: 'string', regex: '(' }, '.regex: expected a regular expression'],
    ['an enumeration of nothing', { type: 'enumeration', enum: [] }, '.enum: expected a list of at least one string'],
    ['an enumeration of numbers', { type: 'enumeration', enum: [1] }, '.enum: expected a list of at least one string'],
    [
      'an enumeration with a value twice',
      { type: 'enumeration', enum: ['a', 'a'] },
      '.enum: expected every value once',
    ],
    [
      'a relation of an unknown kind',
      { type: 'relation', relation: 'many', target: 'api::tag.tag' },
      '.relation: expected one of oneToOne, oneToMany, manyToOne, manyToMany, morphToOne, morphToMany, morphOne, morphMany',
    ],
    [
      'a relation without a target',
      { type: 'relation', relation: 'oneToOne' },
      '.target: expected the uid of a content-type',
    ],
    [
      'a relation with an inverse that is no name',
      { type: 'relation', relation: 'manyToMany', target: 'api::tag.tag', inversedBy: 1 },
      '.inversedBy: expected the name of an attribute of the target',
    ],
    [
      'a relation with two inverses',
      { type: 'relation', relation: 'manyToMany', target: 'api::tag.tag', inversedBy: 'a', mappedBy: 'b' },
      ': expected inversedBy or mappedBy, not both',
    ],
    [
      'a many side that does not own',
      { type: 'relation', relation: 'manyToOne', target: 'api::tag.tag', mappedBy: 'posts' },
      '.mappedBy: expected inversedBy; the many side owns a manyToOne relation',
    ],
    [
      'a one side that owns',
      { type: 'relation', relation: 'oneToMany', target: 'api::tag.tag', inversedBy: 'post' },
      '.inversedBy: expected mappedBy; the one side cannot own a oneToMany relation',
    ],
    [
      'a polymorphic inverse without a target',
      { type: 'relation', relation: 'morphOne', morphBy: 'related' },
      '.target: expected the uid of a content-type',
    ],
    [
      'a polymorphic inverse without a name',
      { type: 'relation', relation: 'morphMany', target: 'api::tag.tag' },
      '.morphBy: expected the name of an attribute of the target',
    ],
    ...['joinTable', 'joinColumn', 'morphColumn'].map((key): [string, Json, string] => [
      `a relation with a ${key} of its own`,
      { type: 'relation', relation: 'morphToOne', [key]: { name: 'elsewhere' } },
      `.${key}: expected none; tables and columns of links have the names that Strapi 5 gives them`,
    ]),
    [
      'a component without a uid',
      { type: 'component' },
      '.component: expected the uid of a component, such as "shared.seo"',
    ],
    [
      'a component repeatable perhaps',
      { type: 'component', component: 'shared.seo', repeatable: 2 },
      '.repeatable: expected true or false',
    ],
    [
      'a zone of nothing',
      { type: 'dynamiczone', components: [] },
      '.components: expected a list of at least one component uid',
    ],
    [
      'a zone of no list',
      { type: 'dynamiczone', components: 'shared.seo' },
      '.components: expected a list of at least one component uid',
    ],
    [
      'media of an unknown sort',
      { type: 'media', allowedTypes: ['pictures'] },
      '.allowedTypes: expected a list of images, videos, files, audios',
    ],
    [
      'a custom field without a uid',
      { type: 'customField' },
      '.customField: expected the uid of a custom field, such as "plugin::color-picker.color"',
    ],
  ])('is told of an attribute by its path: one that is %s', (_what, definition, problem) => {
    expect(problemsOfPost({ subject: definition })).toEqual([`${POST}: attributes.subject${problem}`]);
  });

  it('is told of a name that is reserved or cannot be one', () => {
    const text = { type: 'string' };
    expect(problemsOfPost({ id: text, documentId: text, document_id: text, 'two words': text, '1st': text })).toEqual([
      `${POST}: attributes.id: this name is reserved; expected another name`,
      `${POST}: attributes.documentId: this name is reserved; expected another name`,
      `${POST}: attributes.document_id: this name is reserved; expected another name`,
      `${POST}: attributes.two words: expected a name of letters, digits, _ and -`,
      `${POST}: attributes.1st: expected a name of letters, digits, _ and -`,
    ]);
  });

  it('is told of a component without a table', () => {
    expect(problemsOf({ ...SOUND, [SEO]: component({}, { collectionName: undefined }) })).toEqual([
      `${SEO}: collectionName: expected a table name; components must have one`,
    ]);
  });
});

describe('files that do not fit together', () => {
  const toTag = (more: Json): Json => ({ type: 'relation', relation: 'manyToMany', target: 'api::tag.tag', ...more });

  it.each<[what: string, attribute: Json, problem: string]>([
    [
      'a target that is not there',
      toTag({ target: 'api::label.label' }),
      '.target: there is no content-type "api::label.label"; expected the uid of one of this project',
    ],
    [
      'a target that is a component',
      toTag({ target: 'shared.seo' }),
      '.target: there is no content-type "shared.seo"; expected the uid of one of this project',
    ],
    [
      'an inverse that is not there',
      toTag({ inversedBy: 'posts' }),
      '.inversedBy: api::tag.tag has no relation "posts"; expected the name of one',
    ],
    [
      'an inverse that is no relation',
      toTag({ inversedBy: 'name' }),
      '.inversedBy: api::tag.tag has no relation "name"; expected the name of one',
    ],
    [
      'a component that is not there',
      { type: 'component', component: 'shared.link' },
      '.component: there is no component "shared.link"; expected the uid of one of this project',
    ],
    [
      'a component that is a content-type',
      { type: 'component', component: 'api::tag.tag' },
      '.component: there is no component "api::tag.tag"; expected the uid of one of this project',
    ],
    [
      'a zone with a component that is not there',
      { type: 'dynamiczone', components: ['shared.seo', 'shared.link'] },
      '.components[1]: there is no component "shared.link"; expected the uid of one of this project',
    ],
    [
      'a polymorphic inverse of a plain attribute',
      { type: 'relation', relation: 'morphMany', target: 'api::tag.tag', morphBy: 'name' },
      '.morphBy: api::tag.tag has no polymorphic relation "name"',
    ],
  ])('are told by file and key: %s', (_what, definition, problem) => {
    expect(problemsOfPost({ subject: definition })).toEqual([`${POST}: attributes.subject${problem}`]);
  });

  it('are told of two attributes that would share a column', () => {
    const text = { type: 'string' };
    expect(problemsOfPost({ größe: text, grosse: text })).toEqual([
      `${POST}: attributes.grosse: expected a name that differs from größe in more than case and accents`,
    ]);
    expect(problemsOfPost({ subTitle: text, sub_title: text })).toEqual([
      `${POST}: attributes.sub_title: expected a name that differs from subTitle in more than case and accents`,
    ]);
  });

  it('are told of a table that two types claim, and of a name that two paths would share', () => {
    const post = contentType(
      'post',
      {},
      {
        collectionName: 'tags',
        info: { singularName: 'post', pluralName: 'tag', displayName: 'Post' },
      },
    );
    expect(problemsOf({ ...SOUND, [POST]: post })).toEqual([
      `${TAG}: collectionName: the table "tags" belongs to api::post.post already`,
      `${TAG}: info: the name "tag" belongs to api::post.post already`,
    ]);
  });

  it('are told of a name that belongs to a built-in type', () => {
    const users = contentType('post', {}, { info: { singularName: 'post', pluralName: 'users', displayName: 'Post' } });
    expect(problemsOf({ ...SOUND, [POST]: users })).toEqual([
      `${POST}: info: the name "users" belongs to plugin::users-permissions.user already`,
    ]);
  });

  it('are told of a plural that is the singular', () => {
    const sheep = contentType('post', {}, { info: { singularName: 'post', pluralName: 'post', displayName: 'Post' } });
    expect(problemsOf({ ...SOUND, [POST]: sheep })).toEqual([
      `${POST}: info.pluralName: expected a name other than info.singularName`,
    ]);
  });
});

describe('several problems', () => {
  it('of several files are told at once, and each in the message', () => {
    const files: Files = {
      [TAG]: contentType('tag', { name: { type: 'number' }, id: { type: 'string' } }),
      [POST]: contentType('post', { state: { type: 'enumeration' } }, { kind: 'list' }),
      [SEO]: '{',
    };
    const problems = problemsOf(files);
    expect(problems).toEqual([
      `${POST}: kind: expected "collectionType" or "singleType"`,
      `${POST}: attributes.state.enum: expected a list of at least one string`,
      `${TAG}: attributes.name.type: expected one of ${TYPES}`,
      `${TAG}: attributes.id: this name is reserved; expected another name`,
      expect.stringMatching(/^src\/components\/shared\/seo\.json: not valid JSON/),
    ]);
    expect(() => load(files)).toThrow(`The content model cannot be loaded:\n  - ${problems.join('\n  - ')}`);
  });

  it('between files are told at once, and each in the message', () => {
    const files: Files = {
      ...SOUND,
      [TAG]: contentType('tag', { seo: { type: 'component', component: 'shared.none' } }),
      [POST]: contentType('post', {
        tag: { type: 'relation', relation: 'oneToOne', target: 'api::none.none' },
        seo: { type: 'component', component: 'shared.none' },
      }),
    };
    const problems = problemsOf(files);
    expect(problems).toEqual([
      `${POST}: attributes.tag.target: there is no content-type "api::none.none"; expected the uid of one of this project`,
      `${POST}: attributes.seo.component: there is no component "shared.none"; expected the uid of one of this project`,
      `${TAG}: attributes.seo.component: there is no component "shared.none"; expected the uid of one of this project`,
    ]);
    expect(() => load(files)).toThrow(`The content model does not fit together:\n  - ${problems.join('\n  - ')}`);
  });

  it('that are a folder without a project are told with what was expected', () => {
    expect(() => loadModel(path.join(folder, 'nowhere'))).toThrow(
      /^There is no content project at .*nowhere\n {2}- expected a folder /,
    );
  });
});

describe('the model of a project', () => {
  it('gives every content-type the attributes that all have, around its own', () => {
    const { attributes } = load(SOUND).contentTypes.get('api::post.post')!;
    expect([...attributes.keys()]).toEqual([
      'id',
      'documentId',
      'title',
      'createdAt',
      'updatedAt',
      'publishedAt',
      'createdBy',
      'updatedBy',
      'locale',
      'localizations',
    ]);
    expect([...load(SOUND).components.get('shared.seo')!.attributes.keys()]).toEqual(['id', 'title']);
  });

  it('keeps creators and locales private unless the type asks for them', () => {
    const plain = load(SOUND);
    const open = load({
      ...SOUND,
      [POST]: contentType(
        'post',
        {},
        {
          options: { populateCreatorFields: true },
          pluginOptions: { i18n: { localized: true } },
        },
      ),
    });
    for (const name of ['createdBy', 'updatedBy', 'locale', 'localizations']) {
      expect(attribute(plain, 'api::post.post', name).private, name).toBe(true);
      expect(attribute(open, 'api::post.post', name).private, name).toBe(false);
    }
  });

  it('makes an attribute private by its own mark or by the list of its type', () => {
    const model = load({
      ...SOUND,
      [POST]: contentType(
        'post',
        { a: { type: 'string', private: true }, b: { type: 'string' }, c: { type: 'string' } },
        { options: { privateAttributes: ['b'] } },
      ),
    });
    expect(['a', 'b', 'c'].map((name) => attribute(model, 'api::post.post', name).private)).toEqual([
      true,
      true,
      false,
    ]);
  });

  it('ignores a declaration of an attribute that every type has', () => {
    const model = load({ ...SOUND, [POST]: contentType('post', { createdAt: { type: 'string' } }) });
    expect(attribute(model, 'api::post.post', 'createdAt')).toMatchObject({ type: 'datetime', column: 'created_at' });
  });

  it('takes the singular name for the table where none is given', () => {
    const model = load({ ...SOUND, [POST]: contentType('post', {}, { collectionName: undefined }) });
    expect(model.contentTypes.get('api::post.post')!.table).toBe('post');
  });

  it('shortens a table name that is too long, and names what hangs on it after the short one', () => {
    const model = load({
      ...SOUND,
      [POST]: contentType(
        'post',
        { tags: { type: 'relation', relation: 'manyToMany', target: 'api::tag.tag' } },
        { collectionName: 'restaurant_inspection_reports_of_the_whole_country_and_sea' },
      ),
    });
    const { table } = model.contentTypes.get('api::post.post')!;
    expect(table).toBe('restaurant_inspection_reports_of_the_whole_countryb89a1');
    expect(table).toHaveLength(MAX_IDENTIFIER_LENGTH);
    expect(relation(model, 'api::post.post', 'tags').link.table).toBe(
      'restaurant_inspection_reports_of_the_wholaca7c_tags_lnk',
    );
  });

  it('reads defaults of JSON that are written as text', () => {
    const model = load({
      [TAG]: contentType('tag', {
        list: { type: 'json', default: '[1]' },
        object: { type: 'json', default: { a: 1 } },
        words: { type: 'json', default: 'no JSON' },
        text: { type: 'string', default: '[1]' },
      }),
    });
    for (const [name, value] of Object.entries({ list: [1], object: { a: 1 }, words: 'no JSON', text: '[1]' }))
      expect(attribute(model, 'api::tag.tag', name)).toMatchObject({ rules: { default: value } });
  });

  it('names types and components by their folders and files as Strapi 5 does', () => {
    const model = load({
      'src/api/filmReview/content-types/film_review/schema.json': contentType('film-review', {
        film: { type: 'relation', relation: 'manyToOne', target: 'api::film2.film2' },
        card: { type: 'component', component: 'shared.metasocial' },
      }),
      'src/api/film2/content-types/film2/schema.json': contentType('film2', { title: { type: 'string' } }),
      'src/components/Shared/metaSocial.json': component({ title: { type: 'string' } }),
    });
    expect([...model.contentTypes.keys()]).toEqual(
      expect.arrayContaining(['api::film-review.film-review', 'api::film2.film2']),
    );
    expect(attribute(model, 'api::film-review.film-review', 'card')).toMatchObject({ component: 'shared.metasocial' });
  });

  it('lets an extension add to a built-in type', () => {
    const model = load({
      ...SOUND,
      'src/extensions/users-permissions/content-types/user/schema.json': contentType('user', {
        nickname: { type: 'string' },
        confirmed: { type: 'boolean', private: true },
      }),
    });
    const user = 'plugin::users-permissions.user';
    expect(model.contentTypes.get(user)!.table).toBe('up_users');
    expect(attribute(model, user, 'nickname')).toMatchObject({ column: 'nickname' });
    expect(attribute(model, user, 'username')).toMatchObject({ column: 'username' });
    expect(attribute(model, user, 'confirmed').private).toBe(true);
  });

  it('leads a polymorphic relation to every type, and a file to those that have media', () => {
    const model = load({
      [TAG]: contentType('tag', { name: { type: 'string' }, icon: { type: 'media' } }),
      [POST]: contentType('post', {
        any: { type: 'relation', relation: 'morphToMany' },
        back: { type: 'relation', relation: 'morphMany', target: 'api::post.post', morphBy: 'any' },
      }),
    });
    const targets = (uid: string, name: string): string[] => {
      const one = attribute(model, uid, name);
      return one.kind === 'morph' ? one.targets.map((target) => target.uid) : [];
    };
    expect(targets('api::post.post', 'any').toSorted()).toEqual([
      'api::post.post',
      'api::tag.tag',
      'plugin::i18n.locale',
      'plugin::upload.file',
      'plugin::users-permissions.user',
    ]);
    expect(targets('plugin::upload.file', 'related')).toEqual(['api::tag.tag']);
  });

  it('is frozen', () => {
    const model = load(SOUND);
    expect(Object.isFrozen(model)).toBe(true);
    expect(Object.isFrozen(model.contentTypes.get('api::post.post'))).toBe(true);
    expect(Object.isFrozen(attribute(model, 'api::post.post', 'title'))).toBe(true);
  });
});

describe('the model of the guide', () => {
  const guide = fileURLToPath(new URL('../../examples/guide', import.meta.url));
  const model = loadModel(guide);
  const columns = new Map<string, Set<string>>();

  beforeAll(() => {
    const database = new DatabaseSync(fileURLToPath(new URL('../../test/fixtures/guide.sqlite', import.meta.url)), {
      readOnly: true,
    });
    const rows = database
      .prepare(
        `select m.name as name, c.name as column from sqlite_master m, pragma_table_info(m.name) c where m.type = 'table'`,
      )
      .all() as { name: string; column: string }[];
    for (const { name, column } of rows) columns.set(name, (columns.get(name) ?? new Set()).add(column));
    database.close();
  });

  const pairsOf = (one: Attribute): LinkTable[] => {
    switch (one.kind) {
      case 'relation':
      case 'component':
      case 'media':
        return [one.link];
      case 'morph':
        return one.targets.map(({ link }) => link);
      case 'dynamiczone':
        return one.components.map(({ link }) => link);
      default:
        return [];
    }
  };

  it('names only tables and columns that the database has', () => {
    const missing: string[] = [];
    const need = (who: string, table: string, column: string | null) => {
      if (column !== null && !columns.get(table)?.has(column)) missing.push(`${who}: ${table}.${column}`);
    };
    let checked = 0;
    for (const schema of [...model.contentTypes.values(), ...model.components.values()]) {
      for (const one of schema.attributes.values()) {
        const who = `${schema.uid} ${one.name}`;
        if (one.kind === 'scalar') need(who, schema.table, one.column);
        for (const link of pairsOf(one)) {
          for (const column of [link.from, link.to, link.order]) need(who, link.table, column);
          for (const { column } of link.constants) need(who, link.table, column);
        }
        checked++;
      }
    }
    expect(missing).toEqual([]);
    expect(checked).toBeGreaterThan(250);
  });

  it('leaves no column of a content table without an attribute', () => {
    const own = [...model.contentTypes.values()].filter(({ uid }) => uid.startsWith('api::'));
    for (const schema of [...own, ...model.components.values()]) {
      const known = new Set(
        [...schema.attributes.values()].flatMap((one) =>
          one.kind === 'scalar' ? [one.column] : pairsOf(one).map(({ to }) => to),
        ),
      );
      expect(
        [...columns.get(schema.table)!].filter((column) => !known.has(column)),
        schema.uid,
      ).toEqual([]);
    }
  });

  it.each<[uid: string, name: string, link: Partial<LinkTable>]>([
    [
      'api::restaurant.restaurant',
      'chef',
      { table: 'restaurants_chef_lnk', from: 'restaurant_id', to: 'chef_id', order: null },
    ],
    [
      'api::chef.chef',
      'restaurants',
      { table: 'restaurants_chef_lnk', from: 'chef_id', to: 'restaurant_id', order: 'restaurant_ord' },
    ],
    [
      'api::restaurant.restaurant',
      'categories',
      { table: 'restaurants_categories_lnk', from: 'restaurant_id', to: 'category_id', order: 'category_ord' },
    ],
    [
      'api::category.category',
      'restaurants',
      { table: 'restaurants_categories_lnk', from: 'category_id', to: 'restaurant_id', order: 'restaurant_ord' },
    ],
    [
      'api::restaurant.restaurant',
      'signatureDish',
      { table: 'restaurants_signature_dish_lnk', from: 'restaurant_id', to: 'dish_id', order: null },
    ],
    [
      'api::restaurant.restaurant',
      'neighbours',
      { table: 'restaurants_neighbours_lnk', from: 'restaurant_id', to: 'inv_restaurant_id', order: 'restaurant_ord' },
    ],
    [
      'api::article.article',
      'related',
      { table: 'articles_related_lnk', from: 'article_id', to: 'inv_article_id', order: 'article_ord' },
    ],
    [
      'api::category.category',
      'parent',
      { table: 'categories_parent_lnk', from: 'category_id', to: 'inv_category_id', order: null },
    ],
    [
      'api::category.category',
      'children',
      { table: 'categories_parent_lnk', from: 'inv_category_id', to: 'category_id', order: 'category_ord' },
    ],
    [
      'blocks.quote',
      'author',
      { table: 'components_blocks_quotes_author_lnk', from: 'quote_id', to: 'author_id', order: null },
    ],
    [
      'shared.hero',
      'links',
      { table: 'components_shared_heroes_cmps', from: 'entity_id', to: 'cmp_id', order: 'order' },
    ],
    [
      'api::restaurant.restaurant',
      'cover',
      { table: 'files_related_mph', from: 'related_id', to: 'file_id', order: 'order' },
    ],
    ['api::restaurant.restaurant', 'createdBy', { table: 'restaurants', from: 'id', to: 'created_by_id', order: null }],
  ])('walks %s %s through the right table in the right direction', (uid, name, link) => {
    expect(pairsOf(attribute(model, uid, name))).toMatchObject([link]);
  });
});
