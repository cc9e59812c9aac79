// Rules on rows that speak of the caller, such as entries that they own: `$user` and what it leads to.
import { beforeAll, expect, it } from 'vitest';
import { SetupError } from '../src/errors.ts';
import { USER } from '../src/model/builtin.ts';
import { type Answered, type Json, useContents } from './support/content.ts';
import { describeOnEveryDatabase } from './support/database.ts';
import { type Guarded, useGuarded, type Who } from './support/guarded.ts';
import {
  ARTICLE,
  CONTENT,
  everyAction,
  MISSING,
  NEWS,
  NO_DOCUMENT,
  NO_ROW,
  namesOf,
  reads,
  TOPIC,
  WRITER,
} from './support/news.ts';

describeOnEveryDatabase('A rule that speaks of the caller', (engine) => {
  const contents = useContents(engine);
  const guarded = useGuarded(engine, contents);
  let base: Guarded;
  const people: Record<'Una' | 'Udo', { id: number; username: string; documentId: string; who: Who }> = {} as never;

  beforeAll(async () => {
    base = await guarded.open(NEWS);
    const all = [...CONTENT.flatMap(everyAction), ...reads(USER), `${USER}.count`, `${USER}.update`, `${USER}.destroy`];
    for (const role of ['public', 'authenticated']) await base.grantOnly(role, [...all, `${USER}.me`]);
    for (const name of ['Una', 'Udo'] as const) {
      const email = `${name.toLowerCase()}@news.example`;
      people[name] = await base.person('authenticated', { username: name, email, provider: null });
      const writer = await base.sheaf.documents(WRITER).create({ data: { name, account: people[name].id } });
      const data = { title: `By ${name}`, hint: name, rank: people[name].id, author: writer.documentId };
      await base.sheaf.documents(ARTICLE).create({ data, status: 'published' });
    }
    await base.sheaf.documents(ARTICLE).create({ data: { title: 'By nobody' }, status: 'published' });
  });

  const under = (rows: Json, uid = ARTICLE): Promise<Guarded> =>
    guarded.open(NEWS, {
      rules: { public: { [uid]: { rows } }, authenticated: { [uid]: { rows } } },
      database: base.database,
    });

  it.each([
    ['the id of the account behind a relation', { author: { account: { id: '$user.id' } } }],
    ['the account itself behind a relation', { author: { account: '$user.id' } }],
    ['a text of the account', { hint: '$user.username' }],
    ['a number of the account', { rank: { $eq: '$user.id' } }],
    ['a list with a value of the account', { hint: { $in: ['$user.username'] } }],
    ['a text of the account, whatever its case', { hint: { $eqi: '$user.username' } }],
    ['what begins with a text of the account', { hint: { $startsWith: '$user.username' } }],
  ])('shows each user their own: by %s', async (_name, find) => {
    const site = await under({ find });
    for (const name of ['Una', 'Udo'] as const) {
      const { who } = people[name];
      // The same request, prepared once for all of the role.
      expect(namesOf(await site.get('articles?sort=title', who))).toEqual([`By ${name}`]);
      expect(namesOf(await site.get('writers?filters[articles][title][$contains]=By', who))).toEqual([name]);
    }
    expect(namesOf(await site.get('articles?sort=title'))).toEqual([]);
    expect(namesOf(await site.get('writers?filters[articles][title][$contains]=By'))).toEqual([]);
  });

  it('keeps each user from changing, deleting and referring to what is another’s', async () => {
    const site = await under({ find: { author: { account: { id: '$user.id' } } } });
    const of = async (name: string) =>
      (await base.sheaf.documents(ARTICLE).findFirst({ filters: { title: `By ${name}` } }))!;
    const [una, udo] = [await of('Una'), await of('Udo')];
    const { who } = people.Una;
    expect((await site.put(`articles/${udo.documentId}`, { state: 'mine' }, who)).status).toBe(404);
    expect((await site.put(`articles/${una.documentId}`, { state: 'mine' }, who)).body.data.state).toBe('mine');
    expect((await site.delete(`articles/${udo.documentId}`, who)).status).toBe(204);
    expect(await of('Udo')).not.toBeNull();
    const refer = (documentId: string) => site.put(`articles/${una.documentId}`, { related: [documentId] }, who);
    expect((await refer(udo.documentId)).status).toBe(400);
    expect((await refer(una.documentId)).status).toBe(200);
    expect((await site.put(`articles/${una.documentId}`, { state: 'anyone' })).status).toBe(404);
  });

  const OPERATORS = ['$eq', '$ne', '$eqi', '$nei', '$lt', '$lte', '$gt', '$gte', '$contains', '$notContains'];
  OPERATORS.push('$containsi', '$notContainsi', '$startsWith', '$startsWithi', '$endsWith', '$endsWithi');
  /** Every way to compare with a value of the account, and its opposite. */
  const compared = (name: string): Json[] =>
    [
      ...OPERATORS.map((operator) => ({ hint: { [operator]: `$user.${name}` } })),
      ...['$in', '$notIn'].map((operator) => ({ hint: { [operator]: [`$user.${name}`] } })),
    ].flatMap((one): Json[] => [one, { $not: one }]);

  it('is met by nothing where nobody in particular asks, however it compares and negates', async () => {
    const site = await under({ find: { $or: compared('username') } });
    expect((await site.get('articles?locale=*')).body.meta.pagination.total).toBe(0);
    expect((await site.get('articles?locale=*&status=draft')).body.meta.pagination.total).toBe(0);
    expect((await site.get('articles', people.Una.who)).body.meta.pagination.total).toBe(2);
  });

  it('is met by nothing where the account has no such value, however it compares and negates', async () => {
    const site = await under({ find: { $or: compared('provider') } });
    expect((await site.get('articles?locale=*', people.Una.who)).body.meta.pagination.total).toBe(0);
    const numbers = await under({
      find: { $or: [{ rank: { $ne: '$user.id' } }, { $not: { rank: '$user.id' } }, { id: { $notIn: ['$user.id'] } }] },
    });
    expect((await numbers.get('articles')).body.meta.pagination.total).toBe(0);
    expect((await numbers.get('articles', people.Una.who)).body.meta.pagination.total).toBeGreaterThan(0);
  });

  it('is met by nothing behind a relation where nobody in particular asks', async () => {
    const site = await under({
      find: {
        $or: [
          { author: { account: { id: { $ne: '$user.id' } } } },
          { $not: { author: { account: { id: '$user.id' } } } },
          { $not: { author: { name: '$user.username' } } },
          { author: { name: { $notIn: ['$user.username'] } } },
        ],
      },
    });
    expect((await site.get('articles')).body.data).toEqual([]);
    expect(namesOf(await site.get('articles', people.Una.who))).toEqual(['By Udo']);
  });

  it.each([
    ['a list', { hint: { $in: ['$user.username', 'Udo'] } }, ['By Una', 'By Udo'], ['By Udo']],
    ['a range', { rank: { $between: ['$user.id', '$user.id'] } }, ['By Una'], []],
    ['a range of texts', { hint: { $between: ['$user.username', '$user.username'] } }, ['By Una'], []],
    ['several alternatives', { hint: { $contains: ['$user.username', 'Udo'] } }, ['By Una', 'By Udo'], ['By Udo']],
  ])('stands for the value in every place of %s, or is told at the start', async (_name, find, hers, anyones) => {
    const site = await under({ find }).catch((error: unknown) => error);
    if (site instanceof SetupError) {
      expect(site.problems[0]).toMatch(/^access\/rules\.json: .*\$user/);
      return;
    }
    expect(namesOf(await (site as Guarded).get('articles', people.Una.who))).toEqual(hers);
    expect(namesOf(await (site as Guarded).get('articles'))).toEqual(anyones);
  });

  it('compares with values of other types as it compares with constants', async () => {
    const late = await base.person('authenticated', { confirmed: false });
    const site = await under({ find: { $or: [{ createdAt: { $gt: '$user.createdAt' } }, { hint: '$user.email' }] } });
    expect(namesOf(await site.get('articles', late.who))).toEqual([]);
    expect(namesOf(await site.get('articles', people.Udo.who))).toEqual(['By Udo', 'By nobody']);
    expect(namesOf(await site.get('articles'))).toEqual([]);
    for (const open of [true, false]) await base.sheaf.documents(TOPIC).create({ data: { name: String(open), open } });
    const topics = await under({ find: { open: '$user.confirmed' } }, TOPIC);
    expect(namesOf(await topics.get('topics', people.Una.who))).toEqual(['true']);
    expect(namesOf(await topics.get('topics', late.who))).toEqual(['false']);
    expect(namesOf(await topics.get('topics'))).toEqual([]);
  });

  it('follows a change of the account on the next request', async () => {
    const site = await under({ find: { hint: '$user.username' } });
    const { id, who } = await base.person('authenticated', { username: 'Nomad' });
    expect(namesOf(await site.get('articles', who))).toEqual([]);
    await base.execute(`update up_users set username = 'Una' where id = ${id}`);
    expect(namesOf(await site.get('articles', who))).toEqual(['By Una']);
    await base.execute(`delete from up_users where id = ${id}`);
    expect((await site.get('articles', who)).status).toBe(401);
  });

  it('holds for accounts themselves: in lists, counts, by number and by document', async () => {
    const site = await under({ find: { id: '$user.id' } }, USER);
    const { who, id } = people.Una;
    const list = await site.get('users', who);
    expect(list.body.data.map(({ username }: Answered) => username)).toEqual(['Una']);
    expect((await site.get('users/count', who)).body).toBe(1);
    expect((await site.get('users/count')).body).toBe(0);
    expect((await site.get('users/me', who)).body.username).toBe('Una');
    expect((await site.get(`users/${id}`, who)).body.username).toBe('Una');
    for (const other of [people.Udo.id, people.Udo.documentId, NO_ROW, NO_DOCUMENT]) {
      const read = await site.get(`users/${other}`, who);
      expect([read.status, read.body], String(other)).toEqual([404, MISSING]);
      for (const answer of [
        await site.send('PUT', `users/${other}`, { username: 'Mine' }, who),
        await site.delete(`users/${other}`, who),
      ])
        expect([answer.status, answer.body.error], String(other)).toEqual([
          404,
          { ...MISSING.error, message: 'User not found' },
        ]);
    }
    expect(await base.number(`select count(*) from up_users where username = 'Udo'`)).toBe(1);
    expect(namesOf(await site.get('writers?filters[account][username]=Udo', who))).toEqual([]);
    expect(namesOf(await site.get('writers?filters[account][username]=Una', who))).toEqual(['Una']);
  });

  it('holds for accounts where they are listed without an envelope', async () => {
    const rules = { authenticated: { [USER]: { rows: { find: { id: '$user.id' } }, fields: { read: ['username'] } } } };
    const site = await guarded.open(NEWS, { rules, database: base.database, settings: { users: { bareList: true } } });
    const { id, documentId, who } = people.Una;
    expect((await site.get('users', who)).body).toEqual([{ id, documentId, username: 'Una' }]);
  });

  it('hides an account from whoever tries to change it to what is taken', async () => {
    const site = await under({ find: { id: '$user.id' } }, USER);
    const { who } = people.Una;
    for (const body of [{ email: 'una@news.example' }, { username: 'Una' }, { email: 'wrong' }, { nope: 1 }]) {
      const [hidden, missing] = await Promise.all(
        [people.Udo.documentId, NO_DOCUMENT].map((id) => site.send('PUT', `users/${id}`, body, who)),
      );
      expect([hidden!.status, hidden!.body], JSON.stringify(body)).toEqual([missing!.status, missing!.body]);
    }
  });
});
