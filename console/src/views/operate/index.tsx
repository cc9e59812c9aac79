// How the server is: what it runs on, what was asked of it in the last hour, and what went wrong or took long.
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { ServerState } from '../../../../src/console/contract.ts';
import { api } from '../../shell/api.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNotice, Notice, Spinner } from '../../ui/notice.tsx';
import { PageHeader } from '../../ui/page.tsx';
import { bytesInWords, durationInWords } from './figures.ts';
import { Load } from './load.tsx';
import './operate.css';
import { SeenRequests } from './seen-requests.tsx';

/** Milliseconds between two looks at the server, while the page is visible. */
const REFRESHES_EVERY = 10_000;

export default function Operate(): ReactNode {
  const [isPaused, setPaused] = useState(false);
  const { data, error, dataUpdatedAt, refetch } = useQuery({
    queryKey: ['server'],
    queryFn: () => api.get<ServerState>('server'),
    refetchInterval: isPaused ? false : REFRESHES_EVERY,
  });
  return (
    <>
      <PageHeader title="Server">
        <span className="soft">
          {data && `As of ${new Date(dataUpdatedAt).toLocaleTimeString()}${isPaused ? ', paused' : ''}`}
        </span>
        <Button aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
          Pause
        </Button>
        <Button icon="refresh" onClick={() => refetch()}>
          Refresh
        </Button>
      </PageHeader>
      {error && <ErrorNotice error={error} />}
      {!data && !error && <Spinner />}
      {data && <State state={data} now={dataUpdatedAt} />}
    </>
  );
}

const State = ({ state, now }: { readonly state: ServerState; readonly now: number }): ReactNode => (
  <div className="stack">
    <Facts state={state} now={now} />
    <Schema schema={state.schema} />
    {state.isOneOfSeveral && (
      <Notice>
        Several processes serve. Memory, load, errors and slow requests are those of the one that answered.
      </Notice>
    )}
    <Load load={state.load} now={now} />
    <SeenRequests title="Recent errors" none="No request failed." requests={state.errors} />
    <SeenRequests title="Slow requests" none="No request took long." requests={state.slow} />
  </div>
);

function Facts({ state, now }: { readonly state: ServerState; readonly now: number }): ReactNode {
  const { version, node, startedAt, database, memory } = state;
  const facts: readonly (readonly [string, ReactNode, string?])[] = [
    ['Version', version],
    ['Node.js', node],
    ['Database', `${database.kind} ${database.version}`],
    ['Size of the database', database.bytes === null ? 'unknown' : bytesInWords(database.bytes)],
    ['Memory', bytesInWords(memory.residentBytes)],
    ['Running for', durationInWords(now - Date.parse(startedAt)), `since ${new Date(startedAt).toLocaleString()}`],
  ];
  return (
    <dl className="operate-facts">
      {facts.map(([name, value, more]) => (
        <div key={name} className="card card-body">
          <dt className="soft">{name}</dt>
          <dd>
            {value}
            {more && <small className="soft"> {more}</small>}
          </dd>
        </div>
      ))}
    </dl>
  );
}

const Schema = ({ schema }: { readonly schema: ServerState['schema'] }): ReactNode =>
  schema.isUpToDate ? (
    <Notice tone="good">The tables of the database are as the content-types say.</Notice>
  ) : (
    <Notice tone="warn">
      <strong>The tables of the database are not as the content-types say:</strong>
      <ul>
        {schema.changes.map((change) => (
          <li key={change}>{change}</li>
        ))}
      </ul>
    </Notice>
  );
