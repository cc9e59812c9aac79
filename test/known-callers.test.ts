// Who calls is known in memory, and yet whatever changes acts on the next request, on every node, whoever changed it:
// generated changes on three nodes and by another program, with requests under way all the while. Besides: what a known
// caller costs, what is no reason to look one up again, and what becomes of a database without triggers.
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { open, openDatabase } from '../src/app.ts';
import { schemaApply, schemaDiff } from '../src/cli/schema-commands.ts';
import { applySchema, diffSchema } from '../src/db/schema.ts';
import { MAX_ACCESS_CHANGES } from '../src/limits.ts';
import { loadModel } from '../src/model/build.ts';
import { USER } from '../src/model/builtin.ts';
import { type Project, useContents } from './support/content.ts';
import { describeOnEveryDatabase, describeOnPostgres, describeOnSqlite, type Engine } from './support/database.ts';
import { type Guarded, NOBODY, useGuarded, type Who } from './support/guarded.ts';
import { GIVEN_SEED, scaled } from './support/scale.ts';

const NODES = 3;
/** SHEAF_TEST_SCALE=125 makes a thousand. */
const INTERLEAVINGS = scaled(8);
/** Others on each database. */
const seedOn = ({ name }: Engine): number => (GIVEN_SEED ?? 5) + (name === 'SQLite' ? 0 : 1);

const NOTE = 'api::note.note';
const NOTES: Project = { types: { note: { attributes: { title: { type: 'string' } } } } };
const ACTIONS = ['find', 'findOne', 'update'] as const;
type Action = (typeof ACTIONS)[number];
const ROLES = ['public', 'reader', 'editor'] as const;
type RoleType = (typeof ROLES)[number];

/** Another program, which knows nothing of Sheaf and writes the same tables. */
interface Program {
  /** All of the statements in one transaction. */
  run(...statements: string[]): Promise<void>;
  close(): Promise<void>;
}

async function otherProgram(engine: Engine, url: string): Promise<Program> {
  if (engine.name === 'SQLite') {
    const connection = new DatabaseSync(url.slice('sqlite:'.length), { timeout: 5_000 });
    return {
      run: async (...statements) => connection.exec(['begin immediate', ...statements, 'commit'].join('; ')),
      close: async () => connection.close(),
    };
  }
  const client = new pg.Client(url);
  await client.connect();
  return {
    async run(...statements) {
      await client.query(['begin', ...statements, 'commit'].join('; '));
    },
    close: () => client.end(),
  };
}

interface ModelSession {
  readonly who: Who;
  readonly sessionId: string;
  alive: boolean;
}

interface ModelPerson {
  readonly id: number;
  readonly documentId: string;
  role: RoleType;
  blocked: boolean;
  sessions: ModelSession[];
}

interface ModelToken {
  readonly name: string;
  readonly who: Who;
  readonly actions: Set<Action>;
  alive: boolean;
}

type By = number | 'program';
type Change = { readonly by: By } & (
  | { readonly kind: 'grant' | 'revoke'; readonly role: RoleType; readonly action: Action }
  | { readonly kind: 'block' | 'unblock' | 'password' | 'log in'; readonly person: number }
  | { readonly kind: 'role'; readonly person: number; readonly role: RoleType }
  | { readonly kind: 'end session'; readonly person: number; readonly revoked: boolean }
  | { readonly kind: 'revoke token'; readonly token: number }
  | { readonly kind: 'token may' | 'token may not'; readonly token: number; readonly action: Action }
);

interface Step {
  readonly change: Change;
  /** What is asked at once, on every node in turn from the first one. */
  readonly first: number;
  readonly action: Action;
  /** Someone else who asks, before, meanwhile and after. */
  readonly bystander: number;
}

const index = (count: number) => fc.nat({ max: count - 1 });
const role = fc.constantFrom(...ROLES);
const person = index(2);
const action = fc.constantFrom(...ACTIONS);
const by: fc.Arbitrary<By> = fc.oneof(index(NODES), fc.constant('program' as const));
const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ by, kind: fc.constantFrom('grant', 'revoke'), role, action }) },
  fc.record({ by, kind: fc.constantFrom('block', 'unblock', 'password'), person }),
  fc.record({ by: index(NODES), kind: fc.constant('log in'), person }),
  fc.record({ by, kind: fc.constant('role'), person, role: fc.constantFrom('reader', 'editor') }),
  fc.record({ by, kind: fc.constant('end session'), person, revoked: fc.boolean() }),
  fc.record({ by, kind: fc.constant('revoke token'), token: index(2) }),
  fc.record({
    by: fc.constant('program' as const),
    kind: fc.constantFrom('token may', 'token may not'),
    token: index(2),
    action,
  }),
) as fc.Arbitrary<Change>;
const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record({ change, first: index(NODES), action, bystander: index(5) }),
  { minLength: 2, maxLength: 8 },
);

