// The texts of mails to accounts, and who sends them: as the project stored it, or ours, with placeholders filled in.
import { isEmail } from '../plan/write/values.ts';
import { isObject } from '../type-guards.ts';
import type { Mail } from './mail.ts';

const DEFAULT_TEXTS = {
  reset_password: ['Reset password', 'Choose a new password at <%= URL %>?code=<%= TOKEN %> within 15 minutes.'],
  email_confirmation: ['Account confirmation', 'Confirm your address at <%= URL %>?confirmation=<%= CODE %>.'],
} as const;

/** The sender that Strapi 5 stores until somebody names another. */
const NOBODY = 'no-reply@strapi.io';

export interface MailValues {
  readonly url: string;
  /** What addresses of this server begin with. */
  readonly serverUrl: string;
  readonly code: string;
  readonly username: string;
  readonly email: string;
}

export type MailKind = keyof typeof DEFAULT_TEXTS;

/** The setting as Strapi 5 stores it when it first begins, with our texts. */
export const defaultMails = (): Record<MailKind, object> => ({
  reset_password: defaultMail('reset_password', 'sync'),
  email_confirmation: defaultMail('email_confirmation', 'check-square'),
});

function defaultMail(kind: MailKind, icon: string): object {
  const [object, message] = DEFAULT_TEXTS[kind];
  const from = { name: 'Administration Panel', email: NOBODY };
  return { display: `Email.template.${kind}`, icon, options: { from, response_email: '', object, message } };
}

/** `stored`: the setting that holds the project's texts and senders, as JSON. */
export function mailText(
  kind: MailKind,
  stored: unknown,
  values: MailValues,
): Required<Omit<Mail, 'to' | 'attachments'>> {
  const options = storedOptions(kind, stored);
  const [subject, html] = DEFAULT_TEXTS[kind];
  const replacements: Readonly<Record<string, string>> = {
    URL: values.url,
    SERVER_URL: values.serverUrl,
    TOKEN: values.code,
    CODE: values.code,
    'USER.username': values.username,
    'USER.email': values.email,
  };
  const filled = (text: string, written: (value: string) => string): string =>
    text.replace(/<%=\s*([\w.]+)\s*%>/g, (_, name: string) => written(replacements[name] ?? ''));
  return {
    subject: filled(textIn(options.object) || subject, onOneLine),
    html: filled(textIn(options.message) || html, escaped),
    more: senderIn(options),
  };
}

function storedOptions(kind: MailKind, stored: unknown): Readonly<Record<string, unknown>> {
  try {
    const templates: unknown = JSON.parse(String(stored));
    const template = isObject(templates) ? templates[kind] : undefined;
    return isObject(template) && isObject(template.options) ? template.options : {};
  } catch {
    // None is stored.
    return {};
  }
}

const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Who sends a mail and who gets the replies, where that is stored. */
function senderIn({ from, response_email: reply }: Readonly<Record<string, unknown>>): NonNullable<Mail['more']> {
  const { name, email } = isObject(from) ? from : {};
  const sender = textIn(name).replace(/["\\\p{Cc}]/gu, '');
  const isNamed = sender !== '' && isEmail(textIn(email)) && email !== NOBODY;
  return {
    ...(isNamed && { from: `"${sender}" <${email}>` }),
    ...(isEmail(textIn(reply)) && { replyTo: textIn(reply) }),
  };
}

/** A name may hold anything; a subject is one line. */
const onOneLine = (text: string): string => text.replace(/\p{Cc}+/gu, ' ');

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text as HTML shows it. */
export const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);
