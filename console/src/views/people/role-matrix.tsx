// Content-types and all else that is served by actions: a checkbox for every right.
import { Fragment, type ReactNode, useId } from 'react';
import { Link } from 'wouter';
import type { ApiRole, ApiRoles } from '../../../../src/console/contract.ts';
import { useModel } from '../../shell/model.ts';
import { Icon } from '../../ui/icon.tsx';
import { Badge } from '../../ui/notice.tsx';
import { ScrollBox } from '../../ui/scroll.tsx';
import { type Changes, COLUMNS, isGranted, type MatrixRow, matrixOf } from './role-changes.ts';
import { tryAsPath } from './try-as.ts';

interface MatrixProps {
  readonly role: ApiRole;
  readonly roles: ApiRoles;
  readonly changes: Changes;
  readonly readOnly: boolean;
  readonly onToggle: (actions: readonly string[], isOn: boolean) => void;
}

export function RoleMatrix(props: MatrixProps): ReactNode {
  const { role, roles } = props;
  const withheldId = useId();
  return (
    <>
      <ScrollBox label={`Rights of ${role.name}`} tall>
        <table className="table people-matrix">
          <thead>
            <tr>
              <th scope="col">May</th>
              <th scope="col">all</th>
              {COLUMNS.map((column) => (
                <th key={column} scope="col">
                  {column}
                </th>
              ))}
              <th scope="col">more</th>
            </tr>
          </thead>
          {matrixOf(roles.groups).map(({ title, rows }) => (
            <tbody key={title}>
              <tr>
                <th className="people-section" scope="rowgroup" colSpan={COLUMNS.length + 3}>
                  {title}
                </th>
              </tr>
              {rows.map((row) => (
                <Row key={row.group.uid} {...props} row={row} withheldId={withheldId} />
              ))}
            </tbody>
          ))}
        </table>
      </ScrollBox>
      <Withheld id={withheldId} withheld={roles.withheld} />
      <Unknown actions={role.actions.filter((action) => !isKnown(roles, action))} />
    </>
  );
}

const isKnown = ({ groups }: ApiRoles, granted: string): boolean =>
  groups.some(({ actions }) => actions.some(({ action }) => action === granted));

/** Other programs that use the same tables may know more actions. */
const Unknown = ({ actions }: { readonly actions: readonly string[] }): ReactNode =>
  actions.length > 0 && (
    <details className="card card-body">
      <summary>{actions.length} granted actions open nothing here: only Strapi knows them</summary>
      <ul>
        {actions.map((action) => (
          <li key={action}>
            <code>{action}</code>
          </li>
        ))}
      </ul>
    </details>
  );

type RowProps = MatrixProps & { readonly row: MatrixRow; readonly withheldId: string };

function Row(props: RowProps): ReactNode {
  const { role, changes, row, readOnly, roles, onToggle } = props;
  const { group, cells, more } = row;
  const open = group.actions.map(({ action }) => action).filter((action) => !(action in roles.withheld));
  const granted = open.filter((action) => isGranted(role, changes, action));
  return (
    <tr>
      <th scope="row">
        <RowTitle {...props} />
      </th>
      <td>
        <input
          type="checkbox"
          aria-label={`${role.name} may do everything with ${group.title}`}
          checked={open.length > 0 && granted.length === open.length}
          ref={(box) => {
            if (box) box.indeterminate = granted.length > 0 && granted.length < open.length;
          }}
          disabled={readOnly || open.length === 0}
          onChange={(event) => onToggle(open, event.target.checked)}
        />
      </td>
      {cells.map((action, index) => (
        <td key={COLUMNS[index]}>
          {action ? <Right {...props} action={action} /> : <span className="visually-hidden">not served</span>}
        </td>
      ))}
      <td>
        <span className="people-more">
          {more.map((action) => (
            // biome-ignore lint/a11y/noLabelWithoutControl: Right is the control
            <label key={action.action} className="check">
              <Right {...props} action={action} />
              <span aria-hidden="true">{action.name}</span>
            </label>
          ))}
        </span>
      </td>
    </tr>
  );
}

function RowTitle({ role, changes, readOnly, row: { group } }: RowProps): ReactNode {
  const { types, prefix } = useModel();
  const type = types.find(({ uid }) => uid === group.uid);
  const mayFind = isGranted(role, changes, `${group.uid}.find`);
  return (
    <>
      {group.title}
      {(role.rules[group.uid]?.length ?? 0) > 0 && (
        <>
          {' '}
          <Badge tone="info">rules</Badge>
        </>
      )}
      {type && mayFind && !readOnly && (
        <Link
          className="people-try"
          href={tryAsPath({ kind: 'role', type: role.type }, `${prefix}/${type.path}`)}
          aria-label={`What would ${role.name} see of ${group.title}?`}
          title={`What would ${role.name} see of ${group.title}?`}
        >
          <Icon name="search" />
        </Link>
      )}
    </>
  );
}

/** One right: an action on something. */
function Right({
  role,
  roles,
  changes,
  readOnly,
  onToggle,
  withheldId,
  row: { group },
  action: { action, name },
}: RowProps & { readonly action: { readonly action: string; readonly name: string } }): ReactNode {
  const reason = roles.withheld[action];
  return (
    <span className={changes.has(action) ? 'people-right people-right-changed' : 'people-right'}>
      <input
        type="checkbox"
        aria-label={`${role.name} may ${name} ${group.title}`}
        aria-describedby={reason === undefined ? undefined : `${withheldId}-${action}`}
        title={reason === undefined ? name : `Withheld: ${reason}`}
        checked={isGranted(role, changes, action)}
        disabled={readOnly || reason !== undefined}
        onChange={(event) => onToggle([action], event.target.checked)}
      />
    </span>
  );
}

const Withheld = ({
  id,
  withheld,
}: {
  readonly id: string;
  readonly withheld: Readonly<Record<string, string>>;
}): ReactNode =>
  Object.keys(withheld).length > 0 && (
    <details className="card card-body">
      <summary>{Object.keys(withheld).length} actions are withheld: nobody has them, however they are granted</summary>
      <dl className="people-rules">
        {Object.entries(withheld).map(([action, reason]) => (
          <Fragment key={action}>
            <dt>
              <code>{action}</code>
            </dt>
            <dd id={`${id}-${action}`}>{reason}</dd>
          </Fragment>
        ))}
      </dl>
    </details>
  );
