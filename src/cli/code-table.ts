// The commands about routes and a project's own code, for the table of commands.
import { command, JSON_OPTION, type Options, PROJECT_OPTIONS, print } from './command.ts';
import type { CommandResult, OpenProject } from './command-result.ts';

const OPTIONS = { ...PROJECT_OPTIONS, json: JSON_OPTION } as const satisfies Options;

type Work = (
  commands: typeof import('./code-commands.ts'),
  project: OpenProject,
  operands: readonly string[],
) => Promise<CommandResult>;

interface CodeCommand {
  readonly name: string;
  readonly summary: string;
  readonly details?: string;
  readonly operands?: string;
  readonly arity?: readonly [number, number];
  readonly examples: readonly [string, ...string[]];
  readonly reads: boolean;
  readonly work: Work;
}

const codeCommand = ({ reads, work, ...rest }: CodeCommand) =>
  command({
    ...rest,
    options: OPTIONS,
    async run({ config, values, operands }) {
      const { onProject } = await import('./command-result.ts');
      const commands = await import('./code-commands.ts');
      const what = { name: rest.name, reads, json: values.json === true };
      print(await onProject(await config(), what, (project) => work(commands, project, operands)));
    },
  });

const DOCTOR = command({
  name: 'doctor',
  summary: "tell what of a project's own code runs, what does not, and why, file by file",
  details: `Loads the files of a Strapi project and runs nothing that they register or begin. Files that Strapi generates are
left out.`,
  options: OPTIONS,
  examples: ['sheaf doctor', 'sheaf doctor --json'],
  async run({ config, values }) {
    const { onProject } = await import('./command-result.ts');
    const { examineCode } = await import('./doctor.ts');
    print(await onProject(await config(), { name: 'doctor', reads: true, json: values.json === true }, examineCode));
  },
});

export const CODE_COMMANDS = [
  DOCTOR,
  codeCommand({
    name: 'routes',
    summary: 'list every route with where it comes from, the right that it needs and its policies',
    examples: ['sheaf routes', 'sheaf routes --json'],
    reads: true,
    work: ({ listRoutes }, project) => listRoutes(project),
  }),
  codeCommand({
    name: 'hooks list',
    summary: "list the project's hooks, and the committed writes that they still have to do or failed to do",
    examples: ['sheaf hooks list', 'sheaf hooks list --json'],
    reads: true,
    work: ({ listHooks }, project) => listHooks(project),
  }),
  codeCommand({
    name: 'hooks retry',
    operands: '[ID]',
    arity: [0, 1],
    summary: 'try anew what committed hooks have failed to do, all of it or one',
    details: 'A server that runs does it; without one, the next that starts.',
    examples: ['sheaf hooks retry', 'sheaf hooks retry 12'],
    reads: false,
    work: ({ retryEvents }, project, [id]) => retryEvents(project, id),
  }),
  codeCommand({
    name: 'hooks drop',
    operands: 'ID',
    arity: [1, 1],
    summary: 'give up what a committed hook has failed to do',
    examples: ['sheaf hooks drop 12'],
    reads: false,
    work: ({ dropEvent }, project, [id]) => dropEvent(project, id!),
  }),
  codeCommand({
    name: 'tasks list',
    summary: "list the project's tasks: when each runs next, and how its last runs ended",
    examples: ['sheaf tasks list', 'sheaf tasks list --json'],
    reads: true,
    work: ({ listTasks }, project) => listTasks(project),
  }),
];
