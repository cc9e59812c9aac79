// The heads of groups, and of conditions on one and the same related entry.
import type { ReactNode } from 'react';
import { namesOf } from '../../query/conditions.ts';
import type { FilterDraft, Group, Join, Scope } from '../../query/draft.ts';
import type { Place } from '../../query/edit-filters.ts';
import { type SchemaView, viewAt } from '../../query/schema-view.ts';
import { Button } from '../../ui/button.tsx';
import { Select } from '../../ui/field.tsx';
import { useEditing } from './editing.ts';
import { PathLabel } from './path-label.tsx';

interface HeadProps<N extends FilterDraft> {
  readonly node: N;
  readonly place: Place;
  readonly view: SchemaView | null;
  readonly onChange: (node: FilterDraft) => void;
}

const JOINS: readonly { readonly value: Join; readonly label: string }[] = [
  { value: 'or', label: 'any of these' },
  { value: 'and', label: 'all of these' },
];

export const GroupHead = ({ node, onChange }: HeadProps<Group>): ReactNode => (
  <div className="row">
    <Button
      small
      kind={node.negated ? 'danger' : 'normal'}
      aria-pressed={node.negated}
      onClick={() => onChange({ ...node, negated: !node.negated })}
    >
      Not
    </Button>
    <Select
      small
      aria-label="How the group is met"
      value={node.join}
      options={JOINS}
      onChange={(join) => onChange({ ...node, join })}
    />
    {node.of.length === 0 && <span className="soft">Nothing in it yet</span>}
  </div>
);

export function ScopeHead({
  node,
  place,
  view,
  above,
  onChange,
}: HeadProps<Scope> & { readonly above: readonly string[] }): ReactNode {
  const { renderList } = useEditing();
  return (
    <>
      <div className="row">
        <PathLabel path={node.path} view={view} onChange={(path) => onChange({ ...node, path })} />
        <span>the same one meets</span>
        <Select
          small
          aria-label="How its conditions are met"
          value={node.join}
          options={JOINS}
          onChange={(join) => onChange({ ...node, join })}
        />
      </div>
      <div className="find-nested">
        {renderList({ nodes: node.of, at: place, view: viewAt(view, namesOf(node.path)), above })}
      </div>
    </>
  );
}
