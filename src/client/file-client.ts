// Files: sent, changed, read and deleted.
import { one, orNull } from './content-client.ts';
import type { RequestOptions } from './request-options.ts';
import type { Transport } from './transport.ts';
import type { Progress } from './upload-progress.ts';

type Query = Readonly<Record<string, unknown>>;

/** What is said of a file beside its bytes. */
export interface FileInfo {
  readonly name?: string | null;
  readonly alternativeText?: string | null;
  readonly caption?: string | null;
  readonly focalPoint?: { readonly x: number; readonly y: number } | null;
}

export interface FileUpload {
  /** A `File` has a name already. */
  readonly name?: string;
  readonly content: Blob;
  readonly info?: FileInfo;
}

export interface UploadOptions extends RequestOptions {
  /** The entry that gets the files: uid of its type, documentId or id of its row, and the media attribute. */
  readonly link?: { readonly ref: string; readonly refId: string | number; readonly field: string };
  /** Is told how many bytes were sent. Browsers tell it of an XMLHttpRequest only, so `fetch` is not used there. */
  readonly onProgress?: Progress;
}

/** Without a name of its own a file needs one, since its type follows from it. */
const UNNAMED = 'file';

export function filesClient({ read, send, origin }: Transport) {
  const base = '/upload';
  const upload = (
    given: readonly (Blob | FileUpload)[],
    { link, onProgress, ...options }: UploadOptions = {},
    { id, info }: { readonly id?: string | number; readonly info?: FileInfo } = {},
  ) => {
    const body = new FormData();
    const files = given.map((file) => (file instanceof Blob ? { content: file } : file) as FileUpload);
    const infos = files.some((file) => file.info) ? files.map((file) => file.info ?? {}) : info && [info];
    for (const [name, value] of Object.entries(link ?? {})) body.append(name, String(value));
    if (infos) body.append('fileInfo', JSON.stringify(infos.length === 1 ? infos[0] : infos));
    for (const { content, name = (content as Partial<File>).name ?? UNNAMED } of files)
      body.append('files', content, name);
    return send({ method: 'POST', path: base, query: { id }, body, onProgress, options, repeat: 'once' });
  };
  return {
    find: (query?: Query, options?: RequestOptions) => read(`${base}/files/page`, query, options),
    findOne: (id: string | number, query?: Query, options?: RequestOptions) =>
      orNull(read(one(`${base}/files`, id), query, options)),
    upload: (files: Blob | FileUpload | ArrayLike<Blob | FileUpload>, options?: UploadOptions) =>
      upload('length' in files ? Array.from(files) : [files], options),
    update: (id: string | number, info: FileInfo, options?: RequestOptions) => upload([], options, { id, info }),
    replace: (id: string | number, file: Blob | FileUpload, options?: UploadOptions) => upload([file], options, { id }),
    delete: (id: string | number, { force, ...options }: RequestOptions & { readonly force?: boolean } = {}) =>
      send({ method: 'DELETE', path: one(`${base}/files`, id), query: { force }, options, repeat: 'repeatable' }),
    /** Where a file is: files of the server itself have URLs without its address. */
    url: ({ url }: { readonly url: string }) => (url.startsWith('/') ? origin + url : url),
  };
}
