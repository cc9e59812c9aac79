import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Router } from 'wouter';
import { CONSOLE_PATH } from '../../../src/console/contract.ts';
import '../ui/tokens.css';
import '../ui/ui.css';
import './shell.css';
import { onLoggedOut } from './api.ts';
import { App } from './app.tsx';
import { guardedNavigation, guardHistory } from './leave-guard.ts';
import { isUnreachable, recoverWith } from './recovery.ts';
import { SESSION_KEY } from './session.ts';
import { applyTheme } from './theme.ts';

/** What was refused will be refused again; a server that does not answer may come back. */
const MAX_RETRIES = 2;

const client = new QueryClient({
  defaultOptions: {
    queries: {
      retry: (count, error) => count < MAX_RETRIES && isUnreachable(error),
      refetchOnWindowFocus: false,
    },
  },
});
recoverWith(client);
onLoggedOut(() => client.setQueryData(SESSION_KEY, null));
applyTheme();
guardHistory();

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={client}>
        <Router base={CONSOLE_PATH} aroundNav={guardedNavigation}>
          <App />
        </Router>
      </QueryClientProvider>
    </CSPProvider>
  </StrictMode>,
);
