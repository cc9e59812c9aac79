// The page about the command line says what the table of commands says.
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { COMMANDS } from '../src/cli/commands.ts';
import { cliReference } from './support/cli-reference.ts';

const PAGE = fileURLToPath(new URL('../docs/cli.md', import.meta.url));

it('docs/cli.md is up to date; vitest run test/cli-reference.test.ts -u writes it', async () => {
  await expect(cliReference(COMMANDS)).toMatchFileSnapshot(PAGE);
});
