// The files of a project: stored with their rows, replaced, deleted, found and opened. Bytes are stored before their row
// and deleted after it, so that whoever sees a row finds its bytes.
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { actionOn, DELETE_FILES, REPLACE_FILES, UPLOAD_FILES } from '../access/actions.ts';
import { requireAction } from '../access/authorize.ts';
import { type Caller, editorIdOf, systemCaller } from '../access/caller.ts';
import type { WriteOperation } from '../access/operation.ts';
import { applicationError, SetupError, SheafError, validationError } from '../errors.ts';
import { MAX_LISTED_FILES } from '../limits.ts';
import { FILE } from '../model/builtin.ts';
import type { ContentType } from '../model/types.ts';
import type { Operations } from '../operations/operations.ts';
import type { Entry, FindOneParameters, FindParameters } from '../operations/parameters.ts';
import type { FileSettings } from '../project/file-settings.ts';
import { entriesOfPage } from '../read/read-strategy.ts';
import type { ReadParameters } from '../request/parse-read.ts';
import type { Pagination } from '../request/read-request.ts';
import { isStorable, readRowId } from '../request/scalars.ts';
import { FileStatements, type StoredFileRow } from '../sql/file-statements.ts';
import { attachFiles, type MediaField } from '../store/attach-files.ts';
import { DocumentNotFound } from '../store/document-not-found.ts';
import { isObject } from '../type-guards.ts';
import { FileFolder } from './file-folder.ts';
import { type FileInfo, type FileLink, replacedInfo, writtenInfo } from './file-info.ts';
import { type ReceivedFile, Scratch } from './incoming.ts';
import { UPLOADS } from './local-storage.ts';
import { type Preparation, type PreparedFile, prepareFile } from './prepare-file.ts';
import { resizedUrl } from './resize.ts';
import { resizeKey } from './resize-signature.ts';
import { signFile, signFiles } from './sign-urls.ts';
import type { FileStorage, StoredBytes } from './storage.ts';

/** A file to store, in process. */
export interface FileContent {
  readonly name: string;
  /** Bytes, a stream of them, or the path of a local file, which stays as it is. */
  readonly content: Uint8Array | Readable | { readonly path: string };
  /** As its sender says; what it really is, its bytes tell. */
  readonly mime?: string;
  readonly info?: FileInfo;
}

/** A picture as it is asked for; what is not given stays as it is. */
export interface ResizedPicture {
  /** In pixels. */
  readonly width?: number;
  readonly format?: 'jpeg' | 'png' | 'webp' | 'avif';
  /** From 1 to 100. */
  readonly quality?: number;
}

export interface FileOptions {
  /** The system where none is given. */
  readonly caller?: Caller;
}

/** A file as it is stored; one that is opened has a stream as well. */
export type FileEntry = Entry;

/** @internal Every file, where no page is asked for; as many as an answer can hold. */
export const ALL_FILES: Pagination = { mode: 'none', start: 0, limit: MAX_LISTED_FILES, withCount: false };

/** What the row of a file says of its bytes. */
interface StoredFile {
  readonly documentId: string;
  readonly hash: string;
  readonly ext: string;
  readonly url: string;
  readonly provider: string;
  readonly formats: unknown;
}

/** Where files are, and what the key of signatures is made from. */
interface FilePlaces {
  readonly storage: FileStorage;
  readonly folder: string;
  readonly secret: () => string;
}

export class Files {
  /** @internal */
  readonly storage: FileStorage;
  /** @internal The folder that files are served from. Where they are stored elsewhere it may have older ones. */
  readonly folder: string;
  /** @internal */
  readonly settings: FileSettings;
  /** @internal */
  readonly type: ContentType;
  readonly #operations: Operations;
  readonly #statements: FileStatements;
  readonly #folder: FileFolder;
  readonly #system: Caller;
  readonly #secret: () => string;
  #resizeKey: string | null = null;

