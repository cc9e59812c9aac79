// The names that lead to a value, with "any", "no" or "every" before those that lead to many.
import type { ReactNode } from 'react';
import { namesOf } from '../../query/conditions.ts';
import type { SetWord, Step } from '../../query/draft.ts';
import { takesSet } from '../../query/operators.ts';
import { attributesAlong, type SchemaView } from '../../query/schema-view.ts';
import { type Option, Select } from '../../ui/field.tsx';

const SETS: readonly Option<SetWord | ''>[] = [
  { value: '', label: 'any' },
  { value: 'none', label: 'no' },
  { value: 'every', label: 'every' },
];

interface PathLabelProps {
  readonly path: readonly Step[];
  readonly view: SchemaView | null;
  /** Whether the last step is a relation that is spoken of as a whole, so that no word goes before it. */
  readonly isWhole?: boolean;
  readonly onChange: (path: readonly Step[]) => void;
}

export function PathLabel({ path, view, isWhole = false, onChange }: PathLabelProps): ReactNode {
  const attributes = attributesAlong(view, namesOf(path));
  const shown = path.filter(({ name }, index) => !(name === 'documentId' && index === path.length - 1 && index > 0));
  return (
    <span className="find-path">
      {shown.map(({ name, set }, index) => {
        const attribute = attributes[index];
        const hasSet = attribute && takesSet(attribute) && !(isWhole && index === path.length - 1);
        return (
          <span key={index} className="find-step">
            {index > 0 && <span aria-hidden="true">›</span>}
            {(hasSet || set !== null) && (
              <Select
                small
                aria-label={`How many of ${name}`}
                value={set ?? ''}
                options={set === 'some' ? [...SETS, { value: 'some', label: 'some' }] : SETS}
                onChange={(word) => onChange(path.with(index, { name, set: word === '' ? null : word }))}
              />
            )}
            <span className="find-name">{name}</span>
          </span>
        );
      })}
    </span>
  );
}
