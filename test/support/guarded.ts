// Projects behind rules, for tests about access: a project with its access/*.json on a database, people of every role
// and API tokens that ask it. Nobody is granted anything but what the test grants, and what a new project grants.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll } from 'vitest';
import type { TokenType } from '../../src/accounts/api-tokens.ts';
import type { Auth } from '../../src/accounts/auth.ts';
import { open, type Sheaf } from '../../src/app.ts';
import { USER } from '../../src/model/builtin.ts';
import { type Answer, Content, type Contents, databaseFor, type Json, type Project } from './content.ts';
import type { Engine } from './database.ts';

export const SECRETS = { jwt: 'b7Yw-2mQz_xK40TfRn9LcVhJ', apiTokenSalt: 'pL3_gW8-sXq6Zt1NvBd5RyHk' };

/** Tests ask more often than any client may. */
const NO_LIMIT = { max: 1_000_000, seconds: 60 };
const SETTINGS = { rateLimits: { auth: NO_LIMIT, account: NO_LIMIT, address: NO_LIMIT } };

/** Who asks, as the headers tell it. */
export type Who = Readonly<Record<string, string>>;
export const NOBODY: Who = {};
export const bearer = (token: string): Who => ({ authorization: `Bearer ${token}` });

/** Rules as a file of access/ holds them: by type of role, then by uid. */
export type Rules = Readonly<Record<string, Readonly<Record<string, Json>>>>;

export function writeAccessFile(project: string, name: string, content: unknown): void {
  mkdirSync(path.join(project, 'access'), { recursive: true });
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  writeFileSync(path.join(project, 'access', name), text);
}

export interface Person {
  readonly id: number;
  readonly documentId: string;
  readonly username: string;
  readonly who: Who;
}

/** A project that is open on a database, with those who ask it. */
export class Guarded extends Content {
  readonly auth: Auth;
  readonly database: string;
  #people = 0;

  constructor(sheaf: Sheaf, auth: Auth, database: string) {
    super(sheaf);
    this.auth = auth;
    this.database = database;
  }

  override get(url: string, who: Who = NOBODY): Promise<Answer> {
    return this.send('GET', url, undefined, who);
  }

  override post(url: string, data: unknown, who: Who = NOBODY): Promise<Answer> {
    return this.send('POST', url, { data }, who);
  }

  override put(url: string, data: unknown, who: Who = NOBODY): Promise<Answer> {
    return this.send('PUT', url, { data }, who);
  }

  override delete(url: string, who: Who = NOBODY): Promise<Answer> {
    return this.send('DELETE', url, undefined, who);
  }

  /** Everything that a role has is replaced by the actions given. */
  async grantOnly(role: string, actions: readonly string[]): Promise<void> {
    await this.auth.roles.revoke(role, (await this.auth.roles.find(role)).actions);
    if (actions.length > 0) await this.auth.roles.grant(role, actions);
  }

  /** A confirmed account of a role, logged in. */
  async person(role: string, values: Json = {}): Promise<Person> {
    const username = `person${++this.#people}-${role}-${Date.now()}`;
    const { id: roleId } = await this.auth.roles.find(role);
    const data = { username, email: `${username}@people.example`, provider: 'local', confirmed: true, role: roleId };
    const user = await this.sheaf.documents(USER).create({ data: { ...data, ...values } });
    const { id, documentId } = user;
    return { id, documentId, username: String(user.username), who: await this.logIn(id) };
  }

  async logIn(id: number): Promise<Who> {
    return bearer((await this.auth.sessions.begin(id))!.jwt);
  }

  async token(type: TokenType, actions: readonly string[] = []): Promise<Who> {
    return bearer(await this.auth.tokens.create({ name: 'test', description: '', type, actions, days: null }));
  }
}

export interface GuardedOptions {
  readonly rules?: Rules;
  /** An existing database; a new and empty one where none is given. */
  readonly database?: string;
  /** Further members of config/sheaf.json. */
  readonly settings?: Json;
}

/** For the body of a suite: what it opens is closed when it is over. */
export function useGuarded(engine: Engine, contents: Contents) {
  const opened: Guarded[] = [];
  afterAll(async () => {
    for (const one of opened) await one.close();
  });
  /** The folder of a project with its rules. */
  const projectWith = (project: Project, { rules, settings = {} }: GuardedOptions = {}): string => {
    const folder = contents.project(project);
    if (rules) writeAccessFile(folder, 'rules.json', rules);
    mkdirSync(path.join(folder, 'config'), { recursive: true });
    writeFileSync(path.join(folder, 'config', 'sheaf.json'), JSON.stringify({ ...SETTINGS, ...settings }));
    return folder;
  };
  return {
    projectWith,
    async open(project: Project | string, options: GuardedOptions = {}): Promise<Guarded> {
      const folder = typeof project === 'string' ? project : projectWith(project, options);
      const database = options.database ?? (await databaseFor(engine, project, folder));
      const sheaf = await open({ project: folder, database, state: path.join(folder, '.state'), secrets: SECRETS });
      let auth: Auth;
      try {
        auth = await sheaf.auth();
      } catch (error) {
        await sheaf.close();
        throw error;
      }
      const guarded = new Guarded(sheaf, auth, database);
      opened.push(guarded);
      return guarded;
    },
  };
}
