// What the console asks the server besides content: the model, what requests cost and answer, roles, API tokens, uses of files.
import * as v from 'valibot';
import { nonEmptyString, strictObject } from '../../check-json.ts';
import type { ConsoleCounts, ConsoleModel } from '../../console/contract.ts';
import type { Editor } from '../../console/editors.ts';
import { readMainFields } from '../../console/main-fields.ts';
import { consoleModel, readTypes } from '../../describe/console-model.ts';
import { memberOf } from '../../type-guards.ts';
import { callerAs } from './ask-as.ts';
import { checkedBody } from './checked-body.ts';
import { apiRoles, changeRole } from './console-roles.ts';
import { type ConsoleCall, type ConsoleContext, type ConsoleRoute, consoleRoute } from './console-route.ts';
import { createToken, deleteToken, listTokens } from './console-tokens.ts';
import { explainForConsole } from './explain-for-console.ts';
import { fileUsesFor } from './file-uses-for-console.ts';
import { ServerStateReader } from './server-state.ts';
import { tryRequest } from './try-request.ts';

export const informationRoutes = (context: ConsoleContext): ConsoleRoute[] => {
  const { sheaf, auth, load } = context;
  const server = new ServerStateReader(sheaf, load);
  return [
    consoleRoute('GET', 'model', null, ({ editor }) => modelFor(context, editor)),
    consoleRoute('GET', 'counts', null, ({ editor }) => countsFor(context, editor)),
    ...requestRoutes(context),
    consoleRoute('GET', 'files/:id/uses', 'files.read', ({ params, editor }) =>
      fileUsesFor(sheaf, params.id!, editor.caller),
    ),
    consoleRoute('GET', 'server', 'server.read', () => server.read()),
    consoleRoute('GET', 'roles', 'roles.read', () => apiRoles(sheaf, auth)),
    consoleRoute('PUT', 'roles/:id', 'roles.update', ({ params, request }) =>
      changeRole(sheaf, auth, params.id!, request.body),
    ),
    consoleRoute('GET', 'tokens', 'tokens.read', () => listTokens(auth)),
    consoleRoute('POST', 'tokens', 'tokens.create', ({ request }) => createToken(sheaf, auth, request.body)),
    consoleRoute('DELETE', 'tokens/:id', 'tokens.delete', ({ params }) => deleteToken(auth, params.id!)),
  ];
};

const modelFor = async ({ sheaf }: ConsoleContext, { caller }: Editor): Promise<ConsoleModel> => {
  const { model, settings } = sheaf;
  const [locales, mainFields] = await Promise.all([sheaf.locales(), readMainFields(sheaf.database)]);
  return consoleModel({ model, settings, access: caller.access, locales, mainFields });
};

const countsFor = async ({ sheaf }: ConsoleContext, { caller }: Editor): Promise<ConsoleCounts> =>
  Object.fromEntries(await sheaf.operations.countDocuments(readTypes(sheaf.model, caller.access), { caller }));

const URL_EXPECTED = 'expected a path with its query, such as /api/restaurants?sort=name';
const ROLE = strictObject({ kind: v.literal('role'), type: nonEmptyString('expected the type of a role') });
const TOKEN_TYPES = 'expected read-only or full-access';
const TOKEN = strictObject({ kind: v.literal('token'), type: v.picklist(['read-only', 'full-access'], TOKEN_TYPES) });
const AS = v.lazy((input) => {
  const kind = memberOf(input, 'kind');
  if (kind === 'role') return ROLE;
  return kind === 'token' ? TOKEN : strictObject({ kind: v.literal('account', 'expected account, role or token') });
});
const ASKED = strictObject({ url: nonEmptyString(URL_EXPECTED), as: v.optional(AS, { kind: 'account' }) });

function requestRoutes(context: ConsoleContext): ConsoleRoute[] {
  const { sheaf, auth, routes } = context;
  const asked = async ({ request, editor }: ConsoleCall) => {
    const { url, as } = checkedBody(ASKED, request.body);
    return { url, caller: await callerAs(auth, { caller: editor.caller, rights: editor.rights.rights }, as) };
  };
  return [
    consoleRoute('POST', 'explain', 'requests.explain', async (call) => {
      const { url, caller } = await asked(call);
      return explainForConsole(sheaf, url, caller);
    }),
    consoleRoute('POST', 'try', null, async (call) => {
      const { server, ip } = call.request;
      return tryRequest(server, context, routes, { ...(await asked(call)), ip });
    }),
  ];
}
