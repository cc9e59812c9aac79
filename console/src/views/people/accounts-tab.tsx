// The accounts of the console: people who run the project and edit its content.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { AccountInput, AccountLink, ConsoleAccount } from '../../../../src/console/contract.ts';
import { api } from '../../shell/api.ts';
import { type Reading, useRead } from '../../shell/ready.ts';
import { useSession } from '../../shell/session.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Menu, type MenuItem } from '../../ui/menu.tsx';
import { Badge, Spinner } from '../../ui/notice.tsx';
import { ScrollBox } from '../../ui/scroll.tsx';
import { toast, toastError } from '../../ui/toast.tsx';
import { AccountDialog } from './account-dialog.tsx';
import { ConfirmDelete } from './confirm-delete.tsx';
import { ShownOnce } from './shown-once.tsx';

/** What a window over the list is open for. */
type Doing =
  | { readonly what: 'invite' }
  | { readonly what: 'edit' | 'delete'; readonly account: ConsoleAccount }
  | { readonly what: 'link'; readonly link: AccountLink };

const ACCOUNTS: Reading<ConsoleAccount[]> = { queryKey: ['accounts'], queryFn: () => api.get('accounts') };

export function AccountsTab(): ReactNode {
  const { can } = useSession();
  const client = useQueryClient();
  const accounts = useRead(ACCOUNTS);
  const [doing, setDoing] = useState<Doing | null>(null);
  const close = (): void => setDoing(null);
  const changed = (next: Doing | null = null): void => {
    setDoing(next);
    client.invalidateQueries({ queryKey: ['accounts'] });
  };
  if (!accounts) return <Spinner />;
  return (
    <div className="stack">
      <div className="row">
        <p className="grow soft">People who log in to this console. Users of the API are others.</p>
        {can('accounts.create') && (
          <Button kind="primary" icon="add" onClick={() => setDoing({ what: 'invite' })}>
            Invite
          </Button>
        )}
      </div>
      <ScrollBox label="Accounts of the console" tall>
        <table className="table">
          <thead>
            <tr>
              <th scope="col">Email</th>
              <th scope="col">Name</th>
              <th scope="col">Roles</th>
              <th scope="col">State</th>
              <th scope="col">
                <span className="visually-hidden">To do</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {accounts.map((account) => (
              <Row key={account.id} account={account} onDo={setDoing} onChanged={changed} />
            ))}
          </tbody>
        </table>
      </ScrollBox>
      {doing?.what === 'invite' && (
        <AccountDialog account={null} onClose={close} onSaved={(link) => changed(link && { what: 'link', link })} />
      )}
      {doing?.what === 'edit' && <AccountDialog account={doing.account} onClose={close} onSaved={() => changed()} />}
      {doing?.what === 'delete' && (
        <ConfirmDelete
          path={`accounts/${doing.account.id}`}
          kind="account"
          name={doing.account.email}
          onClose={close}
          onDeleted={() => changed()}
        >
          The account and its sessions are deleted. What it wrote stays.
        </ConfirmDelete>
      )}
      {doing?.what === 'link' && <Link link={doing.link} onClose={close} />}
    </div>
  );
}

const Link = ({ link, onClose }: { readonly link: AccountLink; readonly onClose: () => void }): ReactNode => (
  <ShownOnce
    title={`Link for ${link.account.email}`}
    name="link"
    secret={new URL(link.path, window.location.origin).href}
    warning={`Hand this link to its owner, who chooses a password there. It is good once, until ${new Date(link.expiresAt).toLocaleString()}, and is not shown again.`}
    onClose={onClose}
  />
);

interface RowProps {
  readonly account: ConsoleAccount;
  readonly onDo: (doing: Doing) => void;
  readonly onChanged: (next?: Doing | null) => void;
}

const nameOf = ({ firstname, lastname }: ConsoleAccount): string => [firstname, lastname].filter(Boolean).join(' ');

function Row(props: RowProps): ReactNode {
  const { account } = props;
  const items = useItems(props);
  const own = useSession().account;
  return (
    <tr>
      <th scope="row">
        {account.email} {account.id === own.id && <Badge tone="info">you</Badge>}
      </th>
      <td>{nameOf(account)}</td>
      <td>{account.roles.map(({ name }) => name).join(', ')}</td>
      <td>
        <State account={account} />
      </td>
      <td>
        {items.length > 0 && (
          <Menu trigger={<IconButton small icon="more" label={`What to do with ${account.email}`} />} items={items} />
        )}
      </td>
    </tr>
  );
}

function State({ account: { blocked, isActive } }: { readonly account: ConsoleAccount }): ReactNode {
  if (blocked) return <Badge tone="bad">blocked</Badge>;
  return isActive ? <Badge tone="good">active</Badge> : <Badge tone="warn">invited</Badge>;
}

/** What may be done with an account. Nobody blocks or deletes themselves. */
function useItems({ account, onDo, onChanged }: RowProps): readonly MenuItem[] {
  const { can, account: own } = useSession();
  const block = useMutation({
    mutationFn: (blocked: boolean) => api.put(`accounts/${account.id}`, { blocked } satisfies AccountInput),
    onSuccess: (_, blocked) => {
      toast(blocked ? `${account.email} is blocked, and logged out` : `${account.email} may log in again`);
      onChanged();
    },
    onError: toastError,
  });
  const link = useMutation({
    mutationFn: () => api.post<AccountLink>(`accounts/${account.id}/link`),
    onSuccess: (answer) => onChanged({ what: 'link', link: answer }),
    onError: toastError,
  });
  const isOwn = account.id === own.id;
  return [
    ...(can('accounts.update')
      ? [
          { label: 'Edit…', onSelect: () => onDo({ what: 'edit', account }) },
          { label: 'New link to choose a password', onSelect: () => link.mutate() },
          {
            label: account.blocked ? 'Unblock' : 'Block',
            disabled: isOwn,
            onSelect: () => block.mutate(!account.blocked),
          },
        ]
      : []),
    ...(can('accounts.delete')
      ? [{ label: 'Delete…', disabled: isOwn, onSelect: () => onDo({ what: 'delete', account }) }]
      : []),
  ];
}