/** Nodes on one database with what is expected of them. */
class World {
  readonly nodes: readonly Guarded[];
  readonly program: Program;
  readonly documentId: string;
  readonly grants: Record<RoleType, Set<Action>> = { public: new Set(), reader: new Set(), editor: new Set() };
  people: ModelPerson[] = [];
  tokens: ModelToken[] = [];
  requests = 0;

  /** One more node on the same database. */
  readonly another: () => Promise<Guarded>;

  constructor(nodes: readonly Guarded[], another: () => Promise<Guarded>, program: Program, documentId: string) {
    this.nodes = nodes;
    this.another = another;
    this.program = program;
    this.documentId = documentId;
  }

  /** New people and tokens, and the same grants as at first. */
  async begin(): Promise<void> {
    const [node] = this.nodes as [Guarded];
    const first = { public: ['find'], reader: ['find', 'findOne'], editor: ACTIONS } as const;
    for (const type of ROLES) {
      this.grants[type] = new Set(first[type]);
      await node.grantOnly(
        type,
        first[type].map((name) => `${NOTE}.${name}`),
      );
    }
    this.people = [];
    for (const type of ['reader', 'editor'] as const) {
      const { id, documentId } = await node.person(type);
      const made: ModelPerson = { id, documentId, role: type, blocked: false, sessions: [] };
      this.people.push(made);
      await this.#logIn(made, node);
    }
    this.tokens = [];
    for (const name of ['one', 'other']) {
      await node.auth.tokens.revoke(name);
      const made = { name, description: '', type: 'custom' as const, actions: [`${NOTE}.find`], days: null };
      const token = await node.auth.tokens.create(made);
      this.tokens.push({ name, who: { authorization: `Bearer ${token}` }, actions: new Set(['find']), alive: true });
    }
  }

