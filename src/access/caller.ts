// Who asks: what they may do, and, where they are a user, the values of their account that rules may speak of.
import type { Access } from './access.ts';

/** Scalar attributes of an account, by name. */
export type UserValues = Readonly<Record<string, unknown>>;

export interface Caller {
  readonly access: Access;
  readonly user: UserValues | null;
}
