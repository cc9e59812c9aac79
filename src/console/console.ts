// Everything about who works in the console, over one database.
import type { Database } from '../db/database.ts';
import type { Model } from '../model/types.ts';
import type { Settings } from '../project/settings.ts';
import { ConsoleStatements } from '../sql/console-statements.ts';
import { ConsoleSessions } from './console-sessions.ts';
import { Editors } from './editors.ts';

export interface ConsoleOptions {
  readonly model: Model;
  readonly database: Database;
  readonly settings: Settings;
}

export interface Console {
  readonly sessions: ConsoleSessions;
}

export function openConsole({ model, database, settings }: ConsoleOptions): Console {
  const statements = new ConsoleStatements(database.dialect);
  const editors = new Editors(model, statements);
  return { sessions: new ConsoleSessions({ database, statements, editors, settings }) };
}
