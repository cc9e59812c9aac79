// Projects with code of their own, for tests: files that are written beside the definitions.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createLogger, type Logger } from '../../src/http/log.ts';

export type Files = Readonly<Record<string, string>>;

/** Writes files below a project. */
export function writeFiles(folder: string, files: Files): void {
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), text);
  }
}

/** A logger, and the lines that were written to it. */
export function collectedLog(): { readonly logger: Logger; readonly lines: Record<string, unknown>[] } {
  const lines: Record<string, unknown>[] = [];
  const logger = createLogger('info', { write: (text: string) => void lines.push(JSON.parse(text)) });
  return { logger, lines };
}
