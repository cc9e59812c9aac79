// Services of Strapi's plugins that code of projects calls: accounts and their tokens, mails, uploads, locales.
import { systemCaller } from '../../../access/caller.ts';
import type { Auth } from '../../../accounts/auth.ts';
import { roleNotFound } from '../../../accounts/role-writer.ts';
import type { Sheaf } from '../../../app.ts';
import { validationError } from '../../../errors.ts';
import type { FileInfo } from '../../../files/file-info.ts';
import type { FileContent } from '../../../files/files.ts';
import { FILE, USER } from '../../../model/builtin.ts';
import type { Entry } from '../../../operations/parameters.ts';
import { isPassword } from '../../../passwords.ts';
import { isPlainObject } from '../../../request/grammar.ts';
import { knownData } from './known-data.ts';
import { localeService } from './locale-service.ts';
import { filledTemplate } from './mail-template.ts';
import { Rows } from './rows.ts';
import { rawDocuments } from './strapi-documents.ts';

type Values = Record<string, unknown>;

export interface PluginServices {
  readonly 'users-permissions': { readonly user: object; readonly jwt: object; readonly role: object };
  readonly email: { readonly email: object };
  readonly upload: { readonly upload: object };
  readonly i18n: { readonly locales: object };
}

export const pluginServices = (sheaf: Sheaf, auth: Auth): PluginServices => ({
  'users-permissions': { user: userService(sheaf, auth), jwt: jwtService(auth), role: roleService(sheaf, auth) },
  email: { email: emailService(auth) },
  upload: { upload: uploadService(sheaf) },
  i18n: { locales: localeService(sheaf) },
});

function userService(sheaf: Sheaf, { accounts }: Auth) {
  const type = sheaf.model.contentTypes.get(USER)!;
  const users = rawDocuments(sheaf, type);
  const rows = new Rows(sheaf, USER);
  const written = (values: unknown): Values => knownData(sheaf.model, type, values);
  return {
    async add(values: Values): Promise<unknown> {
      const { id } = await users.create({ data: written(values) });
      return rows.findOne({ where: { id }, populate: ['role'] });
    },
    async edit(id: number | string, values: Values): Promise<unknown> {
      const row = await rows.findOne({ where: { id }, select: ['id', 'documentId'] });
      if (!row) return null;
      await users.update({ documentId: row.documentId, data: written(values) });
      return rows.findOne({ where: { id: row.id }, populate: ['role'] });
    },
    fetch: (id: number | string, params: Values = {}): Promise<Entry | null> =>
      rows.findOne({ ...params, where: { id } }),
    fetchAuthenticatedUser: (id: number | string): Promise<Entry | null> =>
      rows.findOne({ where: { id }, populate: ['role'] }),
    fetchAll: (params: Values = {}): Promise<Entry[]> => rows.findMany({ where: params.filters, ...params }),
    remove: (where: Values): Promise<Entry | null> => rows.delete({ where }),
    count: (where: Values = {}): Promise<number> => rows.count({ where }),
    validatePassword: (password: string, hash: string): Promise<boolean> => isPassword(password, hash),
    async sendConfirmationEmail({ email }: { readonly email: string }): Promise<void> {
      await accounts.sendConfirmation({ email });
    },
  };
}

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800, y: 31_557_600 };

/** `7d`, `12h`, or a number of seconds. */
function secondsOf(life: unknown, otherwise: number): number {
  if (typeof life === 'number') return life;
  if (typeof life !== 'string') return otherwise;
  const [, amount, unit = 's'] = /^\s*(\d+)\s*([smhdwy])?[a-z]*\s*$/i.exec(life) ?? [];
  if (amount === undefined)
    throw validationError(`Invalid expiresIn ${JSON.stringify(life)}: expected a time such as 7d`, {
      key: 'expiresIn',
    });
  return Number(amount) * SECONDS[unit.toLowerCase()]!;
}

function jwtService({ jwt, settings }: Auth) {
  const payload = async (token: string): Promise<Values> => {
    const found = await jwt.payload(token);
    if (!found) throw new Error('Invalid token.');
    return { ...found };
  };
  return {
    issue: (claims: Values, options: Values = {}): string =>
      jwt.issue({ ...claims }, secondsOf(options.expiresIn, settings.auth.accessTokenSeconds)),
    verify: payload,
    /** Of the header of a request; null where it has none. */
    async getToken(ctx: { readonly request?: { readonly header?: Values } }): Promise<Values | null> {
      const { authorization } = ctx.request?.header ?? {};
      if (typeof authorization !== 'string') return null;
      const [scheme, token] = authorization.split(/\s+/);
      if (scheme?.toLowerCase() !== 'bearer' || !token) throw new Error('Invalid authorization header format.');
      return payload(token);
    },
  };
}

