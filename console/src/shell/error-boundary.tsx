import { useQueryErrorResetBoundary } from '@tanstack/react-query';
import { Component, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { Button } from '../ui/button.tsx';
import { ErrorNotice } from '../ui/notice.tsx';

interface BoundaryProps {
  readonly children: ReactNode;
  readonly onRetry: () => void;
}

class Boundary extends Component<BoundaryProps, { readonly error: Error | null }> {
  override state = { error: null };

  static getDerivedStateFromError(error: Error): { error: Error } {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (!error) return this.props.children;
    const retry = (): void => {
      this.props.onRetry();
      this.setState({ error: null });
    };
    return (
      <div className="stack">
        <ErrorNotice error={error} />
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
