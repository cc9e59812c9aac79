// Who may use the API and the console, and what for.
import type { ReactNode } from 'react';
import { Link, Redirect, useParams } from 'wouter';
import { useModel } from '../../shell/model.ts';
import { useSession } from '../../shell/session.ts';
import { EmptyState } from '../../ui/notice.tsx';
import { PageHeader } from '../../ui/page.tsx';
import { AccountsTab } from './accounts-tab.tsx';
import './people.css';
import { RolesTab } from './roles-tab.tsx';
import { TokensTab } from './tokens-tab.tsx';
import { UsersTab } from './users-tab.tsx';
import { YouTab } from './you-tab.tsx';

interface PeopleTab {
  readonly name: string;
  readonly title: string;
  readonly content: () => ReactNode;
}

/** The tabs that the account has any right to. */
function useTabs(): readonly PeopleTab[] {
  const { can, mayEdit } = useSession();
  const users = useModel().types.find(({ source }) => source === 'users');
  const tabs: readonly (PeopleTab & { readonly isOpen: boolean })[] = [
    { name: 'roles', title: 'Roles', isOpen: can('roles.read'), content: () => <RolesTab /> },
    {
      name: 'users',
      title: 'Users',
      isOpen: users !== undefined && mayEdit(users.uid, 'read'),
      content: () => <UsersTab uid={users!.uid} />,
    },
    { name: 'tokens', title: 'Tokens', isOpen: can('tokens.read'), content: () => <TokensTab /> },
    { name: 'accounts', title: 'Accounts', isOpen: can('accounts.read'), content: () => <AccountsTab /> },
    { name: 'you', title: 'You', isOpen: true, content: () => <YouTab /> },
  ];
  return tabs.filter(({ isOpen }) => isOpen);
}

export default function People(): ReactNode {
  const { tab } = useParams<{ tab?: string }>();
  const tabs = useTabs();
  if (tab === undefined) return <Redirect to={`/people/${tabs[0]!.name}`} replace />;
  const current = tabs.find(({ name }) => name === tab);
  return (
    <>
      <PageHeader title={current ? `People: ${current.title}` : 'People'} />
      <div className="stack">
        <nav className="tabs" aria-label="People">
          {tabs.map(({ name, title }) => (
            <Link key={name} className="tab" href={`/people/${name}`} aria-current={name === tab ? 'page' : undefined}>
              {title}
            </Link>
          ))}
        </nav>
        {current ? current.content() : <EmptyState title="There is nothing here that your account may see" />}
      </div>
    </>
  );
}
