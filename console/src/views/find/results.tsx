// What a request says, is and gives: in words, in the forms in which others send it, its answer and its plan.
import type { ReactNode } from 'react';
import type { AskAs, ConsoleModel, TryAnswer } from '../../../../src/console/contract.ts';
import type { Titles } from '../../query/clauses.ts';
import type { ReadDraft } from '../../query/draft.ts';
import { clientCodeOf, curlOf } from '../../query/request-code.ts';
import { sentenceOf } from '../../query/sentence.ts';
import { useSession } from '../../shell/session.ts';
import { CopyButton } from '../../ui/copy.tsx';
import { Field, Select } from '../../ui/field.tsx';
import { ErrorNotice, Spinner } from '../../ui/notice.tsx';
import { type Tab, Tabs } from '../../ui/tabs.tsx';
import { AnswerPanel } from './answer.tsx';
import { PlanPanel } from './plan.tsx';
import { useRoles } from './use-answer.ts';

interface ResultsProps {
  readonly model: ConsoleModel;
  readonly draft: ReadDraft;
  readonly titles: Titles;
  readonly url: string;
  readonly settledUrl: string;
  readonly as: AskAs;
  readonly onAs: (as: AskAs) => void;
  readonly tab: string;
  readonly onTab: (tab: string) => void;
  readonly answer: TryAnswer | undefined;
  readonly error: Error | null;
  readonly isFetching: boolean;
}

export function Results(props: ResultsProps): ReactNode {
  const { model, draft, titles, url, settledUrl, as, tab, onTab, answer, error, isFetching } = props;
  const { can } = useSession();
  const { origin } = window.location;
  const tabs: readonly (Tab | false)[] = [
    {
      value: 'answer',
      label: 'Answer',
      content: () =>
        error ? (
          <ErrorNotice error={error} />
        ) : answer ? (
          <AnswerPanel answer={answer} model={model} draft={draft} />
        ) : (
          <Spinner />
        ),
    },
    { value: 'url', label: 'URL', content: () => <Code text={origin + url} label="Copy the URL" /> },
    {
      value: 'curl',
      label: 'curl',
      content: () => <Code text={curlOf(draft, { origin, prefix: model.prefix })} label="Copy the curl command" />,
    },
    {
      value: 'client',
      label: 'Client',
      content: () => <Code text={clientCodeOf(draft, model, origin)} label="Copy the client code" />,
    },
    can('requests.explain') && {
      value: 'plan',
      label: 'Plan',
      content: () => <PlanPanel url={settledUrl} as={as} />,
    },
  ];
  return (
    <section
      id="result"
      className="card card-body find-results"
      aria-label="Result"
      aria-busy={isFetching || url !== settledUrl}
      tabIndex={-1}
    >
      <p className="find-sentence" aria-live="polite">
        {sentenceOf(draft, model, titles)}
      </p>
      <AskAsSelect as={as} onAs={props.onAs} />
      <Tabs label="What it gives" tabs={tabs.filter((one) => one !== false)} value={tab} onChange={onTab} />
    </section>
  );
}

const Code = ({ text, label }: { readonly text: string; readonly label: string }): ReactNode => (
  <div className="stack">
    <pre className="code-block">{text}</pre>
    <div>
      <CopyButton text={text} label={label} />
    </div>
  </div>
);

/** In whose eyes the request is read, if one may look with others' eyes. */
function AskAsSelect({ as, onAs }: Pick<ResultsProps, 'as' | 'onAs'>): ReactNode {
  const { can } = useSession();
  const roles = useRoles();
  const tokens = can('tokens.create') ? (['read-only', 'full-access'] as const) : [];
  const choices: readonly { readonly as: AskAs; readonly label: string }[] = [
    { as: { kind: 'account' }, label: 'Me' },
    ...roles.map(({ type, name }) => ({ as: { kind: 'role', type } as const, label: `Role: ${name}` })),
    ...tokens.map((type) => ({ as: { kind: 'token', type } as const, label: `API token: ${type}` })),
  ];
  if (choices.length === 1) return null;
  return (
    <div className="find-ask">
      <Field label="Ask as">
        {(control) => (
          <Select
            small
            {...control}
            value={JSON.stringify(as)}
            options={choices.map((choice) => ({ value: JSON.stringify(choice.as), label: choice.label }))}
            onChange={(text) => {
              const chosen = choices.find((choice) => JSON.stringify(choice.as) === text);
              if (chosen) onAs(chosen.as);
            }}
          />
        )}
      </Field>
    </div>
  );
}
