// Tables of a project may be called by any name, also by one that statements use for something of their own.
import { beforeAll, expect, it } from 'vitest';
import { type Content, type Json, relation, type TypeDefinition, useContents } from './support/content.ts';
import { describeOnEveryDatabase } from './support/database.ts';

/** Names and aliases that statements have been seen to use. */
const NAMES = [
  'a',
  'c',
  'c0',
  'c1',
  'f',
  'g',
  'h',
  'i',
  'l',
  'l0',
  'm',
  'n',
  'o',
  'p',
  'q',
  's',
  't',
  't0',
  't1',
  'u',
  'w',
  'z',
];

const typeOf = (name: string): TypeDefinition => ({
  table: name,
  drafts: true,
  attributes: {
    name: { type: 'string' },
    notes: { type: 'text' },
    rank: { type: 'integer' },
    one: relation('manyToOne', `type-${name}`),
    many: relation('manyToMany', 'hub', { inversedBy: `of_${name}` }),
    items: { type: 'component', component: 'shared.item', repeatable: true },
  },
});

describeOnEveryDatabase('A table with a short name', (engine) => {
  const contents = useContents(engine);
  let content: Content;
  beforeAll(async () => {
    const types = Object.fromEntries(NAMES.map((name) => [`type-${name}`, typeOf(name)]));
    const inverse = NAMES.map((name): [string, Json] => [
      `of_${name}`,
      relation('manyToMany', `type-${name}`, { mappedBy: 'many' }),
    ]);
    content = await contents.open({
      types: {
        ...types,
        hub: { drafts: true, attributes: { name: { type: 'string' }, ...Object.fromEntries(inverse) } },
      },
      components: { 'shared.item': { label: { type: 'string' } } },
    });
  });

  it.each(NAMES)('is written and read: %s', async (name) => {
    const [hub, one] = [
      await content.make('hubs', { name: 'hub' }),
      await content.make(`type-${name}s`, { name: 'one', rank: 1, notes: 'long' }),
    ];
    const two = await content.make(`type-${name}s`, {
      name: 'two',
      rank: 2,
      one,
      many: [hub],
      items: [{ label: 'x' }],
    });
    await content.entry('PUT', `type-${name}s/${two}`, { name: 'second' });
    await content.entry('PUT', `hubs/${hub}`, { [`of_${name}`]: { connect: [one] } });

    const filter = `filters[many][name]=hub&filters[one][name]=one`;
    const list = await content.get(
      `type-${name}s?${filter}&sort=many.name&populate[one][populate]=many&populate[many][pagination][limit]=1&populate[items]=true&facets=rank`,
    );
    expect(list.body).toMatchObject({
      data: [
        {
          name: 'second',
          one: { name: 'one', many: [{ name: 'hub' }] },
          many: [{ name: 'hub' }],
          items: [{ label: 'x' }],
        },
      ],
      meta: { pagination: { total: 1 } },
    });
    const paged = await content.get(`type-${name}s?filters[name][$in][0]=one&sort=name&pagination[cursor]=`);
    expect(paged.body.data).toMatchObject([{ name: 'one' }]);
    const aggregate = await content.get(`type-${name}s/aggregate?group=rank&count=*&sort=rank`);
    expect(aggregate.body.data).toMatchObject([
      { group: { rank: 1 }, count: 1 },
      { group: { rank: 2 }, count: 1 },
    ]);
    expect((await content.delete(`type-${name}s/${two}`)).status).toBe(204);
    expect((await content.get(`hubs/${hub}?populate=*`)).body.data[`of_${name}`]).toMatchObject([{ name: 'one' }]);
  });
});
