import { type ReactNode, useId } from 'react';
import { Button } from '../../ui/button.tsx';
import { Select } from '../../ui/field.tsx';
import { type BrowseState, PAGE_SIZES } from './browse-state.ts';
import type { Show } from './entries.tsx';
import type { EntryPage } from './requests.ts';

interface PagerProps {
  readonly state: BrowseState;
  readonly pagination: EntryPage['meta']['pagination'];
  readonly show: Show;
}

export function Pager({ state, pagination: { pageCount }, show }: PagerProps): ReactNode {
  const id = useId();
  const { page, pageSize } = state;
  const pages = Math.max(pageCount, 1);
  return (
    <nav className="browse-pager" aria-label="Pages">
      <Button small icon="back" disabled={page <= 1} onClick={() => show({ page: Math.min(page, pages + 1) - 1 })}>
        Previous
      </Button>
      <span className="browse-page">
        Page {page} of {pages}
      </span>
      <Button small disabled={page >= pages} onClick={() => show({ page: page + 1 })}>
        Next
      </Button>
      <span className="browse-page-size">
        <label htmlFor={id}>Entries a page</label>
        <Select
          small
          id={id}
          value={String(pageSize)}
          options={PAGE_SIZES.map((size) => ({ value: String(size), label: String(size) }))}
          onChange={(size) => show({ pageSize: Number(size) })}
        />
      </span>
    </nav>
  );
}