const ROLE_KEYS = ['name', 'description', 'type', 'permissions'];

/** Code may hand over more than a role has, which means nothing. */
const writtenRole = (values: Values): Values =>
  Object.fromEntries(Object.entries(values).filter(([key]) => ROLE_KEYS.includes(key)));

function roleService({ model }: Sheaf, { roles, roleWriter }: Auth) {
  const system = systemCaller(model);
  return {
    find: () => roles.shown(),
    /** With all actions there are, and whether the role has each. */
    async findOne(id: number | string) {
      const role = await roles.shownOne(String(id));
      if (!role) throw roleNotFound();
      return role;
    },
    async createRole(values: Values): Promise<void> {
      await roleWriter.create(writtenRole(values), system);
    },
    async updateRole(id: number | string, values: Values): Promise<void> {
      await roleWriter.update(String(id), writtenRole(values), system);
    },
    deleteRole: (id: number | string, publicRole?: number | string): Promise<void> =>
      roleWriter.delete(String(id), publicRole === undefined ? undefined : String(publicRole)),
  };
}

function emailService({ mailer }: Auth) {
  const send = async (options: Values): Promise<void> => {
    const [to, subject, html] = [textOf(options.to), textOf(options.subject), textOf(options.html)];
    if (!to) throw validationError('Invalid to: expected the address that the mail goes to', { key: 'to' });
    const names = ['from', 'cc', 'bcc', 'replyTo', 'text'] as const;
    const more = Object.fromEntries(names.filter((name) => options[name]).map((name) => [name, textOf(options[name])]));
    const { attachments } = options;
    await mailer.send({ to, subject, html, more, ...(Array.isArray(attachments) && { attachments }) });
  };
  return {
    send,
    async sendTemplatedEmail(options: Values, template: Values, data: Values = {}): Promise<void> {
      const given = ['subject', 'text', 'html'].filter((name) => template[name]);
      const filled = given.map((name) => [name, filledTemplate(textOf(template[name]), data)]);
      await send({ ...options, ...Object.fromEntries(filled) });
    },
  };
}

const textOf = (value: unknown): string =>
  Array.isArray(value) ? value.map(textOf).join(', ') : value === undefined || value === null ? '' : String(value);

/** A file as a body with files has it. */
interface IncomingFile {
  readonly filepath?: string;
  readonly path?: string;
  readonly originalFilename?: string | null;
  readonly name?: string;
  readonly mimetype?: string | null;
  readonly type?: string;
}

interface Upload {
  readonly data?: {
    readonly fileInfo?: unknown;
    readonly ref?: string;
    readonly refId?: string | number;
    readonly field?: string;
  };
  readonly files: IncomingFile | readonly IncomingFile[];
}

function uploadService(sheaf: Sheaf) {
  const rows = new Rows(sheaf, FILE);
  const { files: stored } = sheaf;
  return {
    findOne: (id: number | string, populate?: unknown): Promise<Entry | null> =>
      rows.findOne({ where: { id }, populate }),
    findMany: ({ filters, fields, sort, populate, start, limit }: Values = {}): Promise<Entry[]> =>
      rows.findMany({
        where: filters,
        select: fields,
        orderBy: sort,
        populate,
        ...(start !== undefined && { offset: Number(start) }),
        ...(limit !== undefined && { limit: Number(limit) }),
      }),
    updateFileInfo: (id: number | string, info: FileInfo): Promise<unknown> => stored.update(id, info),
    async replace(id: number | string, { data = {}, file }: { data?: Values; file: IncomingFile }): Promise<unknown> {
      return stored.replace(id, contentOf(file, data.fileInfo));
    },
    async upload({ data = {}, files }: Upload): Promise<unknown[]> {
      const list = [files].flat();
      const infos = Array.isArray(data.fileInfo) ? data.fileInfo : list.map(() => data.fileInfo);
      const contents = list.map((file, index) => contentOf(file, infos[index]));
      const { ref, refId, field } = data;
      const link = ref !== undefined && refId !== undefined && field !== undefined ? { ref, refId, field } : null;
      return stored.upload(contents, link ? { link } : {});
    },
    remove: ({ id }: { readonly id: number }): Promise<unknown> => stored.delete(id, { force: true }),
  };
}

function contentOf(file: IncomingFile, info: unknown): FileContent {
  const place = file.filepath ?? file.path;
  if (place === undefined) throw validationError('Invalid files: expected the path of a local file', { key: 'files' });
  const mime = file.mimetype ?? file.type;
  return {
    name: file.originalFilename ?? file.name ?? 'file',
    content: { path: place },
    ...(mime != null && { mime }),
    ...(isPlainObject(info) && { info }),
  };
}
