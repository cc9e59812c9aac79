// How many entries there are, and what can be done with those that are chosen.
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, request } from '../../shell/api.ts';
import { type Entry, titleOf, useModel } from '../../shell/model.ts';
import { useSession } from '../../shell/session.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import type { IconName } from '../../ui/icon.tsx';
import { Notice } from '../../ui/notice.tsx';
import { toast } from '../../ui/toast.tsx';
import { queryText } from './browse-state.ts';
import { type Asked, entriesKey } from './requests.ts';

type Action = 'publish' | 'unpublish' | 'delete';

const WORDS: Readonly<Record<Action, { label: string; done: string; icon: IconName }>> = {
  publish: { label: 'Publish', done: 'published', icon: 'check' },
  unpublish: { label: 'Unpublish', done: 'unpublished', icon: 'close' },
  delete: { label: 'Delete', done: 'deleted', icon: 'delete' },
};

const NUMBER = new Intl.NumberFormat();
const amount = (count: number): string => (count === 1 ? '1 entry' : `${NUMBER.format(count)} entries`);

interface ChosenProps {
  readonly asked: Asked;
  readonly total: number;
  readonly entries: readonly Entry[];
  readonly onClear: () => void;
}

export function Chosen({ asked, total, entries, onClear }: ChosenProps): ReactNode {
  const { mayEdit } = useSession();
  const [planned, setPlanned] = useState<{ action: Action; entries: readonly Entry[] } | null>(null);
  const { uid, draftAndPublish } = asked.type;
  const actions: Action[] = [
    ...(draftAndPublish && mayEdit(uid, 'publish') ? (['publish', 'unpublish'] as const) : []),
    ...(mayEdit(uid, 'delete') ? (['delete'] as const) : []),
  ];
  return (
    <div className="browse-bar">
      <span role="status">{entries.length === 0 ? amount(total) : `${amount(entries.length)} chosen`}</span>
      {entries.length > 0 && (
        <>
          {actions.map((action) => (
            <Button
              key={action}
              small
              kind={action === 'delete' ? 'danger' : 'normal'}
              icon={WORDS[action].icon}
              onClick={() => setPlanned({ action, entries })}
            >
              {WORDS[action].label}
            </Button>
          ))}
          <Button small kind="plain" onClick={onClear}>
            Choose none
          </Button>
        </>
      )}
      {planned && <Doing asked={asked} {...planned} onClose={() => setPlanned(null)} />}
    </div>
  );
}

interface Failure {
  readonly entry: Entry;
  readonly message: string;
}

const perform = ({ type, locale }: Asked, action: Action, { documentId }: Entry): Promise<unknown> => {
  const query = locale === null ? '' : `?${queryText([['locale', locale]])}`;
  const path = `rest/${type.path}/${documentId}`;
  return action === 'delete' ? api.delete(`${path}${query}`) : request('POST', `${path}/actions/${action}${query}`);
};

interface DoingProps {
  readonly asked: Asked;
  readonly action: Action;
  readonly entries: readonly Entry[];
  readonly onClose: () => void;
}

/** Asks first; then does one after the other, says how far it is, and what failed. */
function Doing({ asked, action, entries, onClose }: DoingProps): ReactNode {
  const client = useQueryClient();
  const [done, setDone] = useState<number | null>(null);
  const [failures, setFailures] = useState<readonly Failure[]>([]);
  const { label } = WORDS[action];
  const isOver = done === entries.length;
  const start = async (): Promise<void> => {
    const failed: Failure[] = [];
    for (const [index, entry] of entries.entries()) {
      setDone(index);
      await perform(asked, action, entry).catch(({ message }: Error) => failed.push({ entry, message }));
    }
    setDone(entries.length);
    setFailures(failed);
    const succeeded = entries.length - failed.length;
    if (succeeded > 0) toast(`${amount(succeeded)} ${WORDS[action].done}`);
    await client.invalidateQueries({ queryKey: entriesKey(asked.type) });
    client.invalidateQueries({ queryKey: ['counts'] });
    if (failed.length === 0) onClose();
  };
  return (
    <Dialog
      title={isOver ? `${amount(failures.length)} not ${WORDS[action].done}` : `${label} ${amount(entries.length)}?`}
      isOpen
      onClose={() => {
        if (done === null || isOver) onClose();
      }}
      actions={
        isOver ? undefined : (
          <Button kind={action === 'delete' ? 'danger' : 'primary'} disabled={done !== null} onClick={start}>
            {label} {amount(entries.length)}
          </Button>
        )
      }
    >
      {done === null && <Question asked={asked} action={action} entries={entries} />}
      {done !== null && !isOver && (
        <div className="stack" role="status">
          <progress className="browse-progress" max={entries.length} value={done} aria-label={label} />
          {done + 1} of {entries.length}: {titleOf(asked.type, entries[done]!)}
        </div>
      )}
      {failures.length > 0 && (
        <Notice tone="bad">
          <ul>
            {failures.map(({ entry, message }) => (
              <li key={entry.documentId}>
                <strong>{titleOf(asked.type, entry)}</strong>: {message}
              </li>
            ))}
          </ul>
        </Notice>
      )}
    </Dialog>
  );
}

/** Titles that are named before it is asked whether to do it. */
const MAX_NAMED = 5;

function Question({ asked, action, entries }: Omit<DoingProps, 'onClose'>): ReactNode {
  const { locales } = useModel();
  const locale = asked.locale !== null && locales.find(({ code }) => code === asked.locale);
  const more = entries.length - MAX_NAMED;
  return (
    <>
      <ul className="browse-named">
        {entries.slice(0, MAX_NAMED).map((entry) => (
          <li key={entry.documentId}>{titleOf(asked.type, entry)}</li>
        ))}
        {more > 0 && <li>and {more} more</li>}
      </ul>
      {locale && <p>Only in {locale.name}; other locales stay as they are.</p>}
      {action === 'delete' && <p>This cannot be undone.</p>}
      {action === 'unpublish' && <p>Readers see them no longer. The drafts stay.</p>}
    </>
  );
}
