// The part of the table of commands about the schema.
import { command, flag, JSON_OPTION, PROJECT_OPTIONS, print } from './command.ts';
import type { SchemaResult } from './schema-commands.ts';

/** Prints what a command did, and ends with its code. */
async function schema(result: Promise<SchemaResult>, json: boolean | undefined): Promise<number> {
  const { text, value, code } = await result;
  print(json ? `${JSON.stringify(value)}\n` : text);
  return code;
}

const SCHEMA_OPTIONS = { ...PROJECT_OPTIONS, json: JSON_OPTION } as const;

const SCHEMA_DIFF = command({
  name: 'schema diff',
  summary: 'show what a start would make in the database, and what the data has to follow',
  details: `Compares the definitions with those that the database was last served with.
Ends with 1 where a change has to be allowed before the next start.`,
  options: SCHEMA_OPTIONS,
  examples: ['sheaf schema diff', 'sheaf schema diff --json'],
  async run({ config, values }) {
    const { schemaDiff } = await import('./schema-commands.ts');
    return schema(schemaDiff(await config()), values.json);
  },
});

const SCHEMA_APPLY = command({
  name: 'schema apply',
  summary: 'make what is missing in the database, and carry out the changes that are allowed',
  details: `What only adds is made. A change that the data has to follow is made where it is allowed, each in a
transaction of its own. What it takes away or rewrites is kept in tables of ours, for sheaf schema undo.
Ends with 1 where changes wait.`,
  options: {
    ...SCHEMA_OPTIONS,
    allow: {
      type: 'string',
      value: 'STEP',
      multiple: true,
      text: 'a step that sheaf schema diff shows; may be repeated',
    },
    all: flag('every step that it shows'),
  },
  examples: [
    'sheaf schema apply',
    'sheaf schema apply --allow drafts-off:api::article.article',
    'sheaf schema apply --all',
  ],
  async run({ config, values }) {
    const { schemaApply } = await import('./schema-commands.ts');
    const onProgress = process.stderr.isTTY
      ? (text: string) => void process.stderr.write(`\r\u001b[K${text}`)
      : undefined;
    return schema(schemaApply(await config(), { ...values, onProgress }), values.json);
  },
});

const SCHEMA_HISTORY = command({
  name: 'schema history',
  summary: 'list the changes that can be taken back, the last first',
  options: SCHEMA_OPTIONS,
  examples: ['sheaf schema history'],
  async run({ config, values }) {
    const { schemaHistory } = await import('./schema-commands.ts');
    return schema(schemaHistory(await config()), values.json);
  },
});

const SCHEMA_UNDO = command({
  name: 'schema undo',
  summary: 'take the last change back',
  details: 'Refuses where rows that the change made or rewrote were written since.',
  options: {
    ...SCHEMA_OPTIONS,
    'discard-changes': flag('give up what was written since in the rows that the change made or rewrote'),
  },
  examples: ['sheaf schema undo'],
  async run({ config, values }) {
    const { schemaUndo } = await import('./schema-commands.ts');
    return schema(schemaUndo(await config(), values['discard-changes'] === true), values.json);
  },
});

const SCHEMA_RELEASE = command({
  name: 'schema release',
  summary: 'drop what is kept for taking changes back',
  options: SCHEMA_OPTIONS,
  examples: ['sheaf schema release'],
  async run({ config, values }) {
    const { schemaRelease } = await import('./schema-commands.ts');
    return schema(schemaRelease(await config()), values.json);
  },
});

const SCHEMA_RENAME = command({
  name: 'schema rename',
  operands: 'TYPE[.ATTRIBUTE] NAME',
  arity: [2, 2],
  summary: 'give an attribute, a content-type or a component another name, in the database and in its files',
  details: `Columns, link tables, indexes, polymorphic types and grants follow.
A definition that has the new name already is left as it is.`,
  options: {
    ...SCHEMA_OPTIONS,
    plural: { type: 'string', value: 'NAME', text: "a type's plural; without it the usual English one" },
  },
  examples: [
    'sheaf schema rename api::article.article.title headline',
    'sheaf schema rename api::article.article post',
  ],
  async run({ config, values, operands: [what, to] }) {
    const { schemaRename } = await import('./schema-commands.ts');
    return schema(schemaRename(await config(), [what!, to!], values), values.json);
  },
});

const SCHEMA_JSON = command({
  name: 'schema json',
  operands: '[UID]',
  arity: [0, 1],
  summary: 'write JSON Schemas of what bodies hold and responses show, of one type or of all',
  details: `Of a content-type: create, update, entry, selected, document, page; of a component: input, entry.
Needs no database. The schemas are of draft 2020-12, and each is complete in itself.`,
  options: {
    project: PROJECT_OPTIONS.project,
    example: PROJECT_OPTIONS.example,
    out: { type: 'string', value: 'DIR', text: 'a folder for a file of each schema; without it they are printed' },
  },
  examples: ['sheaf schema json api::restaurant.restaurant --example', 'sheaf schema json --out schemas'],
  async run({ config, values, operands: [uid] }) {
    const { schemaJson } = await import('./openapi-command.ts');
    print(schemaJson(await config(), { uid: uid ?? null, out: values.out ?? null }));
    return undefined;
  },
});

export const SCHEMA_COMMANDS = [
  SCHEMA_DIFF,
  SCHEMA_APPLY,
  SCHEMA_HISTORY,
  SCHEMA_UNDO,
  SCHEMA_RELEASE,
  SCHEMA_RENAME,
  SCHEMA_JSON,
];
