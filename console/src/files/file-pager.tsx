import type { ReactNode } from 'react';
import { Button } from '../ui/button.tsx';

interface FilePagerProps {
  readonly page: number;
  readonly pageCount: number;
  readonly total: number;
  readonly onPage: (page: number) => void;
}

export const FilePager = ({ page, pageCount, total, onPage }: FilePagerProps): ReactNode => (
  <nav className="row" aria-label="Pages of files">
    <Button small icon="back" disabled={page <= 1} onClick={() => onPage(Math.min(page, pageCount + 1) - 1)}>
      Previous
    </Button>
    <span>
      Page {page} of {Math.max(pageCount, 1)}
    </span>
    <Button small disabled={page >= pageCount} onClick={() => onPage(page + 1)}>
      Next
    </Button>
    <span className="soft">{total === 1 ? '1 file' : `${total.toLocaleString('en')} files`}</span>
  </nav>
);