  async #logIn(who: ModelPerson, node: Guarded): Promise<void> {
    const { jwt } = (await node.auth.sessions.begin(who.id))!;
    const { sessionId } = JSON.parse(Buffer.from(jwt.split('.')[1]!, 'base64url').toString('utf8'));
    who.sessions.push({ who: { authorization: `Bearer ${jwt}` }, sessionId, alive: true });
  }

  /** The header of the public, of the newest session of each person, and of each token; with what it must be answered. */
  caller(place: number, asked: Action): { who: Who; expected: number } {
    const right = (may: Set<Action>): number => (may.has(asked) ? 200 : 403);
    if (place === 0) return { who: NOBODY, expected: this.grants.public.size === 0 ? 401 : right(this.grants.public) };
    if (place <= 2) {
      const { role: type, blocked, sessions } = this.people[place - 1]!;
      const { who, alive } = sessions.at(-1)!;
      return { who, expected: alive && !blocked ? right(this.grants[type]) : 401 };
    }
    const { who, alive, actions } = this.tokens[place - 3]!;
    return { who, expected: alive ? right(actions) : 401 };
  }

  /** Those whom a change may concern. */
  concerned(made: Change): readonly number[] {
    if ('token' in made) return [made.token + 3];
    if ('person' in made) return [made.person + 1];
    return made.role === 'public' ? [0] : [1, 2].filter((place) => this.people[place - 1]!.role === made.role);
  }

  async ask(node: Guarded, asked: Action, who: Who): Promise<number> {
    this.requests++;
    if (asked === 'find') return (await node.get('notes', who)).status;
    if (asked === 'findOne') return (await node.get(`notes/${this.documentId}`, who)).status;
    return (await node.put(`notes/${this.documentId}`, { title: 'written' }, who)).status;
  }

  async make(made: Change): Promise<void> {
    const node = typeof made.by === 'number' ? this.nodes[made.by]! : null;
    switch (made.kind) {
      case 'grant':
      case 'revoke':
        return this.#grant(made.kind, made.role, made.action, node);
      case 'block':
      case 'unblock':
        return this.#block(this.people[made.person]!, made.kind === 'block', node);
      case 'password':
        return this.#password(this.people[made.person]!, node);
      case 'log in':
        return this.#logIn(this.people[made.person]!, node!);
      case 'role':
        return this.#role(this.people[made.person]!, made.role, node);
      case 'end session':
        return this.#endSession(this.people[made.person]!, made.revoked, node);
      case 'revoke token':
        return this.#revokeToken(this.tokens[made.token]!, node);
      default:
        return this.#tokenAction(this.tokens[made.token]!, made.action, made.kind === 'token may');
    }
  }

  async #grant(kind: 'grant' | 'revoke', type: RoleType, granted: Action, node: Guarded | null): Promise<void> {
    const name = `${NOTE}.${granted}`;
    const has = this.grants[type].has(granted);
    if (kind === 'grant') this.grants[type].add(granted);
    else this.grants[type].delete(granted);
    if (node) {
      if (kind === 'grant') await node.auth.roles.grant(type, [name]);
      else await node.auth.roles.revoke(type, [name]);
    } else if (kind === 'grant' && !has)
      await this.program.run(
        `insert into up_permissions (document_id, action) values ('by-program', '${name}')`,
        `insert into up_permissions_role_lnk (permission_id, role_id) select max(p.id), r.id from up_permissions p, up_roles r where r.type = '${type}' group by r.id`,
      );
    else if (kind === 'revoke')
      await this.program.run(
        `delete from up_permissions_role_lnk where role_id = (select id from up_roles where type = '${type}') and permission_id in (select id from up_permissions where action = '${name}')`,
      );
  }

  async #block(who: ModelPerson, blocked: boolean, node: Guarded | null): Promise<void> {
    const isNew = blocked && !who.blocked;
    who.blocked = blocked;
    if (!node) return this.program.run(`update up_users set blocked = ${blocked} where id = ${who.id}`);
    await node.sheaf.documents(USER).update({ documentId: who.documentId, data: { blocked } });
    if (isNew) this.#allEnd(who);
  }

  /** Another program that changes a password ends the sessions by itself. */
  async #password(who: ModelPerson, node: Guarded | null): Promise<void> {
    this.#allEnd(who);
    if (node)
      await node.sheaf.documents(USER).update({ documentId: who.documentId, data: { password: 'another one' } });
    else
      await this.program.run(
        `update up_users set password = 'no hash' where id = ${who.id}`,
        `delete from strapi_sessions where user_id = '${who.id}'`,
      );
  }

  #allEnd(who: ModelPerson): void {
    for (const session of who.sessions) session.alive = false;
  }

  async #role(who: ModelPerson, type: RoleType, node: Guarded | null): Promise<void> {
    const isOther = who.role !== type;
    who.role = type;
    if (!node)
      return this.program.run(
        `delete from up_users_role_lnk where user_id = ${who.id}`,
        `insert into up_users_role_lnk (user_id, role_id) select ${who.id}, id from up_roles where type = '${type}'`,
      );
    const { id } = await node.auth.roles.find(type);
    await node.sheaf.documents(USER).update({ documentId: who.documentId, data: { role: id } });
    if (isOther) this.#allEnd(who);
  }

  async #endSession(who: ModelPerson, revoked: boolean, node: Guarded | null): Promise<void> {
    const session = who.sessions.at(-1)!;
    session.alive = false;
    const where = `where session_id = '${session.sessionId}'`;
    if (node) await node.auth.sessions.end(who.id, session.sessionId);
    else if (revoked) await this.program.run(`update strapi_sessions set status = 'revoked' ${where}`);
    else await this.program.run(`delete from strapi_sessions ${where}`);
  }

  async #revokeToken(token: ModelToken, node: Guarded | null): Promise<void> {
    token.alive = false;
    if (node) await node.auth.tokens.revoke(token.name);
    else await this.program.run(`delete from strapi_api_tokens where name = '${token.name}'`);
  }

  async #tokenAction(token: ModelToken, granted: Action, may: boolean): Promise<void> {
    const name = `${NOTE}.${granted}`;
    const id = `(select id from strapi_api_tokens where name = '${token.name}')`;
    if (may && !token.actions.has(granted) && token.alive) {
      await this.program.run(
        `insert into strapi_api_token_permissions (document_id, action) values ('by-program', '${name}')`,
        `insert into strapi_api_token_permissions_token_lnk (api_token_permission_id, api_token_id) select max(id), ${id} from strapi_api_token_permissions`,
      );
      token.actions.add(granted);
    } else if (!may) {
      await this.program.run(
        `delete from strapi_api_token_permissions where action = '${name}' and id in (select api_token_permission_id from strapi_api_token_permissions_token_lnk where api_token_id = ${id})`,
      );
      token.actions.delete(granted);
    }
  }
}

