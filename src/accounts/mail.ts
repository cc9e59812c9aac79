// Mails to users: through an SMTP server where one is named, otherwise into files that a developer can open.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { SendMailOptions, Transporter } from 'nodemailer';
import { requireSmtpUrl } from '../project/connection-url.ts';

export const DEFAULT_SENDER = 'no-reply@localhost';

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly html: string;
  /** What code may say beyond that; most mails say none of it. */
  readonly more?: Partial<Readonly<Record<'from' | 'cc' | 'bcc' | 'replyTo' | 'text', string>>>;
  /** As nodemailer takes them. */
  readonly attachments?: readonly Attachment[];
}

type Attachment = NonNullable<SendMailOptions['attachments']>[number];

export class Mailer {
  readonly #from: string;
  readonly #folder: string;
  readonly #smtp: string | null;
  #transport: Transporter | null = null;
  #count = 0;

  /** `smtp`: the address of a server, such as smtps://user:password@host; `folder`: where mails go without one. */
  constructor(from: string, smtp: string | null, folder: string) {
    if (smtp !== null) requireSmtpUrl(smtp);
    this.#from = from;
    this.#folder = folder;
    this.#smtp = smtp;
  }

  /** Where mails go, in words; null where they are sent. */
  get folder(): string | null {
    return this.#smtp === null ? this.#folder : null;
  }

  async send({ to, subject, html, more = {}, attachments = [] }: Mail): Promise<void> {
    const { from = this.#from } = more;
    if (this.#smtp !== null) {
      // Loaded when the first mail is sent, as most servers send none.
      this.#transport ??= (await import('nodemailer')).createTransport(this.#smtp);
      await this.#transport.sendMail({ ...more, from, to, subject, html, attachments: [...attachments] });
      return;
    }
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const moment = new Date().toISOString().replaceAll(':', '-');
    const file = path.join(this.#folder, `${moment}-${process.pid}-${++this.#count}.html`);
    const attached = attachments.map(({ filename }) => `\n     Attached: ${filename || 'a file'}`).join('');
    const said = `From: ${from}\n     To: ${to}\n     Subject: ${subject}${attached}`;
    const head = `<!-- ${said.replaceAll('--', '')} -->\n`;
    writeFileSync(file, `${head}${html || (more.text ?? '')}\n`, { mode: 0o600 });
  }

  close(): void {
    this.#transport?.close();
  }
}
