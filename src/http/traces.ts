// Traces by OpenTelemetry: a span for each request, and one for each statement that it runs. The packages are not
// installed with ours, and are loaded only where traces are asked for. Where spans are sent is said by the variables of
// OpenTelemetry, such as OTEL_EXPORTER_OTLP_ENDPOINT.
import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Context, Span } from '@opentelemetry/api';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ObserveStatement } from '../db/observed-database.ts';
import { SetupError } from '../errors.ts';
import { routeOf } from './log.ts';

export interface Traces {
  /** Makes a span of every request of a server. */
  follow(app: FastifyInstance): void;
  /** Makes a span of a statement that a request runs. */
  readonly observe: ObserveStatement;
  /** Sends what is left. */
  close(): Promise<void>;
}

const PACKAGES = [
  '@opentelemetry/api',
  '@opentelemetry/sdk-trace-base',
  '@opentelemetry/exporter-trace-otlp-http',
  '@opentelemetry/resources',
];

type Packages = readonly [
  typeof import('@opentelemetry/api'),
  typeof import('@opentelemetry/sdk-trace-base'),
  typeof import('@opentelemetry/exporter-trace-otlp-http'),
  typeof import('@opentelemetry/resources'),
];

const loadPackages = (): Promise<Packages> =>
  Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace-base'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ]);

/** The W3C's header: version, trace, parent, flags. */
const TRACEPARENT = /^[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(?:-.*)?$/;
const NONE = /^(?:0+|ff-.*)$/;
const SERVER_ERROR = 500;
/** How long the end of the server waits for the last spans to be sent. */
const MAX_CLOSE_MS = 2_000;

declare module 'fastify' {
  interface FastifyRequest {
    /** The span of the request, where there are traces. */
    trace?: Context;
  }
}

/** `load`: loads the packages. */
export async function openTraces(load: () => Promise<Packages> = loadPackages): Promise<Traces> {
  const [api, sdk, { OTLPTraceExporter }, resources] = await load().catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new SetupError('Traces need packages that are not installed', [`npm install ${PACKAGES.join(' ')}`]);
  });
  const provider = new sdk.BasicTracerProvider({
    resource: resources
      .defaultResource()
      .merge(resources.resourceFromAttributes({ 'service.name': 'sheaf' }))
      .merge(resources.detectResources({ detectors: [resources.envDetector] })),
    spanProcessors: [new sdk.BatchSpanProcessor(new OTLPTraceExporter())],
  });
  const tracer = provider.getTracer('sheaf');
  const current = new AsyncLocalStorage<Context>();
  const { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } = api;

  /** What the client says that the request belongs to. */
  const parentOf = (header: unknown): Context => {
    const [whole, traceId = '', spanId = '', flags = '0'] = TRACEPARENT.exec(String(header)) ?? [];
    if (whole === undefined || NONE.test(whole) || NONE.test(traceId) || NONE.test(spanId)) return ROOT_CONTEXT;
    return trace.setSpanContext(ROOT_CONTEXT, {
      traceId,
      spanId,
      traceFlags: Number.parseInt(flags, 16),
      isRemote: true,
    });
  };
  const begin = (request: FastifyRequest): Span => {
    const options = { kind: SpanKind.SERVER, attributes: { 'http.request.method': request.method } };
    return tracer.startSpan(request.method, options, parentOf(request.headers.traceparent));
  };
  const end = (span: Span, request: FastifyRequest, status: number | null): void => {
    const route = routeOf(request);
    if (route !== null) span.updateName(`${request.method} ${route}`).setAttribute('http.route', route);
    if (status !== null) span.setAttribute('http.response.status_code', status);
    if (status === null || status >= SERVER_ERROR) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end();
  };

  return {
    follow(app) {
      app.addHook('onRequest', (request, { raw }, done) => {
        const span = begin(request);
        raw.on('close', () => end(span, request, raw.writableEnded ? raw.statusCode : null));
        request.trace = trace.setSpan(ROOT_CONTEXT, span);
        current.run(request.trace, done);
      });
      // What reads a body calls back from elsewhere.
      app.addHook('preHandler', (request, _reply, done) => current.run(request.trace!, done));
    },
    async observe(sql, run) {
      const request = current.getStore();
      if (!request) return run();
      // Values of clients are bound, so the text holds none.
      const attributes = { 'db.query.text': sql };
      const span = tracer.startSpan(sql.slice(0, sql.search(/\s|$/)), { kind: SpanKind.CLIENT, attributes }, request);
      try {
        return await run();
      } catch (error) {
        span.setStatus({ code: SpanStatusCode.ERROR });
        throw error;
      } finally {
        span.end();
      }
    },
    // A collector that does not answer must not keep the server from ending.
    close: () =>
      Promise.race([provider.shutdown().catch(() => undefined), sleep(MAX_CLOSE_MS, undefined, { ref: false })]),
  };
}
