// The texts of mails to accounts: those that the project stored, or ours, with their placeholders filled in.

const DEFAULT_TEXTS = {
  reset_password: ['Reset password', 'Choose a new password at <%= URL %>?code=<%= TOKEN %> within 15 minutes.'],
  email_confirmation: ['Account confirmation', 'Confirm your address at <%= URL %>?confirmation=<%= CODE %>.'],
} as const;

export interface MailValues {
  readonly url: string;
  readonly code: string;
  readonly username: string;
  readonly email: string;
}

export type MailKind = keyof typeof DEFAULT_TEXTS;

/** `stored`: the setting that holds the project's texts, as JSON. */
export function mailText(kind: MailKind, stored: unknown, values: MailValues): { subject: string; html: string } {
  let [subject, html]: readonly [string, string] = DEFAULT_TEXTS[kind];
  try {
    const { options } = (JSON.parse(String(stored)) as Record<string, { options: Record<string, string> }>)[kind]!;
    subject = options.object || subject;
    html = options.message || html;
  } catch {
    // None is stored.
  }
  const replacements: Readonly<Record<string, string>> = {
    URL: values.url,
    TOKEN: values.code,
    CODE: values.code,
    'USER.username': values.username,
    'USER.email': values.email,
  };
  return {
    subject,
    html: html.replace(/<%=\s*([\w.]+)\s*%>/g, (_, name: string) => escaped(replacements[name] ?? '')),
  };
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => ENTITIES[character]!);
