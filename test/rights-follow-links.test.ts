// Rights follow links: whoever connects and disconnects entries changes both ends, and whoever refers to a file or a
// draft can get to see it. So a write that moves a link asks about the entries that lose it, keeps what its caller cannot
// see, and refers to nothing that the caller could not have found. Seen from outside, over HTTP and in process.
import { beforeAll, describe, expect, it } from 'vitest';
import { SheafError } from '../src/errors.ts';
import {
  type Answer,
  type Answered,
  type Json,
  localized,
  type Project,
  relation,
  useContents,
} from './support/content.ts';
import { describeOnEveryDatabase, type Engine } from './support/database.ts';
import { type Guarded, type Rules, useGuarded, type Who } from './support/guarded.ts';

const string = { type: 'string' };
const uidOf = (name: string): string => `api::${name}.${name}`;

/** A document that no database has. */
const NO_DOCUMENT = 'a'.repeat(24);
const NO_ROW = 987_654_321;

/** The verbs of types by name; all of them where none are given. */
const rightsOn = (names: readonly string[], verbs: readonly string[] | null = null): string[] =>
  names.flatMap((name) => (verbs ? verbs.map((verb) => `${uidOf(name)}.${verb}`) : [uidOf(name)]));

const saying = ({ status, body }: Answer): string => `${status} ${JSON.stringify(body)}`;

/** What code in this process meets. */
async function statusOf(work: () => Promise<unknown>): Promise<number> {
  try {
    await work();
  } catch (error) {
    if (error instanceof SheafError) return error.status;
    throw error;
  }
  return 200;
}

/** A site with roles under rules, each with one person. */
async function openWithRoles(
  open: ReturnType<typeof useGuarded>['open'],
  project: Project,
  rules: Rules,
  grants: Readonly<Record<string, readonly string[]>>,
): Promise<{ site: Guarded; who: Record<string, Who> }> {
  const site = await open(project, { rules });
  const who: Record<string, Who> = {};
  for (const [role, actions] of Object.entries(grants)) {
    await site.auth.roles.create(role);
    await site.grantOnly(role, actions);
    who[role] = (await site.person(role)).who;
  }
  return { site, who };
}

// ------------------------------------------------------------------------------------------------------- both ends

const area = { name: string, area: string };

/** Every kind of relation between two types, in link tables and in columns; names tell who declares it. */
const BOXES: Project = {
  types: {
    box: {
      attributes: {
        ...area,
        lid: relation('oneToOne', 'lid', { inversedBy: 'box' }),
        items: relation('oneToMany', 'item', { mappedBy: 'box' }),
        first: relation('manyToOne', 'mark', { inversedBy: 'firsts' }),
        marks: relation('manyToMany', 'mark', { inversedBy: 'boxes' }),
        picks: relation('manyToMany', 'mark'),
        pick: relation('oneToOne', 'mark'),
        knob: relation('oneToOne', 'knob', { inversedBy: 'box', useJoinTable: false }),
        slips: relation('oneToMany', 'slip', { mappedBy: 'box' }),
        things: { type: 'relation', relation: 'morphToMany' },
        anything: { type: 'relation', relation: 'morphToOne' },
      },
    },
    lid: { attributes: { ...area, box: relation('oneToOne', 'box', { mappedBy: 'lid' }) } },
    knob: { attributes: { ...area, box: relation('oneToOne', 'box', { mappedBy: 'knob' }) } },
    item: { attributes: { ...area, box: relation('manyToOne', 'box', { inversedBy: 'items' }) } },
    slip: { attributes: { ...area, box: relation('manyToOne', 'box', { inversedBy: 'slips', useJoinTable: false }) } },
    mark: {
      attributes: {
        ...area,
        boxes: relation('manyToMany', 'box', { mappedBy: 'marks' }),
        firsts: relation('oneToMany', 'box', { mappedBy: 'first' }),
        shown: relation('morphMany', 'box', { morphBy: 'things' }),
        only: relation('morphOne', 'box', { morphBy: 'anything' }),
      },
    },
  },
};
const BOX_TYPES = Object.keys(BOXES.types);
const ofAll = (rules: Json): Record<string, Json> => Object.fromEntries(BOX_TYPES.map((name) => [uidOf(name), rules]));

const BOX_RULES: Rules = {
  ruled: ofAll({ rows: { update: { area: 'open' } } }),
  seer: ofAll({ rows: { find: { area: 'open' } } }),
};
const BOX_GRANTS = {
  ruled: rightsOn(BOX_TYPES),
  seer: rightsOn(BOX_TYPES),
  free: rightsOn(BOX_TYPES),
  maker: rightsOn(BOX_TYPES, ['find', 'findOne', 'create']),
};

function useBoxes(engine: Engine) {
  const contents = useContents(engine);
  const guarded = useGuarded(engine, contents);
  const at = {} as { site: Guarded; who: Record<string, Who> };
  beforeAll(async () => {
    Object.assign(at, await openWithRoles(guarded.open, BOXES, BOX_RULES, BOX_GRANTS));
  });
  let made = 0;
  return {
    at,
    /** A new entry, open to those under rules unless something else is said. */
    async make(name: string, data: Json = {}): Promise<string> {
      const entry = await at.site.sheaf
        .documents(uidOf(name))
        .create({ data: { name: `${name}${++made}`, area: 'open', ...data } });
      return entry.documentId;
    },
    /** The documents that an attribute leads to, as they are stored. */
    async linked(name: string, documentId: string, attribute: string): Promise<string[]> {
      const entry = (await at.site.sheaf.documents(uidOf(name)).findOne({ documentId, populate: [attribute] }))!;
      const value = entry[attribute] as Answered;
      return [value ?? []].flat().map((target: Answered) => target.documentId);
    },
    put: (name: string, documentId: string, data: Json, role: string): Promise<Answer> =>
      at.site.put(`${name}s/${documentId}`, data, at.who[role]!),
  };
}

/** Relations that give a target to one owner alone: by who is written, the attribute, and the target. */
const EXCLUSIVE: readonly (readonly [owner: string, attribute: string, target: string])[] = [
  ['box', 'lid', 'lid'],
  ['lid', 'box', 'box'],
  ['box', 'items', 'item'],
  ['box', 'knob', 'knob'],
  ['knob', 'box', 'box'],
  ['box', 'slips', 'slip'],
  ['mark', 'firsts', 'box'],
];

describeOnEveryDatabase('A target that has one owner at most', (engine) => {
  const { at, make, linked, put } = useBoxes(engine);

  describe.each(EXCLUSIVE)('%s.%s', (owner, attribute, target) => {
    const many = attribute.endsWith('s');
    /** Two owners, the first of which holds a target. */
    async function held(areaOfHolder: string) {
      const [taken, taker] = [await make(target), await make(owner)];
      const holder = await make(owner, { area: areaOfHolder, [attribute]: many ? [taken] : taken });
      return { taken, taker, holder };
    }

    it('is not taken from an owner that a rule keeps the caller from updating', async () => {
      const { taken, taker, holder } = await held('closed');
      for (const value of [taken, [taken], { set: [taken] }, { connect: [taken] }]) {
        const answer = await put(owner, taker, { [attribute]: value }, 'ruled');
        expect(saying(answer)).toMatch(/^403 .*"ForbiddenError"/);
        expect(answer.body.error.details).toEqual({ path: attribute, source: 'body' });
      }
      expect(await linked(owner, holder, attribute)).toEqual([taken]);
      expect(await linked(owner, taker, attribute)).toEqual([]);
    });

    it('is taken from an owner that the caller may update', async () => {
      for (const role of ['ruled', 'free']) {
        const { taken, taker, holder } = await held(role === 'free' ? 'closed' : 'open');
        const answer = await put(owner, taker, { [attribute]: { connect: [taken] } }, role);
        expect(answer.status, saying(answer)).toBe(200);
        expect(await linked(owner, holder, attribute)).toEqual([]);
        expect(await linked(owner, taker, attribute)).toEqual([taken]);
      }
    });

    it('is not taken by a new entry of who may not update owners', async () => {
      const { taken, holder } = await held('open');
      const count = await at.site.sheaf.documents(uidOf(owner)).count();
      const answer = await at.site.post(`${owner}s`, { name: 'new', [attribute]: taken }, at.who.maker!);
      expect(saying(answer)).toMatch(/^403 /);
      expect(await at.site.sheaf.documents(uidOf(owner)).count()).toBe(count);
      expect(await linked(owner, holder, attribute)).toEqual([taken]);
      const free = await make(target);
      expect((await at.site.post(`${owner}s`, { name: 'new', [attribute]: free }, at.who.maker!)).status).toBe(201);
    });
  });
});

