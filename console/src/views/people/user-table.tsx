import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api } from '../../shell/api.ts';
import { IconButton } from '../../ui/button.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Badge } from '../../ui/notice.tsx';
import { ScrollBox } from '../../ui/scroll.tsx';
import { toast, toastError } from '../../ui/toast.tsx';
import type { ApiUser } from './user-list.ts';

interface UserTableProps {
  readonly users: readonly ApiUser[];
  readonly mayUpdate: boolean;
  readonly mayDelete: boolean;
  readonly onEdit: (user: ApiUser) => void;
  readonly onDelete: (user: ApiUser) => void;
  readonly onChanged: () => void;
}

export const UserTable = (props: UserTableProps): ReactNode => (
  <ScrollBox label="Users of the API" tall>
    <table className="table">
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Email</th>
          <th scope="col">Role</th>
          <th scope="col">State</th>
          <th scope="col">
            <span className="visually-hidden">To do</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {props.users.map((user) => (
          <Row key={user.documentId} {...props} user={user} />
        ))}
      </tbody>
    </table>
  </ScrollBox>
);

function Row({
  user,
  mayUpdate,
  mayDelete,
  onEdit,
  onDelete,
  onChanged,
}: UserTableProps & { readonly user: ApiUser }): ReactNode {
  const block = useMutation({
    mutationFn: (blocked: boolean) => api.put(`rest/users/${user.documentId}`, { blocked }),
    onSuccess: (_, blocked) => {
      toast(blocked ? `${user.username} is blocked, and logged out` : `${user.username} may log in again`);
      onChanged();
    },
    onError: toastError,
  });
  const items = [
    ...(mayUpdate
      ? [
          { label: 'Edit…', onSelect: () => onEdit(user) },
          { label: user.blocked ? 'Unblock' : 'Block', onSelect: () => block.mutate(!user.blocked) },
        ]
      : []),
    ...(mayDelete ? [{ label: 'Delete…', onSelect: () => onDelete(user) }] : []),
  ];
  return (
    <tr>
      <th scope="row">{user.username}</th>
      <td>{user.email}</td>
      <td>{user.role?.name ?? ''}</td>
      <td>
        {user.blocked ? <Badge tone="bad">blocked</Badge> : <Badge tone="good">active</Badge>}{' '}
        {user.confirmed === false && <Badge tone="warn">not confirmed</Badge>}
      </td>
      <td>
        {items.length > 0 && (
          <Menu trigger={<IconButton small icon="more" label={`What to do with ${user.username}`} />} items={items} />
        )}
      </td>
    </tr>
  );
}