/** For the body of a suite: three nodes on one database, with one note, two roles and another program. */
function useWorld(engine: Engine): () => World {
  const contents = useContents(engine);
  const guarded = useGuarded(engine, contents);
  let world: World;
  beforeAll(async () => {
    const first = await guarded.open(NOTES);
    const another = () => guarded.open(NOTES, { database: first.database });
    const nodes = [first];
    while (nodes.length < NODES) nodes.push(await another());
    await first.auth.roles.create('Reader');
    await first.auth.roles.create('Editor');
    const { documentId } = await first.sheaf.documents(NOTE).create({ data: { title: 'made' } });
    world = new World(nodes, another, await otherProgram(engine, first.database), documentId);
  });
  afterAll(() => world?.program.close());
  return () => world;
}

describeOnEveryDatabase('A change of rights', (engine) => {
  const world = useWorld(engine);

  it('acts on the next request of every node, whoever made it', async () => {
    const late: string[] = [];
    let changes = 0;
    const run = async (all: readonly Step[]): Promise<void> => {
      await world().begin();
      for (const step of all) {
        // They are under way when the change is made, so that nodes learn of old and new while it happens.
        const { who } = world().caller(step.bystander, step.action);
        const meanwhile = world().nodes.map((node) => world().ask(node, step.action, who));
        await world().make(step.change);
        changes++;
        const places = [...world().concerned(step.change), step.bystander];
        for (let turn = 0; turn < NODES; turn++) {
          const at = (step.first + turn) % NODES;
          for (const place of places) {
            const { who: asks, expected } = world().caller(place, step.action);
            const status = await world().ask(world().nodes[at]!, step.action, asks);
            if (status !== expected)
              late.push(`${JSON.stringify(step)}: ${status} to caller ${place} at node ${at}, expected ${expected}`);
          }
        }
        await Promise.all(meanwhile);
        expect(late).toEqual([]);
      }
    };
    await fc.assert(fc.asyncProperty(steps, run), { numRuns: INTERLEAVINGS, seed: seedOn(engine) });
    console.log(
      `${engine.name}: ${INTERLEAVINGS} interleavings, ${changes} changes, ${world().requests} requests, ${late.length} late`,
    );
  });
});

// ------------------------------------------------------------------------------------- what PostgreSQL is made to tell

/** For the body of a suite: the statements that are sent to PostgreSQL, whoever sends them. */
function useSentStatements(): string[] {
  const sent: string[] = [];
  beforeAll(() => {
    const { query } = pg.Client.prototype as unknown as { query(...given: unknown[]): unknown };
    vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...given: unknown[]) {
      const [first] = given as [string | { text: string }];
      sent.push(typeof first === 'string' ? first : first.text);
      return query.apply(this, given);
    } as never);
  });
  afterAll(() => {
    vi.mocked(pg.Client.prototype.query).mockRestore();
  });
  return sent;
}

describeOnSqlite('A known caller', (engine) => {
  const world = useWorld(engine);
  const isKnown = ({ auth }: Guarded, { authorization }: Who): boolean =>
    auth.authenticator.now(authorization) !== null;

  it('stays known when this process writes content, and is looked up again when it writes what decides', async () => {
    await world().begin();
    for (const type of ROLES) await world().nodes[0]!.grantOnly(type, [NOTE]);
    const [node, other] = world().nodes as [Guarded, Guarded];
    const { who } = world().caller(1, 'find');
    const read = async () => {
      for (const site of [node, other]) expect((await site.get('notes', who)).status).toBe(200);
    };
    await read();
    await node.sheaf.documents(NOTE).create({ data: { title: 'content' } });
    expect(isKnown(node, who)).toBe(true);
    // What another process writes is not known, so it counts whatever it is.
    expect(isKnown(other, who)).toBe(false);
    await read();
    await node.auth.roles.create('Another role');
    expect(isKnown(node, who)).toBe(false);
    await read();
    const user = { username: 'someone', email: 'someone@example.org', password: 'a long password' };
    const { documentId } = await node.sheaf.documents(USER).create({ data: user });
    await read();
    await node.sheaf.documents(USER).update({ documentId, data: { blocked: true } });
    expect(isKnown(node, who)).toBe(false);
  });
});

