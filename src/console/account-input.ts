// What the console sends about accounts, checked: everything that is wrong is told at once, with its key.
import { validationError } from '../errors.ts';
import { isTooLong } from '../passwords.ts';
import type { AccountInput, WelcomeInput } from './contract.ts';

type Body = Readonly<Record<string, unknown>>;
/** What is wrong with a value; null where nothing is. */
type Check = (value: unknown) => string | null;

/** As many characters as the columns hold. */
const MAX_LENGTH = 255;
const MIN_PASSWORD = 8;

const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= MAX_LENGTH && !value.includes('\0');

const text: Check = (value) => (isText(value) ? null : `must be a string of at most ${MAX_LENGTH} characters`);
const optionalText: Check = (value) => (value === null ? null : text(value));
const email: Check = (value) =>
  isText(value) && /^[^\s@]+@[^\s@]+$/.test(value) ? null : 'must be an address such as ada@example.com';
const flag: Check = (value) => (typeof value === 'boolean' ? null : 'must be true or false');
const roles: Check = (value) =>
  Array.isArray(value) && value.length > 0 && value.every((id) => Number.isSafeInteger(id))
    ? null
    : 'must be a list of ids of roles, with one at least';

/** The rule of Strapi's admin panel. */
const password: Check = (value) => {
  if (typeof value !== 'string' || value.includes('\0')) return 'must be a string';
  if (value.length < MIN_PASSWORD) return `must be at least ${MIN_PASSWORD} characters long`;
  if (isTooLong(value)) return 'must be less than 73 bytes long';
  if (!/[a-z]/.test(value)) return 'must contain at least one lower-case letter';
  if (!/[A-Z]/.test(value)) return 'must contain at least one upper-case letter';
  return /\d/.test(value) ? null : 'must contain at least one digit';
};

const ACCOUNT: Readonly<Record<keyof AccountInput, Check>> = {
  email,
  firstname: optionalText,
  lastname: optionalText,
  blocked: flag,
  roles,
};
const WELCOME: Readonly<Record<keyof WelcomeInput, Check>> = {
  token: text,
  password,
  email,
  firstname: text,
  lastname: text,
};

function checked<T>(body: Body, checks: Readonly<Record<string, Check>>, required: readonly string[]): T {
  const problem = (key: string): string | null => {
    if (!Object.hasOwn(checks, key)) return 'is unknown';
    return body[key] === undefined ? (required.includes(key) ? 'is missing' : null) : checks[key]!(body[key]);
  };
  const errors = [...new Set([...Object.keys(body), ...required])].flatMap((key) => {
    const found = problem(key);
    return found === null ? [] : [{ path: [key], message: `${key} ${found}`, name: 'ValidationError' }];
  });
  if (errors.length > 0)
    throw validationError(errors.length === 1 ? errors[0]!.message : `${errors.length} errors occurred`, { errors });
  const { email: given } = body;
  return { ...body, ...(typeof given === 'string' && { email: given.toLowerCase() }) } as T;
}

export type NewAccount = AccountInput & Required<Pick<AccountInput, 'email' | 'roles'>>;

export const parseNewAccount = (body: Body): NewAccount => checked(body, ACCOUNT, ['email', 'roles']);
export const parseAccountInput = (body: Body): AccountInput => checked(body, ACCOUNT, []);
export const parseWelcome = (body: Body): WelcomeInput => checked(body, WELCOME, ['token', 'password']);
/** The first account also says who has it. */
export const requireEmail = (input: WelcomeInput): string =>
  checked<{ email: string }>({ email: input.email }, { email }, ['email']).email;
export const requirePassword = (given: string): void => void checked({ password: given }, { password }, []);
