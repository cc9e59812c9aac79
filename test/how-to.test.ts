// Sends every request of the how-to pages to the guide, in their order, on every database: what a page shows as the
// response is what comes. A name in angle brackets stands for the value that an earlier response had in its place.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sheaf } from '../src/app.ts';
import { createServer } from '../src/http/server.ts';
import { describeOnEveryDatabase } from './support/database.ts';

const DOCS = fileURLToPath(new URL('../docs/', import.meta.url));
const PAGES = readdirSync(DOCS).filter((name) => name.startsWith('how-to-'));

interface Step {
  readonly line: number;
  readonly method: string;
  readonly url: string;
  readonly body: string | null;
  /** Null where the page shows none. */
  readonly response: string | null;
}

/** Blocks of requests, each with the block of JSON that follows it before the next one. */
function stepsOf(page: string): Step[] {
  const text = readFileSync(`${DOCS}${page}`, 'utf8');
  const blocks = [...text.matchAll(/^```(http|json)\n([\s\S]*?)^```$/gm)];
  return blocks.flatMap(({ 1: kind, 2: block = '', index }, at) => {
    if (kind !== 'http') return [];
    const [head = '', ...rest] = block.split('\n\n');
    const [method = '', ...url] = head.trim().split(/\s+/);
    const next = blocks[at + 1];
    const response = next?.[1] === 'json' ? next[2]! : null;
    const line = text.slice(0, index).split('\n').length;
    return [{ line, method, url: url.join(''), body: rest.join('\n\n').trim() || null, response }];
  });
}

const NAME = /^<([\w-]+)>$/;

/** What a page shows, with names that are known replaced, and the others left to be learned. */
function matches(shown: unknown, got: unknown, names: Map<string, unknown>): unknown {
  if (typeof shown === 'string') {
    const [, name] = NAME.exec(shown) ?? [];
    if (name === undefined) return shown;
    if (!names.has(name)) names.set(name, got);
    return names.get(name);
  }
  if (Array.isArray(shown)) return shown.map((one, index) => matches(one, (got as unknown[])?.[index], names));
  if (typeof shown !== 'object' || shown === null) return shown;
  const members = Object.entries(shown).map(([key, value]) => [
    key,
    matches(value, (got as Record<string, unknown>)?.[key], names),
  ]);
  return Object.fromEntries(members);
}

describeOnEveryDatabase('The how-to pages', (engine) => {
  let sheaf: Sheaf;
  let app: FastifyInstance;
  let authorization: string;
  beforeAll(async () => {
    sheaf = await engine.open();
    app = createServer(sheaf);
    const { tokens } = await sheaf.auth();
    const all = { description: '', type: 'full-access', actions: [], days: null } as const;
    const token = await tokens.create({ name: 'how-to', ...all });
    authorization = `Bearer ${token}`;
  });
  afterAll(() => app.close());

  it.each(PAGES)('%s shows what comes', async (page) => {
    const names = new Map<string, unknown>();
    const known = (text: string): string => text.replace(/<([\w-]+)>/g, (all, name) => String(names.get(name) ?? all));
    const steps = stepsOf(page);
    expect(steps.length).toBeGreaterThan(3);
    for (const { line, method, url, body, response } of steps) {
      const answer = await app.inject({
        method: method as 'GET',
        url: known(url),
        headers: { authorization, ...(body !== null && { 'content-type': 'application/json' }) },
        ...(body !== null && { payload: known(body) }),
      });
      const place = `docs/${page}:${line}: ${answer.body}`;
      if (response === null) expect(answer.statusCode, place).toBeLessThan(300);
      else {
        const got = answer.json();
        expect(got, place).toMatchObject(matches(JSON.parse(response), got, names) as object);
      }
    }
  });
});

describe('The how-to pages', () => {
  it('are linked from the list of pages', () => {
    const list = readFileSync(`${DOCS}README.md`, 'utf8');
    for (const page of readdirSync(DOCS))
      if (page.endsWith('.md') && page !== 'README.md') expect(list).toContain(`](${page})`);
  });
});