describeOnPostgres('A caller who is known', (engine) => {
  const world = useWorld(engine);
  const sent = useSentStatements();
  const statementsOf = async (work: () => Promise<unknown>): Promise<number> => {
    sent.length = 0;
    await work();
    return sent.length;
  };
  /** A change that was made before is told sooner or later, and then the grants are read once more. */
  const expectStatements = (work: () => Promise<unknown>, count: number): Promise<void> =>
    expect.poll(() => statementsOf(work)).toBe(count);
  const callers = (): Who[] => [0, 1, 2, 3].map((place) => world().caller(place, 'find').who);
  beforeAll(async () => {
    await world().begin();
    for (const type of ROLES) await world().nodes[0]!.grantOnly(type, [NOTE]);
    const token = world().tokens[0]!;
    for (const name of ACTIONS) await world().make({ by: 'program', kind: 'token may', token: 0, action: name });
    expect(token.actions.size).toBe(ACTIONS.length);
  });

  it('costs no statement: an answer is one, whoever asks', async () => {
    const [node] = world().nodes as [Guarded];
    for (const who of callers())
      for (const url of [`notes/${world().documentId}`, 'notes', 'notes?filters[title]=nothing']) {
        expect((await node.get(url, who)).status).toBe(200);
        await expectStatements(() => node.get(url, who), 1);
      }
  });

  it('costs no statement in a write either', async () => {
    const [node] = world().nodes as [Guarded];
    const write = (who: Who) => node.put(`notes/${world().documentId}`, { title: 'again' }, who);
    const bySystem = await statementsOf(() =>
      node.sheaf.documents(NOTE).update({ documentId: world().documentId, data: { title: 'by the system' } }),
    );
    for (const who of callers()) {
      expect((await write(who)).status).toBe(200);
      await expectStatements(() => write(who), bySystem);
    }
  });

  it('is known by a mark from the first request on', async () => {
    const node = await world().another();
    expect(node.auth.authenticator.now(undefined)?.knownBy).toBe(await node.sheaf.database.mark());
  });

  it('is looked up again once after a change, and by those who ask anew', async () => {
    const [node, other] = world().nodes as [Guarded, Guarded];
    const [, who] = callers() as [Who, Who];
    const read = () => other.get(`notes/${world().documentId}`, who);
    await read();
    await node.auth.roles.create('Yet another');
    expect((await read()).status).toBe(200);
    await expectStatements(read, 1);
    // Whom code in process holds on to is nobody who was known.
    expect((await node.sheaf.authenticate(who)).knownBy).toBeNull();
  });

  it('costs one statement more where nothing is found or something is refused', async () => {
    const [node] = world().nodes as [Guarded];
    const [who] = callers() as [Who];
    const missing = () => node.get(`notes/${'a'.repeat(24)}`, who);
    expect((await missing()).status).toBe(404);
    await expectStatements(missing, 2);
    const wrong = () => node.get('notes?filters[nothing]=1', who);
    expect((await wrong()).status).toBe(400);
    await expectStatements(wrong, 1);
  });
});