/** Relations by the side that is written: which one declares it, and whether the other side shows it. */
const REMOVED: readonly (readonly [
  owner: string,
  attribute: string,
  target: string,
  side: 'declares' | 'one-way' | 'mapped',
])[] = [
  ['box', 'lid', 'lid', 'declares'],
  ['box', 'knob', 'knob', 'declares'],
  ['box', 'first', 'mark', 'declares'],
  ['box', 'marks', 'mark', 'declares'],
  ['item', 'box', 'box', 'declares'],
  ['slip', 'box', 'box', 'declares'],
  ['box', 'picks', 'mark', 'one-way'],
  ['box', 'pick', 'mark', 'one-way'],
  ['lid', 'box', 'box', 'mapped'],
  ['knob', 'box', 'box', 'mapped'],
  ['box', 'items', 'item', 'mapped'],
  ['box', 'slips', 'slip', 'mapped'],
  ['mark', 'boxes', 'box', 'mapped'],
  ['mark', 'firsts', 'box', 'mapped'],
];
const isMany = (attribute: string): boolean => attribute.endsWith('s');

describeOnEveryDatabase('A link that is removed', (engine) => {
  const { at, make, linked, put } = useBoxes(engine);

  describe.each(REMOVED)('by %s.%s', (owner, attribute, target, side) => {
    const many = isMany(attribute);
    async function held(areaOfTarget: string) {
      const [kept, other] = [await make(target, { area: areaOfTarget }), await make(target)];
      return { kept, other, holder: await make(owner, { [attribute]: many ? [kept] : kept }) };
    }
    /** Every way to remove it. */
    const removals = (kept: string, other: string): Json[] => [
      { [attribute]: null },
      { [attribute]: [] },
      { [attribute]: { set: [] } },
      { [attribute]: { disconnect: [kept] } },
      { [attribute]: { set: [other] } },
      { [attribute]: other },
      ...(many ? [] : [{ [attribute]: { connect: [other] } }]),
    ];

    it(`${side === 'one-way' ? 'is nothing to' : 'stays where a rule keeps the caller from updating'} the target`, async () => {
      const { kept, other, holder } = await held('closed');
      for (const data of removals(kept, other)) {
        const answer = await put(owner, holder, data, 'ruled');
        expect(answer.status, `${JSON.stringify(data)} ${saying(answer)}`).toBe(side === 'one-way' ? 200 : 403);
        if (side === 'one-way')
          await at.site.sheaf
            .documents(uidOf(owner))
            .update({ documentId: holder, data: { [attribute]: many ? [kept] : kept } });
        expect(await linked(owner, holder, attribute)).toEqual([kept]);
      }
    });

    it('goes where the caller may update both', async () => {
      const { kept, other } = await held('open');
      for (const data of removals(kept, other)) {
        const holder = await make(owner, { [attribute]: many ? [kept] : kept });
        const answer = await put(owner, holder, data, 'ruled');
        expect(answer.status, `${JSON.stringify(data)} ${saying(answer)}`).toBe(200);
        expect(await linked(owner, holder, attribute)).not.toContain(kept);
      }
    });

    it(`${side === 'mapped' ? 'needs' : 'does not need'} the grant to update the target`, async () => {
      await at.site.auth.roles.create('Half');
      await at.site.grantOnly('half', [...rightsOn(BOX_TYPES, ['find']), `${uidOf(owner)}.update`]);
      const { who } = await at.site.person('half');
      const { kept, holder } = await held('open');
      // Of a relation between boxes and boxes one grant would be both.
      expect(owner).not.toBe(target);
      const answer = await at.site.put(`${owner}s/${holder}`, { [attribute]: { disconnect: [kept] } }, who);
      expect(answer.status, saying(answer)).toBe(side === 'mapped' ? 403 : 200);
      expect(await linked(owner, holder, attribute)).toEqual(side === 'mapped' ? [kept] : []);
    });
  });
});

describeOnEveryDatabase('A link that the caller cannot see', (engine) => {
  const { at, make, linked, put } = useBoxes(engine);
  /** Closed to who may see open ones only. */
  const closed = { area: 'closed' };

  const MANY: readonly (readonly [owner: string, attribute: string, target: string])[] = [
    ['box', 'marks', 'mark'],
    ['box', 'picks', 'mark'],
    ['box', 'items', 'item'],
    ['mark', 'boxes', 'box'],
  ];

  it.each(MANY)('stays at its position when %s.%s is set', async (owner, attribute, target) => {
    const [first, third] = [await make(target, closed), await make(target, closed)];
    const [second, fourth, fifth] = [await make(target), await make(target), await make(target)];
    const all = [first, second, third, fourth];
    const cases: readonly (readonly [value: unknown, expected: readonly string[]])[] = [
      [
        [fourth, second],
        [first, fourth, third, second],
      ],
      [{ set: [fifth] }, [first, fifth, third]],
      [fifth, [first, fifth, third]],
      [[], [first, third]],
      [{ set: [] }, [first, third]],
      [null, [first, third]],
      [
        [fifth, fourth, second],
        [first, fifth, third, fourth, second],
      ],
    ];
    for (const [value, expected] of cases) {
      const holder = await make(owner, { [attribute]: all });
      const answer = await put(owner, holder, { [attribute]: value }, 'seer');
      expect(answer.status, `${JSON.stringify(value)} ${saying(answer)}`).toBe(200);
      expect(await linked(owner, holder, attribute), JSON.stringify(value)).toEqual(expected);
    }
  });

  it.each(MANY)('stays in %s.%s when others are connected and disconnected', async (owner, attribute, target) => {
    const [first, third] = [await make(target, closed), await make(target, closed)];
    const [second, fourth] = [await make(target), await make(target)];
    const holder = await make(owner, { [attribute]: [first, second, third] });
    const connect = [{ documentId: fourth, position: { start: true } }];
    const answer = await put(owner, holder, { [attribute]: { connect, disconnect: [second] } }, 'seer');
    expect(answer.status, saying(answer)).toBe(200);
    expect(await linked(owner, holder, attribute)).toEqual([fourth, first, third]);
    expect(answer.body.data.documentId).toBe(holder);
  });

  it.each([...MANY, ['box', 'first', 'mark'], ['lid', 'box', 'box']] as const)(
    'cannot be removed from %s.%s: it is refused like one that does not exist',
    async (owner, attribute, target) => {
      const hidden = await make(target, closed);
      const holder = await make(owner, { [attribute]: isMany(attribute) ? [hidden] : hidden });
      const row = (await at.site.sheaf.documents(uidOf(target)).findOne({ documentId: hidden }))!.id;
      const remove = async (reference: unknown): Promise<string> =>
        saying(await put(owner, holder, { [attribute]: { disconnect: [reference] } }, 'seer'));
      expect((await remove(hidden)).replace(hidden, 'ID')).toBe((await remove(NO_DOCUMENT)).replace(NO_DOCUMENT, 'ID'));
      expect(await remove(hidden)).toMatch(/^400 /);
      expect(await remove(row)).toBe(await remove(NO_ROW));
      expect(await linked(owner, holder, attribute)).toEqual([hidden]);
    },
  );

  const ONE: readonly (readonly [owner: string, attribute: string, target: string, isReplaced: boolean])[] = [
    ['box', 'first', 'mark', false],
    ['box', 'lid', 'lid', false],
    ['box', 'knob', 'knob', false],
    ['lid', 'box', 'box', false],
    ['knob', 'box', 'box', false],
    // Nobody else shows a link that goes one way.
    ['box', 'pick', 'mark', true],
  ];

  it.each(ONE)('stays in %s.%s when that is cleared', async (owner, attribute, target) => {
    const hidden = await make(target, closed);
    const holder = await make(owner, { [attribute]: hidden });
    for (const value of [null, [], { set: [] }]) {
      const answer = await put(owner, holder, { [attribute]: value }, 'seer');
      expect(answer.status, saying(answer)).toBe(200);
      expect(await linked(owner, holder, attribute)).toEqual([hidden]);
    }
  });

  it.each(ONE)('is replaced in %s.%s only where the other end does not show it', async (...row) => {
    const [owner, attribute, target, isReplaced] = row;
    const hidden = await make(target, closed);
    for (const form of ['bare', 'set', 'connect']) {
      const [holder, other] = [await make(owner, { [attribute]: hidden }), await make(target)];
      const value = form === 'bare' ? other : { [form]: [other] };
      const answer = await put(owner, holder, { [attribute]: value }, 'seer');
      expect(answer.status, `${form} ${saying(answer)}`).toBe(isReplaced ? 200 : 403);
      expect(await linked(owner, holder, attribute)).toEqual([isReplaced ? other : hidden]);
    }
  });

  it('stays at its position in a list of several types, and cannot be removed from it', async () => {
    const boxes = at.site.sheaf.documents(uidOf('box'));
    const reference = (documentId: string) => ({ __type: uidOf('mark'), documentId });
    const [hidden, one, other] = [await make('mark', closed), await make('mark'), await make('mark')];
    const holder = await make('box', { things: [one, hidden].map(reference) });
    const things = async (): Promise<string[]> =>
      ((await boxes.findOne({ documentId: holder, populate: ['things'] }))!.things as Answered[]).map(
        ({ documentId }) => documentId,
      );
    expect((await put('box', holder, { things: [reference(other), reference(one)] }, 'seer')).status).toBe(200);
    expect(await things()).toEqual([other, hidden, one]);
    for (const value of [[], null, { set: [] }]) {
      expect((await put('box', holder, { things: value }, 'seer')).status).toBe(200);
      expect(await things()).toEqual([hidden]);
    }
    const refused = await put('box', holder, { things: { disconnect: [reference(hidden)] } }, 'seer');
    const missing = await put('box', holder, { things: { disconnect: [reference(NO_DOCUMENT)] } }, 'seer');
    expect(saying(refused).replace(hidden, 'ID')).toBe(saying(missing).replace(NO_DOCUMENT, 'ID'));
    expect(refused.status).toBe(400);
  });
});

