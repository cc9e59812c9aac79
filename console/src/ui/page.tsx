import { type ReactNode, useEffect } from 'react';

/** The head of a view: its title, which is the document's as well, and what can be done there. */
export function PageHeader({ title, children }: { readonly title: string; readonly children?: ReactNode }): ReactNode {
  useEffect(() => {
    document.title = `${title} · Sheaf console`;
  }, [title]);
  return (
    <header className="page-header">
      <h1>{title}</h1>
      {children}
    </header>
  );
}
