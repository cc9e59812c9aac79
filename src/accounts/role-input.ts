// A role as clients of Strapi 5 write it: a name, a description, and a tree of actions that are on or off.
import { fieldError, validationError } from '../errors.ts';
import { isPlainObject } from '../request/grammar.ts';
import { bodyKeyError } from '../request/parse-relation.ts';
import { isStorable } from '../request/scalars.ts';
import { isRoleType, typeOfName, type WrittenRole } from './roles.ts';

type Body = Readonly<Record<string, unknown>>;

/** What a role is shown with. A client that sends it back means nothing by it. */
const SHOWN = ['id', 'documentId', 'createdAt', 'updatedAt', 'publishedAt', 'users', 'nb_users'];

const MIN_NAME = 3;
const MAX_TEXT = 255;

export interface RoleInput<R> {
  readonly role: R;
  /** Names of what it holds without a meaning. */
  readonly ignored: readonly string[];
}

/** A new role. Without a type, it gets the one of its name. */
export function parseNewRole(body: unknown): RoleInput<Required<WrittenRole> & { readonly type: string }> {
  const { type, ...given } = bodyOf(body);
  const { role, ignored } = parseRoleChange(given);
  const { name, description = null, actions = [] } = role;
  if (name === undefined) throw fieldError('name', 'name is a required field');
  const typeGiven = type === undefined || type === null || type === '' ? typeOfName(name) : type;
  if (typeof typeGiven !== 'string' || !isRoleType(typeGiven))
    throw fieldError(
      typeGiven === type ? 'type' : 'name',
      'type must have 3 to 255 letters, digits, underscores or hyphens, and a letter among them',
    );
  return { role: { name, description, actions, type: typeGiven }, ignored };
}

/** A change of a role, whose type stays. */
export function parseRoleChange(body: unknown): RoleInput<WrittenRole> {
  const { name, description, permissions, ...others } = bodyOf(body);
  const ignored = Object.keys(others);
  const unknown = ignored.find((key) => key !== 'type' && !SHOWN.includes(key));
  if (unknown !== undefined) throw bodyKeyError(unknown, []);
  return {
    role: {
      ...(name !== undefined && { name: textIn('name', name, MIN_NAME) }),
      ...(description !== undefined && {
        description: description === null ? null : textIn('description', description, 0),
      }),
      ...(permissions !== undefined && { actions: actionsIn(permissions) }),
    },
    ignored,
  };
}

function bodyOf(body: unknown): Body {
  if (!isPlainObject(body) || Object.keys(body).length === 0) throw validationError('Request body cannot be empty');
  return body;
}

function textIn(key: string, given: unknown, min: number): string {
  if (typeof given !== 'string' || !isStorable(given)) throw fieldError(key, `${key} must be a string`);
  const text = given.trim();
  if (text.length < min) throw fieldError(key, `${key} must be at least ${min} characters`);
  if (text.length > MAX_TEXT) throw fieldError(key, `${key} must be at most ${MAX_TEXT} characters`);
  return text;
}

/** The actions that are on, in a tree by owner and controller. Clients of Strapi 5 send an empty list for none. */
function actionsIn(permissions: unknown): string[] {
  if (Array.isArray(permissions) && permissions.length === 0) return [];
  return membersOf(permissions, 'permissions').flatMap(([owner, ofOwner]) => {
    const place = `permissions.${owner}`;
    const { controllers } = Object.fromEntries(membersOf(ofOwner, place));
    return membersOf(controllers, `${place}.controllers`).flatMap(([controller, actions]) =>
      membersOf(actions, `${place}.controllers.${controller}`).flatMap(([name, state]) => {
        const { enabled } = Object.fromEntries(membersOf(state, `${place}.controllers.${controller}.${name}`));
        if (typeof enabled !== 'boolean')
          throw fieldError('permissions', `${place}.controllers.${controller}.${name}.enabled must be true or false`);
        return enabled ? [`${owner}.${controller}.${name}`] : [];
      }),
    );
  });
}

function membersOf(value: unknown, place: string): [string, unknown][] {
  if (isPlainObject(value)) return Object.entries(value);
  throw fieldError('permissions', `${place} must be an object`);
}
