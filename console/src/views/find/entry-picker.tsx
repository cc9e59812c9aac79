// Chooses entries by what they are called.
import { Combobox } from '@base-ui/react/combobox';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, useDeferredValue, useState } from 'react';
import type { ConsoleType } from '../../../../src/console/contract.ts';
import type { Titles } from '../../query/clauses.ts';
import { IconButton } from '../../ui/button.tsx';
import { TextInput } from '../../ui/field.tsx';
import { readTitles, TITLES_STAY, type Titled, titlesPath } from './entries-request.ts';

const MOST_FOUND = 20;

function useEntries(type: ConsoleType, text: string): readonly Titled[] {
  const search = text === '' ? {} : { _q: text };
  const path = titlesPath(type, { ...search, sort: type.mainField, pagination: { pageSize: MOST_FOUND } });
  const { data } = useQuery({
    queryKey: ['titles', path],
    queryFn: ({ signal }) => readTitles(type, path, signal),
    placeholderData: keepPreviousData,
    staleTime: TITLES_STAY,
  });
  return data ?? [];
}

interface EntryPickerProps {
  readonly type: ConsoleType;
  readonly label: string;
  readonly values: readonly string[];
  readonly titles: Titles;
  readonly many: boolean;
  readonly onChange: (values: readonly string[]) => void;
}

export function EntryPicker({ type, label, values, titles, many, onChange }: EntryPickerProps): ReactNode {
  const [text, setText] = useState('');
  const found = useEntries(type, useDeferredValue(text.trim()));
  const titleAt = (id: string): string => titles.get(id) ?? found.find(({ value }) => value === id)?.label ?? id;
  const choose = (chosen: Titled | null): void => {
    if (chosen) onChange(many ? [...new Set([...values, chosen.value])] : [chosen.value]);
    setText('');
  };
  return (
    <div className="find-entries">
      {values.map((id) => (
        <span key={id} className="badge badge-info find-chip">
          {titleAt(id)}
          <IconButton
            small
            icon="close"
            label={`Leave out ${titleAt(id)}`}
            onClick={() => onChange(values.filter((one) => one !== id))}
          />
        </span>
      ))}
      {(many || values.length === 0) && (
        <Combobox.Root
          items={found}
          filter={null}
          value={null}
          inputValue={text}
          autoHighlight
          onInputValueChange={(next, { reason }) => reason !== 'item-press' && setText(next)}
          onValueChange={choose}
        >
          <Combobox.Input aria-label={label} placeholder={`Search ${type.pluralName}`} render={<TextInput small />} />
          <Combobox.Portal>
            <Combobox.Positioner className="popup-layer" sideOffset={4}>
              <Combobox.Popup className="popup">
                <Combobox.Empty>
                  <div className="soft find-empty">No such entry</div>
                </Combobox.Empty>
                <Combobox.List>
                  {(one: Titled) => (
                    <Combobox.Item key={one.value} value={one} className="menu-item">
                      {one.label}
                    </Combobox.Item>
                  )}
                </Combobox.List>
              </Combobox.Popup>
            </Combobox.Positioner>
          </Combobox.Portal>
        </Combobox.Root>
      )}
    </div>
  );
}
