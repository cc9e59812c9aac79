// The commands that make a project and its definitions, for the table of commands.
import { command, flag, JSON_OPTION, LISTEN_OPTIONS, type Options, PROJECT_OPTIONS, print } from './command.ts';
import { GRAMMAR } from './define/attribute-help.ts';

/** As many operands as are given. */
const MANY = Number.POSITIVE_INFINITY;

const INIT = command({
  name: 'init',
  operands: '[DIR]',
  arity: [0, 1],
  summary: 'make a project with one content-type, in the current folder or in DIR',
  details: `Makes package.json, .env with secrets of its own, .gitignore, config/sheaf.json, README.md and a content-type, article.
What is there stays as it is; package.json and .gitignore get the lines that are missing.`,
  options: { json: JSON_OPTION },
  examples: ['sheaf init', 'sheaf init my-project'],
  async run({ values, operands: [folder = '.'] }) {
    const { initProject, initReport } = await import('./init/init-command.ts');
    const initialized = initProject(folder);
    print(`${values.json === true ? JSON.stringify(initialized) : initReport(initialized)}\n`);
  },
});

const DEV = command({
  name: 'dev',
  summary: 'serve a project while you change it',
  details: `Follows definitions, settings, rules and .env: shows what a change would do to the database, asks where content is
touched, and serves it. Until then, and where something is wrong, what was served before is served on. Prints the
address, a token that may do everything, and requests to try.`,
  options: { project: PROJECT_OPTIONS.project, database: PROJECT_OPTIONS.database, ...LISTEN_OPTIONS },
  examples: ['sheaf dev', 'sheaf dev --port 1400'],
  async run({ config, values }) {
    const { dev } = await import('./dev/dev-command.ts');
    await dev(await config(), values);
  },
});

const TEXT_OPTIONS = {
  'display-name': { type: 'string', value: 'TEXT', text: 'what people call it; made from the name without it' },
  description: { type: 'string', value: 'TEXT', text: 'what it is for' },
} as const satisfies Options;

const TYPE_ADD = command({
  name: 'type add',
  operands: 'NAME ATTRIBUTE…',
  arity: [1, MANY],
  summary: 'make a content-type: writes src/api/NAME/content-types/NAME/schema.json',
  details: GRAMMAR,
  options: {
    project: PROJECT_OPTIONS.project,
    plural: {
      type: 'string',
      value: 'NAME',
      text: 'what many are called and served under; made from the name without it',
    },
    ...TEXT_OPTIONS,
    single: flag('a single type: one document, such as a homepage'),
    drafts: flag('documents have drafts'),
    localized: flag('documents have a version for each locale'),
    json: JSON_OPTION,
  },
  examples: [
    "sheaf type add author name:string! 'email:email(unique)'",
    "sheaf type add article title:string! body:richtext 'author:relation(manyToOne,author,articles)' --drafts",
    'sheaf type add homepage title:string! featured:relation:oneToMany,article --single',
  ],
  async run({ values, variables, operands: [name, ...attributes] }) {
    const { addType } = await import('./define/define-commands.ts');
    printDefined(addType(await projectOf(values, variables), name!, attributes, values), values.json);
  },
});

const COMPONENT_ADD = command({
  name: 'component add',
  operands: 'CATEGORY.NAME ATTRIBUTE…',
  arity: [1, MANY],
  summary: 'make a component: writes src/components/CATEGORY/NAME.json',
  details: 'Attributes are written as for sheaf type add; sheaf type add --help shows how.',
  options: { project: PROJECT_OPTIONS.project, ...TEXT_OPTIONS, json: JSON_OPTION },
  examples: ["sheaf component add shared.seo 'title:string(maxLength=60)!' description:text"],
  async run({ values, variables, operands: [uid, ...attributes] }) {
    const { addComponent } = await import('./define/define-commands.ts');
    printDefined(addComponent(await projectOf(values, variables), uid!, attributes, values), values.json);
  },
});

const ATTRIBUTE_ADD = command({
  name: 'attribute add',
  operands: 'TYPE ATTRIBUTE…',
  arity: [2, MANY],
  summary: 'give a content-type or a component further attributes',
  details: 'Attributes are written as for sheaf type add; sheaf type add --help shows how.',
  options: { project: PROJECT_OPTIONS.project, json: JSON_OPTION },
  examples: ['sheaf attribute add article subtitle:string', 'sheaf attribute add shared.seo image:media:images'],
  async run({ values, variables, operands: [type, ...attributes] }) {
    const { addAttributes } = await import('./define/define-commands.ts');
    printDefined(addAttributes(await projectOf(values, variables), type!, attributes), values.json);
  },
});

const TYPES = command({
  name: 'types',
  summary: 'write the TypeScript types of the content model, for the client and for code in process',
  details: `The file holds a registry that sheaf and sheaf/client read, and names for the entries and inputs of each type.
It needs no database. A file that would stay the same is not touched.`,
  options: {
    project: PROJECT_OPTIONS.project,
    out: {
      type: 'string',
      value: 'FILE',
      text: 'sheaf-types.d.ts in the project without it; - for standard output',
    },
    watch: flag('write it again whenever a definition changes'),
    json: JSON_OPTION,
  },
  examples: ['sheaf types', 'sheaf types --out ../site/src/sheaf-types.d.ts --watch'],
  async run({ values, variables }) {
    const { STANDARD_OUTPUT, typesReport, typesText, watchTypes, writeTypes } = await import('./types-command.ts');
    const project = await projectOf(values, variables);
    if (values.out === STANDARD_OUTPUT) {
      print(await typesText(project));
      return;
    }
    const written = await writeTypes(project, values.out);
    print(`${values.json === true ? JSON.stringify(written) : typesReport(written)}\n`);
    if (values.watch === true) watchTypes(project, values.out, (text) => print(`${text}\n`));
  },
});

async function projectOf(
  { project }: { readonly project?: string | undefined },
  variables: NodeJS.ProcessEnv,
): Promise<string> {
  const { projectFor } = await import('../project/environment.ts');
  return projectFor(project, variables)[0];
}

const printDefined = ({ text, value }: { readonly text: string; readonly value: unknown }, json = false): void =>
  print(`${json ? JSON.stringify(value) : text}\n`);

export const BEGIN_COMMANDS = [INIT, DEV];
export const DEFINITION_COMMANDS = [TYPE_ADD, COMPONENT_ADD, ATTRIBUTE_ADD, TYPES];
