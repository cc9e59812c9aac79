// Finds entries by pointing: a request of the API is built from the model, and shown in words, in code, with its answer
// and its plan. The request is in the URL of the page.
import { type ReactNode, useState } from 'react';
import type { ConsoleModel } from '../../../../src/console/contract.ts';
import { typeAt } from '../../query/schema-view.ts';
import { useModel } from '../../shell/model.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { EmptyState, Notice } from '../../ui/notice.tsx';
import { PageHeader } from '../../ui/page.tsx';
import { useAskAs } from './ask-as.ts';
import { browsePath } from './browse-link.ts';
import { Builder } from './builder.tsx';
import './find.css';
import { PasteBox } from './paste.tsx';
import { Results } from './results.tsx';
import { problemOf, useAnswer, useTitles } from './use-answer.ts';
import { useFind } from './use-find.ts';

export default function Find(): ReactNode {
  const model = useModel();
  if (model.types.length === 0) return <EmptyState title="There is nothing that you may read" />;
  return <FindIn model={model} />;
}

function FindIn({ model }: { readonly model: ConsoleModel }): ReactNode {
  const find = useFind(model);
  const { draft, notes, url, settledUrl, change, paste } = find;
  const [as, setAs] = useAskAs();
  const [tab, setTab] = useState('answer');
  const { data: answer, error, isFetching } = useAnswer(settledUrl, as);
  const titles = useTitles(draft, model);
  const type = typeAt(model, draft.type);
  const isBrowsable = type?.source === 'own' && type.kind === 'collectionType' && draft.below === '';
  return (
    <>
      <PageHeader title="Find">
        {isBrowsable && (
          <ButtonLink icon="list" href={browsePath(draft, type)}>
            Open in browse
          </ButtonLink>
        )}
      </PageHeader>
      <div className="stack">
        <PasteBox onPaste={paste} />
        {notes.map((note) => (
          <Notice key={note} tone="warn">
            {note}
          </Notice>
        ))}
        <div className="find-columns">
          <div>
            <Builder model={model} draft={draft} titles={titles} problem={problemOf(answer)} onChange={change} />
            <ToResult />
          </div>
          <Results
            model={model}
            draft={draft}
            titles={titles}
            url={url}
            settledUrl={settledUrl}
            as={as}
            onAs={setAs}
            tab={tab}
            onTab={setTab}
            answer={answer}
            error={error}
            isFetching={isFetching}
          />
        </div>
      </div>
    </>
  );
}

/** Where the builder stands above the result, that is far away. */
const ToResult = (): ReactNode => (
  <div className="find-jump">
    <Button
      small
      icon="chevronDown"
      onClick={() => {
        const result = document.getElementById('result');
        result?.scrollIntoView();
        result?.focus({ preventScroll: true });
      }}
    >
      Show the result
    </Button>
  </div>
);
