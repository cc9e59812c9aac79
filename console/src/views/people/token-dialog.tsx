import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { ApiRoles, ApiToken, NewToken, TokenInput } from '../../../../src/console/contract.ts';
import { api } from '../../shell/api.ts';
import { otherProblem, problemOf } from '../../shell/problems.ts';
import { useSession } from '../../shell/session.ts';
import { Checkbox, Field, Select, TextInput } from '../../ui/field.tsx';
import { FormDialog } from './form-dialog.tsx';
import type { ActionGroup } from './role-changes.ts';

const KINDS: readonly { readonly value: ApiToken['type']; readonly label: string }[] = [
  { value: 'read-only', label: 'read-only: find and findOne of everything' },
  { value: 'full-access', label: 'full-access: everything, accounts of users included' },
  { value: 'custom', label: 'custom: what is chosen' },
];
const LIFETIMES = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: 'a year' },
  { value: '', label: 'unlimited' },
];
const FIELDS = ['name', 'description', 'type', 'actions', 'days'];

interface TokenFields {
  readonly name: string;
  readonly description: string;
  readonly type: ApiToken['type'];
  readonly actions: readonly string[];
  readonly days: string;
}

const inputOf = ({ name, description, type, actions, days }: TokenFields): TokenInput => ({
  name,
  type,
  ...(description && { description }),
  ...(type === 'custom' && { actions }),
  ...(days && { days: Number(days) }),
});

const NEW_TOKEN: TokenFields = { name: '', description: '', type: 'read-only', actions: [], days: '90' };

export function TokenDialog({
  onClose,
  onCreated,
}: {
  readonly onClose: () => void;
  readonly onCreated: (token: NewToken) => void;
}): ReactNode {
  const [fields, setFields] = useState(NEW_TOKEN);
  const set = (change: Partial<TokenFields>): void => setFields({ ...fields, ...change });
  const create = useMutation({
    mutationFn: () => api.post<NewToken>('tokens', inputOf(fields)),
    onSuccess: onCreated,
  });
  const problem = (name: string): string | null => problemOf(create.error, name);
  return (
    <FormDialog
      title="New API token"
      action="Create the token"
      onClose={onClose}
      onSubmit={() => create.mutate()}
      isPending={create.isPending}
      error={otherProblem(create.error, FIELDS)}
    >
      <Field label="Name" required error={problem('name')}>
        {(control) => (
          <TextInput {...control} value={fields.name} onChange={(event) => set({ name: event.target.value })} />
        )}
      </Field>
      <Field label="Description" error={problem('description')}>
        {(control) => (
          <TextInput
            {...control}
            value={fields.description}
            onChange={(event) => set({ description: event.target.value })}
          />
        )}
      </Field>
      <KindField type={fields.type} error={problem('type')} onChange={(type) => set({ type })} />
      {fields.type === 'custom' && (
        <TokenActions chosen={fields.actions} error={problem('actions')} onChange={(actions) => set({ actions })} />
      )}
      <Field label="Good for" error={problem('days')}>
        {(control) => (
          <Select {...control} value={fields.days} options={LIFETIMES} onChange={(days) => set({ days })} />
        )}
      </Field>
    </FormDialog>
  );
}

interface KindFieldProps {
  readonly type: ApiToken['type'];
  readonly error: string | null;
  readonly onChange: (type: ApiToken['type']) => void;
}

function KindField({ type, error, onChange }: KindFieldProps): ReactNode {
  const { can } = useSession();
  // Without the roles, nothing tells which actions there are.
  const options = KINDS.filter(({ value }) => value !== 'custom' || can('roles.read'));
  return (
    <Field label="May" error={error}>
      {(control) => <Select {...control} value={type} options={options} onChange={onChange} />}
    </Field>
  );
}

function TokenActions({
  chosen,
  error,
  onChange,
}: {
  readonly chosen: readonly string[];
  readonly error: string | null;
  readonly onChange: (actions: readonly string[]) => void;
}): ReactNode {
  const { data } = useQuery({ queryKey: ['roles'], queryFn: () => api.get<ApiRoles>('roles') });
  const toggle = (action: string, isOn: boolean): void =>
    onChange(isOn ? [...chosen, action] : chosen.filter((one) => one !== action));
  return (
    <fieldset className="people-actions">
      <legend className="field-label">Actions ({chosen.length} chosen)</legend>
      {error && <div className="field-error">{error}</div>}
      {data?.groups.map((group) => (
        <GroupActions key={group.uid} group={group} chosen={chosen} withheld={data.withheld} onToggle={toggle} />
      ))}
    </fieldset>
  );
}

const GroupActions = ({
  group,
  chosen,
  withheld,
  onToggle,
}: {
  readonly group: ActionGroup;
  readonly chosen: readonly string[];
  readonly withheld: Readonly<Record<string, string>>;
  readonly onToggle: (action: string, isOn: boolean) => void;
}): ReactNode => {
  const count = group.actions.filter(({ action }) => chosen.includes(action)).length;
  return (
    <details>
      <summary>
        {group.title}
        {count > 0 && ` (${count})`}
      </summary>
      <div className="people-checks">
        {group.actions.map(({ action, name }) => (
          <Checkbox
            key={action}
            label={name}
            aria-label={`${name} ${group.title}`}
            title={withheld[action] && `Withheld: ${withheld[action]}`}
            disabled={action in withheld}
            checked={chosen.includes(action)}
            onChange={(event) => onToggle(action, event.target.checked)}
          />
        ))}
      </div>
    </details>
  );
};
