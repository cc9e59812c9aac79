// In what order entries come: the first key, then the second.
import type { ReactNode } from 'react';
import type { SortAggregate, SortDraft } from '../../query/draft.ts';
import { valueKindOf } from '../../query/operators.ts';
import { attributesAlong, isToMany, leadsOn, type SchemaView } from '../../query/schema-view.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Select } from '../../ui/field.tsx';
import { PathPicker } from './path-picker.tsx';

interface SortListProps {
  readonly sort: readonly SortDraft[];
  readonly view: SchemaView;
  readonly onChange: (sort: readonly SortDraft[]) => void;
}

const AGGREGATES: readonly { readonly value: SortAggregate | ''; readonly label: string }[] = [
  { value: '', label: 'by the nearest' },
  { value: 'min', label: 'by the lowest' },
  { value: 'max', label: 'by the highest' },
  { value: 'avg', label: 'by the average' },
];

export function SortList({ sort, view, onChange }: SortListProps): ReactNode {
  const swap = (index: number, other: number): void =>
    onChange(sort.with(index, sort[other]!).with(other, sort[index]!));
  return (
    <div className="find-list">
      <ol className="find-sorts">
        {sort.map((key, index) => (
          <li key={key.path.join('.') + key.aggregate} className="find-node-line">
            <SortKey sortKey={key} view={view} onChange={(next) => onChange(sort.with(index, next))} />
            <span className="find-node-buttons">
              <IconButton
                small
                icon="chevronUp"
                label={`Sort by ${key.path.join('.')} earlier`}
                disabled={index === 0}
                onClick={() => swap(index, index - 1)}
              />
              <IconButton
                small
                icon="chevronDown"
                label={`Sort by ${key.path.join('.')} later`}
                disabled={index === sort.length - 1}
                onClick={() => swap(index, index + 1)}
              />
              <IconButton
                small
                icon="delete"
                label={`Do not sort by ${key.path.join('.')}`}
                onClick={() => onChange(sort.toSpliced(index, 1))}
              />
            </span>
          </li>
        ))}
      </ol>
      <div>
        <PathPicker
          label="Choose what to sort by"
          view={view}
          use="sort"
          trigger={
            <Button small icon="add">
              Add sort
            </Button>
          }
          onChoose={({ path, attribute }) =>
            onChange([...sort, { path, aggregate: leadsOn(attribute) ? 'count' : null, descending: false }])
          }
        />
      </div>
    </div>
  );
}

function SortKey({
  sortKey,
  view,
  onChange,
}: {
  readonly sortKey: SortDraft;
  readonly view: SchemaView;
  readonly onChange: (key: SortDraft) => void;
}): ReactNode {
  const { path, aggregate, descending } = sortKey;
  const attributes = attributesAlong(view, path);
  const last = attributes.at(-1);
  const throughMany = attributes.slice(0, -1).some((one) => one && isToMany(one));
  const isNumber = last !== undefined && valueKindOf(last) === 'number';
  return (
    <span className="row grow">
      <span className="find-path">
        {aggregate === 'count' && <span>number of</span>}
        <span className="find-name">{path.join(' › ')}</span>
      </span>
      {throughMany && aggregate !== 'count' && (
        <Select
          small
          aria-label={`Which ${path.join('.')} counts`}
          value={aggregate ?? ''}
          options={AGGREGATES.filter(({ value }) => value !== 'avg' || isNumber || aggregate === 'avg')}
          onChange={(choice) => onChange({ ...sortKey, aggregate: choice === '' ? null : choice })}
        />
      )}
      <Select
        small
        aria-label={`Order of ${path.join('.')}`}
        value={descending ? 'desc' : 'asc'}
        options={[
          { value: 'asc', label: 'ascending' },
          { value: 'desc', label: 'descending' },
        ]}
        onChange={(order) => onChange({ ...sortKey, descending: order === 'desc' })}
      />
    </span>
  );
}
