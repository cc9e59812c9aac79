// What a mail to an account says, and who sends it, by what Strapi 5 stores.
import { describe, expect, it } from 'vitest';
import { mailText } from './mail-templates.ts';

const VALUES = {
  url: 'https://www.example.com/reset',
  serverUrl: 'https://api.example.com',
  code: 'c0de',
  username: 'Ada <& Co>',
  email: 'ada@example.com',
};
const stored = (options: object): string => JSON.stringify({ reset_password: { options } });
const textOf = (options: object) => mailText('reset_password', stored(options), VALUES);

describe('a mail', () => {
  it('has every placeholder filled in, as text in the subject and as HTML in the message', () => {
    const object = 'Hello <%= USER.username %>';
    const message =
      '<%= USER.username %> <%= USER.email %> <%= URL %>?code=<%= TOKEN %> <%= SERVER_URL %>/x <%= NO %>.';
    expect(textOf({ object, message })).toEqual({
      subject: 'Hello Ada <& Co>',
      html: 'Ada &lt;&amp; Co&gt; ada@example.com https://www.example.com/reset?code=c0de https://api.example.com/x .',
      more: {},
    });
  });

  it('has a subject on one line', () => {
    const options = stored({ object: '<%= USER.username %>' });
    const { subject } = mailText('reset_password', options, { ...VALUES, username: 'Ada\r\nBcc: all@example.com' });
    expect(subject).toBe('Ada Bcc: all@example.com');
  });

  it('comes from the sender that is stored, and is answered to the address that is', () => {
    const from = { name: 'Support, "Team"', email: 'support@example.com' };
    expect(textOf({ from, response_email: 'help@example.com' }).more).toEqual({
      from: '"Support, Team" <support@example.com>',
      replyTo: 'help@example.com',
    });
  });

  it.each([
    [{ name: 'Administration Panel', email: 'no-reply@strapi.io' }],
    [{ name: '', email: 'support@example.com' }],
    [{ name: 'Support', email: '' }],
    [{ name: 'Support', email: 'support@example.com\r\nBcc: all@example.com' }],
    [null],
    ['support@example.com'],
  ])('has no sender of its own where %j is stored', (from) => {
    expect(textOf({ from, response_email: '' }).more).toEqual({});
  });

  it('has a text where none is stored', () => {
    for (const nothing of [undefined, null, '', '{', '{}', stored({})]) {
      const { subject, html, more } = mailText('reset_password', nothing, VALUES);
      expect([subject, more]).toEqual(['Reset password', {}]);
      expect(html).toContain('https://www.example.com/reset?code=c0de');
    }
  });
});
