// What goes wrong when this dialect is written without care, each thing once, by request and answer: lists out of
// order, links lost by publishing, values changed or leaked on the way. Numbers in comments are those of the list of
// traps that this file works through.
//
// Left out, with the reason:
//   25  needs roles
//   45  required relations and files are not enforced, as there
//   56  a uid is not made up from its target field, as there
//   61  versions of an entry for optimistic locking are not offered

import { setTimeout as sleep } from 'node:timers/promises';
import bcrypt from 'bcrypt';
import { beforeAll, expect, it } from 'vitest';
import { SetupError } from '../src/errors.ts';
import {
  type Answer,
  type Answered,
  type Content,
  localized,
  type Project,
  relation,
  useContents,
} from './support/content.ts';
import { describeOnEveryDatabase } from './support/database.ts';

/** What the guide does not have: polymorphic relations, foreign keys, secrets, values with tight rules. */
const KIT: Project = {
  locales: ['en', 'fr'],
  types: {
    thing: {
      drafts: true,
      attributes: {
        name: { type: 'string' },
        holders: relation('morphMany', 'holder', { morphBy: 'items' }),
        pages: relation('morphMany', 'page', { morphBy: 'items' }),
      },
    },
    plain: {
      attributes: {
        name: { type: 'string' },
        holders: relation('morphMany', 'holder', { morphBy: 'items' }),
        pages: relation('morphMany', 'page', { morphBy: 'items' }),
        keeper: relation('oneToOne', 'holder', { mappedBy: 'only' }),
      },
    },
    holder: {
      attributes: {
        name: { type: 'string' },
        items: { type: 'relation', relation: 'morphToMany' },
        any: { type: 'relation', relation: 'morphToOne' },
        column: relation('manyToOne', 'plain', { useJoinTable: false }),
        thing: relation('manyToOne', 'thing', { useJoinTable: false }),
        only: relation('oneToOne', 'plain', { useJoinTable: false, inversedBy: 'keeper' }),
      },
    },
    page: {
      drafts: true,
      attributes: {
        name: { type: 'string' },
        items: { type: 'relation', relation: 'morphToMany' },
        thing: relation('manyToOne', 'thing', { useJoinTable: false }),
      },
    },
    nest: {
      drafts: true,
      attributes: { name: { type: 'string' }, egg: relation('oneToOne', 'egg', { inversedBy: 'nest' }) },
    },
    egg: {
      drafts: true,
      attributes: { name: { type: 'string' }, nest: relation('oneToOne', 'nest', { mappedBy: 'egg' }) },
    },
    account: {
      drafts: true,
      attributes: {
        name: { type: 'string' },
        pin: { type: 'password', minLength: 4, maxLength: 20 },
        lock: { type: 'component', component: 'kit.lock' },
        locks: { type: 'component', component: 'kit.lock', repeatable: true },
        plain: relation('manyToOne', 'plain'),
      },
    },
    product: {
      drafts: true,
      localized: true,
      attributes: { sku: { type: 'string', unique: true }, title: { type: 'string', ...localized } },
    },
    measure: {
      attributes: {
        whole: { type: 'integer' },
        big: { type: 'biginteger', min: '10', max: '9007199254740993' },
        number: { type: 'decimal' },
        text: { type: 'text' },
        day: { type: 'date' },
        clock: { type: 'time' },
        moment: { type: 'datetime' },
        free: { type: 'json' },
        story: { type: 'blocks' },
        kind: { type: 'enumeration', enum: ['a', 'b'] },
        label: { type: 'string', required: true },
        mark: { type: 'string', unique: true },
        house: { type: 'component', component: 'kit.house' },
      },
    },
    front: { single: true, attributes: { title: { type: 'string' } } },
    film: {
      drafts: true,
      localized: true,
      attributes: { captions: { type: 'component', component: 'kit.caption', repeatable: true, ...localized } },
    },
  },
  components: {
    'kit.caption': {
      text: { type: 'string' },
      locale: { type: 'string', required: true },
      publishedAt: { type: 'datetime' },
      createdAt: { type: 'date' },
      status: { type: 'string', conditions: { visible: { '!=': [{ var: 'locale' }, 'de'] } }, required: true },
    },
    'kit.lock': { code: { type: 'password' } },
    'kit.house': { street: { type: 'string', required: true }, town: { type: 'string' } },
  },
};

const NOWHERE = 'nopenopenopenopenopenope';

function refused(answer: Answer, part: Answered = {}): void {
  expect(answer.body).toMatchObject({ data: null, error: { status: 400, name: 'ValidationError', ...part } });
  expect(answer.status).toBe(400);
}

/** Texts of a list, or of the one entry, that a relation holds. */
async function held(content: Content, url: string, attribute: string, key = 'name'): Promise<Answered> {
  const [address, query] = url.split('?');
  const entry = await content.entry('GET', `${address}?populate[${attribute}]=true${query ? `&${query}` : ''}`);
  const value = entry[attribute];
  return Array.isArray(value) ? value.map((one) => one[key]) : (value?.[key] ?? null);
}

/** Entries of a type, one for each text; returns their documentIds by text. */
async function makeAll(
  content: Content,
  url: string,
  texts: readonly string[],
  key = 'name',
): Promise<Record<string, string>> {
  const made: Record<string, string> = {};
  for (const text of texts) made[text] = await content.make(url, { [key]: text });
  return made;
}

const before = (documentId: string | undefined, other: string | undefined) => ({
  documentId,
  position: { before: other },
});
const after = (documentId: string | undefined, other: string | undefined) => ({
  documentId,
  position: { after: other },
});

