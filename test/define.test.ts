// `sheaf type add`, `component add` and `attribute add`: what they write, and what they refuse.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseAttribute } from '../src/cli/define/attribute-grammar.ts';
import { addAttributes, addComponent, addType } from '../src/cli/define/define-commands.ts';
import { loadModel } from '../src/model/build.ts';
import { pluralOf } from '../src/model/english-plural.ts';

let project: string;
beforeEach(() => {
  project = mkdtempSync(path.join(os.tmpdir(), 'sheaf-test-'));
});
afterEach(() => rmSync(project, { recursive: true }));

const fileOf = (name: string) => `src/api/${name}/content-types/${name}/schema.json`;
const textOf = (file: string): string => readFileSync(path.join(project, file), 'utf8');
const attributesOf = (name: string) => JSON.parse(textOf(fileOf(name))).attributes;
const add = (name: string, ...words: string[]) => addType(project, name, words, {});

describe('An attribute on the command line', () => {
  it.each<[word: string, definition: object, inverse?: string]>([
    ['title:string', { type: 'string' }],
    ['title:string!', { type: 'string', required: true }],
    ['title:string?', { type: 'string' }],
    ['title:string(maxLength=80, unique)!', { type: 'string', maxLength: 80, unique: true, required: true }],
    [
      'title:string(localized,regex=^a:b$)',
      { type: 'string', pluginOptions: { i18n: { localized: true } }, regex: '^a:b$' },
    ],
    ['title:string:maxLength=80,private=false!', { type: 'string', maxLength: 80, private: false, required: true }],
    ['größe:integer(min=-1,max=5,default=0)', { type: 'integer', min: -1, max: 5, default: 0 }],
    ['price:decimal(min=0.5)', { type: 'decimal', min: 0.5 }],
    ['on:boolean(default=true)', { type: 'boolean', default: true }],
    ['count:biginteger(default=12)', { type: 'biginteger', default: '12' }],
    ['slug:uid', { type: 'uid' }],
    ['slug:uid(title)', { type: 'uid', targetField: 'title' }],
    [
      'status:enumeration(open,unique,default=open)',
      { type: 'enumeration', enum: ['open', 'unique'], default: 'open' },
    ],
    ['status:enumeration:open,done!', { type: 'enumeration', enum: ['open', 'done'], required: true }],
    ['cover:media', { type: 'media' }],
    ['photos:media(multiple,images)', { type: 'media', multiple: true, allowedTypes: ['images'] }],
    ['seo:component(shared.seo)', { type: 'component', component: 'shared.seo' }],
    [
      'links:component(shared.link,repeatable,max=3)',
      { type: 'component', component: 'shared.link', repeatable: true, max: 3 },
    ],
    ['body:dynamiczone(a.b,a.c)!', { type: 'dynamiczone', components: ['a.b', 'a.c'], required: true }],
    ['color:customField(plugin::a.b)', { type: 'customField', customField: 'plugin::a.b' }],
    ['author:relation(manyToOne,author)', { type: 'relation', relation: 'manyToOne', target: 'author' }],
    ['tags:relation:manyToMany,tag,pages', { type: 'relation', relation: 'manyToMany', target: 'tag' }, 'pages'],
    [
      'owner:relation(manyToOne,user,useJoinTable=false)',
      { type: 'relation', relation: 'manyToOne', target: 'user', useJoinTable: false },
    ],
    ['on:relation(morphToMany)', { type: 'relation', relation: 'morphToMany' }],
    ['notes:relation(morphMany,note,on)', { type: 'relation', relation: 'morphMany', target: 'note', morphBy: 'on' }],
  ])('%s', (word, definition, inverse) => {
    const { name } = /^(?<name>[^:]+)/.exec(word)!.groups as { name: string };
    expect(parseAttribute(word)).toEqual({ name, definition, inverse: inverse ?? null });
  });

  it.each([
    ['title', 'expected NAME:TYPE'],
    [':string', 'expected NAME:TYPE'],
    ['title:string!!', 'expected NAME:TYPE'],
    ['title:sting', 'did you mean string?'],
    ['title:qqqqqqq', 'there is no type "qqqqqqq"'],
    ['title:string(maxLenght=80)', 'did you mean maxLength?'],
    ['title:string(uniqe)', 'did you mean unique?'],
    ['title:string(min=1)', 'string has no option "min"'],
    ['title:string(maxLength)', 'maxLength: expected a number'],
    ['title:string(maxLength=x)', 'maxLength: expected a number'],
    ['title:string(unique=yes)', 'unique: expected true or false'],
    ['title:string(conditions=x)', 'conditions is written in the file, by hand'],
    ['on:boolean(default=1)', 'default: expected true or false'],
    ['status:enumeration', 'such as status:enumeration(open,done)'],
    ['body:dynamiczone', 'such as content:dynamiczone'],
    ['seo:component', 'expected component(component)'],
    ['slug:uid(a,b)', 'expected uid([targetField])'],
    ['author:relation', 'expected relation(KIND,TARGET)'],
    ['author:relation(manyToon,author)', 'did you mean manyToOne?'],
    ['author:relation(manyToOne)', 'expected relation(relation,target,[inverse])'],
  ])('is refused: %s', (word, hint) => {
    expect(() => parseAttribute(word)).toThrow(hint);
  });
});

