// The client of a Sheaf server, for browsers, edge runtimes and Node: what `sheaf/client` exports.
import type { ClientOptions, RequestOptions } from '../typing/client-options.ts';
import type { AnyRegistry, DefaultRegistry } from '../typing/registry.ts';
import type { Client, ClientServices } from '../typing/typed-client.ts';
import { authClient, usersClient } from './account-client.ts';
import { createSession } from './client-session.ts';
import { contentClient } from './content-client.ts';
import { filesClient } from './file-client.ts';
import { createTransport, type Transport } from './transport.ts';

export type * from '../typing/published-types.ts';
export { SheafError } from './client-error.ts';
export { parse, type QueryValue, query } from './query-text.ts';

/** Names by which programs find out what an object is. A content-type of such a name is reached by `collection()`. */
const NOT_CONTENT = new Set(['then', 'catch', 'finally', 'toJSON']);

/**
 * A client of the server at `url`. Every property that is not among its own is the content-type of that name. `R` is the
 * registry of a generated file; without one any name goes.
 */
export function createClient<R extends AnyRegistry = DefaultRegistry>(options: ClientOptions): Client<R> {
  const session = createSession(options, () => transport);
  const transport: Transport = createTransport(options, session);
  const own: object = {
    collection: (name: string) => contentClient(transport, name, true),
    single: (name: string) => contentClient(transport, name),
    users: usersClient(transport),
    auth: authClient(transport, session),
    files: filesClient(transport),
    locales: (given?: RequestOptions) => transport.read('/i18n/locales', undefined, given),
  } satisfies Record<keyof ClientServices<AnyRegistry>, unknown>;
  const client = new Proxy(own, {
    get: (target, name) =>
      name in target || typeof name === 'symbol' || NOT_CONTENT.has(name)
        ? Reflect.get(target, name)
        : contentClient(transport, name),
  });
  // What runs knows no model; the types do.
  return client as Client<R>;
}
