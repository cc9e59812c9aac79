// What every part of a tree of conditions needs to show and change it.
import { createContext, type ReactNode, useContext } from 'react';
import type { Titles } from '../../query/clauses.ts';
import type { Filters, Place } from '../../query/edit-filters.ts';
import type { SchemaView } from '../../query/schema-view.ts';
import type { Problem } from './use-answer.ts';

/** Conditions that stand together: in the tree itself, in a group, or inside of another condition. */
export interface ListProps {
  readonly nodes: Filters;
  readonly at: Place;
  readonly view: SchemaView | null;
  /** Names that lead here, as errors tell them. */
  readonly above: readonly string[];
}

export interface Editing {
  readonly filters: Filters;
  /** `focus`: the place whose first control takes the focus. */
  readonly change: (filters: Filters, focus?: Place) => void;
  readonly titles: Titles;
  readonly problem: Problem | null;
  /** The place that takes the focus once it is drawn. */
  readonly focus: { current: string | null };
  readonly renderList: (props: ListProps) => ReactNode;
}

export const EditingContext = createContext<Editing | null>(null);

export function useEditing(): Editing {
  const editing = useContext(EditingContext);
  if (!editing) throw new Error('no conditions are edited here');
  return editing;
}
