import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { ConsoleModel, ConsoleType } from '../../../../src/console/contract.ts';
import { api } from '../../shell/api.ts';
import { findPath } from '../../shell/paths.ts';
import { useSession } from '../../shell/session.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy.tsx';
import { curlOf, examplesOf } from './examples.ts';

/** Requests to begin with. One of them is for an entry that there is. */
export function Examples({ model, type }: { readonly model: ConsoleModel; readonly type: ConsoleType }): ReactNode {
  const { mayEdit } = useSession();
  const first = useQuery({
    queryKey: ['first', type.path],
    queryFn: () =>
      api.get<{ data?: readonly { documentId: string }[] }>(
        `rest/${type.path}?fields[0]=documentId&pagination[limit]=1&pagination[withCount]=false`,
      ),
    enabled: type.kind === 'collectionType' && type.source === 'own' && mayEdit(type.uid, 'read'),
  });
  return (
    <section className="stack" aria-label="Example requests">
      <h2>Example requests</h2>
      <ul className="stack">
        {examplesOf(model, type, first.data?.data?.[0]?.documentId ?? null).map(({ title, url }) => (
          <li key={title} className="card card-body model-example">
            <div className="grow">
              <strong>{title}</strong>
              <div>
                <code>GET {url}</code>
              </div>
            </div>
            <div className="row">
              <CopyButton text={curlOf(window.location.origin, url)} label={`Copy as curl: ${title}`} />
              <ButtonLink small icon="filter" href={findPath(url)}>
                Open in Find <span className="visually-hidden">({title})</span>
              </ButtonLink>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}
