import { describe, expect, it } from 'vitest';
import { normalisedUrl } from './normalised-url.ts';

describe('The target of a request', () => {
  it.each([
    ['/api/notes', '/api/notes'],
    ['/%61pi/%6Eotes%2d%5F%2e%7e', '/api/notes-_.~'],
    ['/api/%28a%29%21%2A%27', "/api/(a)!*'"],
    // What separates means something else when it is encoded.
    ['/api/a%2fb%3fc%2C%23', '/api/a%2Fb%3Fc%2C%23'],
    ['/api/caf%c3%a9', '/api/caf%C3%A9'],
    ['/api/café|{[', '/api/caf%C3%A9%7C%7B%5B'],
    ['/api/a\\b', '/api/a%5Cb'],
    // Nothing is decoded twice.
    ['/api/%2561', '/api/%2561'],
    ['/api/%25%36%31', '/api/%2561'],
    ['/api/%%36%31', '/api/%%36%31'],
    ['/api/%6eotes/%zz', '/api/%6eotes/%zz'],
    ['/api/%E2%84%AAeys', '/api/Keys'],
    ['/api/\u212Aeys', '/api/Keys'],
    ['/api/\uD800', '/api/%EF%BF%BD'],
    // The query is none of the path.
    ['/api/notes?a=%61[b]', '/api/notes?a=%61[b]'],
    ['/%61pi?a=%61?b', '/api?a=%61?b'],
    ['/api/notes#/history', '/api/notes'],
    ['/api/notes?a=b#c', '/api/notes?a=b'],
    ['http://other.example/%61pi/notes?a=/b', '/api/notes?a=/b'],
    ['HTTPS://other.example?a', '/?a'],
    ['http://other.example', '/'],
    ['*', '*'],
  ])('%s', (url, normal) => {
    expect(normalisedUrl(url)).toBe(normal);
    expect(normalisedUrl(normal), 'once more').toBe(normal);
  });
});