describeOnEveryDatabase('A link to one of several types', (engine) => {
  const { make, linked, put } = useBoxes(engine);
  const reference = (documentId: string) => ({ __type: uidOf('mark'), documentId });
  const AREAS = [
    ['closed', 403],
    ['open', 200],
  ] as const;

  it.each(AREAS)(
    'stays where a rule keeps the caller from updating a target that shows it (%s)',
    async (of, status) => {
      const box = await make('box');
      const mark = await make('mark', { area: of, shown: [box] });
      const removals = [[], { disconnect: [reference(mark)] }];
      for (const things of status === 403 ? removals : removals.slice(0, 1)) {
        const answer = await put('box', box, { things }, 'ruled');
        expect(answer.status, saying(answer)).toBe(status);
      }
      expect(await linked('mark', mark, 'shown')).toEqual(status === 200 ? [] : [box]);
    },
  );

  it.each(AREAS)('is removed by its target only by who may update what declares it (%s)', async (of, status) => {
    const box = await make('box', { area: of });
    const mark = await make('mark', { shown: [box] });
    const answer = await put('mark', mark, { shown: [] }, 'ruled');
    expect(answer.status, saying(answer)).toBe(status);
    expect(await linked('box', box, 'things')).toEqual(status === 200 ? [] : [mark]);
  });

  it('that is the only one is written where its key is kept, not from its other side', async () => {
    const [mark, box] = [await make('mark'), await make('box')];
    for (const role of ['free', 'ruled'])
      for (const only of [box, null]) {
        const answer = await put('mark', mark, { only }, role);
        expect(saying(answer)).toMatch(/^400 .*Invalid key only/);
      }
    for (const [anything, led] of [
      [reference(mark), [box]],
      [null, []],
    ] as const) {
      const answer = await put('box', box, { anything }, 'ruled');
      expect(answer.status, saying(answer)).toBe(200);
      expect(await linked('mark', mark, 'only')).toEqual(led);
    }
  });

  it.each(AREAS)(
    'that is the only one is taken only from a target that the caller may update (%s)',
    async (of, status) => {
      const [mark, another] = [await make('mark', { area: of }), await make('mark')];
      const box = await make('box', { anything: reference(mark) });
      for (const anything of [reference(another), { disconnect: [reference(mark)] }]) {
        await put('box', box, { anything: reference(mark) }, 'free');
        const answer = await put('box', box, { anything }, 'ruled');
        expect(answer.status, saying(answer)).toBe(status);
        expect(await linked('mark', mark, 'only')).toEqual(status === 200 ? [] : [box]);
      }
    },
  );
});

/** Pages with drafts that have one slot each, kept in a link table and in a column. */
const PAGES: Project = {
  types: {
    page: {
      drafts: true,
      attributes: {
        ...area,
        slot: relation('oneToOne', 'slot', { inversedBy: 'page' }),
        pin: relation('oneToOne', 'pin', { inversedBy: 'page', useJoinTable: false }),
        cards: relation('oneToMany', 'card', { mappedBy: 'page' }),
        topics: relation('manyToMany', 'topic', { inversedBy: 'pages' }),
        stub: relation('oneToOne', 'stub', { inversedBy: 'page', useJoinTable: false }),
      },
    },
    slot: { drafts: true, attributes: { ...area, page: relation('oneToOne', 'page', { mappedBy: 'slot' }) } },
    pin: { drafts: true, attributes: { ...area, page: relation('oneToOne', 'page', { mappedBy: 'pin' }) } },
    card: {
      drafts: true,
      attributes: { ...area, page: relation('manyToOne', 'page', { inversedBy: 'cards', useJoinTable: false }) },
    },
    topic: { drafts: true, attributes: { ...area, pages: relation('manyToMany', 'page', { mappedBy: 'topics' }) } },
    stub: { attributes: { ...area, page: relation('oneToOne', 'page', { mappedBy: 'stub' }) } },
  },
};
const PAGE_TYPES = Object.keys(PAGES.types);

