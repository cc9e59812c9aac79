import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { AccountInput, AccountLink, ConsoleAccount, ConsoleRole } from '../../../../src/console/contract.ts';
import { api } from '../../shell/api.ts';
import { otherProblem, problemOf } from '../../shell/problems.ts';
import { SESSION_KEY, useSession } from '../../shell/session.ts';
import { Checkbox, Field, TextInput } from '../../ui/field.tsx';
import { toast } from '../../ui/toast.tsx';
import { FormDialog } from './form-dialog.tsx';

const FIELDS = ['email', 'firstname', 'lastname', 'roles'];

interface AccountFields {
  readonly email: string;
  readonly firstname: string;
  readonly lastname: string;
  readonly roles: readonly number[];
}

const fieldsOf = (account: ConsoleAccount | null): AccountFields => ({
  email: account?.email ?? '',
  firstname: account?.firstname ?? '',
  lastname: account?.lastname ?? '',
  roles: account?.roles.map(({ id }) => id) ?? [],
});

/** `account`: null for a new one, whose link is handed on. */
export function AccountDialog({
  account,
  onClose,
  onSaved,
}: {
  readonly account: ConsoleAccount | null;
  readonly onClose: () => void;
  /** With the link of a new account. */
  readonly onSaved: (link: AccountLink | null) => void;
}): ReactNode {
  const client = useQueryClient();
  const own = useSession().account;
  const [fields, setFields] = useState(() => fieldsOf(account));
  const set = (change: Partial<AccountFields>): void => setFields({ ...fields, ...change });
  const save = useMutation({
    mutationFn: async (): Promise<AccountLink | null> => {
      const input: AccountInput = { ...fields, firstname: fields.firstname || null, lastname: fields.lastname || null };
      if (account === null) return api.post<AccountLink>('accounts', input);
      await api.put(`accounts/${account.id}`, input);
      return null;
    },
    onSuccess: (link) => {
      toast(account ? `${fields.email} is saved` : `${fields.email} is invited`);
      if (account?.id === own.id) client.invalidateQueries({ queryKey: SESSION_KEY });
      onSaved(link);
    },
  });
  const text = (name: 'email' | 'firstname' | 'lastname', label: string): ReactNode => (
    <Field label={label} required={name === 'email'} error={problemOf(save.error, name)}>
      {(control) => (
        <TextInput
          {...control}
          type={name === 'email' ? 'email' : 'text'}
          value={fields[name]}
          onChange={(event) => set({ [name]: event.target.value })}
        />
      )}
    </Field>
  );
  return (
    <FormDialog
      title={account ? `Edit ${account.email}` : 'Invite to the console'}
      action={account ? 'Save' : 'Invite'}
      onClose={onClose}
      onSubmit={() => save.mutate()}
      isPending={save.isPending}
      error={otherProblem(save.error, FIELDS)}
    >
      {text('email', 'Email')}
      {text('firstname', 'First name')}
      {text('lastname', 'Last name')}
      <RoleChecks chosen={fields.roles} error={problemOf(save.error, 'roles')} onChange={(roles) => set({ roles })} />
    </FormDialog>
  );
}

function RoleChecks({
  chosen,
  error,
  onChange,
}: {
  readonly chosen: readonly number[];
  readonly error: string | null;
  readonly onChange: (roles: readonly number[]) => void;
}): ReactNode {
  const { data } = useQuery({
    queryKey: ['account-roles'],
    queryFn: () => api.get<ConsoleRole[]>('accounts/roles'),
  });
  return (
    <fieldset className="people-checks">
      <legend className="field-label">Roles</legend>
      {data?.map(({ id, name, description }) => (
        <Checkbox
          key={id}
          label={name}
          title={description ?? undefined}
          checked={chosen.includes(id)}
          onChange={(event) => onChange(event.target.checked ? [...chosen, id] : chosen.filter((one) => one !== id))}
        />
      ))}
      {error && <div className="field-error">{error}</div>}
    </fieldset>
  );
}
