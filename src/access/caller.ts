// Who calls: their rights and, for a user, the values of the account that rules may compare with.
import type { Model } from '../model/types.ts';
import { type Access, systemAccess, type Visibility } from './access.ts';

/** Scalar attributes of an account, by name. */
export type UserValues = Readonly<Record<string, unknown>>;

export interface Account {
  readonly id: number;
  readonly documentId: string;
  /** The type of the role; null where the account has none. */
  readonly role: string | null;
  /** Null for a token that belongs to no session. */
  readonly sessionId: string | null;
}

export interface Caller {
  /** An editor works in the console, with an account of its own that is no user's. */
  readonly kind: 'system' | 'public' | 'user' | 'token' | 'editor';
  readonly access: Access;
  /** Of a user, and of an editor: the values of the account. */
  readonly user: UserValues | null;
  /** Of a user. */
  readonly account: Account | null;
  /**
   * Of one who was known: the mark of the database that it was found with. What is read or written holds only where the
   * database still has that mark. Null for one who was just looked up.
   */
  readonly knownBy: string | null;
}

/** Code in this process that acts for nobody in particular, and may do everything. */
export const systemCaller = (model: Model, shows: Visibility = 'public'): Caller => ({
  kind: 'system',
  access: systemAccess(model, shows),
  user: null,
  account: null,
  knownBy: null,
});

/** The account that an editor has in admin_users; null for everyone else. */
export const editorIdOf = ({ kind, user }: Caller): number | null => (kind === 'editor' ? Number(user?.id) : null);
