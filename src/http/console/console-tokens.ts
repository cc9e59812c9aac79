// API tokens, as the console lists, makes and deletes them.
import * as v from 'valibot';
import { knownActions } from '../../access/actions.ts';
import type { ListedToken } from '../../accounts/api-tokens.ts';
import type { Auth } from '../../accounts/auth.ts';
import type { Sheaf } from '../../app.ts';
import { listOf, nonEmptyString, strictObject } from '../../check-json.ts';
import type { ApiToken, NewToken } from '../../console/contract.ts';
import { notFoundError } from '../../errors.ts';
import { readRowId } from '../../request/scalars.ts';
import { checkedBody, invalidMember } from './checked-body.ts';

export const listTokens = async ({ tokens }: Auth): Promise<ApiToken[]> => (await tokens.list()).map(shownToken);

function shownToken(token: ListedToken): ApiToken {
  const { id, name, description, type, actions, expiresAt, lastUsedAt } = token;
  return {
    id,
    name,
    description: description === '' ? null : description,
    type: type as ApiToken['type'],
    actions,
    expiresAt,
    lastUsedAt,
  };
}

const TYPE = 'expected read-only, full-access or custom';
const DAYS = 'expected a whole number of days, from 1 to 99999';
const MAX_NAME = 255;
const NAME = `expected a name of at most ${MAX_NAME} characters`;

/** PostgreSQL has no place for null characters. */
const storable = v.check((text: string) => !text.includes('\0'), 'expected a string without null characters');

const TOKEN = strictObject({
  name: v.pipe(nonEmptyString(NAME), v.maxLength(MAX_NAME, NAME), storable),
  description: v.optional(v.pipe(v.string('expected a string'), storable), ''),
  type: v.picklist(['read-only', 'full-access', 'custom'], TYPE),
  actions: v.optional(listOf(nonEmptyString('expected the name of an action'), 'expected a list of actions'), []),
  days: v.optional(v.pipe(v.number(DAYS), v.integer(DAYS), v.minValue(1, DAYS), v.maxValue(99_999, DAYS))),
});

/** Answers with the token itself, which is not kept. */
export async function createToken(sheaf: Sheaf, { tokens }: Auth, body: unknown): Promise<NewToken> {
  const { name, description, type, actions, days = null } = checkedBody(TOKEN, body);
  const known = knownActions(sheaf.model, sheaf.actions);
  const wrong = actions.find((action) => !known.has(action));
  if (wrong !== undefined) throw invalidMember('actions', `there is no action ${wrong}`);
  if ((type === 'custom') !== actions.length > 0)
    throw invalidMember('actions', 'expected actions for a custom token, and for no other');
  const made = await tokens.createNamed({ name, description, type, actions: [...new Set(actions)], days });
  if (!made) throw invalidMember('name', 'there is a token of that name already');
  return { token: shownToken(made.token), secret: made.secret };
}

export async function deleteToken({ tokens }: Auth, id: string): Promise<void> {
  const row = readRowId(id);
  if (row === null || !(await tokens.delete(row))) throw notFoundError();
}
