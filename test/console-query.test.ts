// Requests as the console builds and reads them, held against those who read them elsewhere: the parser and the planning
// of the server, the client, and a server that answers the examples of the documentation.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ReadDraft } from '../console/src/query/draft.ts';
import { parametersOf, urlOf } from '../console/src/query/draft-text.ts';
import { clientCodeOf, curlOf } from '../console/src/query/request-code.ts';
import { readRequest } from '../console/src/query/request-text.ts';
import { sentenceOf } from '../console/src/query/sentence.ts';
import { authorize } from '../src/access/authorize.ts';
import { systemCaller } from '../src/access/caller.ts';
import { createClient } from '../src/client/create-client.ts';
import { query } from '../src/client/query-text.ts';
import { DEFAULT_LIMITS } from '../src/limits.ts';
import { planRead } from '../src/plan/read/plan-read.ts';
import { DEFAULT_READ_RULES, FIRST_PAGE, parseRead } from '../src/request/parse-read.ts';
import { parseQueryString } from '../src/request/query-string.ts';
import { anyDraft, GUIDE, guideModel } from './support/console-model.ts';
import { type Content, GUIDE_PROJECT, useContents } from './support/content.ts';
import { describeOnSqlite } from './support/database.ts';
import { GIVEN_SEED, scaled } from './support/scale.ts';

const ORIGIN = 'http://127.0.0.1:1337';
const PREFIX = GUIDE.prefix;
const RUNS = { numRuns: scaled(80), seed: GIVEN_SEED ?? 13 };
/** What is generated may be deeper than people write. */
const LIMITS = { ...DEFAULT_LIMITS, depth: 100, filterNodes: 10_000 };
const reread = (text: string): ReadDraft => readRequest(text, GUIDE).draft;

/** What the server makes of a query, up to the statements. */
function planned(draft: ReadDraft) {
  const text = query(parametersOf(draft));
  const type = [...guideModel.contentTypes.values()].find(
    ({ uid }) => uid === GUIDE.types.find(({ path }) => path === draft.type)!.uid,
  )!;
  const parameters = parseQueryString(text, LIMITS);
  const defaults = { status: 'published', pagination: FIRST_PAGE } as const;
  const operation = { name: 'find', type, parameters, defaults } as const;
  const { shape } = parseRead(parameters, defaults, { ...DEFAULT_READ_RULES, limits: LIMITS });
  return planRead({ model: guideModel }, authorize(operation, systemCaller(guideModel)), shape, false);
}

/** The URL that the generated program asks for, with the real client. */
async function asked(code: string): Promise<string> {
  const urls: string[] = [];
  const fetch = async (url: unknown): Promise<Response> => {
    urls.push(String(url));
    return Response.json({ data: [], meta: { pagination: {} } });
  };
  const AsyncFunction = (async () => {}).constructor as new (
    ...text: string[]
  ) => (...given: unknown[]) => Promise<void>;
  const body = code.replace(/^import .*$/m, '');
  const make = (options: { readonly url: string }) =>
    createClient({ ...options, fetch: fetch as typeof globalThis.fetch });
  await new AsyncFunction('createClient', 'process', body)(make, { env: {} });
  expect(urls).toHaveLength(1);
  return urls[0]!;
}

describe('A request that is built', () => {
  it('is read back as it was, from its path, its URL and its curl command, and the server takes it', () => {
    fc.assert(
      fc.property(anyDraft, (draft) => {
        const url = urlOf(draft, PREFIX);
        expect(reread(url)).toEqual(draft);
        expect(reread(`${ORIGIN}${url.replaceAll('[', '%5B').replaceAll(']', '%5D')}#x`)).toEqual(draft);
        expect(reread(curlOf(draft, { origin: ORIGIN, prefix: PREFIX }))).toEqual(draft);
        expect(planned(draft)).toBeDefined();
      }),
      RUNS,
    );
  });

  it('is asked for in the same words by the program for the client', async () => {
    await fc.assert(
      fc.asyncProperty(anyDraft, async (draft) => {
        expect(await asked(clientCodeOf(draft, GUIDE, ORIGIN))).toBe(`${ORIGIN}${urlOf(draft, PREFIX)}`);
      }),
      RUNS,
    );
  });

  it('is one sentence', () => {
    fc.assert(
      fc.property(anyDraft, (draft) => {
        const sentence = sentenceOf(draft, GUIDE);
        expect(sentence).toMatch(/^[A-Z].*\.$/su);
        expect(sentence).not.toMatch(/undefined|null|\bNaN\b|\$(?!\w*”)/);
      }),
      RUNS,
    );
  });
});

