// Finds entries by a few letters, to be connected.
import { Combobox } from '@base-ui/react/combobox';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useDeferredValue, useId, useState } from 'react';
import type { ConsoleType } from '../../../../../src/console/contract.ts';
import { api } from '../../../shell/api.ts';
import { type Entry, titleOf, typeOf } from '../../../shell/model.ts';
import { Select } from '../../../ui/field.tsx';
import { useForm } from '../context.ts';
import { searchUrl } from '../form/query.ts';

interface RelationSearchProps {
  readonly label: string;
  /** The types that it may lead to; of several, one is chosen first. */
  readonly targets: readonly string[];
  readonly locale: string;
  readonly isTaken: (entry: Entry) => boolean;
  readonly onSelect: (type: ConsoleType, entry: Entry) => void;
}

export function RelationSearch({ label, targets, ...rest }: RelationSearchProps): ReactNode {
  const { model } = useForm();
  const choices = model.types.filter(({ uid }) => targets.includes(uid));
  const [uid, setUid] = useState(choices[0]?.uid ?? '');
  const type = typeOf(model, uid);
  if (!type) return null;
  return (
    <div className="row edit-search">
      {choices.length > 1 && (
        <Select
          small
          aria-label={`${label}: type`}
          value={uid}
          options={choices.map((choice) => ({ value: choice.uid, label: choice.displayName }))}
          onChange={setUid}
        />
      )}
      <EntrySearch label={label} type={type} {...rest} />
    </div>
  );
}

type EntrySearchProps = Omit<RelationSearchProps, 'targets'> & { readonly type: ConsoleType };

function EntrySearch({ label, type, locale, isTaken, onSelect }: EntrySearchProps): ReactNode {
  const id = useId();
  const [text, setText] = useState('');
  const [isOpen, setOpen] = useState(false);
  const asked = useDeferredValue(text);
  const { data = [], isPlaceholderData } = useQuery({
    queryKey: ['choices', type.uid, locale, asked],
    queryFn: ({ signal }) => readChoices(type, asked, locale, signal),
    enabled: isOpen,
    placeholderData: [],
  });
  // What was found for other letters is not offered, so that nobody takes it by mistake.
  const isFetching = isPlaceholderData || asked !== text;
  const items = isFetching ? [] : data.filter((entry) => !isTaken(entry));
  return (
    <Combobox.Root<Entry>
      items={items}
      filter={null}
      value={null}
      inputValue={text}
      autoHighlight
      open={isOpen}
      onOpenChange={setOpen}
      itemToStringLabel={(entry) => titleOf(type, entry)}
      // It would take over the title of what was chosen, and lose what is typed next.
      onInputValueChange={(next, { reason }) => reason === 'input-change' && setText(next)}
      onValueChange={(entry) => {
        if (!entry) return;
        onSelect(type, entry);
        setText('');
      }}
    >
      <label className="visually-hidden" htmlFor={id}>
        {label}
      </label>
      <Combobox.Input id={id} className="input input-small grow" placeholder={`${label}…`} />
      <Combobox.Portal>
        <Combobox.Positioner className="popup-layer" sideOffset={4}>
          <Combobox.Popup className="popup" aria-label={`Entries for ${label}`}>
            <Combobox.Status className="edit-status soft">{isFetching ? 'Searching…' : null}</Combobox.Status>
            <Combobox.Empty className="edit-status soft">{isFetching ? null : 'Nothing found'}</Combobox.Empty>
            <Combobox.List>
              {(entry: Entry) => (
                <Combobox.Item key={entry.documentId} value={entry} className="menu-item">
                  {titleOf(type, entry)}
                </Combobox.Item>
              )}
            </Combobox.List>
          </Combobox.Popup>
        </Combobox.Positioner>
      </Combobox.Portal>
    </Combobox.Root>
  );
}

/** Users are answered as a bare list. */
async function readChoices(
  type: ConsoleType,
  text: string,
  locale: string,
  signal: AbortSignal,
): Promise<readonly Entry[]> {
  const body = await api.get<{ data: readonly Entry[] } | readonly Entry[]>(searchUrl(type, text, locale), signal);
  return 'data' in body ? body.data : body;
}
