// API tokens: credentials of programs. A token is shown when it is made, and never again.
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { ApiToken, NewToken } from '../../../../src/console/contract.ts';
import { api } from '../../shell/api.ts';
import { type Reading, useRead } from '../../shell/ready.ts';
import { useSession } from '../../shell/session.ts';
import { Button, ButtonLink, IconButton } from '../../ui/button.tsx';
import { Badge, EmptyState, Spinner } from '../../ui/notice.tsx';
import { ScrollBox } from '../../ui/scroll.tsx';
import { ConfirmDelete } from './confirm-delete.tsx';
import { ShownOnce } from './shown-once.tsx';
import { TokenDialog } from './token-dialog.tsx';
import { tryAsPath } from './try-as.ts';

const TOKENS: Reading<ApiToken[]> = { queryKey: ['tokens'], queryFn: () => api.get('tokens') };

export function TokensTab(): ReactNode {
  const { can } = useSession();
  const client = useQueryClient();
  const tokens = useRead(TOKENS);
  const [isCreating, setCreating] = useState(false);
  const [created, setCreated] = useState<NewToken | null>(null);
  const [deleted, setDeleted] = useState<ApiToken | null>(null);
  const changed = (): Promise<void> => client.invalidateQueries({ queryKey: ['tokens'] });
  if (!tokens) return <Spinner />;
  return (
    <div className="stack">
      <div className="row">
        <p className="grow soft">
          A program sends its token in the header <code>Authorization: Bearer …</code>.
        </p>
        {can('tokens.create') && (
          <Button kind="primary" icon="add" onClick={() => setCreating(true)}>
            New token
          </Button>
        )}
      </div>
      {tokens.length === 0 ? (
        <EmptyState title="There are no API tokens" />
      ) : (
        <TokenTable tokens={tokens} mayTry={can('tokens.create')} onDelete={can('tokens.delete') ? setDeleted : null} />
      )}
      {isCreating && (
        <TokenDialog
          onClose={() => setCreating(false)}
          onCreated={(token) => {
            setCreating(false);
            setCreated(token);
            changed();
          }}
        />
      )}
      {created && (
        <ShownOnce
          title={`Token ${created.token.name}`}
          name="token"
          secret={created.secret}
          warning="Copy the token now: it is not shown again. Whoever has it may do what it may."
          onClose={() => setCreated(null)}
        />
      )}
      {deleted && (
        <ConfirmDelete
          path={`tokens/${deleted.id}`}
          kind="token"
          name={deleted.name}
          onClose={() => setDeleted(null)}
          onDeleted={changed}
        >
          Programs that use it are refused from now on. That cannot be undone.
        </ConfirmDelete>
      )}
    </div>
  );
}

const day = (at: string | null): string | null => at && new Date(at).toLocaleDateString();

const TokenTable = ({
  tokens,
  mayTry,
  onDelete,
}: {
  readonly tokens: readonly ApiToken[];
  /** Whoever may make tokens may see what they would. */
  readonly mayTry: boolean;
  /** Null where the account may not. */
  readonly onDelete: ((token: ApiToken) => void) | null;
}): ReactNode => (
  <ScrollBox label="API tokens" tall>
    <table className="table">
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">May</th>
          <th scope="col">Expires</th>
          <th scope="col">Last used</th>
          <th scope="col">
            <span className="visually-hidden">To do</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {tokens.map((token) => (
          <tr key={token.id}>
            <th scope="row">
              {token.name}
              {token.description && <div className="people-note">{token.description}</div>}
            </th>
            <td>
              <TokenKind token={token} />
            </td>
            <td>
              {token.expiresAt && Date.parse(token.expiresAt) < Date.now() ? (
                <Badge tone="bad">expired {day(token.expiresAt)}</Badge>
              ) : (
                (day(token.expiresAt) ?? 'never')
              )}
            </td>
            <td>{day(token.lastUsedAt) ?? 'never'}</td>
            <td>
              <div className="row">
                {token.type !== 'custom' && mayTry && (
                  <ButtonLink small icon="search" href={tryAsPath({ kind: 'token', type: token.type })}>
                    Try as {token.type}
                  </ButtonLink>
                )}
                {onDelete && (
                  <IconButton small icon="delete" label={`Delete ${token.name}`} onClick={() => onDelete(token)} />
                )}
              </div>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </ScrollBox>
);

const TokenKind = ({ token: { type, actions } }: { readonly token: ApiToken }): ReactNode =>
  type === 'custom' ? (
    <details>
      <summary>custom: {actions.length === 1 ? '1 action' : `${actions.length} actions`}</summary>
      <ul>
        {actions.map((action) => (
          <li key={action}>
            <code>{action}</code>
          </li>
        ))}
      </ul>
    </details>
  ) : (
    <Badge tone={type === 'full-access' ? 'warn' : 'info'}>{type}</Badge>
  );
