// The route that answers a method and a path, on the table of a whole project.
import { describe, expect, it } from 'vitest';
import { modelOf } from '../../test/support/project.ts';
import { knownActions } from '../access/actions.ts';
import type { Auth } from '../accounts/auth.ts';
import type { Sheaf } from '../app.ts';
import { DEFAULT_SETTINGS } from '../project/settings.ts';
import { routeTable } from './route-table.ts';
import { type Method, matchRoute } from './routes.ts';

const model = modelOf({
  types: {
    page: { drafts: true, attributes: { title: { type: 'string' } } },
    front: { single: true, drafts: true, attributes: { title: { type: 'string' } } },
    tag: { attributes: { label: { type: 'string' } } },
  },
});
// Routes need a server to answer, not to be listed.
const ROUTES = routeTable({ model } as Sheaf, { settings: DEFAULT_SETTINGS } as Auth);

const match = (method: Method, path: string) => {
  const found = matchRoute(ROUTES, method, path);
  return found && [found.route.path, found.route.operation?.name ?? null, found.documentId];
};

describe('a path', () => {
  it.each<[Method, string, unknown[]]>([
    ['GET', '/api/pages', ['/api/pages', 'find', null]],
    ['POST', '/api/pages', ['/api/pages', 'create', null]],
    ['GET', '/api/pages/abc', ['/api/pages/:documentId', 'findOne', 'abc']],
    ['PUT', '/api/pages/abc', ['/api/pages/:documentId', 'update', 'abc']],
    ['DELETE', '/api/pages/abc', ['/api/pages/:documentId', 'delete', 'abc']],
    ['POST', '/api/pages/abc/actions/publish', ['/api/pages/:documentId/actions/publish', 'publish', 'abc']],
    ['GET', '/api/pages/aggregate', ['/api/pages/aggregate', 'aggregate', null]],
    ['POST', '/api/pages/query', ['/api/pages/query', 'find', null]],
    ['QUERY', '/api/pages', ['/api/pages', 'find', null]],
    // Whether there is such a relation is for those to know who may read it.
    ['GET', '/api/pages/abc/more', ['/api/pages/:documentId/:relation', 'related', 'abc']],
    ['GET', '/api/front/more', ['/api/front/:relation', 'related', null]],
    ['GET', '/api/front', ['/api/front', 'findOne', null]],
    ['POST', '/api/front/actions/unpublish', ['/api/front/actions/unpublish', 'unpublish', null]],
    ['GET', '/api/users/me', ['/api/users/me', 'me', null]],
    ['GET', '/api/users/count', ['/api/users/count', 'count', null]],
    ['GET', '/api/users/7', ['/api/users/:documentId', 'findOne', '7']],
    ['POST', '/api/auth/local', ['/api/auth/local', null, null]],
    ['POST', '/api/upload', ['/api/upload', null, null]],
    ['GET', '/api/upload/files/7', ['/api/upload/files/:documentId', 'findOne', '7']],
    ['GET', '/api/upload/files/page', ['/api/upload/files/page', 'find', null]],
    ['GET', '/_health', ['/_health', null, null]],
    ['GET', '/uploads/a/b.png', ['/uploads/*', null, null]],
  ])('is answered by its route: %s %s', (method, path, expected) => {
    expect(match(method, path)).toEqual(expected);
  });

  it('is the same in any case and with slashes to spare, but not the id in it', () => {
    expect(match('GET', '/API/Pages/')).toEqual(['/api/pages', 'find', null]);
    expect(match('GET', '//api/pages/AbC')).toEqual(['/api/pages/:documentId', 'findOne', 'AbC']);
  });

  it('is the same where it is encoded without need', () => {
    expect(match('GET', '/%61pi/p%61ges')).toEqual(['/api/pages', 'find', null]);
    expect(match('GET', '/api/auth/%65mail-confirmation')).toEqual(['/api/auth/email-confirmation', null, null]);
  });

  it('holds an id as it was meant before it was encoded', () => {
    expect(match('GET', '/api/pages/a%2Fb%20c')).toEqual(['/api/pages/:documentId', 'findOne', 'a/b c']);
  });

  it.each<[Method, string]>([
    ['GET', '/'],
    ['GET', '/api'],
    ['GET', '/api/nosuch'],
    ['GET', '/pages'],
    ['GET', '/api/page'],
    ['GET', '/api/fronts'],
    ['GET', '/api/pages/abc/more/still'],
    ['PATCH', '/api/pages/abc'],
    ['POST', '/api/front'],
    ['GET', '/api/front/abc/more'],
    ['POST', '/api/tags/abc/actions/publish'],
    ['POST', '/api/pages/abc/actions/nosuch'],
    ['GET', '/api/roles'],
    ['GET', '/api/upload/folders'],
    ['GET', '/api/upload'],
    ['GET', '/api/pages/%E0%A4%A'],
  ])('is answered by no route: %s %s', (method, path) => {
    expect(match(method, path)).toBeNull();
  });
});

describe('the table', () => {
  it('has each method and path once', () => {
    const places = ROUTES.map(({ method, path }) => `${method} ${path.toLowerCase()}`);
    expect(new Set(places).size).toBe(places.length);
  });

  it('asks only for rights that can be granted, and asks for one wherever content is touched', () => {
    const known = knownActions(model);
    const open = ROUTES.filter(({ action }) => action === null).map(({ path }) => path);
    expect(open).toEqual(['/_health', '/_ready', '/api/openapi.json', '/uploads/*']);
    expect(ROUTES.filter(({ action }) => action !== null && !known.has(action))).toEqual([]);
  });

  it('leads every route to itself', () => {
    for (const route of ROUTES)
      expect(matchRoute(ROUTES, route.method, route.path.replace(':documentId', 'x'))?.route, route.path).toBe(route);
  });
});