describeOnPostgres('The mark of a database', (engine) => {
  const world = useWorld(engine);
  const mark = async (): Promise<string> => (await world().nodes[0]!.sheaf.database.mark())!;
  const isChangedBy = async (work: () => Promise<unknown>): Promise<boolean> => {
    const before = await mark();
    await work();
    return (await mark()) !== before;
  };
  beforeAll(async () => {
    await world().begin();
    await world().make({ by: 'program', kind: 'token may', token: 0, action: 'findOne' });
    await world().nodes[0]!.auth.sessions.endAll(world().people[1]!.id);
    const settings = `insert into strapi_core_store_settings (key, value) values`;
    await world().program.run(`${settings} ('plugin_users-permissions_advanced', '{}'), ('another', '{}')`);
  });

  const one = (table: string): string => `id = (select max(id) from ${table})`;
  const SETTINGS = 'strapi_core_store_settings';
  const ADVANCED = `key = 'plugin_users-permissions_advanced'`;
  it.each([
    ['a role', `insert into up_roles (name, type) values ('Made', 'made')`],
    ['the type of a role', `update up_roles set type = 'unmade' where type = 'made'`],
    ['a role that goes', `delete from up_roles where type = 'unmade'`],
    ['another action', `update up_permissions set action = 'x' where ${one('up_permissions')}`],
    ['an action that goes', `delete from up_permissions where ${one('up_permissions')}`],
    ['a grant', `insert into up_permissions_role_lnk (permission_id, role_id) select max(id), 1 from up_permissions`],
    [
      'a grant of another role',
      `update up_permissions_role_lnk set role_id = 2 where ${one('up_permissions_role_lnk')}`,
    ],
    ['a grant that goes', `delete from up_permissions_role_lnk where ${one('up_permissions_role_lnk')}`],
    ['any column of a user', `update up_users set provider = 'other' where ${one('up_users')}`],
    ['another role of a user', `update up_users_role_lnk set role_id = 1 where ${one('up_users_role_lnk')}`],
    [
      'one more role of a user',
      `insert into up_users_role_lnk (id, user_id, role_id) select 0, max(id), 2 from up_users`,
    ],
    ['a role that a user loses', `delete from up_users_role_lnk where id = 0`],
    ['a session that is revoked', `update strapi_sessions set status = 'revoked' where ${one('strapi_sessions')}`],
    ['the end of a session', `update strapi_sessions set absolute_expires_at = now() where ${one('strapi_sessions')}`],
    ['a session that goes', `delete from strapi_sessions where ${one('strapi_sessions')}`],
    ['the type of a token', `update strapi_api_tokens set type = 'read-only' where name = 'one'`],
    ['the key of a token', `update strapi_api_tokens set access_key = 'other' where name = 'other'`],
    [
      'an action of a token',
      `update strapi_api_token_permissions set action = 'x' where ${one('strapi_api_token_permissions')}`,
    ],
    ['a token that goes', `delete from strapi_api_tokens where name = 'one'`],
    ['when tokens without a session begin', `update sheaf_accounts set tokens_after = 1`],
    ['that moment, when it goes', 'delete from sheaf_accounts'],
    ['the settings of accounts', `update ${SETTINGS} set value = '{"email_confirmation":true}' where ${ADVANCED}`],
    ['another key for them', `update ${SETTINGS} set key = 'elsewhere' where ${ADVANCED}`],
    [
      'new settings of accounts',
      `insert into ${SETTINGS} (key, value) values ('plugin_users-permissions_advanced', '{}')`,
    ],
    ['settings of accounts that go', `delete from ${SETTINGS} where ${ADVANCED}`],
    ['all sessions that go', 'truncate strapi_sessions'],
    ['all users that go', 'truncate up_users cascade'],
  ])('is another after a change by another program: %s', async (_name, statement) => {
    const rolledBack = () => world().program.run(`${statement}; rollback; begin`);
    expect(await isChangedBy(rolledBack), 'rolled back').toBe(false);
    expect(await isChangedBy(() => world().program.run(statement))).toBe(true);
  });

  it('is the same after what happens all the time', async () => {
    await world().begin();
    const [node] = world().nodes as [Guarded];
    const { auth } = node;
    const { id } = world().people[0]!;
    const { refreshToken } = (await auth.sessions.begin(id))!;
    const user = { username: 'somebody', email: 'somebody@people.example', password: 'a password' };
    const token = world().tokens[0]!;
    // Pruning is a change as well, and not what this is about.
    await world().program.run('delete from sheaf_access_changes');
    const usual: Record<string, () => Promise<unknown>> = {
      'logging in': () => auth.sessions.begin(id),
      refreshing: () => auth.sessions.refresh(refreshToken),
      registering: () => auth.accounts.register(user),
      'the use of a token': () => node.get('notes', token.who),
      'a note': () => node.sheaf.documents(NOTE).create({ data: { title: 'one more' } }),
      'the use of a token, noted by Strapi 5': () =>
        world().program.run(`update strapi_api_tokens set last_used_at = now(), updated_at = now()`),
      'a session of an administrator': () =>
        world().program.run(
          `insert into strapi_sessions (session_id, user_id, origin, status) values ('s', '1', 'admin', 'active')`,
          `update strapi_sessions set status = 'revoked' where origin = 'admin'`,
          `delete from strapi_sessions where origin = 'admin'`,
        ),
      'a user who is made with a role': () =>
        world().program.run(
          `insert into up_users (id, username) values (9999, 'by a program')`,
          `insert into up_users_role_lnk (user_id, role_id) values (9999, 1)`,
        ),
      'other settings': () => world().program.run(`update ${SETTINGS} set value = '[]' where key = 'another'`),
    };
    for (const [name, work] of Object.entries(usual)) expect(await isChangedBy(work), name).toBe(false);
  });

  it('is another after each of two transactions that overlap, whichever ends first', async () => {
    const { database } = world().nodes[0]!;
    const [one, other] = [new pg.Client(database), new pg.Client(database)];
    await Promise.all([one.connect(), other.connect()]);
    try {
      const [early, late] = world().people.map(
        ({ id: person }) => `update up_users set blocked = true where id = ${person}`,
      );
      const marks = new Set([await mark()]);
      await one.query('begin isolation level serializable');
      await one.query(early!);
      await other.query('begin isolation level serializable');
      await other.query(late!);
      expect([...marks]).toEqual([await mark()]);
      await other.query('commit');
      marks.add(await mark());
      await one.query('commit');
      marks.add(await mark());
      expect(marks.size).toBe(3);
    } finally {
      await Promise.all([one.end(), other.end()]);
    }
  });

  it('stays short, and never comes back', async () => {
    const marks = new Set<string>();
    const rows = () => world().nodes[0]!.number('select count(*) from sheaf_access_changes');
    for (let turn = 0; turn < 5 * MAX_ACCESS_CHANGES; turn++) {
      const person = turn % 2;
      await world().make({ by: turn % NODES, kind: turn % 4 < 2 ? 'block' : 'unblock', person });
      marks.add(await mark());
      for (const node of world().nodes) await node.get('notes', world().caller(3, 'find').who);
    }
    expect(marks.size).toBe(5 * MAX_ACCESS_CHANGES);
    // Whoever sees a long mark prunes, beside the request.
    await expect.poll(rows).toBeLessThanOrEqual(MAX_ACCESS_CHANGES + NODES);
  });

  it('needs nothing of accounts that write the tables, and keeps nobody from changing them', async () => {
    const name = `writer_${Date.now()}`;
    await world().program.run(
      `create role ${name} login password '${name}'`,
      `grant select, update on up_users to ${name}`,
    );
    const url = new URL(world().nodes[0]!.database);
    url.username = name;
    url.password = name;
    const client = new pg.Client(url.toString());
    await client.connect();
    try {
      expect(await isChangedBy(() => client.query(`update up_users set blocked = false`))).toBe(true);
      await expect(client.query('select * from sheaf_access_changes')).rejects.toThrow('permission denied');
    } finally {
      await client.end();
    }
    await world().program.run(
      'alter table up_users alter column provider type text',
      'alter table strapi_sessions drop column status',
      `update strapi_sessions set device_id = 'another'`,
      'alter table strapi_sessions add column status varchar(255)',
      `drop owned by ${name}`,
      `drop role ${name}`,
    );
  });
});

