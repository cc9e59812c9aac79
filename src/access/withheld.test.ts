import { describe, expect, it } from 'vitest';
import { FILE, USER } from '../model/builtin.ts';
import type { Closes, CodeFinding, CodeKind } from '../project/code/code-finding.ts';
import { authAction, FIND_FILES, LIST_LOCALES } from './actions.ts';
import { withheldBy } from './withheld.ts';

const ORDER = 'api::order.order';
const ACTIONS = [
  ...['find', 'findOne', 'create', 'update', 'delete', 'publish', 'clone'].map((verb) => `${ORDER}.${verb}`),
  'api::order.order-line.find',
  ...['find', 'me', 'count', 'update', 'destroy'].map((verb) => `${USER}.${verb}`),
  ...['callback', 'register'].map(authAction),
  FIND_FILES,
  'plugin::upload.content-api.upload',
  LIST_LOCALES,
];

/** Of a project whose code does not run. */
const CLOSED = { servedWithout: {}, runStrapiCode: false };

const finding = (subject: string | null, closes: Closes, kind: CodeKind = 'controller'): CodeFinding => ({
  file: 'src/x.ts',
  kind,
  subject,
  does: '',
  closes,
  instead: null,
});

const withheld = (subject: string, closes: Closes): string[] => {
  const made = withheldBy([finding(subject, closes)], CLOSED);
  return ACTIONS.filter((action) => made.has(action));
};

describe('code of a project', () => {
  it('withholds all actions of a type, its writes, or some of them', () => {
    expect(withheld(ORDER, 'all')).toEqual(ACTIONS.slice(0, 7));
    expect(withheld(ORDER, 'writes')).toEqual(ACTIONS.slice(2, 7));
    expect(withheld(ORDER, ['delete', 'clone'])).toEqual([`${ORDER}.delete`, `${ORDER}.clone`]);
    expect(withheld(ORDER, 'nothing')).toEqual([]);
  });

  it('withholds everything, or everything that writes', () => {
    expect(withheld('application', 'all')).toEqual(ACTIONS);
    expect(withheld('application', 'writes')).toEqual([
      ...ACTIONS.slice(2, 7),
      `${USER}.update`,
      `${USER}.destroy`,
      authAction('register'),
      'plugin::upload.content-api.upload',
    ]);
  });

  it('withholds accounts with users, and what a plugin serves with the plugin', () => {
    const users = ACTIONS.filter((action) => action.startsWith(USER));
    const auth = ['callback', 'register'].map(authAction);
    expect(withheld(USER, 'all')).toEqual([...users, ...auth]);
    expect(withheld(USER, 'writes')).toEqual([`${USER}.update`, `${USER}.destroy`, authAction('register')]);
    expect(withheld('plugin::users-permissions', 'all')).toEqual([...users, ...auth]);
    expect(withheld(FILE, 'writes')).toEqual(['plugin::upload.content-api.upload']);
    expect(withheld('plugin::i18n', 'all')).toEqual([LIST_LOCALES]);
  });

  it('withholds nothing where all of it is named', () => {
    const findings = [finding(ORDER, 'all'), finding(ORDER, 'writes', 'lifecycles')];
    expect(
      withheldBy(findings, { ...CLOSED, servedWithout: { [ORDER]: ['controller'] } }).reason(`${ORDER}.find`),
    ).toBeNull();
    expect(
      withheldBy(findings, { ...CLOSED, servedWithout: { [ORDER]: ['controller'] } }).reason(`${ORDER}.create`),
    ).toBe('lifecycles src/x.ts');
    expect(
      withheldBy(findings, { ...CLOSED, servedWithout: { [ORDER]: ['controller', 'lifecycles'] } }).findings,
    ).toEqual([]);
  });

  it('is named in vain where it closes nothing, and wrongly where there is none', () => {
    const findings = [finding(ORDER, 'nothing'), finding(null, 'nothing', 'cron')];
    expect(withheldBy(findings, { ...CLOSED, servedWithout: { [ORDER]: ['controller'] } }).findings).toEqual([]);
    expect(() => withheldBy(findings, { ...CLOSED, servedWithout: { [ORDER]: ['routes'] } })).toThrow(
      /order: it has no routes .* expected controller/,
    );
    expect(() => withheldBy(findings, { ...CLOSED, servedWithout: { toString: ['routes'] } })).toThrow(
      /toString: the project has no code for it/,
    );
    expect(() => withheldBy([], { ...CLOSED, servedWithout: { [ORDER]: ['routes'] } })).toThrow(/leave the key out/);
  });
});

describe('code that runs', () => {
  const RUNNING = { servedWithout: {}, runStrapiCode: true };
  const isClosed = (kind: CodeKind, given: Partial<CodeFinding> = {}): boolean =>
    withheldBy([{ ...finding(ORDER, 'all', kind), ...given }], RUNNING).has(`${ORDER}.find`);

  it('closes nothing, and what does not run closes what it guards', () => {
    for (const kind of ['controller', 'service', 'routes', 'policies', 'documents.use'] as const)
      expect(isClosed(kind), kind).toBe(false);
    expect(isClosed('lifecycles', { does: 'cannot be read' })).toBe(false);
    expect(isClosed('lifecycles', { does: 'beforeFindMany' })).toBe(false);
    expect(isClosed('lifecycles', { does: 'beforeFindMany', subject: 'application' })).toBe(true);
    expect(isClosed('documents.use', { file: 'src/plugins/own/strapi-server.ts' })).toBe(true);
    expect(isClosed('middlewares', { subject: 'application', file: 'config/middlewares.ts' })).toBe(false);
    expect(isClosed('middlewares', { subject: 'application', file: 'src/index.ts' })).toBe(true);
    expect(isClosed('bootstrap', { subject: 'application' })).toBe(true);
  });

  it('closes it again where it turns out not to run', () => {
    const withheld = withheldBy([finding(ORDER, 'all')], RUNNING);
    expect(withheld.has(`${ORDER}.find`)).toBe(false);
    withheld.close([finding(ORDER, 'all')]);
    expect(withheld.reason(`${ORDER}.find`)).toBe('controller src/x.ts');
  });
});
