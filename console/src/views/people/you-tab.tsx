// What the account that is logged in may do, and what of its roles could not be taken over.
import type { ReactNode } from 'react';
import type { TypeRights } from '../../../../src/console/contract.ts';
import { typeOf, useModel } from '../../shell/model.ts';
import { useSession } from '../../shell/session.ts';
import { Notice } from '../../ui/notice.tsx';
import { ScrollBox } from '../../ui/scroll.tsx';

export function YouTab(): ReactNode {
  const { account, types, rights, refused } = useSession();
  return (
    <div className="stack">
      <p>
        You are logged in as <strong>{account.email}</strong>, {rolesText(account.roles)}.
      </p>
      {refused.length > 0 && (
        <Notice tone="warn">
          <strong>Some permissions of your roles cannot be taken over, and are refused:</strong>
          <ul className="people-bullets">
            {refused.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
        </Notice>
      )}
      <EditRights types={types} />
      <section className="stack" aria-label="Other rights">
        <h2>Besides entries</h2>
        <p>{rights.length === 0 ? 'Nothing.' : rights.map((right) => right.replace('.', ': ')).join(', ')}</p>
      </section>
    </div>
  );
}

function EditRights({ types }: { readonly types: Readonly<Record<string, TypeRights>> }): ReactNode {
  const model = useModel();
  const listed = (names: readonly string[] | null): string => names?.join(', ') ?? 'all';
  return (
    <section className="stack" aria-label="Rights to entries">
      <h2>With entries</h2>
      <ScrollBox label="Rights to entries, table">
        <table className="table">
          <thead>
            <tr>
              <th scope="col">Of</th>
              <th scope="col">may</th>
              <th scope="col">attributes to read</th>
              <th scope="col">to write</th>
              <th scope="col">locales</th>
              <th scope="col">entries</th>
            </tr>
          </thead>
          <tbody>
            {Object.entries(types).map(([uid, { actions, readable, writable, locales, isLimited }]) => (
              <tr key={uid}>
                <th scope="row">{typeOf(model, uid)?.displayName ?? uid}</th>
                <td>{actions.join(', ')}</td>
                <td>{listed(readable)}</td>
                <td>{listed(writable)}</td>
                <td>{listed(locales)}</td>
                <td>{isLimited ? 'some, by a condition' : 'all'}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollBox>
    </section>
  );
}

function rolesText(roles: readonly { readonly name: string }[]): string {
  if (roles.length === 0) return 'without a role';
  return `with the ${roles.length === 1 ? 'role' : 'roles'} ${roles.map(({ name }) => name).join(', ')}`;
}
