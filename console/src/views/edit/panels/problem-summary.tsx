import { type ReactNode, useEffect, useRef } from 'react';
import { fieldId, pathText } from '../context.ts';
import type { Problem } from '../form/checks.ts';

interface ProblemSummaryProps {
  readonly problems: readonly Problem[];
  readonly message: string | null;
  readonly idPrefix: string;
}

const FOCUSABLE = 'input, select, textarea, [contenteditable="true"], button';

/** The nearest thing that is on the page: of a place inside of what is closed or unknown, what it stands in. */
function goTo(idPrefix: string, path: readonly string[]): void {
  for (let length = path.length; length > 0; length -= 1) {
    const element = document.getElementById(fieldId(idPrefix, path.slice(0, length)));
    if (!element) continue;
    element.scrollIntoView({ block: 'center' });
    const control = element.querySelector<HTMLElement>(FOCUSABLE) ?? element;
    control.focus();
    return;
  }
}

/** All that is wrong, each leading to its field. It takes the focus when it appears, so that it is read. */
export function ProblemSummary({ problems, message, idPrefix }: ProblemSummaryProps): ReactNode {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (problems.length > 0) box.current?.focus();
    // Not again when the first of them is corrected.
  }, [problems.length > 0]);
  if (problems.length === 0) return null;
  return (
    <div className="notice notice-bad" role="alert" tabIndex={-1} ref={box}>
      <strong>
        {problems.length === 1 ? 'One thing is not right yet.' : `${problems.length} things are not right yet.`}
      </strong>
      <ul className="edit-problems">
        {problems.map((problem) => (
          <li key={`${pathText(problem.path)} ${problem.message}`}>
            <button type="button" className="edit-link" onClick={() => goTo(idPrefix, problem.path)}>
              {pathText(problem.path)}
            </button>
            : {problem.message}
          </li>
        ))}
      </ul>
      {message && problems.length > 1 && <p className="soft">{message}</p>}
    </div>
  );
}
