import type { ReactNode } from 'react';
import type { ApiRole } from '../../../../src/console/contract.ts';
import type { ActionGroup } from './role-changes.ts';

/** The rules of the project's files for a role, in words. They are changed in the files. */
export function RoleRules({
  role,
  groups,
}: {
  readonly role: ApiRole;
  readonly groups: readonly ActionGroup[];
}): ReactNode {
  const rules = Object.entries(role.rules).filter(([, sentences]) => sentences.length > 0);
  const titleOf = (uid: string): string => groups.find((group) => group.uid === uid)?.title ?? uid;
  return (
    <section className="stack" aria-label={`Rules for ${role.name}`}>
      <h2>Rules</h2>
      {rules.length === 0 ? (
        <p className="soft">
          No file in <code>access/</code> narrows what this role may do.
        </p>
      ) : (
        <>
          <p className="soft">
            Files in <code>access/</code> narrow what the role is granted.
          </p>
          <dl className="people-rules card card-body">
            {rules.map(([uid, sentences]) => (
              <div key={uid}>
                <dt>{titleOf(uid)}</dt>
                {sentences.map((sentence) => (
                  <dd key={sentence}>{sentence}</dd>
                ))}
              </div>
            ))}
          </dl>
        </>
      )}
    </section>
  );
}
