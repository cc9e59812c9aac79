// Everything about who works in the console, over one database.
import type { Withheld } from '../access/withheld.ts';
import type { Database } from '../db/database.ts';
import type { Model } from '../model/types.ts';
import type { Settings } from '../project/settings.ts';
import { ConsoleStatements } from '../sql/console-statements.ts';
import { AccountRows } from './account-rows.ts';
import { ConsoleAccounts } from './console-accounts.ts';
import { ConsoleLinks } from './console-links.ts';
import { ConsoleSessions } from './console-sessions.ts';
import { Editors } from './editors.ts';
import { Welcomes } from './welcome.ts';

export interface ConsoleOptions {
  readonly model: Model;
  readonly database: Database;
  readonly settings: Settings;
  /** What no account has, either. */
  readonly withheld: Withheld;
}

export interface Console {
  readonly sessions: ConsoleSessions;
  readonly accounts: ConsoleAccounts;
  readonly welcomes: Welcomes;
}

export function openConsole({ model, database, settings, withheld }: ConsoleOptions): Console {
  const statements = new ConsoleStatements(database.dialect);
  const editors = new Editors({ model, withheld, settings }, statements);
  const sessions = new ConsoleSessions({ database, statements, editors, settings });
  const parts = { database, statements, sessions, links: new ConsoleLinks(statements) };
  const deps = { ...parts, model, rows: new AccountRows(parts) };
  return { sessions, accounts: new ConsoleAccounts(deps), welcomes: new Welcomes(deps) };
}
