import type { ReactNode } from 'react';
import type { LoadPoint } from '../../../../src/console/contract.ts';
import { ScrollBox } from '../../ui/scroll.tsx';
import { Chart, clock } from './chart.tsx';
import { millisecondsInWords, sum, wholeHour } from './figures.ts';

const count = (value: number): string => value.toLocaleString();

export function Load({ load, now }: { readonly load: readonly LoadPoint[]; readonly now: number }): ReactNode {
  const hour = wholeHour(load, now);
  const requests = hour.map((point) => point.requests);
  const errors = sum(hour.map((point) => point.errors));
  const slowest = Math.max(...hour.map(({ p99 }) => p99));
  const busy = `${count(sum(requests))} in the last hour, at most ${count(Math.max(...requests))} in a minute`;
  return (
    <section aria-label="Load of the last hour" className="stack">
      <h2>Load of the last hour</h2>
      <div className="operate-charts">
        <Chart
          title="Requests per minute"
          summary={busy}
          load={hour}
          format={count}
          series={[{ label: 'requests', tone: 'accent', kind: 'bars', value: (point) => point.requests }]}
        />
        <Chart
          title="Failed requests per minute"
          summary={errors === 0 ? 'None in the last hour' : `${count(errors)} in the last hour`}
          load={hour}
          format={count}
          series={[{ label: 'errors', tone: 'bad', kind: 'bars', value: (point) => point.errors }]}
        />
        <Chart
          title="Time to answer"
          summary={`99 of 100 requests within ${millisecondsInWords(slowest)} in the slowest minute`}
          load={hour}
          format={millisecondsInWords}
          series={[
            { label: 'p50', tone: 'info', kind: 'line', value: ({ p50 }) => p50 },
            { label: 'p99', tone: 'accent', kind: 'line', value: ({ p99 }) => p99 },
          ]}
        />
      </div>
      <LoadTable load={hour.filter((point) => point.requests > 0)} />
    </section>
  );
}

/** The charts as numbers: the minutes in which anything was asked, the latest first. */
const LoadTable = ({ load }: { readonly load: readonly LoadPoint[] }): ReactNode => (
  <details>
    <summary>As a table</summary>
    <ScrollBox label="Load by minute">
      <table className="table">
        <thead>
          <tr>
            <th scope="col">Minute</th>
            <th scope="col">Requests</th>
            <th scope="col">Failed</th>
            <th scope="col">p50</th>
            <th scope="col">p99</th>
          </tr>
        </thead>
        <tbody>
          {load.toReversed().map((point) => (
            <tr key={point.at}>
              <th scope="row">{clock(point.at)}</th>
              <td>{count(point.requests)}</td>
              <td>{count(point.errors)}</td>
              <td>{millisecondsInWords(point.p50)}</td>
              <td>{millisecondsInWords(point.p99)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  </details>
);
