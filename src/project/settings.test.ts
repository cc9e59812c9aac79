// The files of config/: that every wrong place of them is reported, with its path and what is expected there.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SetupError } from '../errors.ts';
import { readLocales } from './locales.ts';
import { DEFAULT_SETTINGS, readSettings } from './settings.ts';

let project: string;
beforeAll(() => {
  project = mkdtempSync(path.join(tmpdir(), 'sheaf-settings-'));
  mkdirSync(path.join(project, 'config'));
});
afterAll(() => rmSync(project, { recursive: true }));

const write = (file: string, content: unknown): void =>
  writeFileSync(path.join(project, 'config', file), JSON.stringify(content));

function problemsOf(read: (project: string) => unknown): readonly string[] {
  try {
    read(project);
  } catch (error) {
    expect(error).toBeInstanceOf(SetupError);
    return (error as SetupError).problems;
  }
  return [];
}

describe('settings', () => {
  it('are the defaults where there is no file, or an empty one', () => {
    expect(readSettings(path.join(project, 'none'))).toBe(DEFAULT_SETTINGS);
    write('sheaf.json', { users: {} });
    expect(readSettings(project)).toEqual(DEFAULT_SETTINGS);
  });

  it('take what Strapi 5 calls api.rest, each key with a default', () => {
    const rest = {
      prefix: '/api',
      defaultLimit: 25,
      maxLimit: 100,
      withCount: true,
      strictParams: false,
      privateAttributes: [],
    };
    expect(DEFAULT_SETTINGS.rest).toEqual(rest);
    write('sheaf.json', { rest: { prefix: '/v1/content', maxLimit: 10_000, strictParams: true } });
    expect(readSettings(project).rest).toEqual({
      ...rest,
      prefix: '/v1/content',
      maxLimit: 10_000,
      strictParams: true,
      privateAttributes: [],
    });
  });

  it('refuse a prefix that is no path, and a page that is too large', () => {
    write('sheaf.json', { rest: { prefix: 'api/', defaultLimit: 0, maxLimit: 10_001 } });
    expect(problemsOf(readSettings)).toEqual([
      'rest.prefix: expected a path such as "/api", or "" for none',
      'rest.defaultLimit: expected a whole number of entries, at least 1',
      'rest.maxLimit: expected at most 10000 entries',
    ]);
  });

  it('are refused in every wrong place, however deep', () => {
    write('sheaf.json', {
      auth: { sessionSeconds: 0.5, registerFields: ['age', 7], one: 1, two: 2 },
      cors: { origins: ['*', 'www.example.com'] },
      rateLimits: { auth: {}, cost: { max: '5', seconds: 1 } },
      email: { from: '', resetUrl: 5, confirmationUrl: null },
    });
    const known = 'accessTokenSeconds, refreshTokenSeconds, sessionSeconds, refreshToken, cookie, jwt, registerFields';
    expect(problemsOf(readSettings)).toEqual([
      'auth.sessionSeconds: expected a whole number of seconds, at least 1',
      'auth.registerFields.1: expected a string that is not empty',
      `auth.one: not known; expected ${known}`,
      `auth.two: not known; expected ${known}`,
      'cors.origins.1: expected an origin such as "https://www.example.com", or "*"',
      'rateLimits.auth.max: missing; expected max, seconds',
      'rateLimits.auth.seconds: missing; expected max, seconds',
      'rateLimits.cost.max: expected a whole number, at least 1',
      'email.from: expected a string that is not empty, or null',
      'email.resetUrl: expected a string that is not empty, or null',
    ]);
  });
});

describe('locales', () => {
  it('are a list, the default one first, or none', () => {
    expect(readLocales(project)).toBeNull();
    write('locales.json', ['fr', 'en']);
    expect(readLocales(project)).toEqual(['fr', 'en']);
  });

  it.each([[[]], [{}], ['en'], [null]])('are refused as %j', (content) => {
    write('locales.json', content);
    expect(problemsOf(readLocales)).toEqual([
      'the file: expected a list of locale codes, the default one first, such as ["en", "fr"]',
    ]);
  });

  it('are refused by the place of each that is no code', () => {
    write('locales.json', ['en', '', 7]);
    expect(problemsOf(readLocales)).toEqual([
      '1: expected a locale code, such as "en"',
      '2: expected a locale code, such as "en"',
    ]);
  });
});
