// `strapi.documents(uid)` over the in-process interface: drafts by default, as the system.
import type { Sheaf } from '../../app.ts';
import type { Documents, Params } from './strapi-types.ts';

export function minimalDocuments(sheaf: Sheaf): (uid: string) => Documents {
  return (uid) => {
    const documents = sheaf.documents(uid) as unknown as Documents;
    const paged = ({ start, limit, ...params }: Params = {}): Params =>
      start === undefined && limit === undefined
        ? params
        : { ...params, pagination: { start: start ?? 0, limit: limit ?? 100 } };
    return new Proxy(documents, {
      get(target, key) {
        const member: unknown = Reflect.get(target, key);
        if (typeof member !== 'function') return member;
        return (params: Params) => member.call(target, paged(params));
      },
    });
  };
}
