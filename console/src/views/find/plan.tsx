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
}

const CostTree = ({ nodes, whole, statements }: CostTreeProps): ReactNode => (
  <ul className="find-plan">
    {nodes.map(({ title, rows, parts }, index) => {
      const real = statements.find((statement) => statement.title === title)?.rows ?? null;
      return (
        <li key={index}>
          <span className="find-plan-node find-cost">
            <span>{title}</span>
            <meter min={0} max={whole} value={Math.min(rows, whole)} aria-label={`Share of ${title}`} />
            <span className="soft">{`${number(rows)} estimated${real === null ? '' : `, ${number(real)} real`}`}</span>
          </span>
          {parts.length > 0 && <CostTree nodes={parts} whole={whole} statements={statements} />}
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
