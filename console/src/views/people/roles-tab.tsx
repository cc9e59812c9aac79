// What the roles of the API's users may do. Changes are collected, shown in words and sent together.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link, useRouter, useSearch } from 'wouter';
import type { ApiRole, ApiRoles } from '../../../../src/console/contract.ts';
import { api } from '../../shell/api.ts';
import { useLeaveGuard } from '../../shell/leave-guard.ts';
import { useModel } from '../../shell/model.ts';
import { type Reading, useRead } from '../../shell/ready.ts';
import { useSession } from '../../shell/session.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { EmptyState, ErrorNotice, Notice, Spinner } from '../../ui/notice.tsx';
import { toast } from '../../ui/toast.tsx';
import { type Changes, changesInWords, NO_CHANGES, roleInput, warningOf, withChange } from './role-changes.ts';
import { RoleMatrix } from './role-matrix.tsx';
import { RoleRules } from './role-rules.tsx';
import { tryAsPath } from './try-as.ts';

const ROLES: Reading<ApiRoles> = { queryKey: ['roles'], queryFn: () => api.get('roles') };

export function RolesTab(): ReactNode {
  const roles = useRead(ROLES);
  const wanted = new URLSearchParams(useSearch()).get('role');
  // By role, so that a look at another one loses nothing.
  const [changes, setChanges] = useState<Readonly<Record<number, Changes>>>({});
  if (!roles) return <Spinner />;
  const role = roles.roles.find(({ type }) => type === wanted) ?? (wanted === null ? roles.roles[0] : undefined);
  return (
    <div className="stack">
      <RoleList roles={roles.roles} current={role} changes={changes} />
      {role ? (
        <RoleView
          key={role.id}
          role={role}
          roles={roles}
          changes={changes[role.id] ?? NO_CHANGES}
          onChange={(next) => setChanges({ ...changes, [role.id]: next })}
        />
      ) : (
        <EmptyState title={`There is no role ${wanted}`} />
      )}
      <LeaveDialog isChanged={Object.values(changes).some(({ size }) => size > 0)} />
    </div>
  );
}

/** Asks before changes are lost that were not sent. */
function LeaveDialog({ isChanged }: { readonly isChanged: boolean }): ReactNode {
  const { base } = useRouter();
  const guard = useLeaveGuard(isChanged, (to) => new URL(to, window.location.href).pathname === `${base}/people/roles`);
  return (
    <Dialog
      title="Leave without saving?"
      isOpen={guard.isAsking}
      onClose={guard.stay}
      actions={
        <Button kind="danger" onClick={guard.leave}>
          Leave
        </Button>
      }
    >
      <p>The changes of rights are not saved, and are lost.</p>
    </Dialog>
  );
}

const RoleList = ({
  roles,
  current,
  changes,
}: {
  readonly roles: readonly ApiRole[];
  readonly current: ApiRole | undefined;
  readonly changes: Readonly<Record<number, Changes>>;
}): ReactNode => (
  <nav aria-label="Roles">
    <ul className="people-role-list">
      {roles.map((role) => (
        <li key={role.id}>
          <Link
            className="place"
            href={`/people/roles?role=${encodeURIComponent(role.type)}`}
            aria-current={role === current ? 'page' : undefined}
          >
            {role.name}
            {(changes[role.id]?.size ?? 0) > 0 && <span className="badge badge-warn">changed</span>}
            <span className="badge">{role.users === 1 ? '1 user' : `${role.users} users`}</span>
          </Link>
        </li>
      ))}
    </ul>
  </nav>
);

interface RoleViewProps {
  readonly role: ApiRole;
  readonly roles: ApiRoles;
  readonly changes: Changes;
  readonly onChange: (changes: Changes) => void;
}

function RoleView({ role, roles, changes, onChange }: RoleViewProps): ReactNode {
  const { can } = useSession();
  const { types, prefix } = useModel();
  const readOnly = !can('roles.update');
  const first = types.find(({ uid }) => role.actions.includes(`${uid}.find`));
  return (
    <section className="stack" aria-label={`Role ${role.name}`}>
      <div className="row">
        <div className="people-head">
          <h2>{role.name}</h2>
          {role.description && <p className="soft">{role.description}</p>}
        </div>
        {!readOnly && (
          <ButtonLink
            icon="search"
            href={tryAsPath({ kind: 'role', type: role.type }, first && `${prefix}/${first.path}`)}
          >
            What would this role see?
          </ButtonLink>
        )}
      </div>
      {readOnly && <Notice>Your account may look at roles, and not change them.</Notice>}
      <RoleMatrix
        role={role}
        roles={roles}
        changes={changes}
        readOnly={readOnly}
        onToggle={(actions, isOn) => onChange(withChange(role, changes, actions, isOn))}
      />
      <ChangeBar role={role} roles={roles} changes={changes} onChange={onChange} />
      <RoleRules role={role} groups={roles.groups} />
    </section>
  );
}

/** What will change, in words, and the button that sends it. */
function ChangeBar({ role, roles, changes, onChange }: RoleViewProps): ReactNode {
  const client = useQueryClient();
  const save = useMutation({
    mutationFn: () => api.put<unknown>(`roles/${role.id}`, roleInput(changes)),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['roles'] });
      onChange(NO_CHANGES);
      toast(`${role.name} is saved`);
    },
  });
  if (changes.size === 0) return null;
  const warning = warningOf(role, changes);
  return (
    <section className="people-changes card card-body stack" aria-label="Changes">
      <div role="status">
        <strong>{changes.size === 1 ? '1 change' : `${changes.size} changes`}</strong>
        <ul>
          {changesInWords(role, changes, roles.groups).map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      </div>
      {warning && <Notice tone="warn">{warning}</Notice>}
      {save.error && <ErrorNotice error={save.error} />}
      <div className="row">
        <Button kind="primary" disabled={save.isPending} onClick={() => save.mutate()}>
          Save
        </Button>
        <Button onClick={() => onChange(NO_CHANGES)}>Discard</Button>
      </div>
    </section>
  );
}
