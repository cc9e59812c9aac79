// The content-types of the project, with the number of their entries.
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import type { ConsoleCounts, ConsoleType } from '../../../../src/console/contract.ts';
import { api } from '../../shell/api.ts';
import { useModel } from '../../shell/model.ts';
import { typePath } from '../../shell/paths.ts';
import { useSession } from '../../shell/session.ts';
import { Badge, EmptyState, ErrorNotice } from '../../ui/notice.tsx';
import { PageHeader } from '../../ui/page.tsx';
import { SearchBox } from '../../ui/search-box.tsx';

const NUMBER = new Intl.NumberFormat();

export function Types(): ReactNode {
  const { types } = useModel();
  const { mayEdit } = useSession();
  useSearch();
  const search = new URLSearchParams(window.location.search).get('_q') ?? '';
  const [, navigate] = useLocation();
  const counts = useQuery({
    queryKey: ['counts'],
    queryFn: ({ signal }) => api.get<ConsoleCounts>('counts', signal),
  });
  const readable = types.filter(({ source, uid }) => source === 'own' && mayEdit(uid, 'read'));
  const found = readable.filter((type) => matches(type, search));
  const show = (next: string): void =>
    navigate(next === '' ? '/content' : `/content?_q=${encodeURIComponent(next)}`, { replace: true });
  if (readable.length === 0)
    return (
      <>
        <PageHeader title="Content" />
        <NoTypes />
      </>
    );
  return (
    <>
      <PageHeader title="Content">
        <SearchBox label="Search content-types" value={search} onChange={show} />
      </PageHeader>
      <div className="stack">
        {counts.error && <ErrorNotice error={counts.error} />}
        <TypeList title="Collections" types={found.filter(isCollection)} counts={counts.data} />
        <TypeList title="Single entries" types={found.filter((type) => !isCollection(type))} counts={counts.data} />
        {found.length === 0 && <EmptyState title={`No content-type is called “${search}”`} />}
      </div>
    </>
  );
}

/** Who may do everything sees all that there are. */
function NoTypes(): ReactNode {
  const { can } = useSession();
  return can('server.read') ? (
    <EmptyState title="This project has no content-types yet">
      <p>
        Make one in the folder of the project, with <code>npx sheaf type add article title:string!</code>, and start the
        server again. <code>sheaf dev</code> does that by itself.
      </p>
    </EmptyState>
  ) : (
    <EmptyState title="There is no content-type that you may read">
      <p>Your role decides which ones you see. Whoever runs the project can change it.</p>
    </EmptyState>
  );
}

const isCollection = ({ kind }: ConsoleType): boolean => kind === 'collectionType';

function matches({ displayName, path, uid }: ConsoleType, search: string): boolean {
  const wanted = search.trim().toLowerCase();
  return [displayName, path, uid].some((name) => name.toLowerCase().includes(wanted));
}

function TypeList({
  title,
  types,
  counts,
}: {
  readonly title: string;
  readonly types: readonly ConsoleType[];
  readonly counts: ConsoleCounts | undefined;
}): ReactNode {
  if (types.length === 0) return null;
  return (
    <section className="browse-types" aria-label={title}>
      <h2>{title}</h2>
      <ul className="card">
        {types.map((type) => (
          <li key={type.uid}>
            <Link className="browse-type" href={typePath(type)}>
              <span className="browse-type-name">{type.displayName}</span>
              <span className="browse-type-extra">
                {type.draftAndPublish && <Badge>drafts</Badge>}
                {type.localized && <Badge>locales</Badge>}
              </span>
              <span className="browse-type-count">{counts && <Count type={type} count={counts[type.uid] ?? 0} />}</span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Count({ type, count }: { readonly type: ConsoleType; readonly count: number }): ReactNode {
  if (!isCollection(type)) return count === 0 ? 'not written yet' : null;
  return count === 1 ? '1 entry' : `${NUMBER.format(count)} entries`;
}