describeOnEveryDatabase('A link in drafts and in what is published', (engine) => {
  const contents = useContents(engine);
  const guarded = useGuarded(engine, contents);
  let site: Guarded;
  let who: Record<string, Who>;
  const pages = () => site.sheaf.documents(uidOf('page'));
  const published = { status: 'published' } as const;

  beforeAll(async () => {
    const only = (name: string, operator: string) => ({
      [uidOf(name)]: { rows: { update: { publishedAt: { [operator]: true } } } },
    });
    const ends = ['page', 'topic', 'card'];
    const rules: Rules = {
      ruled: { [uidOf('page')]: { rows: { update: { area: 'open' } } } },
      ...Object.fromEntries(ends.map((name) => [`drafts_of_${name}`, only(name, '$null')])),
      ...Object.fromEntries(ends.map((name) => [`published_of_${name}`, only(name, '$notNull')])),
    };
    ({ site, who } = await openWithRoles(guarded.open, PAGES, rules, {
      ...Object.fromEntries(Object.keys(rules).map((role) => [role, rightsOn(PAGE_TYPES)])),
      free: rightsOn(PAGE_TYPES),
      publisher: [...rightsOn(PAGE_TYPES, ['find']), ...rightsOn(['page'], ['publish', 'discardDraft'])],
      maker: rightsOn(PAGE_TYPES, ['find', 'create']),
    }));
  });

  const linked = async (documentId: string, attribute: string, status: 'draft' | 'published'): Promise<string[]> => {
    const entry = (await pages().findOne({ documentId, populate: [attribute], status }))!;
    const value = entry[attribute] as Answered;
    return [value ?? []].flat().map((target: Answered) => target.documentId);
  };

  describe.each(['slot', 'pin', 'cards'])('page.%s', (attribute) => {
    const many = attribute === 'cards';
    const target = many ? 'card' : attribute;
    const value = (one: string | null): unknown => (many ? (one === null ? [] : [one]) : one);
    /** A page that is published with a target which its draft has given up, and another that has none. */
    async function givenUp(areaOfHolder: string) {
      const { documentId: taken } = await site.sheaf
        .documents(uidOf(target))
        .create({ data: { name: 'taken', area: 'open' }, ...published });
      const holder = await pages().create({
        data: { area: areaOfHolder, [attribute]: value(taken) },
        ...published,
      });
      await pages().update({ documentId: holder.documentId, data: { [attribute]: value(null) } });
      const taker = await pages().create({ data: { area: 'open' }, ...published });
      return { taken, holder: holder.documentId, taker: taker.documentId };
    }

    it('is not taken from a published page that a rule keeps the caller from updating', async () => {
      const { taken, holder, taker } = await givenUp('closed');
      const data = { [attribute]: value(taken) };
      expect((await site.put(`pages/${taker}`, data, who.ruled!)).status).toBe(403);
      expect(await linked(taker, attribute, 'draft')).toEqual([]);
      // Drafts among themselves: nobody has it.
      expect((await site.put(`pages/${taker}?status=draft`, data, who.ruled!)).status).toBe(200);
      const action = await site.send('POST', `pages/${taker}/actions/publish`, undefined, who.ruled!);
      expect(saying(action)).toMatch(/^403 .*may not update/);
      expect(await linked(taker, attribute, 'published')).toEqual([]);
      expect(await linked(holder, attribute, 'published')).toEqual([taken]);
    });

    it('is taken by publishing where no rule is in the way, with the grant to publish alone', async () => {
      const { taken, holder, taker } = await givenUp('closed');
      await pages().update({ documentId: taker, data: { [attribute]: value(taken) } });
      const action = await site.send('POST', `pages/${taker}/actions/publish`, undefined, who.publisher!);
      expect(action.status, saying(action)).toBe(200);
      expect(await linked(taker, attribute, 'published')).toEqual([taken]);
      expect(await linked(holder, attribute, 'published')).toEqual([]);
    });

    it('is not taken from a published page by a new one of who may not update pages', async () => {
      const { taken, holder } = await givenUp('open');
      const answer = await site.post('pages', { area: 'open', [attribute]: value(taken) }, who.maker!);
      expect(answer.status, saying(answer)).toBe(403);
      expect(await linked(holder, attribute, 'published')).toEqual([taken]);
    });
  });

  it('is not taken back by discarding a draft from a draft that a rule keeps the caller from updating', async () => {
    const slots = site.sheaf.documents(uidOf('slot'));
    for (const [areaOfHolder, status] of [
      ['closed', 403],
      ['open', 200],
    ] as const) {
      const { documentId: slot } = await slots.create({ data: { name: 'slot' }, ...published });
      const { documentId } = await pages().create({ data: { area: 'open', slot }, ...published });
      const other = await pages().create({ data: { area: areaOfHolder, slot } });
      expect(await linked(documentId, 'slot', 'draft')).toEqual([]);
      const answer = await site.send('POST', `pages/${documentId}/actions/discardDraft`, undefined, who.ruled!);
      expect(answer.status, saying(answer)).toBe(status);
      expect(await linked(documentId, 'slot', 'draft')).toEqual(status === 200 ? [slot] : []);
      expect(await linked(other.documentId, 'slot', 'draft')).toEqual(status === 200 ? [] : [slot]);
    }
  });

  type End = readonly [name: string, attribute: string, target: string];
  const LISTS: readonly End[] = [
    ['page', 'topics', 'topic'],
    ['topic', 'pages', 'page'],
  ];
  async function pair([name, attribute, target]: End): Promise<[string, string]> {
    const { documentId: other } = await site.sheaf.documents(uidOf(target)).create({ data: {}, ...published });
    const data = { [attribute]: [other] };
    return [(await site.sheaf.documents(uidOf(name)).create({ data, ...published })).documentId, other];
  }
  const listed = async ([name, attribute]: End, documentId: string, status: 'draft' | 'published') => {
    const entry = await site.sheaf.documents(uidOf(name)).findOne({ documentId, populate: [attribute], status });
    return (entry![attribute] as Answered[]).map((one) => one.documentId);
  };
  const act = async ([name]: End, action: string, documentId: string, role: string): Promise<number> =>
    (await site.send('POST', `${name}s/${documentId}/actions/${action}`, undefined, who[role]!)).status;

  it.each([...LISTS, ['page', 'cards', 'card'] as const])(
    '%s.%s is not published away from an entry whose published row a rule keeps from the caller',
    async (...end) => {
      const [name, attribute, target] = end;
      const role = `drafts_of_${target}`;
      const [documentId, other] = await pair(end);
      const answer = await site.put(`${name}s/${documentId}`, { [attribute]: [] }, who[role]!);
      expect(answer.status, saying(answer)).toBe(403);
      expect(await listed(end, documentId, 'draft')).toEqual([other]);
      const draft = await site.put(`${name}s/${documentId}?status=draft`, { [attribute]: [] }, who[role]!);
      expect(draft.status, saying(draft)).toBe(200);
      expect(await act(end, 'publish', documentId, role)).toBe(403);
      expect(await listed(end, documentId, 'published')).toEqual([other]);
      expect(await act(end, 'publish', documentId, 'free')).toBe(200);
      expect(await listed(end, documentId, 'published')).toEqual([]);
    },
  );

  it.each(LISTS)(
    '%s.%s is not discarded away from an entry whose draft a rule keeps from the caller',
    async (...end) => {
      const [name, attribute, target] = end;
      const [documentId, other] = await pair(end);
      const entries = site.sheaf.documents(uidOf(name));
      await entries.update({ documentId, data: { [attribute]: [] }, ...published });
      await entries.update({ documentId, data: { [attribute]: [other] } });
      expect(await act(end, 'discardDraft', documentId, `published_of_${target}`)).toBe(403);
      expect(await listed(end, documentId, 'draft')).toEqual([other]);
      expect(await act(end, 'discardDraft', documentId, 'free')).toBe(200);
      expect(await listed(end, documentId, 'draft')).toEqual([]);
    },
  );

  it('stays with the published row of a document whose draft is written', async () => {
    const { documentId: stub } = await site.sheaf.documents(uidOf('stub')).create({ data: { name: 'stub' } });
    const { documentId } = await pages().create({ data: { stub }, ...published });
    await pages().update({ documentId, data: { stub } });
    for (const status of ['draft', 'published'] as const)
      expect(await linked(documentId, 'stub', status)).toEqual([stub]);
  });
});

/** Stamps that lead to one entry, and boards that lead to several; pages show both, and leaves show stamps. */
const STAMPS: Project = {
  types: {
    page: {
      drafts: true,
      attributes: {
        ...area,
        seal: relation('morphOne', 'stamp', { morphBy: 'on' }),
        boards: relation('morphMany', 'board', { morphBy: 'pins' }),
      },
    },
    leaf: { drafts: true, attributes: { ...area, seal: relation('morphOne', 'stamp', { morphBy: 'on' }) } },
    stamp: { drafts: true, attributes: { ...area, on: { type: 'relation', relation: 'morphToOne' } } },
    board: { drafts: true, attributes: { ...area, pins: { type: 'relation', relation: 'morphToMany' } } },
  },
};
const STAMP_TYPES = Object.keys(STAMPS.types);

