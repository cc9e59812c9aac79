import type { ReactNode } from 'react';

interface LinesProps {
  readonly lines: readonly string[];
  /** The lines that it is compared with: those that are not among them are marked. */
  readonly against: readonly string[];
}

/** A value in lines, with what the other does not have. */
export function Lines({ lines, against }: LinesProps): ReactNode {
  if (lines.length === 0) return <span className="soft">Nothing</span>;
  return (
    <div className="edit-lines">
      {lines.map((line, index) =>
        against.includes(line) ? (
          <div key={index}>{line || ' '}</div>
        ) : (
          <div key={index}>
            <mark>{line || ' '}</mark>
          </div>
        ),
      )}
    </div>
  );
}
