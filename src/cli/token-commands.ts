// `sheaf token`: the API tokens. A token is shown when it is made, and never again.
import { expandActions, knownActions } from '../access/actions.ts';
import type { ListedToken, TokenType } from '../accounts/api-tokens.ts';
import { nothingToGrant } from '../accounts/roles.ts';
import { hintOn, nearestWord } from '../edit-distance.ts';
import { SetupError } from '../errors.ts';
import { type AccountCommand, tableText } from './command-result.ts';

const TOKEN_TYPES: readonly string[] = ['read-only', 'full-access', 'custom'] satisfies TokenType[];
const isTokenType = (type: string): type is TokenType => TOKEN_TYPES.includes(type);

export const createToken: AccountCommand = async ({ sheaf, auth: { tokens } }, [given, ...words], options) => {
  const name = given!;
  const type = checkedType(options.type ?? (words.length > 0 ? 'custom' : 'read-only'), words);
  const { days } = options;
  if (days !== undefined && !/^[1-9]\d{0,4}$/.test(days))
    throw new SetupError(`--days ${days} cannot be used`, ['expected a number from 1 to 99999']);
  const actions = words.flatMap((word) => {
    const expanded = expandActions(sheaf.model, word, sheaf.actions);
    if (!expanded) throw nothingToGrant(word, knownActions(sheaf.model, sheaf.actions));
    return expanded;
  });
  const lifespan = days === undefined ? null : Number(days);
  const token = await tokens.create({ name, description: '', type, actions, days: lifespan });
  return {
    text: `The token ${name} (${type}), shown only now:\n${token}`,
    value: { name, type, actions, days: lifespan, token },
  };
};

function checkedType(type: string, actions: readonly string[]): TokenType {
  if (!isTokenType(type))
    throw new SetupError(`There is no type "${type}" of API tokens`, [
      ...hintOn(nearestWord(type, TOKEN_TYPES)),
      `expected --type ${TOKEN_TYPES.join('|')}`,
    ]);
  if (type === 'custom' && actions.length === 0)
    throw new SetupError('A custom token needs the actions that it may do', [
      'such as sheaf token create NAME api::article.article.find',
    ]);
  if (type !== 'custom' && actions.length > 0)
    throw new SetupError(`A ${type} token takes no actions`, ['leave them out, or --type']);
  return type;
}

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
