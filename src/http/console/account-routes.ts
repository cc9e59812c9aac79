// /console/api/accounts: who has an account of the console. /console/api/welcome: where links lead.
import { parseAccountInput, parseNewAccount, parseWelcome } from '../../console/account-input.ts';
import { notFoundError } from '../../errors.ts';
import {
  bodyOf,
  type ConsoleCall,
  type ConsoleContext,
  type ConsoleRoute,
  consoleRoute,
  type OpenConsoleRoute,
  openConsoleRoute,
} from './console-route.ts';
import { startSession } from './session-routes.ts';

export function accountRoutes({ console: { accounts } }: ConsoleContext): ConsoleRoute[] {
  return [
    consoleRoute('GET', 'accounts', 'accounts.read', () => accounts.list()),
    consoleRoute('GET', 'accounts/roles', 'accounts.read', () => accounts.roles()),
    consoleRoute('POST', 'accounts', 'accounts.create', (call) =>
      accounts.create(parseNewAccount(bodyOf(call)), call.editor.account),
    ),
    consoleRoute('PUT', 'accounts/:id', 'accounts.update', (call) =>
      accounts.update(idOf(call), parseAccountInput(bodyOf(call)), call.editor.account),
    ),
    consoleRoute('DELETE', 'accounts/:id', 'accounts.delete', (call) =>
      accounts.remove(idOf(call), call.editor.account),
    ),
    consoleRoute('POST', 'accounts/:id/link', 'accounts.update', (call) =>
      accounts.link(idOf(call), call.editor.account),
    ),
  ];
}

/** No account has an id that is not a whole number. */
function idOf({ params }: ConsoleCall): number {
  if (!/^[1-9]\d{0,8}$/.test(params.id!)) throw notFoundError();
  return Number(params.id);
}

export function welcomeRoutes({ console: { welcomes } }: ConsoleContext): OpenConsoleRoute[] {
  return [
    openConsoleRoute('GET', 'welcome', ({ query: { token } }) => welcomes.find(typeof token === 'string' ? token : '')),
    openConsoleRoute('POST', 'welcome', async (call) =>
      startSession(call.reply, await welcomes.accept(parseWelcome(bodyOf(call)))),
    ),
  ];
}
