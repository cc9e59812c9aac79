// The secrets that tokens are made with. None has a default: one that is not given is made at random at the first start
// and kept in a file that only this account can read. One that could be guessed refuses the start.
import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { SetupError } from '../errors.ts';
import type { GivenSecrets } from '../project/given-secrets.ts';
import { errorCode, errorMessage, isObject } from '../type-guards.ts';

export type Secrets = Required<Pick<GivenSecrets, 'jwt' | 'apiTokenSalt'>>;

const SHORTEST = 16;
const FEWEST_DIFFERENT = 8;
const COMMON = /secret|password|changeme|tobemodified|example|default/i;
const MADE_BYTES = 32;

const VARIABLES: readonly (readonly [secret: keyof Secrets, variable: string])[] = [
  ['jwt', 'JWT_SECRET'],
  ['apiTokenSalt', 'API_TOKEN_SALT'],
];

const fileIn = (folder: string): string => path.join(folder, 'secrets.json');

/** Variables of the secrets that a server which writes nothing has not got, neither given nor kept. */
export const missingSecrets = (given: GivenSecrets, folder: string): string[] =>
  existsSync(fileIn(folder))
    ? []
    : VARIABLES.filter(([name]) => given[name] === undefined).map(([, variable]) => variable);

/** `folder`: where secrets that are not given are kept. A server that writes nothing does not keep new ones. */
export function readSecrets(given: GivenSecrets, folder: string, isReadOnly = false): Secrets {
  const problems = VARIABLES.flatMap(([name, variable]) => {
    const weakness = given[name] === undefined ? null : weaknessOf(given[name]);
    const source = (name === 'jwt' && given.jwtSource) || variable;
    return weakness ? [`${source} ${weakness}; make one with: openssl rand -base64 32`] : [];
  });
  if (problems.length > 0) throw new SetupError('A secret could be guessed:', problems);
  const { jwt, apiTokenSalt } = given;
  if (jwt !== undefined && apiTokenSalt !== undefined) return { jwt, apiTokenSalt };
  const kept = isReadOnly && !existsSync(fileIn(folder)) ? madeSecrets() : keptSecrets(folder);
  return { jwt: jwt ?? kept.jwt, apiTokenSalt: apiTokenSalt ?? kept.apiTokenSalt };
}

function weaknessOf(secret: string): string | null {
  if (secret.length < SHORTEST) return `has fewer than ${SHORTEST} characters`;
  if (new Set(secret).size < FEWEST_DIFFERENT) return 'repeats a few characters';
  return COMMON.test(secret) ? 'holds a word that everyone tries' : null;
}

function keptSecrets(folder: string): Secrets {
  const file = fileIn(folder);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    // Whoever comes first makes it, and it appears whole: workers that start at once read the same.
    if (!existsSync(file)) {
      const unfinished = `${file}.${process.pid}`;
      writeFileSync(unfinished, `${JSON.stringify(madeSecrets(), null, 2)}\n`, { mode: 0o600 });
      try {
        linkSync(unfinished, file);
      } finally {
        rmSync(unfinished);
      }
    }
  } catch (error) {
    if (errorCode(error) !== 'EEXIST')
      throw new SetupError(`Secrets cannot be kept in ${file}: ${errorMessage(error)}`, [
        'set JWT_SECRET and API_TOKEN_SALT, or let this account write there',
      ]);
  }
  try {
    const kept: unknown = JSON.parse(readFileSync(file, 'utf8'));
    const { jwt, apiTokenSalt } = isObject(kept) ? kept : {};
    if (typeof jwt === 'string' && typeof apiTokenSalt === 'string' && !weaknessOf(jwt) && !weaknessOf(apiTokenSalt))
      return { jwt, apiTokenSalt };
  } catch {
    // Told below.
  }
  throw new SetupError(`${file} does not hold the secrets that were written there`, [
    'put it back, or remove it: then new ones are made, and everyone has to log in again',
  ]);
}

const random = (): string => randomBytes(MADE_BYTES).toString('base64url');
const madeSecrets = (): Secrets => ({ jwt: random(), apiTokenSalt: random() });