/** Where each row of a stamp leads is written past the service, so that its two rows may differ in any way. */
describeOnEveryDatabase('A link to one of several types, in drafts and in what is published,', (engine) => {
  const contents = useContents(engine);
  const guarded = useGuarded(engine, contents);
  let site: Guarded;
  let who: Record<string, Who>;

  beforeAll(async () => {
    const closed = Object.fromEntries(STAMP_TYPES.map((name) => [uidOf(name), { rows: { update: { area: 'open' } } }]));
    const rules: Rules = { ruled: closed };
    ({ site, who } = await openWithRoles(guarded.open, STAMPS, rules, {
      ruled: rightsOn(STAMP_TYPES),
      free: rightsOn(STAMP_TYPES),
      publisher: rightsOn(['page'], ['publish', 'discardDraft']),
    }));
  });

  interface Rows {
    readonly name: string;
    readonly documentId: string;
    readonly draft: number;
    readonly published: number;
  }
  type Side = 'draft' | 'published';

  async function make(name: string, areaOf = 'open'): Promise<Rows> {
    const data = { area: areaOf };
    const { documentId } = await site.sheaf.documents(uidOf(name)).create({ data, status: 'published' });
    const [draft, published] = await site.rows(
      `select id from ${name}s where document_id = '${documentId}' order by published_at is not null`,
    );
    return { name, documentId, draft: draft![0], published: published![0] };
  }
  const lead = (stamp: Rows, side: Side, { name, [side]: target }: Rows): Promise<void> =>
    site.execute(`update stamps set target_id = ${target}, target_type = '${uidOf(name)}' where id = ${stamp[side]}`);
  /** The type and the row that a stamp leads to. */
  const led = async (stamp: Rows, side: Side): Promise<unknown> =>
    (await site.rows(`select target_type, target_id from stamps where id = ${stamp[side]}`))[0];
  const to = (target: Rows, side: Side): unknown => [uidOf(target.name), target[side]];
  const act = async ({ name, documentId }: Rows, side: Side, role: string): Promise<number> => {
    const action = side === 'published' ? 'publish' : 'discardDraft';
    return (await site.send('POST', `${name}s/${documentId}/actions/${action}`, undefined, who[role]!)).status;
  };
  const other = (side: Side): Side => (side === 'draft' ? 'published' : 'draft');

  /** A page that gets a stamp in one status, as it has it in the other, from another entry. */
  async function taking(name: string, areaOfHolder: string, side: Side) {
    // Rows of one type have numbers that rows of the other do not.
    await make('page');
    const [taker, holder, stamp] = [await make('page'), await make(name, areaOfHolder), await make('stamp')];
    await lead(stamp, other(side), taker);
    await lead(stamp, side, holder);
    return { taker, holder, stamp };
  }

  describe.each(['published', 'draft'] as const)('%s', (side) => {
    it.each(['page', 'leaf'])('is taken from a %s only by who may update that', async (name) => {
      for (const [role, areaOfHolder, status] of [
        ['ruled', 'closed', 403],
        ['ruled', 'open', 200],
        ['free', 'closed', 200],
        ['publisher', 'open', name === 'page' ? 200 : 403],
      ] as const) {
        const { taker, holder, stamp } = await taking(name, areaOfHolder, side);
        expect(await act(taker, side, role), `${role} ${areaOfHolder}`).toBe(status);
        expect(await led(stamp, side)).toEqual(to(status === 200 ? taker : holder, side));
      }
    });

    it('is taken without asking about rows of one type that have the numbers of rows of another', async () => {
      const { taker, holder, stamp } = await taking('leaf', 'open', side);
      const { [side]: same } = await make('page', 'closed');
      await site.execute(`update leafs set id = ${same} where id = ${holder[side]}`);
      await lead(stamp, side, { ...holder, [side]: same });
      expect(await act(taker, side, 'ruled')).toBe(200);
      expect(await led(stamp, side)).toEqual(to(taker, side));
    });

    it('is removed only by who may update what holds it', async () => {
      for (const [areaOfStamp, status] of [
        ['closed', 403],
        ['open', 200],
      ] as const) {
        const [page, stamp] = [await make('page'), await make('stamp', areaOfStamp)];
        await lead(stamp, side, page);
        expect(await act(page, side, 'ruled')).toBe(status);
        expect(await led(stamp, side)).toEqual(status === 200 ? [uidOf('page'), null] : to(page, side));
      }
    });

    it('goes with what holds it only where no rule keeps the caller from updating what loses it', async () => {
      for (const [role, areaOfHolder, status] of [
        ['ruled', 'closed', 403],
        ['ruled', 'open', 200],
        ['free', 'closed', 200],
      ] as const) {
        const { taker, holder, stamp } = await taking('leaf', areaOfHolder, side);
        expect(await act(stamp, side, role), `${role} ${areaOfHolder}`).toBe(status);
        expect(await led(stamp, side)).toEqual(to(status === 200 ? taker : holder, side));
      }
    });

    it('is nothing to an entry that does not show it', async () => {
      for (const writes of ['taker', 'stamp'] as const) {
        const { [writes]: written, taker, stamp } = await taking('board', 'closed', side);
        expect(await act(written, side, 'ruled'), writes).toBe(200);
        expect(await led(stamp, side)).toEqual(to(taker, side));
      }
    });

    it('stays, whoever writes what holds it, where both rows lead to one document', async () => {
      const [page, stamp] = [await make('page', 'closed'), await make('stamp')];
      for (const one of ['draft', 'published'] as const) await lead(stamp, one, page);
      expect(await act(stamp, side, 'ruled')).toBe(200);
      for (const one of ['draft', 'published'] as const) expect(await led(stamp, one)).toEqual(to(page, one));
    });
  });

  it('leads on to a draft that is not published, and to what the project no longer has', async () => {
    const [page, stamp] = [await make('page'), await make('stamp')];
    await site.sheaf.documents(uidOf('page')).unpublish({ documentId: page.documentId });
    await lead(stamp, 'draft', page);
    for (const side of ['published', 'draft'] as const) expect(await act(stamp, side, 'free')).toBe(200);
    for (const side of ['published', 'draft'] as const) expect(await led(stamp, side)).toEqual(to(page, 'draft'));
    await site.execute(`update stamps set target_type = 'api::gone.gone' where id = ${stamp.published}`);
    expect(await act(stamp, 'draft', 'free')).toBe(200);
    await lead(stamp, 'draft', page);
    expect(await act(stamp, 'published', 'ruled')).toBe(200);
    expect(await led(stamp, 'published')).toEqual(to(page, 'draft'));
  });

  it('is published away from a list only where no rule keeps the caller from updating what loses it', async () => {
    for (const [role, areaOf, status] of [
      ['ruled', 'closed', 403],
      ['ruled', 'open', 200],
      ['free', 'closed', 200],
    ] as const) {
      const [page, board] = [await make('page', areaOf), await make('board')];
      for (const side of ['draft', 'published'] as const)
        await site.execute(
          `insert into boards_pins_mph (board_id, pins_id, pins_type, field, "order") values (${board[side]}, ${page[side]}, '${uidOf('page')}', 'boards', 1)`,
        );
      const shown = async (): Promise<string[]> => {
        const { documentId } = page;
        const entry = await site.sheaf
          .documents(uidOf('page'))
          .findOne({ documentId, populate: ['boards'], status: 'published' });
        return (entry!.boards as Answered[]).map((one) => one.documentId);
      };
      expect(await act(board, 'published', role)).toBe(200);
      expect(await shown()).toEqual([board.documentId]);
      await site.sheaf.documents(uidOf('board')).update({ documentId: board.documentId, data: { pins: [] } });
      expect(await act(board, 'published', role), `${role} ${areaOf}`).toBe(status);
      expect(await shown()).toEqual(status === 200 ? [] : [board.documentId]);
    }
  });
});

// ------------------------------------------------------------------------------------------------------------- files

const media = { type: 'media', multiple: false };
const FILES: Project = {
  types: {
    post: {
      drafts: true,
      attributes: {
        title: string,
        cover: media,
        gallery: { type: 'media', multiple: true },
        hushed: { ...media, private: true },
        seal: { type: 'component', component: 'kit.seal' },
        seals: { type: 'component', component: 'kit.seal', repeatable: true },
        kept: { type: 'component', component: 'kit.seal', private: true },
        parts: { type: 'dynamiczone', components: ['kit.seal', 'kit.frame'] },
      },
    },
    note: {
      attributes: { title: string, area: string, cover: media, seal: { type: 'component', component: 'kit.seal' } },
    },
    vault: { attributes: { title: string, cover: media, seal: { type: 'component', component: 'kit.seal' } } },
  },
  components: {
    'kit.seal': { label: string, image: media, hushed: { ...media, private: true } },
    'kit.frame': { label: string, seal: { type: 'component', component: 'kit.seal' } },
  },
};
const FILE_GRANTS = [
  ...rightsOn(['post'], ['find', 'findOne', 'create', 'update']),
  ...rightsOn(['note'], ['find', 'update']),
];
const FIND_FILES = 'plugin::upload.content-api.find';

