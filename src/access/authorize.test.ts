// The one door: who is refused, and with which answer.
import { describe, expect, it } from 'vitest';
import { modelOf } from '../../test/support/project.ts';
import { refusalOf } from '../../test/support/refusal.ts';
import { userWith } from '../../test/support/rules.ts';
import { ROLE, USER } from '../model/builtin.ts';
import { FIRST_PAGE } from '../request/parse-read.ts';
import { authorize, requireAction } from './authorize.ts';
import { type Caller, systemCaller } from './caller.ts';
import type { ReadName, ReadOperation, WriteName, WriteOperation } from './operation.ts';

const model = modelOf({
  types: {
    page: { drafts: true, attributes: { title: { type: 'string' } } },
    front: { single: true, attributes: { title: { type: 'string' } } },
  },
});
const PAGE = 'api::page.page';
const FRONT = 'api::front.front';

const read = (name: ReadName, uid: string): ReadOperation => ({
  name,
  type: model.contentTypes.get(uid)!,
  parameters: {},
  defaults: { status: 'published', pagination: FIRST_PAGE },
});
const write = (name: WriteName, uid: string): WriteOperation => ({
  name,
  type: model.contentTypes.get(uid)!,
  documentId: 'x',
  data: {},
  parameters: {},
  defaultStatus: 'published',
});
const mayOnly = (...grants: string[]): Caller => userWith(model, { grants, user: { id: 1, documentId: 'me' } });
const statusOf = (caller: Caller, operation: ReadOperation | WriteOperation): number =>
  refusalOf(() => authorize(operation, caller)).status;

describe('an operation', () => {
  it('passes as it is, for who has the right to it', () => {
    const caller = mayOnly(`${PAGE}.publish`);
    const operation = write('publish', PAGE);
    expect(authorize(operation, caller)).toEqual({ operation, caller });
    expect(authorize(operation, caller).operation).toBe(operation);
  });

  it('is refused with a 403 to who has every right but the one it needs', () => {
    expect(statusOf(mayOnly(`${PAGE}.find`, `${PAGE}.findOne`, `${PAGE}.update`), write('publish', PAGE))).toBe(403);
    expect(statusOf(mayOnly(`${PAGE}.findOne`), read('find', PAGE))).toBe(403);
    expect(statusOf(mayOnly(`${FRONT}.find`), read('find', PAGE))).toBe(403);
  });

  it('that needs two rights is refused to who has one of them', () => {
    const count = read('count', USER);
    expect(statusOf(mayOnly(`${USER}.count`), count)).toBe(403);
    expect(statusOf(mayOnly(`${USER}.find`), count)).toBe(403);
    expect(authorize(count, mayOnly(`${USER}.count`, `${USER}.find`)).operation).toBe(count);
  });

  it('on a type that is not served finds nothing, even for the system', () => {
    expect(statusOf(systemCaller(model), read('find', ROLE))).toBe(404);
    expect(statusOf(mayOnly(`${ROLE}.find`), read('find', ROLE))).toBe(404);
  });
});

describe('the own account', () => {
  it('is there for who has one', () => {
    expect(authorize(read('me', USER), mayOnly(`${USER}.me`)).operation.name).toBe('me');
  });

  it('asks others to log in, though they have the right', () => {
    const visitor = userWith(model, { grants: [`${USER}.me`] });
    expect(statusOf(visitor, read('me', USER))).toBe(401);
    expect(statusOf(systemCaller(model), read('me', USER))).toBe(401);
  });
});

describe('a single type', () => {
  it.each(['create', 'clone'] as const)('is given a document by the system alone: %s', (name) => {
    const full: Caller = { ...systemCaller(model), kind: 'token' };
    expect(statusOf(full, write(name, FRONT))).toBe(403);
    expect(authorize(write(name, FRONT), systemCaller(model)).operation.name).toBe(name);
    expect(authorize(write(name, PAGE), full).operation.name).toBe(name);
  });
});

describe('a row by itself', () => {
  it('is written by code that sees everything alone', () => {
    const operation = { ...write('update', PAGE), row: 1 };
    expect(statusOf(systemCaller(model), operation)).toBe(403);
    expect(statusOf({ ...systemCaller(model), kind: 'token' }, operation)).toBe(403);
    expect(authorize(operation, systemCaller(model, 'everything')).operation.row).toBe(1);
  });
});

describe('a right that is no operation on content', () => {
  it('is required by its name', () => {
    expect(() =>
      requireAction(mayOnly('plugin::i18n.locales.listLocales'), 'plugin::i18n.locales.listLocales'),
    ).not.toThrow();
    expect(refusalOf(() => requireAction(mayOnly(PAGE), 'plugin::i18n.locales.listLocales')).status).toBe(403);
  });
});
