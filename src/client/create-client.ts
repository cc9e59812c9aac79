// The client of a Sheaf server, for browsers, edge runtimes and Node: what `sheaf/client` exports.
import { authClient, usersClient } from './account-client.ts';
import { createSession } from './client-session.ts';
import { contentClient } from './content-client.ts';
import { filesClient } from './file-client.ts';
import type { ClientOptions, RequestOptions } from './request-options.ts';
import { createTransport, type Transport } from './transport.ts';

export { SheafError } from './client-error.ts';
export type { FileInfo, FileUpload, UploadOptions } from './file-client.ts';
export { parse, type QueryValue, query } from './query-text.ts';
export type { ClientOptions, RequestOptions, Session } from './request-options.ts';
export type { UploadProgress } from './upload-progress.ts';

/** Names by which programs find out what an object is. A content-type of such a name is reached by `collection()`. */
const NOT_CONTENT = new Set(['then', 'catch', 'finally', 'toJSON', 'toString', 'valueOf', 'constructor']);

/** Every property that is not among the client's own is the content-type of that name. */
export function createClient(options: ClientOptions) {
  const session = createSession(options, () => transport);
  const transport: Transport = createTransport(options, session);
  const own = {
    collection: (name: string) => contentClient(transport, name, true),
    single: (name: string) => contentClient(transport, name),
    users: usersClient(transport),
    auth: authClient(transport, session),
    files: filesClient(transport),
    locales: (given?: RequestOptions) => transport.read('/i18n/locales', undefined, given),
  };
  return new Proxy(own, {
    get: (target, name) =>
      name in target || typeof name === 'symbol' || NOT_CONTENT.has(name)
        ? Reflect.get(target, name)
        : contentClient(transport, name),
  });
}