const same = (one: string, other: string): void => expect(reread(one), one).toEqual(reread(other));

describe('A request that is pasted', () => {
  it('is read in every form in which it is written', () => {
    const path = '/api/restaurants?filters[stars][$gte]=2&filters[name][$eq]=a b&sort[0]=name:desc&sort[1]=stars';
    same(`http://example.com:1337${path}`, path);
    same(`GET ${path} HTTP/1.1`, path);
    same(`"${path}"`, path);
    same(path.replaceAll('[', '%5B').replaceAll(']', '%5D').replaceAll('$', '%24'), path);
    same(path.replace('/api/', '/console/api/rest/'), path);
    same(`http://x/console/find?url=${encodeURIComponent(path)}`, path);
    same(`curl -s -g '${path}' -H 'authorization: Bearer x'`, path);
    same(`curl -XGET --url="http://x${path.replace(/\$/g, '\\$')}"`, path);
    same(
      `$ curl -sG http://x/api/restaurants \\
        --data-urlencode 'filters[stars][$gte]=2' \\
        -d $'filters[name][$eq]=a%20b' --data "sort=name:desc,stars"`,
      path,
    );
    same(
      `curl -X POST http://x/api/restaurants/query -H 'content-type: application/json' \\
        -d '{"filters": {"stars": {"$gte": 2}, "name": {"$eq": "a b"}}, "sort": ["name:desc", "stars"]}'`,
      path,
    );
    expect(readRequest(`curl '${path}' -H "Authorization: Bearer x" -G -d @file`, GUIDE).notes).toEqual([
      'The authorization is left out: choose in “Ask as” whose eyes to use.',
      'The file file is left out.',
    ]);
  });

  it('is read from short forms as from long ones', () => {
    const of = (text: string): string => `/api/restaurants?${text}`;
    same(of('filters[name]=x'), of('filters[name][$eq]=x'));
    same(of('filters[id][]=1&filters[id][]=2'), of('filters[id][$in][0]=1&filters[id][$in][1]=2'));
    same(of('filters[id]=1&filters[id]=2'), of('filters[id][$in][0]=1&filters[id][$in][1]=2'));
    same(of('filters[rating]'), of('filters[rating][$notNull]=false'));
    same(of('filters[$not][stars]=1'), of('filters[$not][0][stars][$eq]=1'));
    same(of('sort=name:desc,chef.name'), of('sort[name]=desc&sort[chef][name]=asc'));
    same(of('populate=chef.country,dishes'), of('populate[chef][populate]=country&populate[dishes]=true'));
    same(of('populate[chef]=*'), of('populate[chef][populate]=true'));
    same(of('fields=name,stars'), of('fields[]=name&fields[]=stars'));
    same(of('filters[dishes][$count]=2'), of('filters[dishes][$count][$eq]=2'));
  });

  it('keeps what the builder cannot show, in its place', () => {
    for (const kept of [
      'filters[$or][0][name][$weird]=1&filters[$or][1][stars][$eq]=2',
      'filters[rating][$in][0]=5&filters[rating][$in][1]',
      'filters[id][$in]',
      'filters[meta][$at][$or][0][seats]=8&filters[meta][$at][$or][1][wifi]=true',
      'filters[stars][$between]=1',
      'populate[dishes][unknown]=1',
      'publicationFilter=modified&facets=cuisine&utm_source=x',
      'populate=',
      'status=both',
    ])
      expect(query(parametersOf(reread(`/api/restaurants?${kept}`)))).toBe(kept);
  });

  it('is refused in words where it is no read of the API', () => {
    const refusal = (text: string): string => {
      try {
        readRequest(text, GUIDE);
      } catch (error) {
        return (error as Error).message;
      }
      throw new Error(`${text} was read`);
    };
    expect(refusal('hello there')).toBe('This is neither a URL nor a path nor a curl command');
    expect(refusal('curl -X PUT http://x/api/restaurants/1 -d {}')).toBe(
      'Only what reads can be shown here, and this is a PUT',
    );
    expect(refusal("curl 'http://x")).toBe("A quote ' is not closed");
    expect(refusal('/api/?x=1')).toBe('The path names no content-type: expected /api/<name>');
    expect(readRequest('/api/nothing', GUIDE).notes).toEqual([
      'There is no content-type at /api/nothing that you may know.',
    ]);
  });
});

