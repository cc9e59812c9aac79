// The views and where they are. Each is loaded when it is first opened.
import { type ComponentType, type ReactNode, useRef } from 'react';
import { Redirect, Route, Switch } from 'wouter';
import { EmptyState, ErrorNotice, Spinner } from '../ui/notice.tsx';
import { Toasts } from '../ui/toast.tsx';
import { ErrorBoundary } from './error-boundary.tsx';
import { Layout } from './layout.tsx';
import { LogIn } from './log-in.tsx';
import { MODEL, ModelContext } from './model.ts';
import { type Load, useLoaded, useRead } from './ready.ts';
import { SessionContext, useSessionQuery } from './session.ts';
import { WelcomePage } from './welcome.tsx';

/** Shows a view when its code and the model are there. */
const view = (load: Load<object>): ComponentType =>
  function View() {
    const Shown = useLoaded(load);
    const model = useRead(MODEL);
    if (!Shown || !model) return <Spinner />;
    return (
      <ModelContext value={model}>
        <Shown />
      </ModelContext>
    );
  };

const Browse = view(() => import('../views/browse/index.tsx'));
const Edit = view(() => import('../views/edit/index.tsx'));
const Find = view(() => import('../views/find/index.tsx'));
const Files = view(() => import('../views/files/index.tsx'));
const People = view(() => import('../views/people/index.tsx'));
const Model = view(() => import('../views/model/index.tsx'));
const Operate = view(() => import('../views/operate/index.tsx'));

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
          <Views />
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
