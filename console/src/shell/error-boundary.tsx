import { useQueryErrorResetBoundary } from '@tanstack/react-query';
import { Component, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { Button } from '../ui/button.tsx';
import { ErrorNotice, Notice } from '../ui/notice.tsx';
import { ApiError } from './api.ts';

interface BoundaryProps {
  readonly children: ReactNode;
  readonly onRetry: () => void;
}

const isOfServer = (error: Error): boolean => error instanceof ApiError;

/** The server may have stopped, or serve another version by now. */
const Broken = ({ error }: { readonly error: Error }): ReactNode => (
  <Notice tone="bad">
    <p>This page could not be loaded or shown.</p>
    <p className="soft">{error.message}</p>
  </Notice>
);

class Boundary extends Component<BoundaryProps, { readonly error: Error | null }> {
  override state = { error: null };

  static getDerivedStateFromError(error: Error): { error: Error } {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (!error) return this.props.children;
    const retry = (): void => {
      // Code that could not be loaded is not asked for again by the page that asked for it.
      if (!isOfServer(error)) window.location.reload();
      this.props.onRetry();
      this.setState({ error: null });
    };
    return (
      <div className="stack">
        {isOfServer(error) ? <ErrorNotice error={error} /> : <Broken error={error} />}
        <div>
          <Button icon="refresh" onClick={retry}>
            Try again
          </Button>
        </div>
      </div>
    );
  }
}

/** Shows what went wrong in a view, and nothing of the views before. */
export function ErrorBoundary({ children }: { readonly children: ReactNode }): ReactNode {
  const { reset } = useQueryErrorResetBoundary();
  const [location] = useLocation();
  return (
    <Boundary key={location} onRetry={reset}>
      {children}
    </Boundary>
  );
}