  /** @internal */
  constructor(operations: Operations, settings: FileSettings, { storage, folder, secret }: FilePlaces) {
    this.#operations = operations;
    this.storage = storage;
    this.folder = folder;
    this.settings = settings;
    this.type = operations.model.contentTypes.get(FILE)!;
    this.#statements = new FileStatements(operations.database.dialect);
    this.#folder = new FileFolder(operations.database, this.#statements);
    this.#system = systemCaller(operations.model);
    this.#secret = secret;
    if (storage.isPrivate) operations.signFiles((file) => signFile(storage, file));
  }

  /** Stores files, all or none, in the order given, and links them with an entry where one is named. */
  async upload(
    files: FileContent | readonly FileContent[],
    { caller = this.#system, link }: FileOptions & { readonly link?: FileLink } = {},
  ): Promise<FileEntry[]> {
    requireAction(caller, UPLOAD_FILES);
    const scratch = new Scratch(this.storage);
    try {
      const received: ReceivedFile[] = [];
      const list: readonly FileContent[] = isList(files) ? files : [files];
      for (const file of list) received.push(await this.#receive(file, scratch));
      const infos = list.map(({ info = {} }) => info);
      return await this.store(received, { infos, link: link ?? null, caller, scratch });
    } finally {
      await scratch.clear();
    }
  }

  /** Gives a file other bytes under its old URL, and other information where that is given. */
  async replace(
    id: number | string,
    file: FileContent,
    { caller = this.#system }: FileOptions = {},
  ): Promise<FileEntry> {
    const scratch = new Scratch(this.storage);
    try {
      return await this.storeInPlace(id, await this.#receive(file, scratch), {
        infos: [file.info ?? {}],
        caller,
        scratch,
      });
    } finally {
      await scratch.clear();
    }
  }

  /** Changes what is said of a file. What is not given, or null, stays. */
  async update(id: number | string, info: FileInfo, { caller = this.#system }: FileOptions = {}): Promise<FileEntry> {
    const documentId = await this.#documentId(id, entityNotFound);
    const operation = this.#write('update', documentId, writtenInfo(info));
    const [outcome] = await this.#operations.writeTogether([operation], caller, {}).catch(orNotFound(entityNotFound));
    return this.#shown(outcome!.text);
  }

  /** Deletes a file with its bytes, and takes it from the entries that show it. Returns it as it was. */
  async delete(
    id: number | string,
    { caller = this.#system, force = false }: FileOptions & { readonly force?: boolean } = {},
  ): Promise<FileEntry> {
    requireAction(caller, DELETE_FILES);
    const documentId = await this.#documentId(id, fileNotFound);
    const stored = await this.#stored(documentId, fileNotFound);
    const isRefused = this.settings.deleteInUse === 'refuse' && !force;
    const [outcome] = await this.#operations
      .writeTogether([this.#write('delete', documentId, {})], caller, {
        before: async (write) => {
          if (!isRefused) return;
          const [row] = await write.run.rows(this.#statements.usesOf(), documentId);
          const uses = Number(row?.[0] ?? 0);
          if (uses > 0) throw inUse(uses);
        },
      })
      .catch(orNotFound(fileNotFound));
    const file = await this.#shown(outcome!.text);
    for (const key of this.#keysOf(stored)) await this.storage.delete(key);
    return file;
  }

  /** Files that match, or the page asked for. */
  async find(parameters: FindParameters = {}, { caller = this.#system }: FileOptions = {}): Promise<FileEntry[]> {
    const read = this.#operations.find(
      { name: 'find', type: this.type, parameters, defaults: { status: 'published', pagination: ALL_FILES } },
      caller,
    );
    return this.#signed(entriesOfPage(await read.run({ caller })));
  }

  /** One file, by the id of its row or its documentId; null where there is none. */
  async findOne(
    id: number | string,
    parameters: FindOneParameters = {},
    { caller = this.#system }: FileOptions = {},
  ): Promise<FileEntry | null> {
    const defaults = { status: 'published', pagination: ALL_FILES } as const;
    const read = this.#operations.findOne({ name: 'findOne', type: this.type, parameters, defaults }, caller);
    const documentId = await this.documentIdOf(id);
    const text = documentId === null ? null : await read.run({ caller, documentId });
    return text === null ? null : this.#shown(text);
  }

  /** The bytes of a file, or of one of its formats; null where there are none. */
  async open(
    id: number | string,
    { caller = this.#system, format }: FileOptions & { readonly format?: string } = {},
  ): Promise<StoredBytes | null> {
    const file = await this.findOne(id, {}, { caller });
    if (!file) return null;
    const stored = await this.#stored(String(file.documentId), fileNotFound);
    const url = format === undefined ? stored.url : formatUrls(stored.formats).get(format);
    const key = url === undefined || stored.provider !== this.storage.provider ? null : this.storage.keyOf(url);
    return key === null ? null : this.storage.get(key);
  }

  /**
   * A URL that shows a picture in another size, format or quality. Where the setting `files.resize.signed` is on, such a
   * URL may ask for any; without a signature for those alone that are listed.
   */
  resizedUrl(file: FileEntry | string, asked: ResizedPicture): string {
    const { resize } = this.settings;
    const url = typeof file === 'string' ? file : String(file.url);
    if (!resize?.signed) throw new SetupError('The setting files.resize.signed is not on');
    if (!url.startsWith(UPLOADS)) throw new SetupError(`${url} is not in the folder of files`);
    return resizedUrl(url, asked, resize, this.resizeKey);
  }

  /** @internal What URLs of resized pictures are signed with. */
  get resizeKey(): string {
    this.#resizeKey ??= resizeKey(this.#secret());
    return this.#resizeKey;
  }

  /** Files of an answer as they are shown, with signed URLs where they need them. */
  async #signed(files: FileEntry[]): Promise<FileEntry[]> {
    return signFiles(this.storage, files);
  }

  async #shown(text: string): Promise<FileEntry> {
    const [file] = await this.#signed([entryIn(text)]);
    return file!;
  }

  /** @internal The same for an answer in JSON: a file, or a list of them. */
  async shownText(text: string): Promise<string> {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value)) return JSON.stringify(await this.#signed(value));
    if (!isObject(value)) return text;
    const [file] = await signFiles(this.storage, [value]);
    return JSON.stringify(file);
  }

  /** @internal The documentId of a file, by that or by the id of its row; null where there is none. */
  async documentIdOf(id: number | string): Promise<string | null> {
    const row = readRowId(id);
    if (row === null) return isStorable(String(id)) ? String(id) : null;
    const rows = await this.#operations.database.latest((session) =>
      session.rows(this.#statements.documentIdOf(), [row]),
    );
    return rows[0]?.[0] ?? null;
  }

  async #documentId(id: number | string, otherwise: () => SheafError): Promise<string> {
    const found = await this.documentIdOf(id);
    if (found === null) throw otherwise();
    return found;
  }

  async #receive({ name, content, mime = undefined }: FileContent, scratch: Scratch): Promise<ReceivedFile> {
    const source =
      content instanceof Readable
        ? content
        : content instanceof Uint8Array
          ? Readable.from([Buffer.from(content.buffer, content.byteOffset, content.byteLength)])
          : createReadStream(content.path);
    return scratch.receive(source, { name, mime: mime ?? null }, this.settings.maxBytes);
  }

  async #preparation(scratch: Scratch, caller: Caller): Promise<Preparation> {
    const { settings, storage } = this;
    const pictures = { ...settings, ...(await this.#folder.pictureSettings()) };
    return { settings, storage, scratch, pictures, sender: senderOf(caller) };
  }

  /** @internal Stores files that were received: describes them, moves their bytes, writes their rows. */
  async store(
    received: readonly ReceivedFile[],
    { infos, link, caller, scratch }: StoreOptions & { readonly link: FileLink | null },
  ): Promise<FileEntry[]> {
    const field = link && this.#mediaField(link, caller);
    const preparation = await this.#preparation(scratch, caller);
    const prepared: PreparedFile[] = [];
    for (const [index, file] of received.entries())
      prepared.push(await prepareFile(preparation, file, infos[index]?.name || null, null));
    const folder = await this.#folder.ensure();
    const operations = prepared.map(({ name, values }, index) => {
      const supplied = { name, ...values, folderPath: folder.path };
      return this.#write('create', null, writtenInfo(infos[index] ?? {}), supplied);
    });
    return this.#withBytes(prepared, async () => {
      const outcomes = await this.#operations.writeTogether(operations, caller, {
        after: async (write, written) => {
          const ids = written.map(({ versions }) => versions[0]!.id);
          for (const id of ids) await write.run.rows(this.#statements.putIntoFolder(), id, folder.id);
          if (field) await attachFiles(write, field, ids);
        },
      });
      return this.#signed(outcomes.map(({ text }) => entryIn(text)));
    });
  }

  /** @internal Writes what a check of the bytes found to be so. */
  async correct(documentId: string, values: Readonly<Record<string, unknown>>): Promise<void> {
    await this.#operations.writeTogether([this.#write('update', documentId, {}, values)], this.#system, {});
  }

  /** @internal Rows of files after an id, in the order of their ids. */
  rowsAfter(id: number, count: number): Promise<readonly StoredFileRow[]> {
    return this.#operations.database.latest((session) => session.rows(this.#statements.storedFiles(), [id, count]));
  }

  /** Moves bytes to where they are stored, then does the rest. What fails leaves no bytes behind. */
  async #withBytes<T>(prepared: readonly PreparedFile[], rest: () => Promise<T>): Promise<T> {
    const stored: string[] = [];
    try {
      for (const { key, path, mime } of prepared.flatMap(({ objects }) => objects)) {
        stored.push(key);
        await this.storage.put(key, path, mime);
      }
      return await rest();
    } catch (error) {
      await this.#discard(prepared, stored);
      throw error;
    }
  }

