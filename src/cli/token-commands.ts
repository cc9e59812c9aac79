// `sheaf token`: the API tokens. A token is shown when it is made, and never again.
import { expandActions } from '../access/actions.ts';
import type { ListedToken, TokenType } from '../accounts/api-tokens.ts';
import { nothingToGrant } from '../accounts/roles.ts';
import { SetupError } from '../errors.ts';
import { type AccountCommand, tableText } from './command-result.ts';

const TOKEN_TYPES: readonly string[] = ['read-only', 'full-access', 'custom'] satisfies TokenType[];

export const createToken: AccountCommand = async ({ sheaf, auth: { tokens } }, [given, ...words], options) => {
  const { type = words.length > 0 ? 'custom' : 'read-only', days } = options;
  const name = given!;
  if (!TOKEN_TYPES.includes(type) || (type === 'custom') !== words.length > 0) throw wrongToken();
  if (days !== undefined && !/^[1-9]\d{0,4}$/.test(days)) throw wrongToken();
  const actions = words.flatMap((word) => {
    const expanded = expandActions(sheaf.model, word, sheaf.actions);
    if (!expanded) throw nothingToGrant(word);
    return expanded;
  });
  const lifespan = days === undefined ? null : Number(days);
  const token = await tokens.create({ name, description: '', type: type as TokenType, actions, days: lifespan });
  return {
    text: `The token ${name} (${type}), shown only now:\n${token}`,
    value: { name, type, actions, days: lifespan, token },
  };
};

const wrongToken = (): SetupError =>
  new SetupError('The command is not complete', [
    'expected sheaf token create NAME --type read-only|full-access|custom [--days N] [ACTION…]',
  ]);

export const revokeToken: AccountCommand = async ({ auth: { tokens } }, [name]) => {
  const revoked = await tokens.revoke(name!);
  if (revoked === 0)
    throw new SetupError(`There is no token "${name}"`, ['sheaf token list shows them; names are as they were given']);
  return { text: `${name} opens nothing any more.`, value: { name, revoked } };
};

export const listTokens: AccountCommand = async ({ auth: { tokens } }) => {
  const list = await tokens.list();
  const now = new Date().toISOString();
  const rows = list.map((token) => [token.name, token.type, endOf(token, now), `used ${dayOf(token.lastUsedAt)}`]);
  const lines = list.length > 0 ? tableText(rows).split('\n') : [];
  return {
    text:
      list.length > 0
        ? list.flatMap(({ actions }, index) => [lines[index]!, ...actions.map((action) => `  ${action}`)]).join('\n')
        : 'There are no API tokens; sheaf token create makes one.',
    value: list,
  };
};

const endOf = ({ expiresAt }: ListedToken, now: string): string =>
  expiresAt === null ? 'without an end' : `${expiresAt > now ? 'until' : 'over since'} ${dayOf(expiresAt)}`;

const dayOf = (moment: string | null): string => (moment === null ? 'never' : moment.slice(0, 10));
