import type { ReactNode } from 'react';
import { FILE_KINDS, KIND_NAMES } from '../../files/file.ts';
import { type FileList, SORTS } from '../../files/file-list.ts';
import { IconButton } from '../../ui/button.tsx';
import { Field, Select } from '../../ui/field.tsx';
import { SearchBox } from '../../ui/search-box.tsx';

export type FileView = 'grid' | 'list';

interface FileFiltersProps {
  readonly list: FileList;
  readonly show: (changes: Partial<FileList>) => void;
  readonly view: FileView;
  readonly onView: (view: FileView) => void;
}

export const FileFilters = ({ list, show, view, onView }: FileFiltersProps): ReactNode => (
  <div className="files-filters">
    <SearchBox label="Search files" value={list.search} onChange={(search) => show({ search })} />
    <Field label="Kind">
      {(control) => (
        <Select
          {...control}
          value={list.kinds[0] ?? ''}
          options={[
            { value: '', label: 'All' },
            ...FILE_KINDS.map((kind) => ({ value: kind, label: KIND_NAMES[kind] })),
          ]}
          onChange={(kind) => show({ kinds: kind === '' ? [] : [kind] })}
        />
      )}
    </Field>
    <Field label="Order">
      {(control) => <Select {...control} value={list.sort} options={SORTS} onChange={(sort) => show({ sort })} />}
    </Field>
    <fieldset className="files-views">
      <legend className="visually-hidden">View</legend>
      <IconButton icon="grid" label="Grid" aria-pressed={view === 'grid'} onClick={() => onView('grid')} />
      <IconButton icon="list" label="List" aria-pressed={view === 'list'} onClick={() => onView('list')} />
    </fieldset>
  </div>
);
