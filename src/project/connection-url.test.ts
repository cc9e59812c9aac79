import { describe, expect, it } from 'vitest';
import { SetupError } from '../errors.ts';
import { requirePostgresUrl, requireSmtpUrl, withoutPassword } from './connection-url.ts';

/** What a refusal says. */
function refusal(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    expect(error).toBeInstanceOf(SetupError);
    return (error as Error).message;
  }
  throw new Error('nothing was refused');
}

describe('A connection URL', () => {
  it.each([
    ['postgres://sheaf:hidden@db.internal/content', 'postgres://sheaf:…@db.internal/content'],
    ['postgres://sheaf@db.internal:5432/content', 'postgres://sheaf@db.internal:5432/content'],
    ['postgres://[::1]:5432/content', 'postgres://[::1]:5432/content'],
    ['postgres://sheaf:hidden@[::1]:5432/content', 'postgres://sheaf:…@[::1]:5432/content'],
    [
      'postgres://db/content?user=sheaf&password=hidden&schema=a',
      'postgres://db/content?user=sheaf&password=…&schema=a',
    ],
    ['sqlite:/srv/a:b@c.db', 'sqlite:/srv/a:b@c.db'],
    // Malformed: where the password ends is a guess.
    ['postgres://sheaf:hid@hid/hid#hid@db/content', 'postgres://sheaf:…@db/content'],
    ['postgres://sheaf:hidden', 'postgres://sheaf:…'],
    ['postgres://sheaf:hidden/content', 'postgres://sheaf:…'],
    ['postgres:sheaf:hidden@db/content', 'postgres:…@db/content'],
    ['sheaf:hidden@db/content', 'sheaf:…@db/content'],
    ['sheaf:hidden', 'sheaf:…'],
    ['postgres://sheaf:hid\nhid@db/content', 'postgres://sheaf:…@db/content'],
  ])('is shown without its password: %s', (url, shown) => {
    expect(withoutPassword(url)).toBe(shown);
  });

  it.each([
    ['shema=content', ['it has a parameter shema', 'did you mean schema?']],
    ['ssl_mode=disable', ['it has a parameter ssl_mode', 'did you mean sslmode?']],
    ['sslmode=verify_full', ['sslmode is verify_full', 'did you mean verify-full?']],
    ['sslmode=on', ['sslmode is on', 'expected one of disable, allow,']],
  ])('of a database is refused with what was meant: %s', (query, texts) => {
    const message = refusal(() => requirePostgresUrl(`postgres://sheaf:hidden@db/content?${query}`));
    for (const text of texts) expect(message).toContain(`\n  - ${text}`);
    expect(message).not.toContain('hidden');
  });

  it.each([
    ['postgres://sheaf:hid/hid@db/content', 'a / in the user name or password must be written %2F'],
    ['postgres://sheaf:12/hidden@db/content', 'a / in the user name or password must be written %2F'],
    ['postgres://sheaf:hid?hid@db/content', 'a ? in the user name or password must be written %3F'],
    ['postgres://sheaf:hid#hid@db/content', 'a # in the user name or password must be written %23'],
    ['postgres://sheaf:12#hidden@db/content', 'a # in the user name or password must be written %23'],
    ['postgres://sheaf:hidden%C3%28@db/content', 'the user name or password has a percent-encoding that is not UTF-8'],
    ['postgres://sheaf:hidden@db:54x32/content', 'its port is not a number up to 65535'],
    ['postgres://sheaf:hidden@db:65536/content', 'its port is not a number up to 65535'],
    ['postgres://sheaf:hidden', 'its port is not a number up to 65535'],
    ['postgres://sheaf:hidden@/content', 'it names no host'],
    ['postgres://sheaf:hidden@d b/content', 'its host cannot be a name or an address'],
    ['mysql://sheaf:hidden@db/content', 'it does not begin with postgres:// or postgresql://'],
    ['sheaf:hidden@db/content', 'it does not begin with postgres:// or postgresql://'],
  ])('of a database is refused with the reason, and without its password: %s', (url, reason) => {
    const message = refusal(() => requirePostgresUrl(url));
    expect(message).toContain(`\n  - ${reason}\n`);
    expect(message).toContain(`"${withoutPassword(url)}"`);
    expect(message).not.toContain('hid');
  });

  it.each([
    'postgres://sheaf:a%2Fb%23c%25@db.internal:5432/content?schema=a',
    'postgres://sheaf:50%@db/content',
    'postgresql://db/content?user=a@b',
    'postgres://sheaf:a@db/content?application_name=a@b',
    'postgres:///content?host=/var/run/postgresql',
    'postgres://sheaf:a@[::1]:5432/content',
  ])('of a database is taken: %s', (url) => {
    expect(requirePostgresUrl(url).href).toBe(url);
  });

  it.each([
    ['smtp://sheaf:hid/hid@mail', 'a / in the user name or password must be written %2F'],
    ['smtp//sheaf:hidden@mail', 'it does not begin with smtp:// or smtps://'],
  ])('of a mail server is refused with the reason, and without its password: %s', (url, reason) => {
    const message = refusal(() => requireSmtpUrl(url));
    expect(message).toContain(`\n  - ${reason}\n`);
    expect(message).not.toContain('hid');
  });

  it('of a mail server is taken', () => {
    expect(() => requireSmtpUrl('smtps://user:password@mail.example.com:465')).not.toThrow();
  });
});
