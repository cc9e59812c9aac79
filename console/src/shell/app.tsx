// The views and where they are. Each is loaded when it is first opened.
import { type ComponentType, lazy, type ReactNode, Suspense, useRef } from 'react';
import { Redirect, Route, Switch } from 'wouter';
import { EmptyState, ErrorNotice, Spinner } from '../ui/notice.tsx';
import { Toasts } from '../ui/toast.tsx';
import { ErrorBoundary } from './error-boundary.tsx';
import { Layout } from './layout.tsx';
import { LogIn } from './log-in.tsx';
import { SessionContext, useSessionQuery } from './session.ts';
import { WelcomePage } from './welcome.tsx';

type View = { default: ComponentType };

const Browse = lazy((): Promise<View> => import('../views/browse/index.tsx'));
const Edit = lazy((): Promise<View> => import('../views/edit/index.tsx'));
const Find = lazy((): Promise<View> => import('../views/find/index.tsx'));
const Files = lazy((): Promise<View> => import('../views/files/index.tsx'));
const People = lazy((): Promise<View> => import('../views/people/index.tsx'));
const Model = lazy((): Promise<View> => import('../views/model/index.tsx'));
const Operate = lazy((): Promise<View> => import('../views/operate/index.tsx'));

export function App(): ReactNode {
  return (
    <>
      <Switch>
        <Route path="/welcome" component={WelcomePage} />
        <Route component={LoggedIn} />
      </Switch>
      <Toasts />
    </>
  );
}

function LoggedIn(): ReactNode {
  const { session, error } = useSessionQuery();
  const wasLoggedIn = useRef(false);
  wasLoggedIn.current ||= Boolean(session);
  if (error) return <ErrorNotice error={error} />;
  if (session === undefined) return <Spinner />;
  if (session === null) return <LogIn isAgain={wasLoggedIn.current} />;
  return (
    <SessionContext value={session}>
      <Layout>
        <ErrorBoundary>
          <Suspense fallback={<Spinner />}>
            <Views />
          </Suspense>
        </ErrorBoundary>
      </Layout>
    </SessionContext>
  );
}

/** Browse shows the types at /content, and the entries of one at /content/:path. */
const Views = (): ReactNode => (
  <Switch>
    <Route path="/">
      <Redirect to="/content" replace />
    </Route>
    <Route path="/content" component={Browse} />
    <Route path="/content/:path" component={Browse} />
    <Route path="/content/:path/:documentId" component={Edit} />
    <Route path="/single/:path" component={Edit} />
    <Route path="/find" component={Find} />
    <Route path="/files" component={Files} />
    <Route path="/people/:tab?" component={People} />
    <Route path="/model/:uid?" component={Model} />
    <Route path="/server" component={Operate} />
    <Route>
      <EmptyState title="There is nothing at this address" />
    </Route>
  </Switch>
);