describeOnEveryDatabase('A file', (engine) => {
  const contents = useContents(engine);
  const guarded = useGuarded(engine, contents);
  let site: Guarded;
  let who: Record<string, Who>;
  let made = 0;

  beforeAll(async () => {
    const rules: Rules = {
      limited: { [uidOf('post')]: { fields: { read: ['title', 'gallery'] } } },
      ruled: { [uidOf('note')]: { rows: { find: { area: 'open' } } } },
      undrafted: { [uidOf('post')]: { drafts: false } },
    };
    ({ site, who } = await openWithRoles(guarded.open, FILES, rules, {
      plain: FILE_GRANTS,
      filer: [...FILE_GRANTS, FIND_FILES],
      limited: FILE_GRANTS,
      ruled: FILE_GRANTS,
      undrafted: FILE_GRANTS,
      blind: rightsOn(['post'], ['create', 'update']),
    }));
  });

  /** A file that nothing holds. */
  async function makeFile(): Promise<{ id: number; documentId: string }> {
    const documentId = `file${++made}`;
    await site.execute(
      `insert into files (document_id, name, hash, mime, url, provider, folder_path, size) values ('${documentId}', 'f', 'h', 'image/png', '/f', 'local', '/', 1)`,
    );
    return { id: await site.number(`select id from files where document_id = '${documentId}'`), documentId };
  }
  const rowsHolding = (file: number) => site.number(`select count(*) from files_related_mph where file_id = ${file}`);
  const attach = (role: string, data: Json) => site.post('posts', { title: 'new', ...data }, who[role]!);

  const FORMS: readonly (readonly [string, (reference: unknown) => Json])[] = [
    ['alone', (reference) => ({ cover: reference })],
    ['in a list', (reference) => ({ gallery: [reference] })],
    ['in a set', (reference) => ({ gallery: { set: [reference] } })],
    ['in a component', (reference) => ({ seal: { image: reference } })],
    ['in one of several components', (reference) => ({ seals: [{ label: 'x' }, { image: reference }] })],
    ['in a dynamic zone', (reference) => ({ parts: [{ __component: 'kit.seal', image: reference }] })],
    ['deep in a dynamic zone', (reference) => ({ parts: [{ __component: 'kit.frame', seal: { image: reference } }] })],
  ];

  it.each(FORMS)('that the caller sees nowhere is refused like one that does not exist: %s', async (_form, body) => {
    const { id, documentId } = await makeFile();
    const posts = await site.sheaf.documents(uidOf('post')).count();
    for (const role of ['plain', 'blind'])
      for (const [file, missing] of [
        [id, NO_ROW],
        [{ id }, { id: NO_ROW }],
        [documentId, NO_DOCUMENT],
        [{ documentId }, { documentId: NO_DOCUMENT }],
      ]) {
        const [hidden, nothing] = [await attach(role, body(file)), await attach(role, body(missing))];
        expect(hidden.status, saying(hidden)).toBe(400);
        expect(saying(hidden).replaceAll(documentId, 'ID')).toBe(saying(nothing).replaceAll(NO_DOCUMENT, 'ID'));
      }
    expect(await site.sheaf.documents(uidOf('post')).count()).toBe(posts);
    expect(await rowsHolding(id)).toBe(0);
  });

  it('that the caller sees nowhere is counted like one that does not exist, beside others', async () => {
    const { id } = await makeFile();
    const [missing, other] = [NO_ROW, NO_ROW - 1];
    const refusals = [];
    for (const gallery of [
      [id, missing],
      [other, missing],
      [missing, id],
      [missing, other],
    ])
      refusals.push(saying(await attach('plain', { gallery })));
    expect(refusals[0]).toContain('2 relation(s)');
    expect(new Set(refusals).size).toBe(1);
  });

  it.each(FORMS)('is attached by who may read files, and by the system: %s', async (_form, body) => {
    const { id } = await makeFile();
    expect((await attach('filer', body(id))).status).toBe(201);
    const other = await makeFile();
    await site.sheaf.documents(uidOf('post')).create({ data: body(other.id) });
    expect(await rowsHolding(other.id)).toBe(1);
  });

  const published = { status: 'published' } as const;
  interface Holder {
    readonly type?: string;
    readonly draft?: boolean;
  }
  type Sighting = [place: string, data: (file: number) => Json, seenBy: readonly string[], holder: Holder];
  const ALL = ['plain', 'limited', 'ruled', 'undrafted'];
  const without = (...roles: string[]): string[] => ALL.filter((role) => !roles.includes(role));
  const SIGHTINGS: Sighting[] = [
    ['an entry', (id) => ({ cover: id }), without('limited'), {}],
    ['a list of an entry', (id) => ({ gallery: [id] }), ALL, {}],
    ['a private attribute', (id) => ({ hushed: id }), [], {}],
    ['a component', (id) => ({ seal: { image: id } }), without('limited'), {}],
    ['a private attribute of a component', (id) => ({ seal: { hushed: id } }), [], {}],
    ['a component that is private', (id) => ({ kept: { image: id } }), [], {}],
    ['a dynamic zone', (id) => ({ parts: [{ __component: 'kit.seal', image: id }] }), without('limited'), {}],
    [
      'a component of a component',
      (id) => ({ parts: [{ __component: 'kit.frame', seal: { image: id } }] }),
      without('limited'),
      {},
    ],
    ['a draft', (id) => ({ gallery: [id] }), without('undrafted'), { draft: true }],
    ['a component of a draft', (id) => ({ seal: { image: id } }), without('limited', 'undrafted'), { draft: true }],
    ['an entry that a rule shows', (id) => ({ cover: id, area: 'open' }), ALL, { type: 'note' }],
    ['an entry that a rule hides', (id) => ({ cover: id, area: 'closed' }), without('ruled'), { type: 'note' }],
    [
      'a component of an entry that a rule hides',
      (id) => ({ seal: { image: id }, area: 'closed' }),
      without('ruled'),
      { type: 'note' },
    ],
    ['an entry of a type that may not be found', (id) => ({ cover: id }), [], { type: 'vault' }],
    ['a component of such an entry', (id) => ({ seal: { image: id } }), [], { type: 'vault' }],
  ];

  it.each(SIGHTINGS)('that is held by %s is attached by who sees it there', async (_place, data, seenBy, holder) => {
    const { type = 'post', draft = type !== 'post' } = holder;
    const { id } = await makeFile();
    const held = { title: 'holder', ...data(id) };
    await site.sheaf.documents(uidOf(type)).create({ data: held, ...(!draft && published) });
    for (const role of [...ALL, 'blind']) {
      const answer = await attach(role, { gallery: [id] });
      const isSeen = seenBy.includes(role);
      expect(answer.status, `${role} ${saying(answer)}`).toBe(isSeen ? 201 : 400);
      // Nobody else sees it for that.
      if (isSeen) await site.sheaf.documents(uidOf('post')).delete({ documentId: answer.body.data.documentId });
    }
  });

  it('that is held by the draft of a published entry alone is hidden from who may not read drafts', async () => {
    const posts = site.sheaf.documents(uidOf('post'));
    const { id } = await makeFile();
    const { documentId } = await posts.create({ data: { title: 'published' }, ...published });
    await posts.update({ documentId, data: { gallery: [id], seal: { image: id } } });
    expect((await attach('undrafted', { cover: id })).status).toBe(400);
    await posts.publish({ documentId });
    expect((await attach('undrafted', { cover: id })).status).toBe(201);
  });

  it('that an entry holds already stays in it, whoever writes it', async () => {
    const posts = site.sheaf.documents(uidOf('post'));
    const [first, second, stranger] = [await makeFile(), await makeFile(), await makeFile()];
    const data = { title: 'held', gallery: [first.id, second.id], hushed: null };
    const { documentId } = await posts.create({ data, ...published });
    const gallery = async (): Promise<number[]> =>
      ((await posts.findOne({ documentId, populate: ['gallery'], ...published }))!.gallery as Answered[]).map(
        (file) => file.id,
      );
    const put = (value: unknown) => site.put(`posts/${documentId}`, { gallery: value }, who.blind!);
    expect((await put([second.id, first.id])).status).toBe(200);
    expect(await gallery()).toEqual([second.id, first.id]);
    expect((await put([second.id, stranger.id])).status).toBe(400);
    expect(await gallery()).toEqual([second.id, first.id]);
    expect((await put([second.id])).status).toBe(200);
    expect((await put([second.id, first.id])).status).toBe(400);
    expect((await put([])).status).toBe(200);
    expect(await gallery()).toEqual([]);
  });

  it('is held to the same in process', async () => {
    const { id } = await makeFile();
    const entries = async (role: string) =>
      site.sheaf.documents(uidOf('post'), await site.sheaf.authenticate(who[role]!));
    const plain = await entries('plain');
    expect(await statusOf(() => plain.create({ data: { cover: id } }))).toBe(400);
    const filer = await entries('filer');
    expect(await statusOf(() => filer.create({ data: { cover: id } }))).toBe(200);
  });
});

// ------------------------------------------------------------------------------------------------------------ drafts

const ACTIONS = ['publish', 'unpublish', 'discardDraft', 'clone'] as const;

