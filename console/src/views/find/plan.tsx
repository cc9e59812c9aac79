// How the database answers the request: the plan in words, what each part costs, and each statement with what it did.
import type { ReactNode } from 'react';
import type {
  AskAs,
  ConsoleExplained,
  ConsoleStatement,
  CostNode,
  PlanNode,
} from '../../../../src/console/contract.ts';
import { CopyButton } from '../../ui/copy.tsx';
import { Badge, ErrorNotice, Spinner } from '../../ui/notice.tsx';
import { useExplained } from './use-answer.ts';

export function PlanPanel({ url, as }: { readonly url: string; readonly as: AskAs }): ReactNode {
  const { data, error } = useExplained(url, as);
  if (error) return <ErrorNotice error={error} />;
  if (!data) return <Spinner />;
  return <Plan explained={data} />;
}

const number = (value: number): string => Math.round(value).toLocaleString('en');

function Plan({ explained }: { readonly explained: ConsoleExplained }): ReactNode {
  const { plan, cost, isHeavy, statements } = explained;
  return (
    <div className="stack">
      <div className="row">
        <span>{`About ${number(cost.rows)} rows are touched`}</span>
        {isHeavy ? <Badge tone="warn">Heavy: waits for its turn</Badge> : <Badge tone="good">Light</Badge>}
      </div>
      <section aria-label="Plan">
        <h3>Plan</h3>
        <PlanTree nodes={plan} />
      </section>
      <section aria-label="Cost">
        <h3>Cost, part by part</h3>
        <CostTree nodes={[cost]} whole={Math.max(1, cost.rows)} statements={statements} />
      </section>
      <section aria-label="Statements" className="stack">
        <h3>Statements</h3>
        {statements.map((statement, index) => (
          <Statement key={index} statement={statement} />
        ))}
      </section>
    </div>
  );
}

const PlanTree = ({ nodes }: { readonly nodes: readonly PlanNode[] }): ReactNode => (
  <ul className="find-plan">
    {nodes.map(({ text, parts }, index) => (
      <li key={index}>
        <span className="find-plan-node">{text}</span>
        {parts.length > 0 && <PlanTree nodes={parts} />}
      </li>
    ))}
  </ul>
);

interface CostTreeProps {
  readonly nodes: readonly CostNode[];
  readonly whole: number;
  readonly statements: readonly ConsoleStatement[];
  /** Names that are populated on the way here. */
  readonly above?: readonly string[];
  readonly isRoot?: boolean;
}

const POPULATE = 'populate ';
/** The statements that give the entries themselves. */
const ENTRIES = ['columns of the page', 'the entry', 'the whole answer', 'the groups'];

/** The rows that a part really gave: those of the statement that is its own. */
function realRows(title: string, path: readonly string[], isRoot: boolean, statements: readonly ConsoleStatement[]) {
  const own = title.startsWith(POPULATE) ? `${POPULATE}${path.join('.')}` : title;
  return statements.find((one) => one.title === own || (isRoot && ENTRIES.includes(one.title)))?.rows ?? null;
}

const CostTree = ({ nodes, whole, statements, above = [], isRoot = true }: CostTreeProps): ReactNode => (
  <ul className="find-plan">
    {nodes.map(({ title, rows, parts }, index) => {
      const path = title.startsWith(POPULATE) ? [...above, title.slice(POPULATE.length)] : above;
      const real = realRows(title, path, isRoot, statements);
      return (
        <li key={index}>
          <span className="find-plan-node find-cost">
            <span>{title}</span>
            <meter min={0} max={whole} value={Math.min(rows, whole)} aria-label={`Share of ${title}`} />
            <span className="soft">{`${number(rows)} estimated${real === null ? '' : `, ${number(real)} given`}`}</span>
          </span>
          {parts.length > 0 && (
            <CostTree nodes={parts} whole={whole} statements={statements} above={path} isRoot={false} />
          )}
        </li>
      );
    })}
  </ul>
);

function Statement({ statement }: { readonly statement: ConsoleStatement }): ReactNode {
  const { title, sql, queryPlan, indexes, missing, rows, milliseconds } = statement;
  return (
    <article className="card card-body find-statement" aria-label={`Statement: ${title}`}>
      <div className="row">
        <h4>{title}</h4>
        {rows !== null && <Badge tone="info">{`${number(rows)} ${rows === 1 ? 'row' : 'rows'}`}</Badge>}
        {milliseconds !== null && <Badge>{`${milliseconds.toFixed(2)} ms`}</Badge>}
        {indexes.map((name) => (
          <Badge key={name} tone="good">{`index ${name}`}</Badge>
        ))}
        {missing.map((name) => (
          <Badge key={name} tone="warn">{`missing index: ${name}`}</Badge>
        ))}
        <CopyButton text={sql} label={`Copy the SQL: ${title}`} />
      </div>
      <pre className="code-block">{sql}</pre>
      <details>
        <summary>The plan of the database</summary>
        <pre className="code-block">{queryPlan.join('\n')}</pre>
      </details>
    </article>
  );
}
