// The ends of lines: a bar is one, a crow's foot is many.
import type { ReactNode } from 'react';

const ONE = 'model-end-one';
const MANY = 'model-end-many';

/** Null: a line that begins at its owner has no sign there. */
export const markerOf = (isMany: boolean | null): string | undefined =>
  isMany === null ? undefined : `url(#${isMany ? MANY : ONE})`;

/** The signs, and what they mean. */
export const CrowFeet = (): ReactNode => (
  <div className="model-legend soft">
    <svg width="0" height="0" aria-hidden="true">
      <defs>
        <End id={ONE} d="M6 2V12" />
        <End id={MANY} d="M2 7L14 1M2 7L14 13" />
      </defs>
    </svg>
    <Sign marker={ONE} text="one" />
    <Sign marker={MANY} text="many" />
    <span className="model-key model-key-held">holds a component</span>
    {(['collection type', 'single type', 'component', 'built in'] as const).map((kind) => (
      <span key={kind} className="model-key">
        <span className={`model-dot model-${kind.replace(' ', '-')}`} aria-hidden="true" />
        {kind}
      </span>
    ))}
  </div>
);

/** Both look along the line towards its end, so one drawing does for both ends. */
const End = ({ id, d }: { readonly id: string; readonly d: string }): ReactNode => (
  <marker
    id={id}
    className="model-end"
    viewBox="0 0 14 14"
    refX="14"
    refY="7"
    markerWidth="14"
    markerHeight="14"
    markerUnits="userSpaceOnUse"
    orient="auto-start-reverse"
  >
    <path d={d} />
  </marker>
);

const Sign = ({ marker, text }: { readonly marker: string; readonly text: string }): ReactNode => (
  <span className="model-key">
    <svg width="34" height="16" aria-hidden="true">
      <path className="model-line" d="M2 8H32" markerEnd={`url(#${marker})`} />
    </svg>
    {text}
  </span>
);
