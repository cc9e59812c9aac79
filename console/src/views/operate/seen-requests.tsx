import type { ReactNode } from 'react';
import type { SeenRequest } from '../../../../src/console/contract.ts';
import { Badge } from '../../ui/notice.tsx';
import { ScrollBox } from '../../ui/scroll.tsx';
import { millisecondsInWords } from './figures.ts';

interface SeenRequestsProps {
  readonly title: string;
  /** What is said where there are none. */
  readonly none: string;
  readonly requests: readonly SeenRequest[];
}

export const SeenRequests = ({ title, none, requests }: SeenRequestsProps): ReactNode => (
  <section aria-label={title} className="stack">
    <h2>{title}</h2>
    {requests.length === 0 ? (
      <p className="soft">{none}</p>
    ) : (
      <ScrollBox label={`${title}, table`}>
        <table className="table">
          <thead>
            <tr>
              <th scope="col">At</th>
              <th scope="col">Request</th>
              <th scope="col">Status</th>
              <th scope="col">Time</th>
              <th scope="col">Message</th>
              <th scope="col">Request id</th>
            </tr>
          </thead>
          <tbody>
            {requests.map((request) => (
              <Row key={`${request.requestId} ${request.at}`} request={request} />
            ))}
          </tbody>
        </table>
      </ScrollBox>
    )}
  </section>
);

const Row = ({ request: { at, method, route, status, milliseconds, requestId, message } }: RowProps): ReactNode => (
  <tr>
    <td className="operate-nowrap">
      <time dateTime={at} title={new Date(at).toLocaleString()}>
        {new Date(at).toLocaleTimeString()}
      </time>
    </td>
    <td>
      <code>
        {method} {route ?? 'no such path'}
      </code>
    </td>
    <td>
      <Badge tone={status >= 500 ? 'bad' : status >= 400 ? 'warn' : 'good'}>{status}</Badge>
    </td>
    <td className="operate-nowrap">{millisecondsInWords(milliseconds)}</td>
    <td className="operate-message">{message ?? ''}</td>
    <td>
      <code>{requestId}</code>
    </td>
  </tr>
);

interface RowProps {
  readonly request: SeenRequest;
}