describeOnEveryDatabase('A draft action', (engine) => {
  const contents = useContents(engine);
  const guarded = useGuarded(engine, contents);
  const uid = uidOf('post');
  let site: Guarded;
  let who: Record<string, Who>;
  const posts = () => site.sheaf.documents(uid);

  beforeAll(async () => {
    const project: Project = {
      locales: ['en', 'fr'],
      types: {
        post: { drafts: true, localized: true, attributes: { title: string, state: { ...string, ...localized } } },
      },
    };
    const rules: Rules = {
      changer: { [uid]: { rows: { update: { state: 'open' } } } },
      finder: { [uid]: { rows: { find: { state: 'open' } } } },
      english: { [uid]: { rows: { find: { locale: 'en' } } } },
    };
    ({ site, who } = await openWithRoles(guarded.open, project, rules, {
      changer: rightsOn(['post']),
      finder: rightsOn(['post']),
      english: rightsOn(['post']),
      reader: rightsOn(['post'], ['find', 'findOne', 'create', 'update', 'delete']),
    }));
  });

  /** A post with a published row and a draft in these states. */
  async function make(published: string, draft: string): Promise<string> {
    const { documentId } = await posts().create({ data: { title: 'post', state: published }, status: 'published' });
    await posts().update({ documentId, data: { state: draft } });
    return documentId;
  }
  const rows = () =>
    site.rows('select id, document_id, locale, state, published_at, updated_at from posts order by id');

  /** The statuses of an action over HTTP and in process; what is refused changes nothing. */
  async function statuses(role: string, action: (typeof ACTIONS)[number], documentId: string, locale?: string) {
    const caller = await site.sheaf.authenticate(who[role]!);
    const parameters = { documentId, ...(locale !== undefined && { locale }) };
    const ways = [
      async () =>
        (
          await site.send(
            'POST',
            `posts/${documentId}/actions/${action}${locale ? `?locale=${locale}` : ''}`,
            undefined,
            who[role]!,
          )
        ).status,
      () => statusOf(() => site.sheaf.documents(uid, caller)[action](parameters)),
    ];
    const found: number[] = [];
    for (const way of ways) {
      const before = JSON.stringify(await rows());
      const status = await way();
      if (status >= 300) expect(JSON.stringify(await rows())).toBe(before);
      found.push(status);
    }
    return found;
  }

  it.each(ACTIONS)('%s needs its own grant', async (action) => {
    expect(await statuses('reader', action, await make('open', 'open'))).toEqual([403, 403]);
  });

  it.each(['publish', 'unpublish', 'discardDraft'] as const)(
    '%s asks the rule for changing about the draft and about the published row',
    async (action) => {
      expect(await statuses('changer', action, await make('shut', 'open'))).toEqual([404, 404]);
      expect(await statuses('changer', action, await make('open', 'shut'))).toEqual([404, 404]);
      expect(await statuses('changer', action, await make('open', 'open'))).toEqual([200, 200]);
      expect(await statuses('finder', action, await make('shut', 'open'))).toEqual([404, 404]);
    },
  );

  it('clone asks the rule for finding, about every row of the document', async () => {
    expect(await statuses('finder', 'clone', await make('shut', 'open'))).toEqual([404, 404]);
    expect(await statuses('finder', 'clone', await make('open', 'shut'))).toEqual([404, 404]);
    expect(await statuses('finder', 'clone', await make('open', 'open'))).toEqual([201, 200]);
    // Who may find it, but not change it, may have one of their own.
    expect(await statuses('changer', 'clone', await make('shut', 'shut'))).toEqual([201, 200]);
  });

  it.each(ACTIONS)('%s asks about every locale that it is for', async (action) => {
    const documentId = await make('open', 'open');
    await posts().update({ documentId, locale: 'fr', data: { state: 'open' }, status: 'published' });
    for (const locale of ['fr', '*']) expect(await statuses('english', action, documentId, locale)).toEqual([404, 404]);
    expect((await statuses('english', action, documentId, 'en'))[0]).toBe(action === 'clone' ? 201 : 200);
  });

  it('on a document that is not there is answered like one on a document that is hidden', async () => {
    const hidden = await make('shut', 'shut');
    for (const action of ACTIONS) {
      const [one, other] = [
        await site.send('POST', `posts/${hidden}/actions/${action}`, undefined, who.finder!),
        await site.send('POST', `posts/${NO_DOCUMENT}/actions/${action}`, undefined, who.finder!),
      ];
      expect(saying(one)).toBe(saying(other));
      expect(one.status).toBe(404);
    }
  });
});

const STUDIO: Project = {
  types: {
    post: {
      drafts: true,
      attributes: {
        title: string,
        state: string,
        related: relation('manyToMany', 'post'),
        author: relation('manyToOne', 'writer', { inversedBy: 'posts' }),
      },
    },
    writer: {
      attributes: {
        name: string,
        posts: relation('oneToMany', 'post', { mappedBy: 'author' }),
        picks: relation('manyToMany', 'post'),
        favourite: relation('oneToOne', 'post'),
      },
    },
    page: { drafts: true, single: true, attributes: { title: string, lead: relation('oneToOne', 'post') } },
  },
};