describeOnPostgres('Values of an account that rules compare with', (engine) => {
  const contents = useContents(engine);
  const guarded = useGuarded(engine, contents);

  it('are those of the next request, whoever writes them', async () => {
    const rules = { authenticated: { [NOTE]: { rows: { find: { title: '$user.provider' } } } } };
    const one = await guarded.open(NOTES, { rules });
    const other = await guarded.open(NOTES, { rules, database: one.database });
    await one.auth.roles.grant('authenticated', [NOTE]);
    for (const title of ['local', 'elsewhere']) await one.sheaf.documents(NOTE).create({ data: { title } });
    const { id, who } = await one.person('authenticated');
    for (let turn = 0; turn < 10; turn++) {
      const provider = turn % 2 === 0 ? 'elsewhere' : 'local';
      await one.execute(`update up_users set provider = '${provider}' where id = ${id}`);
      for (const node of [other, one])
        expect((await node.get('notes', who)).body.data.map(({ title }: { title: string }) => title)).toEqual([
          provider,
        ]);
    }
  });
});

// ------------------------------------------------------------------------------------------ rights that are not there

const TRACKED = [
  'create table sheaf_access_changes',
  'create function',
  'create trigger sheaf_access_change on up_users',
];

describeOnPostgres('A database account that may not create triggers', (engine) => {
  const contents = useContents(engine);
  const guarded = useGuarded(engine, contents);
  const sent = useSentStatements();
  const name = `limited_${Date.now()}`;
  let folder: string;
  let owners: string;
  let limited: string;

  const asOwner = async (...statements: string[]): Promise<void> => {
    const program = await otherProgram(engine, owners);
    await program.run(...statements);
    await program.close();
  };
  const removeTracking = (): Promise<void> =>
    asOwner(
      'drop function if exists sheaf_note_access_change() cascade',
      'drop function if exists sheaf_deciding_part(text, jsonb)',
      'drop function if exists sheaf_note_locale_change() cascade',
      'drop table if exists sheaf_access_changes',
    );
  const config = (database: string) => ({ project: folder, database }) as Parameters<typeof schemaDiff>[0];

  beforeAll(async () => {
    folder = guarded.projectWith(NOTES);
    owners = engine.freshDatabaseUrl();
    await (await open({ project: folder, database: owners })).close();
    await removeTracking();
    await asOwner(
      `create role ${name} login password '${name}'`,
      `grant select, insert, update, delete on all tables in schema public to ${name}`,
      `grant usage on all sequences in schema public to ${name}`,
      `alter default privileges in schema public grant select, insert, update, delete on tables to ${name}`,
    );
    const url = new URL(owners);
    url.username = name;
    url.password = name;
    limited = url.toString();
  });
  afterAll(() => asOwner(`drop owned by ${name}`, `drop role ${name}`));

  it.each([
    ['nor anything else', 'revoke create on schema public from'],
    ['but tables', 'grant create on schema public to'],
  ])('%s starts all the same, says so, and asks the database each time', async (_name, right) => {
    await asOwner(`${right} ${name}`);
    const [one, other] = [
      await guarded.open(folder, { database: limited }),
      await guarded.open(folder, { database: limited }),
    ];
    expect(one.auth.grants.note).toContain('Every user and token costs a statement');
    expect(await one.sheaf.database.mark()).toBeNull();
    await one.sheaf.check();
    await one.auth.roles.grant('authenticated', [NOTE]);
    const { documentId } = await one.sheaf.documents(NOTE).create({ data: { title: 'made' } });
    const { id, who } = await one.person('authenticated');
    const read = () => other.get(`notes/${documentId}`, who);
    await expect.poll(async () => (await read()).status).toBe(200);
    // Servers of other tests may look at the sizes of their tables at the same moment.
    const statementsOfRead = async (): Promise<number> => {
      sent.length = 0;
      await read();
      return sent.length;
    };
    await expect.poll(statementsOfRead).toBe(2);
    await one.execute(`update up_users set blocked = true where id = ${id}`);
    expect((await read()).status).toBe(401);
    expect((await schemaApply(config(limited))).text).toMatch(
      /^The database fits already.\nTriggers were not created: /,
    );
  });

  it('uses those that another account creates, which the commands name', async () => {
    const shown = (await schemaDiff(config(owners))).text;
    for (const text of TRACKED) expect(shown).toContain(`  ${text}`);
    expect((await schemaApply(config(owners))).text).toContain('Done: ');
    expect((await schemaDiff(config(owners))).text).toBe('The database fits; a start would change nothing.\n');
    const node = await guarded.open(folder, { database: limited });
    expect(node.auth.grants.note).toBeNull();
    expect(await node.sheaf.database.mark()).not.toBeNull();
  });

  it('does without where it may not read the table that they fill', async () => {
    await asOwner(`revoke select on sheaf_access_changes from ${name}`);
    const node = await guarded.open(folder, { database: limited });
    expect(node.auth.grants.note).not.toBeNull();
    await asOwner(`grant select on sheaf_access_changes to ${name}`);
  });
});

