// /console: two routes, behind which everything is loaded with the first request. A start need not wait for it.
import multipart from '@fastify/multipart';
import type { FastifyInstance } from 'fastify';
import { CONSOLE_API, CONSOLE_PATH } from '../../console/contract.ts';
import { answerEarly } from '../early-answer.ts';
import { MULTIPART_OPTIONS } from '../receive-upload.ts';
import { answeredBy, METHODS, pathParametersOf, patternOf } from '../routes.ts';
import type { ConsoleContext } from './console-route.ts';
import type { Answer, ConsoleServer } from './console-server.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Of a request to the console that may be answered: how. */
    consoleAnswer: Answer | null;
  }
}

/** Whether a path is one that the console would have. */
export const isConsolePath = (path: string): boolean => `${patternOf(path)}/`.startsWith(`${CONSOLE_PATH}/`);

export function registerConsole(app: FastifyInstance, context: Omit<ConsoleContext, 'console'>): void {
  let opened: Promise<ConsoleServer> | null = null;
  const server = (): Promise<ConsoleServer> => {
    opened ??= import('./console-server.ts').then(({ openConsoleServer }) => openConsoleServer(context));
    return opened;
  };
  app.decorateRequest('consoleAnswer', null);
  app.register(async (scope) => {
    // Files are uploaded below /console/api as well.
    await scope.register(multipart, MULTIPART_OPTIONS);
    scope.addHook('onSend', answerEarly);
    scope.route({
      method: [...METHODS],
      url: `${CONSOLE_API}/*`,
      preParsing: async (request) => {
        request.consoleAnswer = await (await server()).admit(request);
      },
      handler: answeredBy((request, reply) => request.consoleAnswer!(reply)),
    });
    const page = answeredBy(async (request, reply) => {
      const { '*': name = '' } = pathParametersOf(request);
      return (await server()).files.send(request, reply, name);
    });
    scope.get(CONSOLE_PATH, page);
    scope.get(`${CONSOLE_PATH}/*`, page);
  });
}
