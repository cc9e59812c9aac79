import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { ApiRoles } from '../../../../src/console/contract.ts';
import { api } from '../../shell/api.ts';
import { otherProblem, problemOf } from '../../shell/problems.ts';
import { useSession } from '../../shell/session.ts';
import { Checkbox, Field, Select, TextInput } from '../../ui/field.tsx';
import { toast } from '../../ui/toast.tsx';
import { FormDialog } from './form-dialog.tsx';
import { type ApiUser, changedFields, type UserFields, userFields } from './user-list.ts';

const FIELDS = ['username', 'email', 'password', 'role'];

/** `user`: null for a new one. */
export function UserDialog({
  user,
  onClose,
  onSaved,
}: {
  readonly user: ApiUser | null;
  readonly onClose: () => void;
  readonly onSaved: () => void;
}): ReactNode {
  const [fields, setFields] = useState(() => userFields(user));
  const set = (change: Partial<UserFields>): void => setFields({ ...fields, ...change });
  const save = useMutation({
    mutationFn: () => {
      const changed = changedFields(user, fields);
      return user ? api.put(`rest/users/${user.documentId}`, changed) : api.post('rest/users', changed);
    },
    onSuccess: () => {
      toast(`${fields.username} is saved`);
      onSaved();
    },
  });
  const textProps = (name: 'username' | 'email' | 'password'): Omit<TextFieldProps, 'label'> => ({
    value: fields[name],
    error: problemOf(save.error, name),
    onChange: (value) => set({ [name]: value }),
  });
  return (
    <FormDialog
      title={user ? `Edit ${user.username}` : 'New user of the API'}
      action={user ? 'Save' : 'Create the user'}
      onClose={onClose}
      onSubmit={() => save.mutate()}
      isPending={save.isPending}
      error={otherProblem(save.error, FIELDS)}
    >
      <TextField {...textProps('username')} label="Name" required />
      <TextField {...textProps('email')} label="Email" type="email" required />
      <TextField
        {...textProps('password')}
        label={user ? 'New password' : 'Password'}
        type="password"
        autoComplete="new-password"
        required={user === null}
        hint={user && 'Empty: the password stays. A new one ends all sessions of the user.'}
      />
      <RoleField role={fields.role} error={problemOf(save.error, 'role')} onChange={(role) => set({ role })} />
      <Checkbox
        label="The address is confirmed"
        checked={fields.confirmed}
        onChange={(event) => set({ confirmed: event.target.checked })}
      />
      <Checkbox
        label="Blocked: may not log in"
        checked={fields.blocked}
        onChange={(event) => set({ blocked: event.target.checked })}
      />
    </FormDialog>
  );
}

interface TextFieldProps {
  readonly label: string;
  readonly type?: string;
  readonly autoComplete?: string;
  readonly required?: boolean;
  readonly hint?: string | null;
  readonly error: string | null;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

const TextField = ({
  label,
  type = 'text',
  autoComplete = 'off',
  required = false,
  hint = null,
  error,
  value,
  onChange,
}: TextFieldProps): ReactNode => (
  <Field label={label} required={required} error={error} hint={hint}>
    {(control) => (
      <TextInput
        {...control}
        type={type}
        autoComplete={autoComplete}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    )}
  </Field>
);

function RoleField({
  role,
  error,
  onChange,
}: {
  readonly role: number | null;
  readonly error: string | null;
  readonly onChange: (role: number | null) => void;
}): ReactNode {
  const { can } = useSession();
  const { data } = useQuery({
    queryKey: ['roles'],
    queryFn: () => api.get<ApiRoles>('roles'),
    enabled: can('roles.read'),
  });
  // Nobody logs in as the public.
  const roles = (data?.roles ?? []).filter(({ type, id }) => type !== 'public' || id === role);
  if (!data) return null;
  return (
    <Field label="Role" error={error}>
      {(control) => (
        <Select
          {...control}
          value={role ?? ''}
          onChange={(id) => onChange(id === '' ? null : Number(id))}
          options={[
            ...(role === null ? [{ value: '', label: 'The default role' }] : []),
            ...roles.map(({ id, name }) => ({ value: String(id), label: name })),
          ]}
        />
      )}
    </Field>
  );
}
