import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { loadModel } from '../../model/build.ts';
import { parseLogLine, parseRequestLine, readAccessLog, readRequestFile } from './request-sources.ts';

const folder = mkdtempSync(path.join(os.tmpdir(), 'sheaf-requests-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function fileOf(...lines: readonly string[]): string {
  const file = path.join(folder, 'lines.txt');
  writeFileSync(file, lines.join('\n'));
  return file;
}

const model = loadModel(fileURLToPath(new URL('../../../examples/guide', import.meta.url)));

describe('A line of a log', () => {
  it.each([
    [
      'the common format',
      '127.0.0.1 - - [10/Oct/2026:13:55:36 +0000] "GET /api/dishes?sort=name HTTP/1.0" 200 2326',
      '/api/dishes?sort=name',
    ],
    [
      'the combined format, whose referrer is not a request',
      '::1 - frank [10/Oct/2026:13:55:36 +0000] "GET /api/dishes HTTP/1.1" 200 1 "http://a.example/GET /x" "curl/8"',
      '/api/dishes',
    ],
    [
      'what nginx escapes',
      '127.0.0.1 - - [x] "GET /api/dishes?filters[name]=\\x22a\\x22 HTTP/2.0" 200 1',
      '/api/dishes?filters[name]=%22a%22',
    ],
    [
      'the log of Strapi 5',
      '[2026-11-16 02:00:00.123] http: GET /api/dishes?populate=* (23 ms) 200',
      '/api/dishes?populate=*',
    ],
    [
      'the same in colour',
      '[2026-11-16 02:00:00.123] \u001b[32mhttp\u001b[39m: GET /api/dishes (\u001b[33m23 ms\u001b[39m) \u001b[32m200\u001b[39m',
      '/api/dishes',
    ],
    ['winston in JSON', '{"level":"http","message":"GET /api/dishes?a=b (23 ms) 200"}', '/api/dishes?a=b'],
    ['pino', '{"level":30,"req":{"id":1,"method":"GET","url":"/api/dishes"},"res":{"statusCode":200}}', '/api/dishes'],
    ['nginx in JSON', '{"request_method":"GET","request_uri":"/api/dishes","status":"200"}', '/api/dishes'],
    ['a request line in JSON', '{"request":"GET /api/dishes HTTP/1.1"}', '/api/dishes'],
    ['a whole URL', '10.0.0.1 "GET https://cms.example.com/api/dishes?x=1 HTTP/1.1" 200', '/api/dishes?x=1'],
  ])('is read: %s', (_name, line, target) => {
    expect(parseLogLine(line)).toEqual({ method: 'GET', target });
  });

  it.each(['', 'Server started', '{"level":30,"msg":"ready"}', '{broken', '"GETTING /api"'])('is none: %s', (line) => {
    expect(parseLogLine(line)).toBeNull();
  });
});

describe('A log', () => {
  it('gives each read of content once, and says what it leaves out', async () => {
    const get = (target: string): string => `127.0.0.1 - - [x] "GET ${target} HTTP/1.1" 200 1`;
    const file = fileOf(
      get('/api/dishes?sort=name'),
      get('/api/dishes?sort=name'),
      get('/api/homepage'),
      get('/api/users/me'),
      '127.0.0.1 - - [x] "POST /api/dishes HTTP/1.1" 201 1',
      get('/api/auth/email-confirmation?confirmation=abc'),
      get('/api//AUTH/email-confirmation?confirmation=abc'),
      get('/api/connect/github'),
      get('/api/send-newsletter'),
      get('/admin/init'),
      'Server started',
      '',
    );
    const { requests, skipped } = await readAccessLog(file, '/api', model);
    expect(requests.map(({ method, target }) => `${method} ${target}`)).toEqual([
      'GET /api/dishes?sort=name',
      'GET /api/homepage',
      'GET /api/users/me',
    ]);
    expect(skipped).toEqual({
      'requests other than GET': 1,
      'paths that are not content': 5,
      'lines without a request': 1,
    });
  });
});

describe('A log of a project with another prefix', () => {
  it('gives what is below it, in either case', async () => {
    const get = (target: string): string => `127.0.0.1 - - [x] "GET ${target} HTTP/1.1" 200 1`;
    const targets = ['/Content/v1/dishes', '/api/dishes', '/content/v1/auth/callback'];
    const { requests } = await readAccessLog(fileOf(...targets.map(get)), '/content/V1', model);
    expect(requests.map(({ target }) => target)).toEqual(['/Content/v1/dishes']);
  });
});

describe('A file of requests', () => {
  it('has a path in each line, or JSON', async () => {
    const file = fileOf(
      '# dishes',
      '/api/dishes?filters[name]=Crème brûlée',
      '',
      'HEAD /api/dishes',
      '{"path": "/api/chefs", "headers": {"Authorization": "Bearer a"}}',
    );
    expect((await readRequestFile(file, '/api')).requests).toEqual([
      { method: 'GET', target: '/api/dishes?filters[name]=Cr%C3%A8me%20br%C3%BBl%C3%A9e', headers: {} },
      { method: 'HEAD', target: '/api/dishes', headers: {} },
      { method: 'GET', target: '/api/chefs', headers: { authorization: 'Bearer a' } },
    ]);
  });

  it('is refused where it would write, with all lines that are wrong', async () => {
    const file = fileOf(
      'POST /api/dishes',
      '/api/dishes',
      '{"method": "delete", "path": "/api/dishes/a"}',
      '/api/auth/email-confirmation?confirmation=a',
      'api/dishes',
      '{"path": 1}',
      '{"path": "/api/dishes", "headers": {"a": 1}}',
    );
    await expect(readRequestFile(file, '/api')).rejects.toThrow(
      [
        'cannot be used:',
        '  - line 1: POST: only GET and HEAD are sent',
        '  - line 3: DELETE: only GET and HEAD are sent',
        '  - line 4: a GET below /api/auth or /api/connect can change something',
        '  - line 5: expected a path that begins with /',
        '  - line 6: expected JSON such as {"path": "/api/articles"}',
        '  - line 7: headers: expected an object of strings',
      ].join('\n'),
    );
  });

  it('leads to no other host', () => {
    expect(parseRequestLine('//evil.example/api/dishes')).toEqual({
      method: 'GET',
      target: '/evil.example/api/dishes',
      headers: {},
    });
    expect(parseRequestLine('http://evil.example/api')).toBe('expected a path that begins with /');
  });
});