describeOnEveryDatabase('Drafts that a role may not see', (engine) => {
  const contents = useContents(engine);
  const guarded = useGuarded(engine, contents);
  let site: Guarded;
  let who: Record<string, Who>;
  /** Published and changed since, published as it is, and never published. */
  const made = {} as Record<'changed' | 'same' | 'never' | 'writer', { id: number; documentId: string }>;
  const documents = (name: string) => site.sheaf.documents(uidOf(name));
  const published = { status: 'published' } as const;

  beforeAll(async () => {
    const rules: Rules = {
      blind: { [uidOf('post')]: { drafts: false } },
      seeing: { [uidOf('post')]: { drafts: true } },
      limited: { [uidOf('post')]: { drafts: false, rows: { find: { state: 'open' } } } },
    };
    const all = rightsOn(['post', 'writer', 'page']);
    ({ site, who } = await openWithRoles(guarded.open, STUDIO, rules, {
      blind: all,
      seeing: all,
      plain: all,
      limited: all,
    }));
    const posts = documents('post');
    made.changed = await posts.create({ data: { title: 'Changed', state: 'open' }, ...published });
    await posts.update({ documentId: made.changed.documentId, data: { title: 'secret change' } });
    made.same = await posts.create({ data: { title: 'Same', state: 'open' }, ...published });
    made.never = await posts.create({ data: { title: 'secret draft', state: 'open' } });
    const ids = [made.changed, made.same, made.never].map(({ documentId }) => documentId);
    const data = { name: 'Ann', posts: ids, picks: ids, favourite: made.never.documentId };
    made.writer = await documents('writer').create({ data });
    await documents('page').update({ data: { title: 'Page', lead: made.never.documentId }, ...published });
  });

  const get = (url: string, role = 'blind') => site.get(url, who[role]!);
  const titles = async (url: string, role = 'blind'): Promise<string[]> => {
    const { status, body } = await get(url, role);
    expect(status, JSON.stringify(body)).toBe(200);
    return body.data.map(({ title, name }: Answered) => title ?? name);
  };

  it('are refused where they are asked for, over HTTP and in process', async () => {
    const { documentId } = made.same;
    for (const query of [
      '',
      '&filters[title]=x',
      '&publicationFilter=modified',
      '&hasPublishedVersion=true',
      '&_q=x',
    ]) {
      expect((await get(`posts?status=draft${query}`)).status, query).toBe(403);
      expect((await get(`posts/${documentId}?status=draft${query}`)).status, query).toBe(403);
      for (const role of ['seeing', 'plain'])
        expect((await get(`posts?status=draft${query}`, role)).status, query).toBe(200);
    }
    const posts = site.sheaf.documents(uidOf('post'), await site.sheaf.authenticate(who.blind!));
    expect(await statusOf(() => posts.findMany())).toBe(403);
    expect(await statusOf(() => posts.findOne({ documentId }))).toBe(403);
    expect(await statusOf(() => posts.count())).toBe(403);
    expect(await posts.count(published)).toBe(2);
    expect((await posts.findMany(published)).map(({ title }) => title)).toEqual(['Changed', 'Same']);
  });

  it('do not show through relations of drafts, however they are asked about', async () => {
    const all = { blind: [], plain: ['secret change', 'Same', 'secret draft'] };
    for (const [role, expected] of Object.entries(all)) {
      const { body } = await get('writers?status=draft&populate[posts]=true&populate[picks]=true', role);
      for (const name of ['posts', 'picks'])
        expect(body.data[0][name].map(({ title }: Answered) => title)).toEqual(expected);
      const counted = await get('writers?status=draft&populate[posts][count]=true', role);
      expect(counted.body.data[0].posts).toEqual({ count: expected.length });
      const isSeen = role === 'plain';
      for (const query of [
        'filters[posts][title]=secret draft',
        'filters[posts][title][$startsWith]=secret',
        'filters[posts][title]=Same',
        'filters[picks][$notNull]=true',
        'filters[favourite][title][$notNull]=true',
        `filters[posts]=${made.never.id}`,
      ])
        expect(await titles(`writers?status=draft&${query}`, role), query).toEqual(isSeen ? ['Ann'] : []);
      expect(await titles('writers?status=draft&filters[posts][$null]=true', role)).toEqual(isSeen ? [] : ['Ann']);
      const page = await get('page?status=draft&populate=lead', role);
      expect(page.body.data.lead?.title ?? null).toBe(isSeen ? 'secret draft' : null);
    }
    const every = JSON.stringify((await get('writers?status=draft&populate=*')).body);
    expect(every).not.toContain('secret');
  });

  it('do not decide the order of anything', async () => {
    const other = await documents('writer').create({ data: { name: 'Bob' } });
    for (const direction of ['asc', 'desc'])
      expect(await titles(`writers?status=draft&sort=favourite.title:${direction}`)).toEqual(['Ann', 'Bob']);
    await documents('writer').delete({ documentId: other.documentId });
  });

  it.each([
    ['modified', [], ['Changed']],
    ['unmodified', [], ['Same']],
    ['published-with-draft', [], ['Changed', 'Same']],
    ['published-without-draft', ['Changed', 'Same'], []],
  ])('do not show in what publicationFilter=%s finds among what is published', async (filter, blind, plain) => {
    expect(await titles(`posts?publicationFilter=${filter}`)).toEqual(blind);
    expect(await titles(`posts?publicationFilter=${filter}`, 'plain')).toEqual(plain);
    const { body } = await get(`writers?publicationFilter=${filter}&populate=posts`);
    expect(body.data[0].posts.map(({ title }: Answered) => title)).toEqual(blind);
  });

  it('cannot be referred to: one that was never published is refused like one that does not exist', async () => {
    const never = made.never;
    for (const [url, body] of [
      ['posts', (reference: unknown) => ({ related: [reference] })],
      ['posts', (reference: unknown) => ({ related: { connect: [reference] } })],
      ['writers', (reference: unknown) => ({ picks: [reference] })],
      ['writers', (reference: unknown) => ({ favourite: reference })],
      ['writers', (reference: unknown) => ({ posts: { connect: [reference] } })],
    ] as const) {
      for (const role of ['blind', 'limited'])
        for (const [hidden, missing] of [
          [never.documentId, NO_DOCUMENT],
          [never.id, NO_ROW],
        ]) {
          const [one, other] = [
            await site.post(url, body(hidden), who[role]!),
            await site.post(url, body(missing), who[role]!),
          ];
          expect(one.status, saying(one)).toBe(400);
          expect(saying(one).replaceAll(never.documentId, 'ID')).toBe(saying(other).replaceAll(NO_DOCUMENT, 'ID'));
        }
      for (const [role, reference] of [
        ['blind', made.changed.documentId],
        ['seeing', never.documentId],
        ['plain', never.documentId],
      ] as const) {
        const answer = await site.post(url, body(reference), who[role]!);
        expect(answer.status, `${role} ${saying(answer)}`).toBe(201);
        await documents(url.slice(0, -1)).delete({ documentId: answer.body.data.documentId });
      }
    }
    await documents('writer').update({
      documentId: made.writer.documentId,
      data: { posts: [made.changed, made.same, never].map(({ documentId }) => documentId) },
    });
  });

  it('are judged by the rule on rows as their published rows are', async () => {
    const posts = documents('post');
    const { documentId } = await posts.create({ data: { title: 'Shut', state: 'shut' }, ...published });
    await posts.update({ documentId, data: { state: 'open' } });
    const connect = () => site.post('posts', { related: [documentId] }, who.limited!);
    expect((await connect()).status).toBe(400);
    await posts.publish({ documentId });
    await posts.update({ documentId, data: { state: 'shut' } });
    expect((await connect()).status).toBe(201);
  });

  it('stay in the lists that hold them', async () => {
    const [changed, same, never] = [made.changed, made.same, made.never].map(({ documentId }) => documentId);
    const lists: [unknown, string[]][] = [
      [[same], [same!, never!]],
      [[], [never!]],
      [
        [same, changed],
        [same!, changed!, never!],
      ],
    ];
    for (const [value, expected] of lists) {
      const data = { name: 'Cy', picks: [changed, same, never], favourite: never };
      const { documentId } = await documents('writer').create({ data });
      expect((await site.put(`writers/${documentId}`, { picks: value, favourite: null }, who.blind!)).status).toBe(200);
      const stored = (await documents('writer').findOne({ documentId, populate: ['picks', 'favourite'] })) as Answered;
      expect(stored.picks.map((post: Answered) => post.documentId)).toEqual(expected);
      expect(stored.favourite.documentId).toBe(never);
      await documents('writer').delete({ documentId });
    }
  });

  it('are written without being shown: the answer says which entry it was', async () => {
    const { documentId } = await documents('post').create({ data: { title: 'Open', state: 'kept' }, ...published });
    await documents('post').update({ documentId, data: { state: 'secret state' } });
    const identity = { id: expect.any(Number), documentId };
    for (const query of ['', '&populate=*', '&fields=title', '&populate[related][populate]=*']) {
      const { status, body } = await site.put(`posts/${documentId}?status=draft${query}`, { title: 'New' }, who.blind!);
      expect([status, body.data], query).toEqual([200, identity]);
    }
    const caller = await site.sheaf.authenticate(who.blind!);
    const updated = await site.sheaf.documents(uidOf('post'), caller).update({ documentId, data: { title: 'New' } });
    expect(updated).toEqual(identity);
    for (const action of ['discardDraft', 'unpublish', 'clone']) {
      const { body } = await site.send('POST', `posts/${documentId}/actions/${action}`, undefined, who.blind!);
      expect(Object.keys(body.data), action).toEqual(['id', 'documentId']);
      if (action === 'unpublish') await documents('post').publish({ documentId });
    }
    const shown = await site.send('POST', `posts/${documentId}/actions/publish`, undefined, who.blind!);
    expect(shown.body.data).toMatchObject({ title: 'Open', state: 'kept' });
    const seen = await site.put(`posts/${documentId}`, { title: 'Seen' }, who.blind!);
    expect(seen.body.data).toMatchObject({ title: 'Seen', state: 'kept' });
    for (const role of ['seeing', 'plain']) {
      const { body } = await site.put(`posts/${documentId}?status=draft`, { title: 'New' }, who[role]!);
      expect(body.data).toMatchObject({ title: 'New', state: 'kept' });
    }
    await documents('post').delete({ documentId });
  });

  it('do not show around a draft that is new, of which its maker knows all', async () => {
    const data = { title: 'Mine', related: [made.changed.documentId] };
    for (const query of ['&populate=related', '&populate=*', '&populate[related][fields]=title']) {
      const { status, body } = await site.post(`posts?status=draft${query}`, data, who.blind!);
      expect(status, JSON.stringify(body)).toBe(201);
      expect(body.data).toMatchObject({ title: 'Mine', related: [] });
      await documents('post').delete({ documentId: body.data.documentId });
    }
    const { body } = await site.post('posts?status=draft&populate=related', data, who.plain!);
    expect(body.data.related[0].title).toBe('secret change');
    await documents('post').delete({ documentId: body.data.documentId });
  });

  it('cannot be copied where there is nothing published beside them', async () => {
    const copy = (documentId: string) => site.send('POST', `posts/${documentId}/actions/clone`, undefined, who.blind!);
    expect(saying(await copy(made.never.documentId))).toBe(saying(await copy(NO_DOCUMENT)));
    const copied = await copy(made.same.documentId);
    expect(copied.status).toBe(201);
    await documents('post').delete({ documentId: copied.body.data.documentId });
  });
});
