// Grants → access: what the actions of a role or a token allow, with the rules that the project declares for the role.
import { MAX_READ_COST } from '../limits.ts';
import { ADMIN_USER, ROLE, USER } from '../model/builtin.ts';
import type { Model } from '../model/types.ts';
import { type Access, ANY_GROUP, type FieldUse, type RowRule, type RowUse } from './access.ts';
import { FIND_FILE_PAGE, FIND_FILES, FIND_ROLES, REPLACE_FILES, UPLOAD_FILES } from './actions.ts';
import type { RoleRules } from './rules.ts';
import { type Withheld, withhold } from './withheld.ts';

/** A role as it is stored. */
export interface Role {
  readonly id: number;
  readonly type: string;
  readonly name: string;
  readonly actions: ReadonlySet<string>;
}

/**
 * Types that are seen through relations alone, such as files, go with what refers to them, but for accounts of the
 * console, which no role is granted; of what is kept, only roles show.
 */
function isSeen(model: Model, may: (action: string) => boolean, uid: string): boolean {
  switch (model.contentTypes.get(uid)?.exposure) {
    case 'relations':
      return uid !== ADMIN_USER || may(`${uid}.find`);
    case 'routes':
      return may(`${uid}.find`);
    default:
      return uid === ROLE && may(FIND_ROLES);
  }
}

/** `revision`: grows whenever grants change, so that plans made before are not used any more. */
export function roleAccess(model: Model, role: Role, rules: RoleRules | null, revision: number): Access {
  const may = (action: string): boolean => role.actions.has(action);
  return {
    key: `role ${role.id}.${revision}`,
    may,
    mayFind: (uid) => isSeen(model, may, uid),
    mayUse: (uid, name, use) => isListed(rules, uid, name, use),
    shows: 'public',
    mayReadDrafts: (uid) => rules?.get(uid)?.drafts !== false,
    rowsOf: (uid, use) => rowsOf(rules, uid, use),
    separateRights: null,
    maxReadCost: MAX_READ_COST,
    smallestGroup: ANY_GROUP,
  };
}

const IDENTITY = new Set(['id', 'documentId']);
/** What decides over an account. A role that reaches only some users, such as oneself, writes it only where listed. */
const PROTECTED = new Set(['role', 'confirmed', 'blocked', 'provider', 'resetPasswordToken', 'confirmationToken']);

/** What may be read may also be filtered and sorted by, unless a rule says otherwise. */
function isListed(rules: RoleRules | null, uid: string, name: string, use: FieldUse): boolean {
  const { fields } = rules?.get(uid) ?? {};
  if (!fields) return true;
  if (use === 'write' || use === 'create')
    return fields.write?.has(name) ?? !(uid === USER && PROTECTED.has(name) && rowsOf(rules, uid, 'update'));
  if (use === 'read' && IDENTITY.has(name)) return true;
  const list = fields[use] ?? fields.read;
  return list === undefined || list.has(name) || (IDENTITY.has(name) && fields[use] === undefined);
}

/** Nobody changes or deletes what they cannot find, unless a rule says otherwise. */
const rowsOf = (rules: RoleRules | null, uid: string, use: RowUse): RowRule | null => {
  const rows = rules?.get(uid)?.rows;
  const declared = use === 'publish' || use === 'translate' ? 'update' : use;
  return rows?.[declared] ?? rows?.find ?? null;
};

/** What the project says of reads: their cost by the type of the role and with an API token, and small groups. */
export interface ReadBounds {
  readonly roles: Readonly<Record<string, number>>;
  readonly tokens: number;
  readonly smallestGroup: number;
}

/** What holds for the access of every caller but the system. */
export interface AccessOptions extends ReadBounds {
  /** Whether who may upload files may replace them, as in Strapi 5. */
  readonly uploadReplaces: boolean;
}

/** Makes the access of every caller but the system, so that what is withheld is withheld from all of them. */
export class Accesses {
  readonly #model: Model;
  readonly #rules: ReadonlyMap<string, RoleRules>;
  readonly #withheld: Withheld;
  readonly #options: AccessOptions;
  /** Actions that go with others, by name. */
  readonly #implied: ReadonlyMap<string, string>;

  /** `rules`: by the type of the role. */
  constructor(model: Model, rules: ReadonlyMap<string, RoleRules>, withheld: Withheld, options: AccessOptions) {
    this.#model = model;
    this.#rules = rules;
    this.#withheld = withheld;
    this.#options = options;
    this.#implied = new Map([
      // Pages show what a list does.
      [FIND_FILE_PAGE, FIND_FILES],
      [FIND_FILES, FIND_FILE_PAGE],
      ...(options.uploadReplaces ? [[REPLACE_FILES, UPLOAD_FILES] as const] : []),
    ]);
  }

  ofRole(role: Role, revision: number): Access {
    const access = roleAccess(this.#model, role, this.#rules.get(role.type) ?? null, revision);
    const { roles, smallestGroup } = this.#options;
    const maxReadCost = Object.hasOwn(roles, role.type) ? roles[role.type]! : access.maxReadCost;
    return this.#without({ ...access, maxReadCost, smallestGroup });
  }

  /** Null for a kind of token that is not known. */
  ofToken(token: TokenGrants): Access | null {
    const access = tokenAccess(this.#model, token);
    const { tokens: maxReadCost, smallestGroup } = this.#options;
    return access && this.#without({ ...access, maxReadCost, smallestGroup });
  }

  #without(access: Access): Access {
    const withheld = this.#withheld;
    const isGranted = (action: string): boolean => access.may(action) && !withheld.has(action);
    const may = (action: string): boolean => {
      const other = this.#implied.get(action);
      return isGranted(action) || (other !== undefined && isGranted(other));
    };
    return withhold({ ...access, may }, this.#model, withheld);
  }
}

export interface TokenGrants {
  readonly id: number;
  readonly type: string;
  readonly actions: readonly string[];
}

const READS = /\.(find|findOne)$/;

/** Null for a kind of token that is not known. */
export function tokenAccess(model: Model, { id, type, actions }: TokenGrants): Access | null {
  const may = mayOf(type, actions);
  if (!may) return null;
  return {
    key: type === 'custom' ? `token ${id} ${actions.join()}` : `token ${type}`,
    may,
    mayFind: (uid) => isSeen(model, may, uid),
    shows: 'public',
    mayUse: () => true,
    mayReadDrafts: () => true,
    rowsOf: () => null,
    separateRights: null,
    maxReadCost: MAX_READ_COST,
    smallestGroup: ANY_GROUP,
  };
}

function mayOf(type: string, actions: readonly string[]): ((action: string) => boolean) | null {
  switch (type) {
    case 'full-access':
      return () => true;
    case 'read-only':
      return (action) => READS.test(action);
    case 'custom': {
      const set = new Set(actions);
      return (action) => set.has(action);
    }
    default:
      return null;
  }
}
