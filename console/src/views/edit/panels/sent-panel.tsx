import type { ReactNode } from 'react';
import type { ConsoleModel } from '../../../../../src/console/contract.ts';
import { CONSOLE_REST } from '../../../../../src/console/contract.ts';
import { CopyButton } from '../../../ui/copy.tsx';
import type { WriteRequest } from '../form/query.ts';

interface SentPanelProps {
  readonly model: ConsoleModel;
  /** Null where nothing is to be sent. */
  readonly request: WriteRequest | null;
}

/** The request that saving sends, as it is now. */
export function SentPanel({ model, request }: SentPanelProps): ReactNode {
  const url = request && `${model.prefix}/${request.path.replace(/^rest\//, '')}`;
  const body = request && JSON.stringify(request.body, null, 2);
  return (
    <section className="card edit-sent" aria-label="What will be sent">
      <details>
        <summary>What will be sent</summary>
        {request ? (
          <>
            <p>
              <code>
                {request.method} {url}
              </code>
            </p>
            <pre className="code-block">{body}</pre>
            <div className="row">
              <CopyButton text={`${request.method} ${url}\n\n${body}`} label="Copy the request" />
              <span className="soft">The console sends it below {CONSOLE_REST}, with your rights.</span>
            </div>
          </>
        ) : (
          <p className="soft">Nothing: the form is as it was loaded.</p>
        )}
      </details>
    </section>
  );
}
