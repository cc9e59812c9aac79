// Small charts of the last hour. What they show in a picture stands in a table below them as well.
import type { ReactNode } from 'react';
import type { LoadPoint } from '../../../../src/console/contract.ts';
import { linePath, POINTS, topOf } from './figures.ts';

export interface Series {
  readonly label: string;
  readonly tone: 'accent' | 'info' | 'bad';
  readonly kind: 'bars' | 'line';
  readonly value: (point: LoadPoint) => number;
}

interface ChartProps {
  readonly title: string;
  /** What the chart says, in a sentence. */
  readonly summary: string;
  readonly load: readonly LoadPoint[];
  readonly series: readonly Series[];
  readonly format: (value: number) => string;
}

export const clock = (at: string): string =>
  new Date(at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });

export function Chart({ title, summary, load, series, format }: ChartProps): ReactNode {
  const top = topOf(series.flatMap(({ value }) => load.map(value)));
  return (
    <figure className="operate-chart card card-body">
      <figcaption className="row">
        <h3 className="grow">{title}</h3>
        {series.length > 1 && series.map((one) => <Key key={one.label} series={one} />)}
      </figcaption>
      <p className="soft operate-summary">{summary}</p>
      <div className="operate-plot">
        <span className="operate-top">{format(top)}</span>
        <svg viewBox={`0 0 ${POINTS} 100`} preserveAspectRatio="none" role="img" aria-label={`${title}. ${summary}`}>
          <path className="operate-grid" d={`M0 0.5H${POINTS}M0 50H${POINTS}M0 99.5H${POINTS}`} />
          {series.map((one) => (
            <Drawn key={one.label} series={one} load={load} top={top} />
          ))}
        </svg>
      </div>
      <div className="row soft operate-axis" aria-hidden="true">
        <span className="grow">{clock(load[0]!.at)}</span>
        <span>{clock(load.at(-1)!.at)}</span>
      </div>
    </figure>
  );
}

const Key = ({ series }: { readonly series: Series }): ReactNode => (
  <span className={`operate-key operate-${series.tone}`}>{series.label}</span>
);

function Drawn({
  series: { kind, tone, value },
  load,
  top,
}: {
  readonly series: Series;
  readonly load: readonly LoadPoint[];
  readonly top: number;
}): ReactNode {
  if (kind === 'line') {
    const values = load.map((point) => (point.requests === 0 ? null : value(point)));
    return <path className={`operate-line operate-${tone}`} d={linePath(values, top)} />;
  }
  return load.map((point, index) => {
    const height = (value(point) / top) * 100;
    return height === 0 ? null : (
      <rect
        key={point.at}
        className={`operate-bar operate-${tone}`}
        x={index + 0.1}
        width={0.8}
        y={100 - height}
        height={height}
      />
    );
  });
}
