// Settings of accounts that Strapi 5 keeps in the database, so that both servers follow the same ones.
import { isObject } from '../type-guards.ts';

export interface AccountSettings {
  readonly unique_email: boolean;
  readonly allow_register: boolean;
  readonly email_confirmation: boolean;
  readonly email_reset_password: string | null;
  readonly email_confirmation_redirection: string | null;
  /** The type of the role that new accounts get. */
  readonly default_role: string;
}

const DEFAULTS: AccountSettings = {
  unique_email: true,
  allow_register: true,
  email_confirmation: false,
  email_reset_password: null,
  email_confirmation_redirection: null,
  default_role: 'authenticated',
};

/** What is stored, over what holds where nothing is. */
export function readAccountSettings(text: unknown): AccountSettings {
  try {
    const stored: unknown = JSON.parse(String(text));
    return { ...DEFAULTS, ...(typeof stored === 'object' && stored) };
  } catch {
    return DEFAULTS;
  }
}

/** How people may log in, by what is stored of providers. */
export interface LogInWays {
  /** Whether with a password, which is called `email` there. Only what is stored says otherwise. */
  readonly password: boolean;
  /** Other providers that are turned on. */
  readonly others: readonly string[];
}

export function readLogInWays(text: unknown): LogInWays {
  try {
    const stored: unknown = JSON.parse(String(text));
    const { email, ...others } = isObject(stored) ? stored : {};
    return {
      password: !isObject(email) || email.enabled === true,
      others: Object.keys(others).filter((name) => isObject(others[name]) && others[name].enabled === true),
    };
  } catch {
    return { password: true, others: [] };
  }
}
