// The commands about files, for the table of commands.
import { command, flag, JSON_OPTION, PROJECT_OPTIONS, print } from './command.ts';

const progress = (): ((text: string) => void) | null =>
  process.stderr.isTTY ? (text) => void process.stderr.write(text) : null;

export const FILE_COMMANDS = [
  command({
    name: 'files check',
    summary: 'compare files in the database with the bytes that are stored',
    details: `Finds files without bytes, bytes without a file, and what interrupted uploads left behind.
Ends with 1 where it finds something. A server may run meanwhile.`,
    options: {
      ...PROJECT_OPTIONS,
      repair: flag('delete files and bytes that lack each other, and correct sizes'),
      json: JSON_OPTION,
    },
    examples: ['sheaf files check', 'sheaf files check --repair'],
    async run({ config, values }) {
      const { checkCommand } = await import('./file-commands.ts');
      const options = { repair: values.repair === true, json: values.json === true };
      return checkCommand(await config(), options, { report: print, progress: progress() });
    },
  }),
  command({
    name: 'files import',
    operands: 'DIR',
    arity: [1, 1],
    summary: 'store every file of a folder, and of those below it',
    details: 'Ends with 1 where a file is refused; the others are stored.',
    options: { ...PROJECT_OPTIONS, json: JSON_OPTION },
    examples: ['sheaf files import ./pictures'],
    async run({ config, values, operands: [folder] }) {
      const { importCommand } = await import('./file-commands.ts');
      const options = { folder: folder!, json: values.json === true };
      return importCommand(await config(), options, { report: print, progress: progress() });
    },
  }),
  command({
    name: 'files key',
    summary: 'print the key that signs URLs of resized pictures',
    details: `For front ends that ask for pictures in any size, where the setting files.resize.signed is on.
It follows from JWT_SECRET, and does not tell it.`,
    options: { ...PROJECT_OPTIONS, json: JSON_OPTION },
    examples: ['sheaf files key'],
    async run({ config, values }) {
      const { keyCommand } = await import('./file-commands.ts');
      return keyCommand(await config(), values.json === true, print);
    },
  }),
];
