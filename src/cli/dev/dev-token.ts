// The API token of `sheaf dev`: made once, kept in a file that only this account can read, and made anew where the
// database does not know it any more.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Sheaf } from '../../app.ts';

const NAME = 'sheaf dev';

export const tokenFile = (state: string): string => path.join(state, 'dev-token');

export async function devToken(sheaf: Sheaf, state: string): Promise<string> {
  const { tokens } = await sheaf.auth();
  const file = tokenFile(state);
  const kept = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  if (kept !== '' && (await tokens.access(kept)) !== null) return kept;
  await tokens.revoke(NAME);
  const description = 'Made by sheaf dev for requests from this machine.';
  const token = await tokens.create({ name: NAME, description, type: 'full-access', actions: [], days: null });
  mkdirSync(state, { recursive: true, mode: 0o700 });
  writeFileSync(file, `${token}\n`, { mode: 0o600 });
  return token;
}