it('Names have plurals, or none', () => {
  const plurals = 'article category day box bus address analysis person blog-post staff-person knife index hero'
    .split(' ')
    .map(pluralOf);
  expect(plurals.join(' ')).toBe(
    'articles categories days boxes buses addresses analyses people blog-posts staff-people knives indices heroes',
  );
  expect(['news', 'articles', 'people', 'series', 'staff'].map(pluralOf)).toEqual([null, null, null, null, null]);
});

describe('sheaf type add', () => {
  it('writes a definition as a person would, and the other side of a relation into its file', () => {
    add('author', 'name:string!');
    const tabbed = textOf(fileOf('author')).replaceAll('  ', '\t');
    writeFileSync(path.join(project, fileOf('author')), tabbed);
    const made = addType(
      project,
      'BlogPost',
      ['title:string!', 'tags:enumeration(a,b)', 'author:relation(manyToOne,author,posts)'],
      {
        drafts: true,
        description: 'What we write',
      },
    );
    expect(textOf(fileOf('blog-post'))).toBe(`{
  "kind": "collectionType",
  "collectionName": "blog_posts",
  "info": {
    "singularName": "blog-post",
    "pluralName": "blog-posts",
    "displayName": "Blog Post",
    "description": "What we write"
  },
  "options": {
    "draftAndPublish": true
  },
  "attributes": {
    "title": {
      "type": "string",
      "required": true
    },
    "tags": {
      "type": "enumeration",
      "enum": [
        "a",
        "b"
      ]
    },
    "author": {
      "type": "relation",
      "relation": "manyToOne",
      "target": "api::author.author",
      "inversedBy": "posts"
    }
  }
}
`);
    // As its file was indented.
    expect(textOf(fileOf('author'))).toBe(
      tabbed.replace(
        'true\n\t\t}\n',
        `true\n\t\t},\n\t\t"posts": ${JSON.stringify({ type: 'relation', relation: 'oneToMany', target: 'api::blog-post.blog-post', mappedBy: 'author' }, null, '\t').replaceAll('\n', '\n\t\t')}\n`,
      ),
    );
    expect(made.value).toEqual({ uid: 'api::blog-post.blog-post', files: [fileOf('blog-post'), fileOf('author')] });
    expect(made.text).toContain('Made the content-type blog-post, served at /api/blog-posts');
    const relation = loadModel(project).contentTypes.get('api::author.author')!.attributes.get('posts');
    expect(relation).toMatchObject({ kind: 'relation', inverse: 'author', many: true, owning: false });
  });

  it('connects each kind of relation both ways, with itself too, and with users', () => {
    add('tag', 'name:string!', 'parent:relation(manyToOne,tag,children)', 'owner:relation(manyToOne,user)');
    add(
      'page',
      'tags:relation(manyToMany,tag,pages)',
      'notes:relation(oneToMany,tag,page)',
      'best:relation(oneToOne,api::tag.tag,bestOf)',
    );
    expect(attributesOf('tag')).toMatchObject({
      parent: { target: 'api::tag.tag', inversedBy: 'children' },
      children: { relation: 'oneToMany', target: 'api::tag.tag', mappedBy: 'parent' },
      owner: { target: 'plugin::users-permissions.user' },
      pages: { relation: 'manyToMany', mappedBy: 'tags' },
      page: { relation: 'manyToOne', inversedBy: 'notes' },
      bestOf: { relation: 'oneToOne', mappedBy: 'best' },
    });
    expect(attributesOf('page')).toMatchObject({
      tags: { inversedBy: 'pages' },
      notes: { mappedBy: 'page' },
      best: { inversedBy: 'bestOf' },
    });
    expect(loadModel(project).notes).toEqual([]);
  });

  it('makes single and localized types, components, and adds attributes', () => {
    addComponent(project, 'shared.seo', ['title:string(maxLength=60)!'], {});
    const options = { single: true, localized: true, plural: 'starts', 'display-name': 'Front page' };
    addType(project, 'start', ['title:string', 'seo:component(shared.seo)'], options);
    addAttributes(project, 'start', ['claim:text', 'slug:uid(title)']);
    addAttributes(project, 'shared.seo', ['image:media(images)']);
    const localized = { pluginOptions: { i18n: { localized: true } } };
    expect(JSON.parse(textOf(fileOf('start')))).toEqual({
      kind: 'singleType',
      collectionName: 'starts',
      info: { singularName: 'start', pluralName: 'starts', displayName: 'Front page' },
      options: { draftAndPublish: false },
      ...localized,
      attributes: {
        title: { type: 'string', ...localized },
        seo: { type: 'component', component: 'shared.seo', ...localized },
        claim: { type: 'text', ...localized },
        slug: { type: 'uid', targetField: 'title', ...localized },
      },
    });
    expect(JSON.parse(textOf('src/components/shared/seo.json'))).toEqual({
      collectionName: 'components_shared_seos',
      info: { displayName: 'Seo' },
      options: {},
      attributes: {
        title: { type: 'string', maxLength: 60, required: true },
        image: { type: 'media', allowedTypes: ['images'] },
      },
    });
    expect(loadModel(project).contentTypes.get('api::start.start')).toMatchObject({
      kind: 'singleType',
      localized: true,
    });
  });

  it('names the JSON Schema where the package is installed, here or above, or a dependency', () => {
    mkdirSync(path.join(project, 'node_modules/sheaf/schemas'), { recursive: true });
    const inner = path.join(project, 'apps/blog');
    for (const [folder, up] of [
      [project, ''],
      [inner, '../../'],
    ] as const) {
      addType(folder, 'page', ['title:string'], {});
      addComponent(folder, 'shared.seo', ['title:string'], {});
      const read = (file: string) => JSON.parse(readFileSync(path.join(folder, file), 'utf8')).$schema;
      expect(read(fileOf('page'))).toBe(`${up}../../../../../node_modules/sheaf/schemas/content-type.json`);
      expect(read('src/components/shared/seo.json')).toBe(`${up}../../../node_modules/sheaf/schemas/component.json`);
    }
    rmSync(path.join(project, 'node_modules'), { recursive: true });
    writeFileSync(path.join(project, 'package.json'), '{"dependencies": {"sheaf": "1"}}');
    add('tag', 'name:string');
    expect(JSON.parse(textOf(fileOf('tag'))).$schema).toContain('node_modules/sheaf/schemas/content-type.json');
  });

  it('refuses what does not fit, and writes nothing then', () => {
    add('author', 'name:string!');
    const before = textOf(fileOf('author'));
    const refusals: [() => unknown, string][] = [
      [() => add('author', 'x:string'), `There is a content-type author already: ${fileOf('author')}`],
      [() => add('page', 'author:relation(manyToOne,athor)'), 'did you mean author?'],
      [() => add('page', 'x:relation(manyToOne,zebra)'), 'make it first: sheaf type add zebra name:string!'],
      [() => add('page', 'author:relation(manyToOne,author,name)'), 'has an attribute "name" already'],
      [() => add('page', 'owner:relation(manyToOne,user,pages)'), 'has no file in this project'],
      [
        () => add('page', 'author:relation(manyToOne,author,pages)', 'x:component(shared.none)'),
        'there is no component "shared.none"',
      ],
      [() => add('page', 'x:string', 'x:text'), 'The attribute "x" is given twice'],
      [() => add('page', 'fooBar:string', 'foo_bar:text'), 'differs from fooBar in more than case and accents'],
      [() => add('page', 'documentId:string'), 'this name is reserved'],
      [() => add('pages', 'x:string'), 'name the type in singular'],
      [() => add('日本', 'x:string'), 'cannot be the name of a type'],
      [() => addType(project, 'writer', [], { plural: 'authors' }), 'belongs to api::author.author already'],
      [() => addComponent(project, 'seo', ['x:string'], {}), 'expected CATEGORY.NAME'],
      [() => addComponent(project, 'shared.seo', ['x:relation(manyToOne,author,y)'], {}), 'has one side only'],
      [() => addAttributes(project, 'author', ['name:text']), 'has an attribute "name" already'],
      [() => addAttributes(project, 'athor', ['x:text']), 'did you mean author?'],
    ];
    for (const [run, message] of refusals) expect(run, message).toThrow(message);
    expect(textOf(fileOf('author'))).toBe(before);
    expect([existsSync(path.join(project, 'src/api/page')), existsSync(path.join(project, 'src/components'))]).toEqual([
      false,
      false,
    ]);
  });
});