describe('A sentence', () => {
  it('says what a person would', () => {
    const said = (text: string): string => sentenceOf(reread(`/api/${text}`), GUIDE, new Map([['j7m4', 'Chiara']]));
    expect(
      said('restaurants?filters[chef][country][name]=France&filters[dishes][$none][price][$gt]=20&sort=createdAt:desc'),
    ).toBe(
      'Restaurants whose chef’s country’s name is “France” and with no dish whose price is more than 20, newest first, 25 a page.',
    );
    expect(said('restaurants?filters[open]=true&filters[$or][0][stars]=3&filters[$or][1][chef][documentId]=j7m4')).toBe(
      'Restaurants that are open and either whose stars are 3 or whose chef is Chiara, 25 a page.',
    );
    expect(said('restaurants?filters[$not][name][$startsWith]=A&filters[dishes][$every][vegan]=true&_q=cosy')).toBe(
      'Restaurants that contain “cosy” that are not among those whose name starts with “A” and where every dish is vegan, 25 a page.',
    );
    expect(
      said(
        'articles?status=draft&locale=fr&filters[updatedAt][$gte]=now-7d&sort=title:desc&fields=title&populate=tags',
      ),
    ).toBe(
      'Drafts of articles in fr whose updated at is 7 days ago or later, by title, last first, showing only title, with tags, 25 a page.',
    );
    expect(said('homepage')).toBe('The homepage.');
    expect(said('homepage?filters[featured][$some][name][$containsi]=a')).toBe(
      'The homepage with a restaurant among the featured whose name contains “a”, ignoring case.',
    );
    expect(said('restaurants?filters[openingHours][$none][day]=mon')).toBe(
      'Restaurants with no slot among the opening hours whose day is “mon”, 25 a page.',
    );
    expect(said('restaurants?filters[name][$not][$contains]=x&publicationFilter=modified')).toBe(
      'Restaurants whose name is not one that contains “x”, 25 a page, with “publicationFilter” as it is written.',
    );
  });
});

const page = (name: string): string => readFileSync(fileURLToPath(new URL(`../docs/${name}`, import.meta.url)), 'utf8');

/** Every request of the documentation, and every row of a table with a query for restaurants. */
const DOCUMENTED: readonly string[] = [
  ...['api.md', 'questions.md'].flatMap((name) => [...page(name).matchAll(/^GET (\S+(?:\n\s+\S+)*)$/gm)]),
  ...page('api.md').matchAll(/`((?:filters|sort|populate|fields|pagination)(?:=|\[)[^`…<]*)`/g),
].map(([, found]) => {
  const request = found!.replaceAll(/\s+/g, '');
  return request.startsWith('/') ? request : `/api/restaurants?${request}`;
});

describeOnSqlite('The requests of the documentation', (engine) => {
  const contents = useContents(engine);
  let content: Content;
  beforeAll(async () => {
    content = await contents.open(GUIDE_PROJECT, engine.guideDatabaseUrl());
  });

  it('mean the same when they have been read by the console and written again', async () => {
    expect(DOCUMENTED.length).toBeGreaterThan(120);
    const refused: string[] = [];
    for (const request of DOCUMENTED) {
      const { draft } = readRequest(request, GUIDE);
      const [before, after] = [await content.sendTo('GET', request), await content.sendTo('GET', urlOf(draft, PREFIX))];
      expect(after.body, `${request}\n${urlOf(draft, PREFIX)}`).toEqual(before.body);
      if (before.status !== 200) refused.push(`${request}: ${JSON.stringify(before.body)}`);
    }
    // Entries whose documentId is an example are not there, and some parts mean nothing alone.
    expect(refused.length, refused.join('\n')).toBeLessThan(DOCUMENTED.length / 4);
  });
});
