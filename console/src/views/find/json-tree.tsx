// JSON as a tree whose branches open and close.
import { type ReactNode, useState } from 'react';

/** Levels that are open at first. */
const OPEN_LEVELS = 3;
/** Members of one list or object that are drawn at once. */
const MOST_MEMBERS = 100;

interface JsonTreeProps {
  readonly value: unknown;
  readonly name?: string;
  readonly level?: number;
}

export function JsonTree({ value, name, level = 0 }: JsonTreeProps): ReactNode {
  const [isOpen, setOpen] = useState(level < OPEN_LEVELS);
  const [most, setMost] = useState(MOST_MEMBERS);
  const key = name === undefined ? null : <span className="find-json-key">{name}: </span>;
  if (typeof value !== 'object' || value === null)
    return (
      <div className="find-json-line">
        {key}
        <span className={`find-json-${value === null ? 'null' : typeof value}`}>{JSON.stringify(value)}</span>
      </div>
    );
  const isList = Array.isArray(value);
  const entries = Object.entries(value);
  if (entries.length === 0)
    return (
      <div className="find-json-line">
        {key}
        {isList ? '[]' : '{}'}
      </div>
    );
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {key}
        <span className="soft">{isList ? `[${entries.length}]` : `{${entries.length}}`}</span>
      </summary>
      {isOpen && (
        <div className="find-json-inside">
          {entries.slice(0, most).map(([one, inner]) => (
            <JsonTree key={one} name={one} value={inner} level={level + 1} />
          ))}
          {entries.length > most && (
            <button type="button" className="button button-small" onClick={() => setMost(most + MOST_MEMBERS)}>
              {`Show more of ${entries.length}`}
            </button>
          )}
        </div>
      )}
    </details>
  );
}