describeOnPostgres('Triggers', (engine) => {
  const contents = useContents(engine);
  const guarded = useGuarded(engine, contents);

  it('that are gone are created again by the next start, and a server that misses them is not ready', async () => {
    const node = await guarded.open(NOTES);
    const folder = contents.project(NOTES);
    const stepsOf = async (): Promise<string[]> => {
      const database = await openDatabase(node.database, 'create');
      const { steps, trackingSteps } = await diffSchema(database, loadModel(folder));
      await database.close();
      expect(steps).toEqual([]);
      return trackingSteps.map(({ text }) => text);
    };
    await node.sheaf.check();
    await node.execute('drop trigger sheaf_access_update on strapi_sessions');
    expect(await stepsOf()).toEqual(['create trigger sheaf_access_update on strapi_sessions']);
    await expect(node.sheaf.check()).rejects.toThrow('lacks triggers');
    // As in a database from before there was a trigger for the default locale.
    await node.execute('drop function sheaf_note_locale_change() cascade');
    expect(await stepsOf()).toEqual([
      'create function sheaf_note_locale_change',
      'create trigger sheaf_access_update on strapi_sessions',
      ...['insert', 'update', 'delete'].map(
        (event) => `create trigger sheaf_locale_${event} on strapi_core_store_settings`,
      ),
    ]);
    const again = await guarded.open(folder, { database: node.database });
    expect(await stepsOf()).toEqual([]);
    await node.sheaf.check();
    expect(again.auth.grants.note).toBeNull();
    await node.execute('alter table up_users disable trigger sheaf_access_change');
    expect((await guarded.open(folder, { database: node.database })).auth.grants.note).not.toBeNull();
  });

  it('are created once, however many servers start at the same time', async () => {
    const folder = contents.project(NOTES);
    const url = engine.freshDatabaseUrl();
    const databases = await Promise.all([1, 2, 3].map(() => openDatabase(url, 'create')));
    const applied = await Promise.all(databases.map((database) => applySchema(database, loadModel(folder), null)));
    expect(applied.filter(({ trackingSteps }) => trackingSteps.length > 0)).toHaveLength(1);
    for (const database of databases) await database.close();
  });
});
