// The users of the API: people who log in to what is built on it, not to the console.
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { api } from '../../shell/api.ts';
import { useSession } from '../../shell/session.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState, ErrorNotice, Spinner } from '../../ui/notice.tsx';
import { SearchBox } from '../../ui/search-box.tsx';
import { ConfirmDelete } from './confirm-delete.tsx';
import { UserDialog } from './user-dialog.tsx';
import { type ApiUser, pageOf, type UserList, usersPath } from './user-list.ts';
import { UserTable } from './user-table.tsx';

/** What a window over the list is open for. */
type Doing = { readonly what: 'create' } | { readonly what: 'edit' | 'delete'; readonly user: ApiUser };

export function UsersTab({ uid }: { readonly uid: string }): ReactNode {
  const { can, mayEdit } = useSession();
  const client = useQueryClient();
  const [doing, setDoing] = useState<Doing | null>(null);
  const [view, setView] = useView();
  const path = usersPath(view, can('roles.read'));
  const { data, error } = useQuery({
    queryKey: ['users', path],
    queryFn: () => api.get<UserList>(path),
    placeholderData: keepPreviousData,
  });
  const changed = (): void => {
    setDoing(null);
    client.invalidateQueries({ queryKey: ['users'] });
    client.invalidateQueries({ queryKey: ['roles'] });
  };
  const page = data && pageOf(data);
  return (
    <div className="stack">
      <div className="row">
        <SearchBox label="Search users" value={view.search} onChange={(search) => setView({ search, page: 1 })} />
        <span className="people-count soft" role="status">
          {page?.total != null && (page.total === 1 ? '1 user' : `${page.total.toLocaleString()} users`)}
        </span>
        {mayEdit(uid, 'create') && (
          <Button kind="primary" icon="add" onClick={() => setDoing({ what: 'create' })}>
            New user
          </Button>
        )}
      </div>
      {error && <ErrorNotice error={error} />}
      {!data && !error && <Spinner />}
      {page?.users.length === 0 && (
        <EmptyState title={view.search ? 'No user matches' : 'There are no users of the API yet'} />
      )}
      {page && page.users.length > 0 && (
        <UserTable
          users={page.users}
          mayUpdate={mayEdit(uid, 'update')}
          mayDelete={mayEdit(uid, 'delete')}
          onEdit={(user) => setDoing({ what: 'edit', user })}
          onDelete={(user) => setDoing({ what: 'delete', user })}
          onChanged={changed}
        />
      )}
      {page && (view.page > 1 || page.hasNext) && (
        <Pages page={view.page} hasNext={page.hasNext} onPage={(next) => setView({ ...view, page: next })} />
      )}
      {doing && <UserWindow doing={doing} onClose={() => setDoing(null)} onDone={changed} />}
    </div>
  );
}

interface PagesProps {
  readonly page: number;
  readonly hasNext: boolean;
  readonly onPage: (page: number) => void;
}

const Pages = ({ page, hasNext, onPage }: PagesProps): ReactNode => (
  <nav className="row" aria-label="Pages">
    <Button disabled={page === 1} onClick={() => onPage(page - 1)}>
      Previous page
    </Button>
    <span>Page {page}</span>
    <Button disabled={!hasNext} onClick={() => onPage(page + 1)}>
      Next page
    </Button>
  </nav>
);

interface UserWindowProps {
  readonly doing: Doing;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function UserWindow({ doing, onClose, onDone }: UserWindowProps): ReactNode {
  if (doing.what !== 'delete')
    return <UserDialog user={doing.what === 'edit' ? doing.user : null} onClose={onClose} onSaved={onDone} />;
  return (
    <ConfirmDelete
      path={`rest/users/${doing.user.documentId}`}
      kind="user"
      name={doing.user.username}
      onClose={onClose}
      onDeleted={onDone}
    >
      The account {doing.user.email} and its sessions are deleted. That cannot be undone.
    </ConfirmDelete>
  );
}

interface View {
  readonly search: string;
  readonly page: number;
}

/** What is looked for and which page, in the URL. */
function useView(): readonly [View, (view: View) => void] {
  const parameters = new URLSearchParams(useSearch());
  const [, navigate] = useLocation();
  const page = Number(parameters.get('page') ?? 1);
  const view = { search: parameters.get('q') ?? '', page: Number.isSafeInteger(page) && page > 0 ? page : 1 };
  return [
    view,
    (next) => {
      const search = new URLSearchParams();
      if (next.search) search.set('q', next.search);
      if (next.page > 1) search.set('page', String(next.page));
      navigate(`/people/users${search.size > 0 ? `?${search}` : ''}`);
    },
  ];
}