  /** Deletes bytes whose row was not written. Where that cannot be told they stay; `sheaf files check` finds them. */
  async #discard(prepared: readonly PreparedFile[], keys: readonly string[]): Promise<void> {
    const urls = prepared.map(({ values }) => String(values.url));
    const isWritten = await this.#operations.database
      .latest(async (session) => {
        for (const url of urls) if ((await session.rows(this.#statements.idsByUrl(), [url])).length > 0) return true;
        return false;
      })
      .catch(() => true);
    if (!isWritten) for (const key of keys) await this.storage.delete(key).catch(() => undefined);
  }

  /** @internal Puts bytes that were received in the place of those of a file. */
  async storeInPlace(id: number | string, received: ReceivedFile, options: StoreOptions): Promise<FileEntry> {
    const { infos, caller, scratch } = options;
    requireAction(caller, REPLACE_FILES);
    const info = infos[0] ?? {};
    const documentId = await this.#documentId(id, entityNotFound);
    const stored = await this.#stored(documentId, entityNotFound);
    if (stored.provider !== this.storage.provider)
      throw applicationError(`The file is stored with the provider "${stored.provider}", which is not in use`);
    const prepared = await prepareFile(await this.#preparation(scratch, caller), received, info.name || null, stored);
    const supplied = { name: prepared.name, focalPoint: null, ...prepared.values, url: stored.url };
    const backup = new Backup(this.storage, scratch);
    const replace = this.#write('update', documentId, replacedInfo(info), supplied);
    const [outcome] = await this.#operations
      .writeTogether([replace], caller, { last: () => backup.replace(prepared) })
      .catch(async (error: unknown) => {
        await backup.restore();
        return orNotFound(entityNotFound)(error);
      });
    // From here on the row tells of the new bytes, whatever becomes of those that it no longer names.
    const kept = new Set(prepared.objects.map(({ key }) => key));
    for (const key of this.#keysOf(stored)) if (!kept.has(key)) await this.storage.delete(key);
    return this.#shown(outcome!.text);
  }

  #write(
    name: WriteOperation['name'],
    documentId: string | null,
    data: Record<string, unknown>,
    supplied: Record<string, unknown> = {},
  ): WriteOperation {
    const parameters: ReadParameters = {};
    return { name, type: this.type, documentId, data, supplied, parameters, defaultStatus: 'published' };
  }

  /** The row of a file, whatever the caller may see of it. */
  async #stored(documentId: string, otherwise: () => SheafError): Promise<StoredFile> {
    const defaults = { status: 'published', pagination: ALL_FILES } as const;
    const read = this.#operations.findOne({ name: 'findOne', type: this.type, parameters: {}, defaults }, this.#system);
    const text = await read.latest({ caller: this.#system, documentId });
    if (text === null) throw otherwise();
    const row = JSON.parse(text) as StoredFile;
    return { ...row, ext: row.ext ?? '' };
  }

  /** The keys of all bytes of a file; none for those of another place. */
  #keysOf({ url, formats, provider }: StoredFile): string[] {
    if (provider !== this.storage.provider) return [];
    return [url, ...formatUrls(formats).values()].flatMap((one) => this.storage.keyOf(one) ?? []);
  }

  /** Of a type that the caller may update, and known to the caller; which entries have a component is not known yet. */
  #mediaField({ ref, refId, field }: FileLink, caller: Caller): MediaField {
    const { model } = this.#operations;
    const type = model.contentTypes.get(ref);
    const schema = type?.exposure === 'routes' ? type : model.components.get(ref);
    if (!schema) throw wrongLink('ref', 'the uid of a content-type or a component, such as api::article.article');
    const isType = schema.kind !== 'component';
    if (isType) requireAction(caller, actionOn(schema, 'update'));
    const attribute = schema.attributes.get(field);
    if (attribute?.kind !== 'media' || (isType && !caller.access.mayUse(schema.uid, field, 'write')))
      throw wrongLink('field', `the name of a media field of ${schema.uid}`);
    const row = readRowId(refId) ?? String(refId);
    if (typeof row === 'string' && !isStorable(row)) throw wrongLink('refId', 'the id or documentId of an entry');
    return { schema, attribute, row };
  }
}

interface StoreOptions {
  /** What is said of each file. */
  readonly infos: readonly FileInfo[];
  readonly caller: Caller;
  readonly scratch: Scratch;
}

/** What a file had before it was replaced, until the replacement is written for good. */
class Backup {
  readonly #storage: FileStorage;
  readonly #scratch: Scratch;
  readonly #saved: { readonly key: string; readonly path: string | null; readonly mime: string }[] = [];

  constructor(storage: FileStorage, scratch: Scratch) {
    this.#storage = storage;
    this.#scratch = scratch;
  }

  async replace({ objects }: PreparedFile): Promise<void> {
    // A transaction that is run again finds it done.
    if (this.#saved.length > 0) return;
    for (const { key, path, mime } of objects) {
      const copy = this.#scratch.path();
      this.#saved.push({ key, path: (await this.#storage.copyTo(key, copy)) ? copy : null, mime });
      await this.#storage.put(key, path, mime);
    }
  }

  async restore(): Promise<void> {
    for (const { key, path, mime } of this.#saved.splice(0).reverse())
      if (path === null) await this.#storage.delete(key);
      else await this.#storage.put(key, path, mime);
  }
}

/** Who sends files: a user, an editor, whoever has the same rights. */
function senderOf(caller: Caller): string {
  const { account, access } = caller;
  return account ? `user ${account.id}` : `${caller.kind} ${editorIdOf(caller) ?? access.key}`;
}

const isList = (files: FileContent | readonly FileContent[]): files is readonly FileContent[] => Array.isArray(files);

/** The URLs of the formats of a picture, by their names. */
export function formatUrls(formats: unknown): Map<string, string> {
  if (!isObject(formats)) return new Map();
  return new Map(
    Object.entries(formats).flatMap(([key, format]) =>
      isObject(format) && typeof format.url === 'string' ? [[key, format.url] as const] : [],
    ),
  );
}

export const fileNotFound = (): SheafError => new SheafError(404, 'NotFoundError', 'file.notFound');
const entityNotFound = (): SheafError => new SheafError(404, 'NotFoundError', 'Entity not found');

const orNotFound =
  (otherwise: () => SheafError) =>
  (error: unknown): never => {
    throw error instanceof DocumentNotFound ? otherwise() : error;
  };

const wrongLink = (key: string, expected: string): SheafError =>
  validationError(`Invalid value for ${key}: expected ${expected}`, { key, source: 'body' });

const inUse = (uses: number): SheafError =>
  applicationError(`The file is in use ${uses} times; delete it with ?force=true, which takes it from there`, { uses });

/** What a write answers with: nothing of a file that its caller may not find. */
const entryIn = (text: string): FileEntry => JSON.parse(text) ?? {};
