// Files: sent, changed, read and deleted.
import type { AnyRegistry } from '../typing/registry.ts';
import type { FileInfo, FilesClient, FileUpload, RequestOptions, UploadOptions } from '../typing/typed-client.ts';
import { one, orNull } from './content-client.ts';
import type { Transport } from './transport.ts';

type Query = Readonly<Record<string, unknown>>;

/** Without a name of its own a file needs one, since its type follows from it. */
const UNNAMED = 'file';

const nameOf = (content: Blob): string =>
  'name' in content && typeof content.name === 'string' ? content.name : UNNAMED;

export function filesClient({ read, send, origin }: Transport) {
  const base = '/upload';
  const upload = async (
    given: readonly (Blob | FileUpload)[],
    { link, onProgress, ...options }: UploadOptions = {},
    about?: { readonly id: string | number; readonly info?: FileInfo },
  ) => {
    // Without an id it would be a new file.
    if (about) one(base, about.id);
    const body = new FormData();
    const files = given.map((file): FileUpload => (file instanceof Blob ? { content: file } : file));
    const infos = files.some((file) => file.info) ? files.map((file) => file.info ?? {}) : about?.info && [about.info];
    for (const [name, value] of Object.entries(link ?? {})) body.append(name, String(value));
    if (infos) body.append('fileInfo', JSON.stringify(infos.length === 1 ? infos[0] : infos));
    for (const { content, name = nameOf(content) } of files) body.append('files', content, name);
    return send({ method: 'POST', path: base, query: { id: about?.id }, body, onProgress, options, repeat: 'once' });
  };
  return {
    find: (query?: Query, options?: RequestOptions) => read(`${base}/files/page`, query, options),
    findOne: async (id: string | number, query?: Query, options?: RequestOptions) =>
      orNull(read(one(`${base}/files`, id), query, options)),
    upload: (files: Blob | FileUpload | ArrayLike<Blob | FileUpload>, options?: UploadOptions) =>
      upload('length' in files ? Array.from(files) : [files], options),
    update: (id: string | number, info: FileInfo, options?: RequestOptions) => upload([], options, { id, info }),
    replace: (id: string | number, file: Blob | FileUpload, options?: UploadOptions) => upload([file], options, { id }),
    delete: async (id: string | number, { force, ...options }: RequestOptions & { readonly force?: boolean } = {}) =>
      send({ method: 'DELETE', path: one(`${base}/files`, id), query: { force }, options, repeat: 'repeatable' }),
    /** Where a file is: files of the server itself have URLs without its address. */
    url: ({ url }: { readonly url: string }) => (url.startsWith('/') ? origin + url : url),
  } satisfies Record<keyof FilesClient<AnyRegistry>, unknown>;
}
