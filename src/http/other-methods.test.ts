import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isUnroutedQuery, refuseOtherMethods } from './other-methods.ts';
import { isRead, MAX_PARAMETER_LENGTH, type Method, type Route } from './routes.ts';

const route = (method: Method, path: string, more: Partial<Route> = {}): Route =>
  ({ method, path, handler: async () => `${method} ${path}`, ...more }) as Route;

const ROUTES = [
  route('GET', '/api/things'),
  route('POST', '/api/things'),
  route('GET', '/api/things/:documentId'),
  route('PUT', '/api/things/:documentId'),
  route('DELETE', '/api/things/:documentId'),
  route('GET', '/api/things/me'),
  route('POST', '/api/log-in', { refusesInEnvelope: true }),
  route('GET', '/api/confirm', { writes: true }),
  route('GET', '/alive', { takesAnyMethod: true }),
  // Of a project's code.
  route('POST', '/api/things/own', { readsBody: true }),
  route('GET', '/api/files/*', { readsBody: true }),
];

describe('Methods that a path does not answer', () => {
  const apps: FastifyInstance[] = [];
  const serve = (served: readonly Route[]): FastifyInstance => {
    const app = Fastify({
      routerOptions: { caseSensitive: false, ignoreTrailingSlash: true, maxParamLength: MAX_PARAMETER_LENGTH },
    });
    app.decorateRequest('refusedPath', null);
    app.decorateRequest('begin', 0);
    for (const { method, path, handler, writes } of served)
      app.route({ method, url: path, handler, exposeHeadRoute: writes !== true });
    const refuse = refuseOtherMethods(app, ROUTES, served);
    const unrouted = (request: FastifyRequest, reply: FastifyReply): void => {
      if (!refuse(request, reply)) reply.code(404).send('nothing');
    };
    app.setNotFoundHandler(unrouted);
    app.setErrorHandler<FastifyError>((error, request, reply) => {
      if (isUnroutedQuery(request, error)) return unrouted(request, reply);
      throw error;
    });
    apps.push(app);
    return app;
  };
  let app: FastifyInstance;
  let reading: FastifyInstance;
  beforeAll(() => {
    app = serve(ROUTES);
    reading = serve(ROUTES.filter(isRead));
  });
  afterAll(() => Promise.all(apps.map((each) => each.close())));

  const ask = async (on: FastifyInstance, words: string): Promise<unknown[]> => {
    const [method, url] = words.split(' ') as ['GET' | 'OPTIONS', string];
    const { statusCode, headers, body } = await on.inject({ method, url });
    return statusCode === 200 && method !== 'OPTIONS' ? [200, body] : [statusCode, headers.allow];
  };

  it.each([
    ['PATCH /api/things', [405, 'HEAD, GET, POST']],
    ['DELETE /api/things', [405, 'HEAD, GET, POST']],
    ['QUERY /api/things', [405, 'HEAD, GET, POST']],
    ['QUERY /api/nothing', [404, undefined]],
    ['POST /api/things/x', [405, 'HEAD, GET, PUT, DELETE']],
    ['PATCH /API/Things/x/', [405, 'HEAD, GET, PUT, DELETE']],
    ['PATCH /api/th%69ngs/x?a=/b', [405, 'HEAD, GET, PUT, DELETE']],
    ['GET /api/log-in', [405, 'POST']],
    ['HEAD /api/log-in', [405, 'POST']],
    // A fixed path is not one of those that vary.
    ['PUT /api/things/me', [405, 'HEAD, GET']],
    ['PATCH /api/things/me', [405, 'HEAD, GET']],
    // Other routes answer what code of the project does not.
    ['PUT /api/things/own', [200, 'PUT /api/things/:documentId']],
    ['PATCH /api/things/own', [405, 'POST']],
    ['PUT /api/files/a/b', [404, undefined]],
    ['OPTIONS /api/things', [200, 'HEAD, GET, POST']],
    ['OPTIONS /API/th%69ngs/x/?a', [200, 'HEAD, GET, PUT, DELETE']],
    ['OPTIONS /api/confirm', [200, 'GET']],
    ['OPTIONS /api/things/own', [200, 'POST']],
    ['OPTIONS /api/files/a/b', [404, undefined]],
    ['OPTIONS /api/nothing', [404, undefined]],
    ['TRACE /api/things', [404, undefined]],
    // A GET that writes is not done for a HEAD.
    ['GET /api/confirm', [200, 'GET /api/confirm']],
    ['HEAD /api/confirm', [405, 'GET']],
    ['POST /api/confirm', [405, 'GET']],
    ['POST /alive', [204, undefined]],
    ['QUERY /alive', [204, undefined]],
    ['OPTIONS /alive', [200, 'HEAD, GET']],
    ['PATCH /api/things/x/y', [404, undefined]],
    ['PATCH /api/things//', [404, undefined]],
    [`PATCH /api/things/${'x'.repeat(MAX_PARAMETER_LENGTH + 1)}`, [404, undefined]],
    ['PATCH /api/things/%zz', [400, undefined]],
    ['PATCH /api/things/%ff', [400, undefined]],
  ])('%s', async (words, answer) => {
    expect(await ask(app, words)).toEqual(answer);
  });

  it.each([
    ['POST /api/things', [405, 'HEAD, GET']],
    ['PUT /api/things/x', [405, 'HEAD, GET']],
    ['PATCH /api/things', [405, 'HEAD, GET']],
    ['PUT /api/things/me', [405, 'HEAD, GET']],
    ['HEAD /api/confirm', [405, '']],
    ['DELETE /alive', [204, undefined]],
    ['OPTIONS /api/things/x', [200, 'HEAD, GET']],
  ])('where the server only reads: %s', async (words, answer) => {
    expect(await ask(reading, words)).toEqual(answer);
  });
});
