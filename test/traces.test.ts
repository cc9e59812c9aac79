// Traces: what a collector of OpenTelemetry gets of a request.
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { open } from '../src/app.ts';
import { createServer } from '../src/http/server.ts';
import { openTraces } from '../src/http/traces.ts';
import { openDatabaseToAll } from './support/access.ts';
import { describeOnEveryDatabase, GUIDE } from './support/database.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';

interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly status: { readonly code: number };
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
}

const attribute = ({ attributes }: ReceivedSpan, name: string): unknown =>
  Object.values(attributes.find(({ key }) => key === name)?.value ?? {})[0];

describeOnEveryDatabase('Traces', (engine) => {
  const spans: ReceivedSpan[] = [];
  const services: unknown[] = [];
  const collector = http.createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    for (const { resource, scopeSpans } of JSON.parse(Buffer.concat(chunks).toString()).resourceSpans) {
      services.push(attribute({ attributes: resource.attributes } as ReceivedSpan, 'service.name'));
      for (const scope of scopeSpans) spans.push(...scope.spans);
    }
    response.end('{}');
  });
  beforeAll(async () => {
    await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
    process.env.OTEL_EXPORTER_OTLP_ENDPOINT = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    delete process.env.OTEL_EXPORTER_OTLP_ENDPOINT;
    collector.close();
  });

  it('have a span for each request, below that of the client, and one for each statement below it', async () => {
    const database = engine.emptyGuideDatabaseUrl();
    await openDatabaseToAll(database);
    const traces = await openTraces();
    const sheaf = await open({ project: GUIDE, database, observe: traces.observe });
    const app = createServer(sheaf, { traces });
    const address = await app.listen({ host: '127.0.0.1', port: 0 });
    const send = (target: string, traceparent: string, body?: unknown) =>
      fetch(`${address}${target}`, {
        headers: { traceparent, 'content-type': 'application/json' },
        ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
      }).then((response) => response.text());
    await Promise.all([
      send('/api/categories?filters[name]=secret-value', `00-${TRACE}-${PARENT}-01`),
      send('/api/categories', 'not a traceparent', { data: { name: 'secret-value' } }),
      send('/api/nothing', `00-${'0'.repeat(32)}-${PARENT}-01`),
    ]);
    await app.close();
    await sheaf.close();
    await traces.close();

    const requests = new Map(spans.filter(({ kind }) => kind === 2).map((span) => [span.name, span]));
    expect([...requests.keys()].toSorted()).toEqual(['GET', 'GET /api/categories', 'POST /api/categories']);
    const read = requests.get('GET /api/categories')!;
    expect(read).toMatchObject({ traceId: TRACE, parentSpanId: PARENT });
    expect(attribute(read, 'http.route')).toBe('/api/categories');
    expect(attribute(read, 'http.response.status_code')).toBe(200);
    const written = requests.get('POST /api/categories')!;
    expect(written.traceId).not.toBe(TRACE);
    expect(written.parentSpanId).toBeUndefined();
    expect(attribute(written, 'http.response.status_code')).toBe(201);
    expect(requests.get('GET')!.traceId).not.toMatch(/^0+$/);
    const statementsOf = ({ spanId }: ReceivedSpan) =>
      spans.filter(({ kind, parentSpanId }) => kind === 3 && parentSpanId === spanId);
    expect(
      statementsOf(read)
        .map((one) => String(attribute(one, 'db.query.text')))
        .join(),
    ).toContain('categories');
    expect(
      statementsOf(written)
        .map((one) => String(attribute(one, 'db.query.text')))
        .join(),
    ).toMatch(/insert into/i);
    expect(JSON.stringify(spans)).not.toContain('secret-value');
    expect(new Set(services)).toEqual(new Set(['sheaf']));
  });
});

describe('Traces without the packages of OpenTelemetry', () => {
  it('end the start with the command that installs them', async () => {
    const missing = Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' });
    await expect(openTraces(() => Promise.reject(missing))).rejects.toThrow(
      /Traces need packages that are not installed\n {2}- npm install @opentelemetry\/api @opentelemetry\/sdk-trace-base /,
    );
  });
});