describeOnEveryDatabase('relations', (engine) => {
  const contents = useContents(engine);
  let guide: Content;
  let kit: Content;
  let c: Record<string, string>;
  let chefs: Record<string, string>;
  beforeAll(async () => {
    guide = await contents.open();
    kit = await contents.open(KIT);
    c = await makeAll(guide, 'categories', ['one', 'two', 'three', 'four']);
    chefs = await makeAll(guide, 'chefs', ['Anne', 'Bruno', 'Celia']);
    // Files come by upload; what a relation to them holds needs no more of them than a row.
    for (const id of [1, 2, 3])
      await guide.execute(
        `insert into files (id, document_id, name, hash, mime, size, url, provider, folder_path) values (${id}, 'file${id}', 'file ${id}', 'h', 'image/png', 1, '/x', 'local', '/')`,
      );
  });

  // 1
  it.each([
    ['many to many', 'restaurants', 'categories', 'categories', 'name'],
    ['many to many from its other side', 'categories', 'restaurants', 'restaurants', 'name'],
    ['one to many', 'restaurants', 'dishes', 'dishes', 'name'],
    ['many ways without a way back', 'bookmarks', 'tags', 'tags', 'label'],
    ['many to many between drafts', 'articles', 'authors', 'authors', 'name'],
    ['many to many among themselves', 'articles', 'related', 'articles', 'title'],
  ])(
    'an entry goes right beside its neighbour in a list of eight: %s',
    async (kind, owners, attribute, targets, key) => {
      const texts = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((number) => `${kind} ${number}`);
      const t = await makeAll(guide, targets, texts, key);
      const name = (number: number) => t[`${kind} ${number}`];
      const shown = async (url: string) =>
        (await held(guide, url, attribute, key)).map((text: string) => Number(text.slice(kind.length)));
      const own = { bookmarks: 'label', articles: 'title' }[owners] ?? 'name';
      const owner = await guide.make(owners, { [own]: kind, [attribute]: [1, 2, 3, 4, 5, 6, 7, 8].map(name) });
      await guide.entry('PUT', `${owners}/${owner}`, { [attribute]: { connect: [before(name(9), name(6))] } });
      expect(await shown(`${owners}/${owner}`)).toEqual([1, 2, 3, 4, 5, 9, 6, 7, 8]);
      await guide.entry('PUT', `${owners}/${owner}`, { [attribute]: { connect: [after(name(1), name(7))] } });
      expect(await shown(`${owners}/${owner}`)).toEqual([2, 3, 4, 5, 9, 6, 7, 1, 8]);
      expect(await shown(`${owners}/${owner}?status=draft`)).toEqual([2, 3, 4, 5, 9, 6, 7, 1, 8]);
    },
  );

  // 2
  it('many entries put at one place of a polymorphic list keep their order', async () => {
    const t = await makeAll(kit, 'plains', ['first', 'last', 'x1', 'x2', 'x3', 'x4', 'x5']);
    const item = (text: string) => ({ documentId: t[text], __type: 'api::plain.plain' });
    const holder = await kit.make('holders', { name: 'h', items: [item('first'), item('last')] });
    for (const text of ['x1', 'x2', 'x3', 'x4', 'x5'])
      await kit.entry('PUT', `holders/${holder}`, {
        items: { connect: [{ ...item(text), position: { before: t.last } }] },
      });
    expect(await held(kit, `holders/${holder}`, 'items')).toEqual(['first', 'x1', 'x2', 'x3', 'x4', 'x5', 'last']);
    const places = await kit.rows('select "order" from holders_items_mph order by "order"');
    expect(places.flat()).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  // 2
  it('files keep the order they were given in, also when it changes', async () => {
    const restaurant = await guide.make('restaurants', { name: 'files in order', gallery: [2, 1, 3] });
    expect(await held(guide, `restaurants/${restaurant}`, 'gallery')).toEqual(['file 2', 'file 1', 'file 3']);
    await guide.entry('PUT', `restaurants/${restaurant}`, { gallery: [3, 2, 1] });
    expect(await held(guide, `restaurants/${restaurant}`, 'gallery')).toEqual(['file 3', 'file 2', 'file 1']);
  });

  // 3
  it.each(['chef', 'owner', 'signatureDish'])(
    'of several references to one entry the last counts, and one link is stored: %s',
    async (attribute) => {
      const plural = { chef: 'chefs', owner: 'owners', signatureDish: 'dishes' }[attribute]!;
      const t = await makeAll(guide, plural, [`${attribute} a`, `${attribute} b`]);
      const [a, b] = Object.values(t);
      const restaurant = await guide.make('restaurants', {
        name: `last of ${attribute}`,
        [attribute]: { connect: [a, b] },
      });
      expect(await held(guide, `restaurants/${restaurant}`, attribute)).toBe(`${attribute} b`);
      await guide.entry('PUT', `restaurants/${restaurant}`, { [attribute]: { connect: [b, a] } });
      expect(await held(guide, `restaurants/${restaurant}`, attribute)).toBe(`${attribute} a`);
      await guide.entry('PUT', `restaurants/${restaurant}`, { [attribute]: { set: [a, b] } });
      expect(await held(guide, `restaurants/${restaurant}`, attribute)).toBe(`${attribute} b`);
      const table = {
        chef: 'restaurants_chef_lnk',
        owner: 'restaurants_owner_lnk',
        signatureDish: 'restaurants_signature_dish_lnk',
      }[attribute];
      const links = await guide.number(
        `select count(*) from ${table} l join restaurants r on r.id = l.restaurant_id where r.document_id = '${restaurant}'`,
      );
      expect(links).toBe(1);
    },
  );

  // 4
  it('set together with connect or disconnect is refused, and nothing changes', async () => {
    const restaurant = await guide.make('restaurants', { name: 'set alone', categories: [c.one] });
    for (const other of [{ connect: [c.three] }, { disconnect: [c.one] }, { connect: [], disconnect: null }])
      refused(await guide.put(`restaurants/${restaurant}`, { categories: { set: [c.two], ...other } }));
    expect(await held(guide, `restaurants/${restaurant}`, 'categories')).toEqual(['one']);
  });

  // 5
  it.each([
    [
      'categories',
      [{}, { set: null }, { connect: [] }, { disconnect: [] }, { connect: null, disconnect: null }, { options: {} }],
    ],
    [
      'chef',
      [{}, { set: null }, { connect: [] }, { disconnect: [] }, { connect: null, disconnect: null }, { options: {} }],
    ],
    ['gallery', [{}, { set: null }, { connect: [] }, { disconnect: [] }, { connect: null, disconnect: null }]],
    ['cover', [{}, { set: null }, { connect: [] }, { disconnect: [] }]],
  ])('an empty operation changes nothing: %s', async (attribute, payloads) => {
    const full = { categories: [c.one, c.two], chef: chefs.Anne, gallery: [1, 2], cover: 3 };
    const restaurant = await guide.make('restaurants', { name: 'kept', ...full });
    const url = `restaurants/${restaurant}`;
    const filled = await held(guide, url, attribute);
    for (const payload of payloads) {
      await guide.entry('PUT', url, { [attribute]: payload });
      expect(await held(guide, url, attribute), JSON.stringify(payload)).toEqual(filled);
    }
  });

  // 5
  it.each(['categories', 'chef', 'gallery', 'cover'])('null, [] and {set: []} clear: %s', async (attribute) => {
    const full = { categories: [c.one, c.two], chef: chefs.Anne, gallery: [1, 2], cover: 3 };
    const restaurant = await guide.make('restaurants', { name: 'cleared' });
    const url = `restaurants/${restaurant}`;
    for (const payload of [null, [], { set: [] }]) {
      await guide.entry('PUT', url, full);
      await guide.entry('PUT', url, { [attribute]: payload });
      const isMany = attribute === 'categories' || attribute === 'gallery';
      expect(await held(guide, url, attribute), JSON.stringify(payload)).toEqual(isMany ? [] : null);
    }
  });

  // 6
  it.each([[null], [[]], [{ set: [] }]])('a polymorphic list is cleared by %j', async (payload) => {
    const plain = await kit.make('plains', { name: 'p' });
    const holder = await kit.make('holders', { items: [{ documentId: plain, __type: 'api::plain.plain' }] });
    expect(await held(kit, `holders/${holder}`, 'items')).toEqual(['p']);
    await kit.entry('PUT', `holders/${holder}`, { items: payload });
    expect(await held(kit, `holders/${holder}`, 'items')).toEqual([]);
  });

  // 7
  it('a relation to one entry of any type takes every form that others take', async () => {
    const [PLAIN, THING] = ['api::plain.plain', 'api::thing.thing'];
    const [plain, thing] = [
      await kit.entry('POST', 'plains', { name: 'plain' }),
      await kit.entry('POST', 'things', { name: 'thing' }),
    ];
    const toPlain = { __type: PLAIN, documentId: plain.documentId };
    const toThing = { __type: THING, documentId: thing.documentId };
    const holder = await kit.make('holders', { name: 'h', any: toPlain });
    const url = `holders/${holder}`;
    expect(await held(kit, url, 'any')).toBe('plain');
    expect((await kit.entry('GET', `${url}?populate=any`)).any.__type).toBe(PLAIN);
    const forms = [
      toThing,
      { __type: THING, id: thing.id },
      [toThing],
      [toPlain, toThing],
      { set: [toThing] },
      { connect: [toThing] },
      { connect: [{ ...toThing, position: { start: true } }], disconnect: [toPlain] },
    ];
    for (const form of forms) {
      await kit.entry('PUT', url, { any: toPlain });
      await kit.entry('PUT', url, { any: form });
      expect(await held(kit, url, 'any'), JSON.stringify(form)).toBe('thing');
    }
    for (const form of [{}, { connect: [] }, { set: null }, { disconnect: [toPlain] }]) {
      await kit.entry('PUT', url, { any: form });
      expect(await held(kit, url, 'any'), JSON.stringify(form)).toBe('thing');
    }
    for (const form of [null, [], { set: [] }, { disconnect: [toThing] }]) {
      await kit.entry('PUT', url, { any: toThing });
      await kit.entry('PUT', url, { any: form });
      expect(await held(kit, url, 'any'), JSON.stringify(form)).toBeNull();
      expect(await kit.rows(`select target_id, target_type from holders where document_id = '${holder}'`)).toEqual([
        [null, null],
      ]);
    }
  });

  // 7
  it.each([
    [5],
    ['x'],
    [{ id: 1 }],
    [{ documentId: NOWHERE }],
    [{ id: 1, __type: 'api::nosuch.nosuch' }],
    [{ connect: [{ id: 1 }] }],
    [{ id: 1, __type: 'plugin::users-permissions.role' }],
  ])('a relation to one entry of any type refuses %j, which names no type there is', async (payload) => {
    refused(await kit.post('holders', { name: 'h', any: payload }), { details: { key: 'any', source: 'body' } });
  });

  // 7
  it.each([
    [{ id: 999_999, __type: 'api::plain.plain' }],
    [{ documentId: NOWHERE, __type: 'api::plain.plain' }],
    [true],
  ])('a relation to one entry of any type refuses %j, which leads nowhere', async (payload) => {
    refused(await kit.post('holders', { name: 'h', any: payload }), { details: { path: expect.any(String) } });
  });

  // 8
  it('a relation in a foreign key takes every form that others take', async () => {
    const a = await kit.entry('POST', 'plains', { name: 'a' });
    const b = await kit.entry('POST', 'plains', { name: 'b' });
    const holder = await kit.make('holders', { name: 'h', column: a.documentId });
    const url = `holders/${holder}`;
    expect(await held(kit, url, 'column')).toBe('a');
    const toB = [
      b.documentId,
      b.id,
      { documentId: b.documentId },
      { id: b.id },
      [b.documentId],
      { connect: [b.documentId] },
      { connect: [{ documentId: b.documentId, position: { end: true } }] },
      { connect: [b.id] },
      { set: [b.documentId] },
      { connect: [b.documentId], disconnect: [a.documentId] },
    ];
    for (const payload of toB) {
      await kit.entry('PUT', url, { column: a.documentId });
      await kit.entry('PUT', url, { column: payload });
      expect(await held(kit, url, 'column'), JSON.stringify(payload)).toBe('b');
    }
    for (const payload of [null, [], { set: [] }, { disconnect: [b.documentId] }, { disconnect: [b.id] }]) {
      await kit.entry('PUT', url, { column: b.documentId });
      await kit.entry('PUT', url, { column: payload });
      expect(await held(kit, url, 'column'), JSON.stringify(payload)).toBeNull();
    }
    refused(await kit.put(url, { column: NOWHERE }));
  });

  it.each(['[$notNull]=true', '[$null]=false', '[id][$notNull]=true&filters[column][keeper][$null]=true'])(
    'an empty foreign key is no related row for filters[column]%s',
    async (filter) => {
      const holds = await kit.make('holders', { name: 'holds', column: await kit.make('plains', { name: 'p' }) });
      const holdsNone = await kit.make('holders', { name: 'holds none' });
      const { body } = await kit.get(`holders?filters[column]${filter}&sort=id:desc&pagination[limit]=2`);
      const found = body.data.map(({ documentId }: Answered) => documentId);
      expect(found).toContain(holds);
      expect(found).not.toContain(holdsNone);
    },
  );

  // 8
  it('a one-to-one relation in a foreign key shows from both sides and has one owner', async () => {
    const plain = await kit.make('plains', { name: 'shared' });
    const first = await kit.make('holders', { name: 'first', only: plain });
    const second = await kit.make('holders', { name: 'second', only: plain });
    expect(await held(kit, `holders/${first}`, 'only')).toBeNull();
    expect(await held(kit, `holders/${second}`, 'only')).toBe('shared');
    expect(await held(kit, `plains/${plain}`, 'keeper')).toBe('second');
    await kit.entry('PUT', `plains/${plain}`, { keeper: first });
    expect(await held(kit, `holders/${first}`, 'only')).toBe('shared');
    expect(await held(kit, `holders/${second}`, 'only')).toBeNull();
    await kit.entry('PUT', `plains/${plain}`, { keeper: null });
    expect(await held(kit, `holders/${first}`, 'only')).toBeNull();
  });

  // 9
  it('a text is a documentId even when it starts with a digit', async () => {
    const made = await guide.entry('POST', 'categories', { name: 'with a number for an id' });
    await guide.execute(`update categories set document_id = '9abc' where id = ${made.id}`);
    const restaurant = await guide.make('restaurants', { name: 'digits', categories: ['9abc'] });
    expect(await held(guide, `restaurants/${restaurant}`, 'categories')).toEqual(['with a number for an id']);
    // The id of a row as a text is no documentId.
    refused(await guide.put(`restaurants/${restaurant}`, { categories: [String(made.id)] }));
    refused(await guide.put(`restaurants/${restaurant}`, { categories: { connect: [`${made.id}abc`] } }));
  });

  // 10
  it('disconnecting what does not exist is refused alike by documentId and by id, and what is not connected is no error', async () => {
    const restaurant = await guide.make('restaurants', { name: 'disconnects', categories: [c.one] });
    const url = `restaurants/${restaurant}`;
    for (const missing of [NOWHERE, { documentId: NOWHERE }, 123_456_789, { id: 123_456_789 }])
      refused(await guide.put(url, { categories: { disconnect: [missing] } }));
    expect((await guide.put(url, { categories: { disconnect: [c.two] } })).status).toBe(200);
    expect(await held(guide, url, 'categories')).toEqual(['one']);
  });

  // 11
  it('malformed references and positions are refused, never an internal error', async () => {
    const one = await guide.entry('GET', `categories/${c.one}`);
    const restaurant = await guide.make('restaurants', { name: 'malformed', categories: [c.one, c.two] });
    for (const payload of [
      [true],
      true,
      [null],
      [''],
      [{}],
      [{ documentId: null }],
      [{ documentId: 5 }],
      [{ name: 'one' }],
      [[c.one]],
      [1.5],
      [{ id: 1.5 }],
      [{ id: 'x' }],
      [{ id: null }],
      [-1],
      [2 ** 60],
      { connect: [{ documentId: c.one, position: before(c.one, c.one).position }] },
      { connect: [{ id: String(one.id), position: { before: String(one.id) } }] },
      { connect: [{ documentId: c.three, position: { before: true } }] },
      { connect: [{ documentId: c.three, position: { before: null } }] },
      { connect: [{ documentId: c.three, position: { before: [c.one] } }] },
      { disconnect: [true] },
      { set: [true] },
      { set: true },
      { connect: 1.5 },
    ])
      refused(await guide.put(`restaurants/${restaurant}`, { categories: payload }));
    expect(await held(guide, `restaurants/${restaurant}`, 'categories')).toEqual(['one', 'two']);
  });

  // 11
  it('a reference by id may be placed beside a documentId, and the other way round', async () => {
    const restaurant = await guide.make('restaurants', { name: 'mixed', categories: [c.one, c.two] });
    const url = `restaurants/${restaurant}`;
    const [one, three, four] = await Promise.all(
      ['one', 'three', 'four'].map((name) => guide.entry('GET', `categories/${c[name]}`)),
    );
    await guide.entry('PUT', url, { categories: { connect: [{ id: three.id, position: { before: c.two } }] } });
    expect(await held(guide, url, 'categories')).toEqual(['one', 'three', 'two']);
    await guide.entry('PUT', url, {
      categories: { connect: [{ documentId: four.documentId, position: { after: one.id } }] },
    });
    expect(await held(guide, url, 'categories')).toEqual(['one', 'four', 'three', 'two']);
  });

  // 12
  it('the same entry twice in connect is refused, however it is written', async () => {
    const { id } = await guide.entry('GET', `categories/${c.three}`);
    const restaurant = await guide.make('restaurants', { name: 'twice', categories: [c.one] });
    for (const second of [
      c.three,
      { documentId: c.three },
      { documentId: c.three, position: { start: true } },
      id,
      { id },
    ])
      refused(await guide.put(`restaurants/${restaurant}`, { categories: { connect: [c.three, second] } }), {
        details: { path: 'categories.connect.1', source: 'body' },
      });
    expect(await held(guide, `restaurants/${restaurant}`, 'categories')).toEqual(['one']);
  });

  // 13
  it('what is wrong with a reference is told with its path and without the ids of rows', async () => {
    const rows = [987_001, 987_002, 987_003];
    for (const id of rows)
      await guide.execute(
        `insert into categories (id, document_id, name, published_at) values (${id}, 'row${id}x', 'row ${id}', current_timestamp)`,
      );
    const [a, b, d] = rows.map((id) => `row${id}x`);
    const restaurant = await guide.make('restaurants', { name: 'told', categories: [a] });
    const withoutNames = (answer: Answer) => JSON.stringify(answer.body).replace(/row\d+x/g, 'a document');
    const cases: [unknown, string][] = [
      [{ connect: [c.one, before(b, d)] }, 'categories.connect.1'],
      [{ connect: [{ documentId: a, position: { after: a } }] }, 'categories.connect.0'],
      [{ connect: [before(b, d), before(d, b)] }, 'categories.connect'],
      [{ connect: [b, b] }, 'categories.connect.1'],
      [{ connect: [c.one, NOWHERE] }, 'categories.connect.1'],
      [{ disconnect: [a, NOWHERE] }, 'categories.disconnect.1'],
      [[a, NOWHERE], 'categories.1'],
      [{ set: [a, b, NOWHERE] }, 'categories.set.2'],
      [{ connect: [{ documentId: b, position: { after: NOWHERE } }] }, 'categories.connect.0.position'],
    ];
    for (const [payload, path] of cases) {
      const answer = await guide.put(`restaurants/${restaurant}`, { categories: payload });
      refused(answer);
      expect(answer.body.error.details.path, JSON.stringify(payload)).toMatch(
        new RegExp(`^${path.replaceAll('.', '\\.')}`),
      );
      expect(withoutNames(answer)).not.toMatch(/987/);
    }
  });

  // 14
  it.each([
    [{ before: 'one', after: 'two' }],
    [{ start: true, end: true }],
    [{ before: 'one', start: true }],
    [{ start: false }],
    [{ end: 1 }],
    [{ foo: 1 }],
    [{}],
    ['start'],
    [[]],
    [null],
    [5],
  ])('a position that is not exactly one place is refused: %j', async (position) => {
    const named =
      typeof position === 'object' && position !== null
        ? Object.fromEntries(Object.entries(position).map(([key, value]) => [key, c[String(value)] ?? value]))
        : position;
    const restaurant = await guide.make('restaurants', { name: 'places', categories: [c.one, c.two] });
    refused(
      await guide.put(`restaurants/${restaurant}`, {
        categories: { connect: [{ documentId: c.three, position: Array.isArray(position) ? position : named }] },
      }),
      { details: { path: 'categories.connect.0.position' } },
    );
    expect(await held(guide, `restaurants/${restaurant}`, 'categories')).toEqual(['one', 'two']);
  });

  // 15
  it('strict false appends an entry whose neighbour is missing, on create too', async () => {
    const categories = { connect: [c.one, before(c.two, c.four)], options: { strict: false } };
    const restaurant = await guide.make('restaurants', { name: 'not strict', categories });
    expect(await held(guide, `restaurants/${restaurant}`, 'categories')).toEqual(['one', 'two']);
    refused(
      await guide.post('restaurants', { name: 'strict', categories: { ...categories, options: { strict: true } } }),
    );
    refused(await guide.post('restaurants', { name: 'strict', categories: { connect: categories.connect } }));
  });

  // 15
  it.each([[{ strict: 'no' }], [{ strict: null }], [{ loose: true }], ['strict'], [null], [[]]])(
    'options other than strict true or false are refused: %j',
    async (options) => {
      refused(await guide.post('restaurants', { name: 'options', categories: { connect: [c.one], options } }));
    },
  );

  // 16
  it('one-way relations leave their targets to others as well', async () => {
    const dish = await guide.make('dishes', { name: 'shared dish' });
    const data = { signatureDish: dish };
    const [a, b] = [
      await guide.make('restaurants', { name: 'shares a', ...data }),
      await guide.make('restaurants', { name: 'shares b', ...data }),
    ];
    for (const owner of [a, b]) expect(await held(guide, `restaurants/${owner}`, 'signatureDish')).toBe('shared dish');
    await guide.entry('PUT', `restaurants/${a}`, { neighbours: [b] });
    const third = await guide.make('restaurants', { name: 'shares c', neighbours: [b] });
    for (const owner of [a, third])
      expect(await held(guide, `restaurants/${owner}`, 'neighbours')).toEqual(['shares b']);
  });

  // 17
  it('a draft that takes a target leaves the published link to its former owner until it is published itself', async () => {
    const egg = await kit.make('eggs', { name: 'egg' });
    const a = await kit.make('nests', { name: 'A', egg });
    const b = await kit.make('nests?status=draft', { name: 'B', egg });
    expect(await held(kit, `nests/${a}?status=draft`, 'egg')).toBeNull();
    expect(await held(kit, `nests/${b}?status=draft`, 'egg')).toBe('egg');
    expect(await held(kit, `nests/${a}`, 'egg')).toBe('egg');
    expect(await held(kit, `eggs/${egg}`, 'nest')).toBe('A');
    expect(await held(kit, `eggs/${egg}?status=draft`, 'nest')).toBe('B');
    await kit.entry('PUT', `nests/${b}`, {});
    expect(await held(kit, `nests/${b}`, 'egg')).toBe('egg');
    expect(await held(kit, `nests/${a}`, 'egg')).toBeNull();
    expect(await held(kit, `eggs/${egg}`, 'nest')).toBe('B');
    // Publishing the former owner again does not take it back: its draft holds nothing.
    await kit.entry('PUT', `nests/${a}`, { name: 'A again' });
    expect(await held(kit, `eggs/${egg}`, 'nest')).toBe('B');
    expect(await held(kit, `nests/${a}`, 'egg')).toBeNull();
  });

  // 18
  it('a link between published entries is what the last publication of either end made it', async () => {
    const author = await guide.make('authors', { name: 'author' });
    const articles: string[] = [];
    for (const title of ['one', 'two']) articles.push(await guide.make('articles', { title, authors: [author] }));
    const both = async () => [
      await held(guide, `articles/${articles[1]}`, 'authors'),
      await held(guide, `authors/${author}`, 'articles', 'title'),
    ];
    const [linked, unlinked] = [
      [['author'], ['one', 'two']],
      [[], ['one']],
    ];
    await guide.entry('PUT', `articles/${articles[1]}?status=draft`, { authors: [] });
    expect(await both()).toEqual(linked);
    await guide.entry('PUT', `authors/${author}`, {});
    expect(await both()).toEqual(unlinked);
    await guide.entry('PUT', `authors/${author}?status=draft`, { articles });
    expect(await both()).toEqual(unlinked);
    await guide.entry('PUT', `articles/${articles[1]}`, {});
    expect(await both()).toEqual(linked);
  });

  // 18
  it('a list that is emptied and published is empty, though an entry of it was published later', async () => {
    const author = await guide.make('authors', { name: 'author' });
    const article = await guide.make('articles', { title: 'emptied', authors: [author] });
    await guide.entry('PUT', `authors/${author}`, { name: 'author, again' });
    await guide.entry('PUT', `articles/${article}`, { authors: [] });
    expect(await held(guide, `articles/${article}`, 'authors')).toEqual([]);
    expect(await held(guide, `authors/${author}`, 'articles', 'title')).toEqual([]);
    await guide.entry('PUT', `authors/${author}`, {});
    expect(await held(guide, `articles/${article}`, 'authors')).toEqual([]);
  });

  // 19
  it('a target that is published later appears in its place, one-way relations and components included', async () => {
    const [first, third] = [
      await guide.make('articles', { title: 'first' }),
      await guide.make('articles', { title: 'third' }),
    ];
    const second = await guide.make('articles?status=draft', { title: 'second' });
    const author = await guide.make('authors?status=draft', { name: 'late author' });
    const owner = await guide.make('articles', {
      title: 'points at them',
      related: [first, second, third],
      blocks: [{ __component: 'blocks.quote', text: 'q', author }],
    });
    const bookmark = await guide.make('bookmarks', { label: 'b', articles: [first, second, third] });
    const quoted = async () =>
      (await guide.entry('GET', `articles/${owner}?populate[blocks][populate]=*`)).blocks[0].author?.name ?? null;
    expect(await held(guide, `articles/${owner}`, 'related', 'title')).toEqual(['first', 'third']);
    expect(await held(guide, `bookmarks/${bookmark}`, 'articles', 'title')).toEqual(['first', 'third']);
    expect(await quoted()).toBeNull();
    await guide.entry('PUT', `articles/${second}`, {});
    await guide.entry('PUT', `authors/${author}`, {});
    expect(await held(guide, `articles/${owner}`, 'related', 'title')).toEqual(['first', 'second', 'third']);
    expect(await held(guide, `bookmarks/${bookmark}`, 'articles', 'title')).toEqual(['first', 'second', 'third']);
    expect(await quoted()).toBe('late author');
  });

  // 20
  it.each([
    ['a foreign key of an entry without drafts', 'holders', 'thing', 'thing'],
    ['a foreign key of an entry with drafts', 'pages', 'thing', 'thing'],
    ['a polymorphic list of an entry without drafts', 'holders', 'items', ['thing']],
    ['a polymorphic list of an entry with drafts', 'pages', 'items', ['thing']],
  ])('a link survives every publication of both its ends: %s', async (_, owners, attribute, expected) => {
    const thing = await kit.make('things', { name: 'thing' });
    const owner = await kit.make(owners, {
      name: 'owner',
      items: [{ documentId: thing, __type: 'api::thing.thing' }],
      thing: { documentId: thing, status: 'published' },
    });
    const statuses = owners === 'holders' && attribute === 'thing' ? ['published'] : ['published', 'draft'];
    for (let round = 0; round < 3; round++) {
      for (const status of statuses)
        expect(await held(kit, `${owners}/${owner}?status=${status}`, attribute), `${status} ${round}`).toEqual(
          expected,
        );
      await kit.entry('PUT', `things/${thing}`, { name: 'thing' });
      await kit.entry('PUT', `${owners}/${owner}`, { name: 'owner' });
    }
  });

  it.each(['2147483648', '9007199254740993', '99999999999999999999999'])(
    'a row id that no row can have is one of no row: %s',
    async (id) => {
      const chef = await guide.make('chefs', { name: 'a chef' });
      const documentId = await guide.make('restaurants', { name: 'here', chef });
      const statusOf = async (method: string, url: string, body?: unknown) =>
        (await guide.send(method, url, body)).status;
      for (const filter of ['filters[id]', 'filters[id][$in][]', 'filters[chef][id]', 'filters[chef]']) {
        const { status, body } = await guide.get(`restaurants?${filter}=${id}`);
        expect([status, body.data], filter).toEqual([200, []]);
      }
      for (const url of [`restaurants/${id}`, `users/${id}`, `upload/files/${id}`])
        expect(await statusOf('GET', url), url).toBe(404);
      for (const url of [`users/${id}`, `upload/files/${id}`]) expect(await statusOf('DELETE', url), url).toBe(404);
      const number = Number(id);
      const references = [id, number, -number, { id }, { id: number }];
      for (const reference of references)
        for (const data of [
          ...['chef', 'cover'].map((name) => ({ [name]: reference })),
          { chef: { connect: [reference] } },
          { categories: { disconnect: [reference] } },
          { categories: { connect: [{ documentId: chef, position: { before: reference } }] } },
          { openingHours: [{ id: (reference as Answered).id ?? reference }] },
        ])
          expect(await statusOf('PUT', `restaurants/${documentId}`, { data }), JSON.stringify(data)).toBe(400);
      expect(await held(guide, `restaurants/${documentId}`, 'chef')).toBe('a chef');
    },
  );

  // 21
  it('what is deleted leaves no pair behind', async () => {
    const plain = await kit.make('plains', { name: 'short-lived' });
    const holder = await kit.make('holders', { items: [{ documentId: plain, __type: 'api::plain.plain' }] });
    const owner = await kit.number(`select id from holders where document_id = '${holder}'`);
    await kit.delete(`plains/${plain}`);
    expect(await kit.rows(`select * from holders_items_mph where holder_id = ${owner}`)).toEqual([]);
    const restaurant = await guide.make('restaurants', {
      name: 'zone',
      blocks: [
        { __component: 'shared.link', label: 'l' },
        { __component: 'blocks.picks', restaurants: [] },
      ],
    });
    const row = await guide.number(`select id from restaurants where document_id = '${restaurant}'`);
    const links = 'select count(*) from components_shared_links';
    const count = await guide.number(links);
    await guide.entry('PUT', `restaurants/${restaurant}`, { blocks: [] });
    expect(await guide.rows(`select * from restaurants_cmps where entity_id = ${row}`)).toEqual([]);
    expect(await guide.number(links)).toBe(count - 1);
  });

  // 22
  it('an entry without drafts links both versions of a document as one', async () => {
    const t = await makeAll(guide, 'articles', ['v1', 'v2', 'v3'], 'title');
    const bookmark = await guide.make('bookmarks', { label: 'versions', articles: [t.v1, t.v2] });
    const url = `bookmarks/${bookmark}`;
    const both = async () => [
      await held(guide, url, 'articles', 'title'),
      await held(guide, `${url}?status=draft`, 'articles', 'title'),
    ];
    await guide.entry('PUT', url, { articles: { connect: [after(t.v3, t.v1)] } });
    expect(await both()).toEqual([
      ['v1', 'v3', 'v2'],
      ['v1', 'v3', 'v2'],
    ]);
    await guide.entry('PUT', url, { articles: { connect: [{ documentId: t.v2, position: { start: true } }] } });
    expect(await both()).toEqual([
      ['v2', 'v1', 'v3'],
      ['v2', 'v1', 'v3'],
    ]);
    await guide.entry('PUT', url, { articles: { disconnect: [t.v1] } });
    expect(await both()).toEqual([
      ['v2', 'v3'],
      ['v2', 'v3'],
    ]);
    await guide.entry('PUT', url, { articles: { disconnect: [{ documentId: t.v2, status: 'draft' }] } });
    expect(await both()).toEqual([['v2', 'v3'], ['v3']]);
  });

  // 23
  it('the id of a row stands for its document, so that drafts are linked with drafts of their own locale', async () => {
    const published = await guide.entry('POST', 'articles', { title: 'by id' });
    await guide.entry('PUT', `articles/${published.documentId}?locale=fr`, { title: 'par id' });
    const owner = await guide.make('articles', { title: 'links by id', related: [published.id] });
    expect(await held(guide, `articles/${owner}`, 'related', 'title')).toEqual(['by id']);
    expect(await held(guide, `articles/${owner}?status=draft`, 'related', 'title')).toEqual(['by id']);
    await guide.entry('PUT', `articles/${owner}?locale=fr`, { title: 'lie par id', related: [published.id] });
    expect(await held(guide, `articles/${owner}?locale=fr`, 'related', 'title')).toEqual(['par id']);
    const crossed = await guide.number(
      `select count(*) from articles_related_lnk l join articles a on a.id = l.article_id join articles b on b.id = l.inv_article_id
       where a.locale <> b.locale or (a.published_at is null) <> (b.published_at is null)`,
    );
    expect(crossed).toBe(0);
  });

  // 24
  it('two relations of one type that would share their columns stop the start', async () => {
    const project: Project = {
      types: {
        mixed: {
          attributes: {
            left: { type: 'relation', relation: 'morphToOne' },
            right: { type: 'relation', relation: 'morphToOne' },
          },
        },
      },
    };
    const opening = contents.open(project);
    await expect(opening).rejects.toThrow(SetupError);
    await expect(opening).rejects.toThrow(/left[\s\S]*right|right[\s\S]*left/);
  });

  // 26
  it('entries of a polymorphic list must exist and be of a type that it may hold', async () => {
    const plain = await kit.make('plains', { name: 'exists' });
    for (const item of [
      { id: 123_456_789, __type: 'api::plain.plain' },
      { documentId: NOWHERE, __type: 'api::plain.plain' },
      { documentId: plain, __type: 'api::thing.thing' },
      { documentId: plain, __type: 'api::nope.nope' },
      { documentId: plain },
      plain,
      5,
    ])
      refused(await kit.post('holders', { items: [item] }));
    expect(await kit.number('select count(*) from holders_items_mph where items_id = 123456789')).toBe(0);
  });

  // 27
  it('a locale or status of a reference that is not that of the entry itself is refused', async () => {
    const target = await guide.make('articles', { title: 'target' });
    await guide.entry('PUT', `articles/${target}?locale=fr`, { title: 'cible' });
    const owner = await guide.make('articles', { title: 'owner' });
    await guide.entry('PUT', `articles/${owner}?locale=fr`, { title: 'chef' });
    refused(
      await guide.put(`articles/${owner}?locale=fr`, { related: { connect: [{ documentId: target, locale: 'en' }] } }),
      {
        details: { path: 'related.connect.0.locale' },
      },
    );
    refused(
      await guide.put(`articles/${owner}?status=draft`, { related: [{ documentId: target, status: 'published' }] }),
      {
        details: { path: 'related.0.status' },
      },
    );
    await guide.entry('PUT', `articles/${owner}?locale=fr`, { related: [{ documentId: target, locale: 'fr' }] });
    expect(await held(guide, `articles/${owner}?locale=fr`, 'related', 'title')).toEqual(['cible']);
  });

  // 28
  it('a bare list takes the same references as set, and no positions', async () => {
    const author = await guide.make('authors', { name: 'bare' });
    const bookmark = await guide.make('bookmarks', {
      label: 'bare',
      authors: [{ documentId: author, status: 'published' }],
    });
    expect(await held(guide, `bookmarks/${bookmark}`, 'authors')).toEqual(['bare']);
    expect(await held(guide, `bookmarks/${bookmark}?status=draft`, 'authors')).toEqual([]);
    const placed = [{ documentId: author, position: { start: true } }];
    refused(await guide.put(`bookmarks/${bookmark}`, { authors: placed }), { details: { key: 'position' } });
    refused(await guide.put(`bookmarks/${bookmark}`, { authors: { set: placed } }), { details: { key: 'position' } });
    refused(await guide.put(`bookmarks/${bookmark}`, { authors: { disconnect: placed } }), {
      details: { key: 'position' },
    });
  });

  // 58
  it('files are set by id or documentId, one where one is kept, and nothing else is taken for one', async () => {
    const restaurant = await guide.make('restaurants', { name: 'files', cover: 1, gallery: [1] });
    const url = `restaurants/${restaurant}`;
    for (const [payload, expected] of [
      [2, 'file 2'],
      [{ id: 3 }, 'file 3'],
      ['file2', 'file 2'],
      [{ documentId: 'file1' }, 'file 1'],
      [{ set: [3] }, 'file 3'],
      [[1, 2], 'file 2'],
    ] as const) {
      await guide.entry('PUT', url, { cover: payload });
      expect(await held(guide, url, 'cover'), JSON.stringify(payload)).toBe(expected);
    }
    const stored =
      await guide.number(`select count(*) from files_related_mph m join restaurants r on r.id = m.related_id
      where m.related_type = 'api::restaurant.restaurant' and m.field = 'cover' and r.document_id = '${restaurant}'`);
    expect(stored).toBe(1);
    await guide.entry('PUT', url, { gallery: ['file3', { documentId: 'file1' }, 2] });
    expect(await held(guide, url, 'gallery')).toEqual(['file 3', 'file 1', 'file 2']);
    await guide.entry('PUT', url, { gallery: { disconnect: [1] } });
    expect(await held(guide, url, 'gallery')).toEqual(['file 3', 'file 2']);
    for (const payload of [true, [true], { connect: [1] }, 99, 'file9', [{ url: '/x' }], { id: 1, link: '/x' }])
      for (const attribute of ['cover', 'gallery']) refused(await guide.put(url, { [attribute]: payload }));
    refused(await guide.post('restaurants', { name: 'connects a file', gallery: { connect: [1] } }));
    expect(await held(guide, url, 'cover')).toBe('file 2');
    expect(await held(guide, url, 'gallery')).toEqual(['file 3', 'file 2']);
  });
});

describeOnEveryDatabase('drafts and locales', (engine) => {
  const contents = useContents(engine);
  let guide: Content;
  let kit: Content;
  beforeAll(async () => {
    guide = await contents.open();
    kit = await contents.open(KIT);
  });

  // 29
  it('a draft cannot be deleted alone, and saying so is no internal error', async () => {
    const author = await guide.make('authors', { name: 'undeleted' });
    refused(await guide.delete(`authors/${author}?status=draft`), { details: { key: 'status', source: 'query' } });
    expect((await guide.get(`authors/${author}`)).status).toBe(200);
    await guide.entry('PUT', 'homepage', { title: 'home' });
    refused(await guide.delete('homepage?status=draft'));
    expect((await guide.get('homepage')).status).toBe(200);
    const chef = await guide.make('chefs', { name: 'without drafts' });
    expect((await guide.delete(`chefs/${chef}?status=draft`)).status).toBe(204);
    expect((await guide.get(`chefs/${chef}`)).status).toBe(404);
  });

  // 30
  it.each(['', 'foo', 'Published', 'modified', 'draft,published'])(
    'the status "%s" is refused on every write',
    async (status) => {
      const author = await guide.make('authors', { name: 'status' });
      refused(await guide.post(`authors?status=${status}`, { name: 'x' }), {
        details: { source: 'query', param: 'status' },
      });
      refused(await guide.put(`authors/${author}?status=${status}`, { name: 'x' }));
      refused(await guide.put(`homepage?status=${status}`, { title: 'x' }));
      refused(await guide.delete(`authors/${author}?status=${status}`));
      expect((await guide.entry('GET', `authors/${author}`)).name).toBe('status');
    },
  );

  // 31
  it('DELETE takes the draft and the published row together', async () => {
    const author = await guide.make('authors', { name: 'gone' });
    expect(await guide.delete(`authors/${author}`)).toMatchObject({ status: 204, body: null });
    expect((await guide.get(`authors/${author}`)).status).toBe(404);
    expect((await guide.get(`authors/${author}?status=draft`)).status).toBe(404);
    expect(await guide.number(`select count(*) from authors where document_id = '${author}'`)).toBe(0);
  });

  // 32
  it('PUT answers 200 also where it makes a locale or the entry of a single type', async () => {
    const article = await guide.make('articles', { title: 'one' });
    expect((await guide.put(`articles/${article}?locale=fr`, { title: 'un' })).status).toBe(200);
    expect((await kit.put('front', { title: 'made' })).status).toBe(200);
    expect((await kit.put('front', { title: 'changed' })).status).toBe(200);
  });

  // 33
  it('the ids of components in an answer can be sent back, whichever version it showed', async () => {
    const made = await guide.entry('POST', 'articles?populate=*', {
      title: 'with components',
      seo: { metaTitle: 'm', metaDescription: 'd' },
      blocks: [
        { __component: 'blocks.quote', text: 'one' },
        { __component: 'shared.link', label: 'two', url: '/two' },
      ],
    });
    const url = `articles/${made.documentId}`;
    const draft = await guide.entry('GET', `${url}?populate=*&status=draft`);
    for (const version of [made, draft]) {
      const [quote, link] = version.blocks;
      const answer = await guide.entry('PUT', `${url}?populate=*`, {
        seo: { id: version.seo.id, metaTitle: 'changed' },
        blocks: [{ ...link }, { id: quote.id, __component: 'blocks.quote' }],
      });
      expect(answer.seo).toMatchObject({ id: made.seo.id, metaTitle: 'changed', metaDescription: 'd' });
      expect(answer.blocks.map((block: Answered) => [block.id, block.text ?? block.url])).toEqual([
        [made.blocks[1].id, '/two'],
        [made.blocks[0].id, 'one'],
      ]);
      const after = await guide.entry('GET', `${url}?populate=*&status=draft`);
      expect(after.seo.id).toBe(draft.seo.id);
      expect(after.blocks.map((block: Answered) => block.id)).toEqual([draft.blocks[1].id, draft.blocks[0].id]);
    }
  });

  // 34
  it('an entry without drafts keeps the moment it was first published', async () => {
    const made = await guide.entry('POST', 'countries', { name: 'Italy', code: 'IT' });
    await sleep(5);
    const changed = await guide.entry('PUT', `countries/${made.documentId}`, { name: 'Italia' });
    expect(changed).toMatchObject({ publishedAt: made.publishedAt, createdAt: made.createdAt });
    expect(changed.updatedAt > made.updatedAt).toBe(true);
  });

  // 35
  it('publishing again keeps every row it does not need to change', async () => {
    const author = await guide.make('authors', { name: 'stays' });
    const made = await guide.entry('POST', 'articles?populate=*', {
      title: 'stays',
      authors: [author],
      seo: { metaTitle: 'm' },
      blocks: [{ __component: 'blocks.quote', text: 'one', author }],
    });
    const tables = [
      'articles',
      'articles_authors_lnk',
      'articles_cmps',
      'components_blocks_quotes_author_lnk',
      'components_shared_seos',
    ];
    const everything = async () => {
      const ids: unknown[] = [];
      for (const table of tables) ids.push((await guide.rows(`select id from ${table} order by id`)).flat());
      return ids;
    };
    const rows = await everything();
    for (let round = 0; round < 3; round++) {
      const again = await guide.entry('PUT', `articles/${made.documentId}?populate=*`, { title: `stays ${round}` });
      expect([again.id, again.seo.id, again.blocks[0].id]).toEqual([made.id, made.seo.id, made.blocks[0].id]);
    }
    await guide.entry('PUT', `authors/${author}`, { name: 'stays too' });
    expect(await everything()).toEqual(rows);
  });

  // 36
  it.each(['xx', 'es', 'EN', 'not a locale', '*', 'en,fr'])(
    'the locale "%s", which the project does not have, is refused on a write',
    async (locale) => {
      const tag = await guide.make('tags', { label: 'tag' });
      const query = `locale=${encodeURIComponent(locale)}`;
      refused(await guide.post(`tags?${query}`, { label: 'x' }), { details: { source: 'query', param: 'locale' } });
      refused(await guide.put(`tags/${tag}?${query}`, { label: 'x' }));
      expect(await guide.rows('select distinct locale from tags order by locale')).toEqual([['en']]);
    },
  );

  // 37
  it('what locales share stays in step in drafts and in published rows', async () => {
    const made = await guide.make('articles', { title: 'en', readingMinutes: 1 });
    const url = `articles/${made}`;
    await guide.entry('PUT', `${url}?locale=fr`, { title: 'fr' });
    const minutes = async () => {
      const shown: unknown[] = [];
      for (const locale of ['en', 'fr'])
        for (const status of ['draft', 'published'])
          shown.push((await guide.entry('GET', `${url}?locale=${locale}&status=${status}`)).readingMinutes);
      return shown;
    };
    await guide.entry('PUT', `${url}?locale=fr`, { readingMinutes: 2 });
    expect(await minutes()).toEqual([2, 2, 2, 2]);
    await guide.entry('PUT', url, { title: 'en again' });
    expect(await minutes()).toEqual([2, 2, 2, 2]);
    await guide.entry('PUT', `${url}?status=draft`, { readingMinutes: 3 });
    expect(await minutes()).toEqual([3, 2, 3, 2]);
    await guide.entry('PUT', `${url}?locale=fr`, {});
    expect((await minutes()).slice(2)).toEqual([3, 3]);
  });

  // 38
  it('a write that is refused changes no other locale either', async () => {
    const made = await guide.make('articles', { title: 'en', readingMinutes: 1 });
    await guide.entry('PUT', `articles/${made}?locale=fr`, { title: 'fr' });
    const rows = () => guide.rows(`select * from articles where document_id = '${made}' order by id`);
    const stored = await rows();
    refused(await guide.put(`articles/${made}?locale=fr`, { readingMinutes: 9, title: null }));
    expect(await rows()).toEqual(stored);
    refused(await guide.put(`articles/${made}?locale=fr`, { readingMinutes: 9, authors: [NOWHERE] }));
    expect(await rows()).toEqual(stored);
  });

  // 39
  it('a unique value that locales share belongs to one document, whatever the locale', async () => {
    const first = await kit.make('products', { sku: 'A1', title: 'en' });
    refused(await kit.post('products?locale=fr', { sku: 'A1', title: 'fr' }), {
      details: { errors: [{ path: ['sku'] }] },
    });
    await kit.entry('PUT', `products/${first}?locale=fr`, { title: 'fr' });
    expect((await kit.entry('GET', `products/${first}?locale=fr`)).sku).toBe('A1');
    expect((await kit.put(`products/${first}?locale=fr`, { sku: 'A2' })).status).toBe(200);
    expect((await kit.post('products', { sku: 'A1' })).status).toBe(201);
    refused(await kit.post('products', { sku: 'A2' }));
  });

  // 40
  it('a condition on the locale chooses it, unless a parameter does', async () => {
    const documentId = await kit.make('products', { sku: 'chosen', title: 'One' });
    await kit.entry('PUT', `products/${documentId}?locale=fr`, { title: 'Un' });
    const titles = async (query: string) =>
      (await kit.get(`products?sort=title:desc&filters[sku]=chosen&${query}`)).body.data.map(
        ({ title }: Answered) => title,
      );
    expect(await titles('filters[locale]=fr')).toEqual(['Un']);
    expect(await titles('filters[locale]=fr&status=draft')).toEqual(['Un']);
    expect(await titles('filters[locale][$in][0]=fr&filters[locale][$in][1]=en')).toEqual(['Un', 'One']);
    expect(await titles('filters[locale]=fr&locale=en')).toEqual([]);
    expect(await titles('filters[$and][0][locale]=fr')).toEqual([]);
    expect(await kit.entry('GET', `products/${documentId}?filters[locale]=fr`)).toMatchObject({ title: 'Un' });
  });

  it('DELETE without a locale takes the default locale alone', async () => {
    const french = await guide.make('articles?locale=fr', { title: 'seul' });
    expect((await guide.delete(`articles/${french}`)).status).toBe(204);
    expect((await guide.get(`articles/${french}?locale=fr`)).status).toBe(200);
    await guide.entry('PUT', `articles/${french}`, { title: 'with en' });
    expect((await guide.delete(`articles/${french}`)).status).toBe(204);
    expect((await guide.get(`articles/${french}`)).status).toBe(404);
    expect((await guide.get(`articles/${french}?locale=fr`)).status).toBe(200);
    expect((await guide.delete(`articles/${french}?locale=*`)).status).toBe(204);
    expect((await guide.get(`articles/${french}?locale=fr`)).status).toBe(404);
  });

  // 41
  it('status, ids and moments in a body are refused; locale and publishedAt are ignored', async () => {
    for (const [url, data] of [
      ['articles', { title: 'x' }],
      ['categories', { name: 'x' }],
      ['authors', { name: 'x' }],
    ] as const)
      for (const key of [
        'createdAt',
        'updatedAt',
        'id',
        'documentId',
        'createdBy',
        'updatedBy',
        'localizations',
        'status',
      ])
        refused(await guide.post(url, { ...data, [key]: null }), {
          message: `Invalid key ${key}`,
          details: { key, source: 'body' },
        });
    const sent = { title: 'x', locale: 'fr', publishedAt: '2001-01-01T00:00:00.000Z' };
    const { documentId, locale, publishedAt } = await guide.entry('POST', 'articles', sent);
    expect(locale).toBe('en');
    expect(Date.parse(publishedAt)).toBeGreaterThan(Date.parse('2025-01-01'));
    const draft = await guide.entry('PUT', `articles/${documentId}?locale=fr&status=draft`, sent);
    expect(draft).toMatchObject({ locale: 'fr', publishedAt: null });
  });

  // 57
  it('writes of a single type check the query before anything is written', async () => {
    await guide.entry('PUT', 'homepage', { title: 'kept' });
    for (const [query, param] of [
      ['fields=nope', 'fields'],
      ['populate=nope', 'populate'],
      ['nope=1', 'nope'],
    ])
      refused(await guide.put(`homepage?${query}`, { title: 'changed' }), { details: { source: 'query', param } });
    expect((await guide.entry('GET', 'homepage')).title).toBe('kept');
    expect((await guide.entry('GET', 'homepage?status=draft')).title).toBe('kept');
  });
});

describeOnEveryDatabase('values', (engine) => {
  const contents = useContents(engine);
  let kit: Content;
  let guide: Content;
  beforeAll(async () => {
    guide = await contents.open();
    kit = await contents.open(KIT);
  });
  const label = 'l';

  // 42
  it('a password matches the draft and the published row alike, over several publications', async () => {
    const account = await kit.make('accounts', { name: 'a', pin: 'correct horse' });
    for (let round = 0; round < 3; round++) await kit.entry('PUT', `accounts/${account}`, { name: `a ${round}` });
    const hashes = (await kit.rows(`select pin from accounts where document_id = '${account}'`)).flat();
    expect(hashes).toHaveLength(2);
    for (const hash of hashes) expect(await bcrypt.compare('correct horse', hash)).toBe(true);
  });

  // 43
  it('the rules of a password hold for what was sent, not for its hash', async () => {
    expect((await kit.post('accounts', { pin: 'fine' })).status).toBe(201);
    for (const query of ['', '?status=draft'])
      for (const pin of ['abc', 'x'.repeat(21)]) {
        const answer = await kit.post(`accounts${query}`, { pin });
        refused(answer, { details: { errors: [{ path: ['pin'] }] } });
        expect(JSON.stringify(answer.body)).not.toContain(pin);
      }
  });

  // 43
  it('no refusal repeats what was sent', async () => {
    const secret = 'hunter2-hunter2';
    for (const data of [
      { pin: secret, name: 5 },
      { pin: secret, plain: NOWHERE },
      { pin: secret, plain: 123_456_789 },
      { pin: secret, nope: secret },
      { pin: secret, lock: { code: secret, nope: 1 } },
      { pin: [secret] },
      { name: [secret] },
      { lock: secret },
    ]) {
      const answer = await kit.post('accounts', data);
      refused(answer);
      expect(JSON.stringify(answer.body)).not.toContain(secret);
      expect(JSON.stringify(answer.body.error.details)).not.toContain('"value"');
    }
  });

  // 44
  it('passwords in components are hashed, and never shown', async () => {
    const made = await kit.entry('POST', 'accounts?populate=*', {
      lock: { code: 'open sesame' },
      locks: [{ code: 'one' }, { code: 'two' }],
    });
    expect(made.lock).toEqual({ id: made.lock.id });
    const codes = (await kit.rows('select code from components_kit_locks where code is not null order by id')).flat();
    expect(codes).toHaveLength(6);
    for (const code of codes) expect(code).toMatch(/^\$2[aby]\$\d\d\$/);
    // To compare takes long, and the draft and the published row hold the same hash.
    const hashes = [...new Set(codes)];
    expect(hashes).toHaveLength(3);
    for (const password of ['open sesame', 'one', 'two']) {
      const matches = await Promise.all(hashes.map((hash) => bcrypt.compare(password, hash)));
      const matching = hashes.filter((_hash, index) => matches[index]);
      expect(
        codes.filter((code) => matching.includes(code)),
        password,
      ).toHaveLength(2);
    }
  });

  it('a component may have attributes whose names the server keeps to itself in entries', async () => {
    const moment = '2001-01-01T00:00:00.000Z';
    const caption = { text: 'x', locale: 'de', publishedAt: moment, createdAt: '1999-01-01', status: null };
    const sent = { captions: [caption, { ...caption, locale: 'it', status: 'new' }] };
    const made = await kit.entry('POST', 'films?locale=fr&populate=*', { ...sent, locale: 'en' });
    expect(made).toMatchObject({ ...sent, locale: 'fr' });
    const url = `films/${made.documentId}?locale=fr&populate=*`;
    const [first] = made.captions;
    await kit.entry('PUT', url, { captions: [{ id: first.id, locale: 'da', status: 'old' }] });
    const captions = [{ ...caption, locale: 'da', status: 'old' }];
    expect(await kit.entry('GET', url)).toMatchObject({ captions });
    expect(await kit.entry('GET', `${url}&filters[captions][locale]=da`)).toMatchObject({ captions });
    refused(await kit.put(url, { captions: [{ locale: 'it' }] }), {
      details: { errors: [{ path: ['captions', '0', 'status'] }] },
    });
  });

  it('a number to compare with keeps every digit', async () => {
    const made = await kit.entry('POST', 'measures', { label, whole: 1, big: '10', number: 1 });
    const counts = async (key: string, one: string): Promise<number[]> => {
      const near = one.replace(/$/, '.0000000000000000').replace(/0$/, '1');
      const found = async (query: string): Promise<number> =>
        (await kit.get(`measures?filters[id][$in]=${made.id}&filters[$and][0][${key}]${query}`)).body.meta.pagination
          .total;
      return Promise.all(
        [one, near].flatMap((value) =>
          [`=${value}`, `[$in]=${value}`, `[$ne]=${value}`, `[$gte]=${value}`, `[$lt]=${value}`].map(found),
        ),
      );
    };
    const expected = [1, 1, 0, 1, 0, 0, 0, 1, 0, 1];
    expect(await counts('id', String(made.id))).toEqual(expected);
    expect(await counts('whole', '1')).toEqual(expected);
    expect(await counts('big', '10')).toEqual(expected);
    expect(await counts('number', '1')).toEqual(expected);
  });

  // 46
  it('a new component in an update must have what it requires', async () => {
    const made = await kit.make('measures', { label });
    refused(await kit.put(`measures/${made}`, { house: { town: 't' } }), {
      details: { errors: [{ path: ['house', 'street'] }] },
    });
    const { house } = await kit.entry('PUT', `measures/${made}?populate=*`, { house: { street: 's' } });
    // One that is there may leave it out.
    const changed = await kit.entry('PUT', `measures/${made}?populate=*`, { house: { id: house.id, town: 't' } });
    expect(changed.house).toEqual({ id: house.id, street: 's', town: 't' });
    refused(await kit.put(`measures/${made}`, { house: { id: house.id, street: null } }));
  });

  // 47
  it('a zone refuses a component that is not of its list', async () => {
    for (const uid of ['shared.seo', 'location.address', 'nope.nope', ''])
      refused(await guide.post('restaurants', { name: 'zone', blocks: [{ __component: uid, metaTitle: 'm' }] }), {
        details: { errors: [{ path: ['blocks', '0', '__component'] }] },
      });
  });

  // 48
  it.each<[unknown, ...string[]]>([['x'], [{}], [5], [true], [[{ type: 'nope' }], '0']])(
    'blocks refuse %j',
    async (story, ...within) => {
      refused(await kit.post('measures', { label, story }), { details: { errors: [{ path: ['story', ...within] }] } });
    },
  );

  // 49
  it.each([
    ['{"a":1}'],
    ['[1]'],
    ['plain'],
    [''],
    ['true'],
    ['5'],
    [true],
    [false],
    [0],
    [5],
    [1.5],
    [null],
    [{ a: '1' }],
    [[1, '2', null]],
  ])('JSON comes back as it was sent: %j', async (free) => {
    const { documentId } = await kit.entry('POST', 'measures', { label, free });
    expect((await kit.entry('GET', `measures/${documentId}`)).free).toStrictEqual(free);
  });

  // 50
  it.each([
    ['whole', 2_147_483_648],
    ['whole', -2_147_483_649],
    ['whole', '2147483648'],
    ['whole', 1e300],
    ['big', '9223372036854775808'],
    ['number', '1e400'],
    ['text', 'nul \0 inside'],
    ['label', '\0'],
    ['free', { a: 'nul \0 inside' }],
    ['free', { 'nul \0': 1 }],
    ['day', '0000-01-01'],
    ['moment', '0000-01-01T00:00:00.000Z'],
    ['moment', 8_640_000_000_000_001],
  ])('%s refuses %j, which some database could not keep', async (key, value) => {
    refused(await kit.post('measures', { label, [key]: value }), { details: { errors: [{ path: [key] }] } });
  });

  // 51
  it.each([
    ['10', '10'],
    [10, '10'],
    ['9007199254740993', '9007199254740993'],
    ['9007199254740992', '9007199254740992'],
    ['+11', '11'],
    ['0012', '12'],
  ])('a big integer keeps every digit: %j is %s', async (big, expected) => {
    const { documentId } = await kit.entry('POST', 'measures', { label, big });
    expect((await kit.entry('GET', `measures/${documentId}`)).big).toBe(expected);
  });

  // 51
  it.each([['9'], [9], ['-10'], ['9007199254740994'], ['9223372036854775807']])(
    'a big integer past its bounds is refused: %j',
    async (big) => {
      refused(await kit.post('measures', { label, big }), { details: { errors: [{ path: ['big'] }] } });
    },
  );

  // 51
  it('a time has three decimals', async () => {
    for (const [clock, expected] of [
      ['10:20:30', '10:20:30.000'],
      ['10:20:30.1', '10:20:30.100'],
      ['23:59:59.999', '23:59:59.999'],
    ])
      expect((await kit.entry('POST', 'measures', { label, clock })).clock).toBe(expected);
  });

  // 52
  it('wrong dates and times are told with their paths, among all that is wrong', async () => {
    const answer = await kit.post('measures', {
      day: '2021-02-29',
      clock: '24:00:00',
      moment: 'soon',
      kind: 'c',
      whole: 'x',
    });
    refused(answer, { message: '6 errors occurred' });
    const errors = answer.body.error.details.errors as { path: string[]; message: string }[];
    expect(errors.map(({ path }) => path.join('.')).sort()).toEqual([
      'clock',
      'day',
      'kind',
      'label',
      'moment',
      'whole',
    ]);
    expect(errors.find(({ path }) => path[0] === 'kind')!.message).toMatch(/a, b$/);
  });

  // 53
  it('what is required and missing is told at its path, in the words of Strapi 5, on types with drafts too', async () => {
    const isNull = 'must be a `string` type, but the final value was: `null`.';
    for (const data of [{}, { title: null }])
      refused(await guide.post('articles', data), {
        message: `title ${isNull}`,
        details: { errors: [{ path: ['title'], message: `title ${isNull}` }] },
      });
    refused(await kit.post('measures', {}), { message: 'label must be defined.' });
    refused(await kit.post('measures', { label: null }), { message: `label ${isNull}` });
    refused(await kit.post('measures', { label, house: {} }), { message: 'house.street must be defined.' });
  });

  // 54
  it('a key named data in data is as unknown as any other', async () => {
    refused(await kit.post('measures', { label, data: 1 }), { details: { key: 'data', source: 'body' } });
    refused(await kit.post('measures', { label, house: { street: 's', data: 1 } }), { details: { key: 'data' } });
  });

  // 55
  it.each([[[]], [[{ label }]], ['x'], [5], [null], [true]])('data that is no object is refused: %j', async (data) => {
    refused(await kit.post('measures', data), { message: 'Missing "data" payload in the request body', details: {} });
    refused(await kit.put('front', data), { message: 'Missing "data" payload in the request body' });
  });

  // 55
  it('a method that a path does not have gets the envelope when JSON is asked for', async () => {
    const answer = await kit.send('PATCH', 'measures', undefined, { accept: 'application/json' });
    expect(answer).toMatchObject({
      status: 405,
      body: { data: null, error: { status: 405, name: 'MethodNotAllowedError', details: {} } },
    });
    expect(answer.headers.allow).toBe('HEAD, GET, POST, QUERY');
  });

  // 59
  it('an empty text is a value for required, and neither it nor null is ever taken for unique', async () => {
    for (const mark of ['', '', null, null]) expect((await kit.post('measures', { label: '', mark })).status).toBe(201);
    expect((await kit.post('measures', { label, mark: 'Mark' })).status).toBe(201);
    expect((await kit.post('measures', { label, mark: 'mark' })).status).toBe(201);
    refused(await kit.post('measures', { label, mark: 'Mark' }), { details: { errors: [{ path: ['mark'] }] } });
  });
});

describeOnEveryDatabase('writes at the same time', (engine) => {
  const contents = useContents(engine);
  let guide: Content;
  let kit: Content;
  beforeAll(async () => {
    guide = await contents.open();
    kit = await contents.open(KIT);
  });
  const times = (count: number) => Array.from({ length: count }, (_, index) => index);
  const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status).sort();

  // 60
  it('a unique value is given once', async () => {
    const answers = await Promise.all(times(8).map(() => guide.post('categories', { name: 'the one' })));
    expect(statuses(answers)).toEqual([201, 400, 400, 400, 400, 400, 400, 400]);
    expect(await guide.number(`select count(*) from categories where name = 'the one'`)).toBe(1);
  });

  // 60
  it('a single type has one entry', async () => {
    const answers = await Promise.all(times(4).map((index) => kit.put('front', { title: `title ${index}` })));
    expect(statuses(answers)).toEqual([200, 200, 200, 200]);
    expect(await kit.number('select count(*) from fronts')).toBe(1);
  });

  // 60
  it('a new locale of a document is made once', async () => {
    const article = await guide.make('articles', { title: 'en' });
    const answers = await Promise.all(
      times(4).map((index) => guide.put(`articles/${article}?locale=fr`, { title: `fr ${index}` })),
    );
    expect(statuses(answers)).toEqual([200, 200, 200, 200]);
    const versions = await guide.rows(
      `select locale, published_at is null from articles where document_id = '${article}' order by locale, 2`,
    );
    expect(versions.map(([locale, isDraft]) => [locale, Boolean(isDraft)])).toEqual([
      ['en', false],
      ['en', true],
      ['fr', false],
      ['fr', true],
    ]);
  });

  // 60
  it('a target of a one-to-one relation ends with one owner', async () => {
    const owner = await guide.make('owners', { name: 'wanted' });
    const restaurants = await Promise.all(
      times(6).map((index) => guide.make('restaurants', { name: `wants ${index}` })),
    );
    const answers = await Promise.all(
      restaurants.map((restaurant) => guide.put(`restaurants/${restaurant}`, { owner })),
    );
    expect(statuses(answers)).toEqual([200, 200, 200, 200, 200, 200]);
    const links = await guide.number(
      `select count(*) from restaurants_owner_lnk l join owners o on o.id = l.owner_id where o.document_id = '${owner}'`,
    );
    expect(links).toBe(1);
  });

  // 62
  it('places in the list of a target that many link at once are all different', async () => {
    const category = await guide.make('categories', { name: 'popular' });
    await Promise.all(
      times(12).map((index) => guide.post('restaurants', { name: `popular ${index}`, categories: [category] })),
    );
    const places = await guide.rows(
      `select l.restaurant_ord from restaurants_categories_lnk l join categories c on c.id = l.category_id
       where c.document_id = '${category}' order by 1`,
    );
    expect(places.flat()).toEqual(times(12).map((index) => index + 1));
  });
});
