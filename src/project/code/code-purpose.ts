// What code seems to do, guessed from the words in it, and what Sheaf has for that. For people who decide whether they
// can do without it; nothing is closed or opened by it.

export interface Purpose {
  readonly does: string;
  readonly instead: string | null;
}

const USER = /\bstate\??\.user\b|\bstate\??\.auth\b|\brequestContext\b|\bgetToken\b/;
const ROWS = 'rows in access/*.json, such as "find": {"owner": {"id": "$user.id"}}';
const AFTER_COMMIT = 'sheaf.afterCommit(listener), in process';

interface Sign extends Purpose {
  readonly shows: (code: string) => boolean;
}

const has =
  (...patterns: readonly RegExp[]) =>
  (code: string): boolean =>
    patterns.every((pattern) => pattern.test(code));

/** The first that fit are told. */
const SIGNS: readonly Sign[] = [
  {
    shows: has(/up_permissions|users-permissions\.permission|\.permission['"`]/),
    does: 'grant permissions',
    instead: 'sheaf role grant',
  },
  {
    shows: has(USER, /\bfilters\b|\bwhere\b|\bowner|\bauthor|\buser(?:\??\.id|Id)\b|\bcreatedBy\b/),
    does: 'limit entries to their owner',
    instead: ROWS,
  },
  {
    shows: has(/\b(?:forbidden|unauthorized|ForbiddenError|UnauthorizedError|PolicyError)\b|state\??\.user/),
    does: 'refuse some callers',
    instead: 'grants (sheaf role grant) and rules in access/*.json',
  },
  { shows: has(/\bfilters\b/), does: 'add filters', instead: 'rows in access/*.json' },
  {
    shows: has(/\bdelete\s+\w+[.[]|\bomit\(|\bpassword\s*=\s*undefined/),
    does: 'leave out attributes',
    instead: 'fields in access/*.json, or "private": true in the schema',
  },
  { shows: has(/\bpopulate\b/), does: 'set what is populated', instead: 'clients send populate' },
  {
    shows: has(/\b(?:rateLimit|ratelimit|tooManyRequests)\b/i),
    does: 'limit the rate of requests',
    instead: 'rateLimits in config/sheaf.json',
  },
  {
    shows: has(/\bemail\b[\s\S]{0,80}\bsend|sendMail|nodemailer/i),
    does: 'send mail',
    instead: AFTER_COMMIT,
  },
  { shows: has(/\bfetch\(|\baxios\b|\bhttps?\.request\b/), does: 'call another service', instead: AFTER_COMMIT },
  {
    shows: has(/\bdata\??(?:\.\w+|\[[^\]]+\])+\s*=(?!=)/),
    does: 'fill in attributes',
    instead: '"default" in the schema, or the client sends them',
  },
  {
    shows: has(/\bthrow\b|\bbadRequest\b/),
    does: 'check what is written',
    instead: '"required", "min", "max" or "regex" in the schema',
  },
  {
    shows: has(/\b(?:create|createMany|insert)\(/),
    does: 'create entries',
    instead: 'sheaf.documents(uid).create, in process',
  },
];

const MAX_SIGNS = 2;
const COMMENT = /\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm;

/** Null where nothing in it tells. */
export function purposeOf(code: string): Purpose | null {
  const words = code.replace(COMMENT, '');
  const found = SIGNS.filter(({ shows }) => shows(words)).slice(0, MAX_SIGNS);
  if (found.length === 0) return null;
  const instead = new Set(found.flatMap((sign) => sign.instead ?? []));
  return {
    does: `seems to ${found.map(({ does }) => does).join(' and ')}`,
    instead: instead.size > 0 ? [...instead].join('; ') : null,
  };
}

/** Facts about code, followed by the guess. */
export function described(facts: string, code: string, otherwise: string | null = null): Purpose {
  const purpose = purposeOf(code);
  return {
    does: [facts, purpose?.does].filter(Boolean).join('; ') || 'code of its own',
    instead: purpose?.instead ?? otherwise,
  };
}

const MAX_NAMES = 5;

/** A list of names, cut where it gets long. */
export const listed = (names: readonly string[]): string =>
  names.length > MAX_NAMES
    ? `${names.slice(0, MAX_NAMES).join(', ')} and ${names.length - MAX_NAMES} more`
    : names.join(', ');

export const counted = (count: number, singular: string, plural = `${singular}s`): string =>
  `${count} ${count === 1 ? singular : plural}`;
