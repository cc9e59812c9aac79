// What a command of the command line is: data that is parsed, explained and run by `run.ts`.
import type { ParseArgsOptionDescriptor, parseArgs } from 'node:util';
import type { ServerConfig } from '../project/environment.ts';

export interface Option extends ParseArgsOptionDescriptor {
  readonly type: 'string' | 'boolean';
  /** What stands for the value in the help, such as DIR. */
  readonly value?: string;
  /** What it does, and what holds without it. */
  readonly text: string;
  /** The variable of the environment that does the same. */
  readonly variable?: string;
}

export type Options = Readonly<Record<string, Option>>;

/** The values of options as they were given. An option that the command has not got has none, as one that is not given. */
export type Values<O extends Options> = ReturnType<typeof parseArgs<{ options: Required<O> }>>['values'];

export interface Invocation<O extends Options> {
  readonly values: Values<O>;
  /** The words after those of the command. */
  readonly operands: readonly string[];
  readonly variables: NodeJS.ProcessEnv;
  /** Reads the configuration of the project; commands that work without do not call it. */
  config(): Promise<ServerConfig>;
}

export interface Command {
  /** The words that call it, such as `schema diff`. */
  readonly name: string;
  /** The operands it takes, as the help shows them; empty for none. */
  readonly operands: string;
  /** How many operands it takes at least and at most. */
  readonly arity: readonly [least: number, most: number];
  /** One line. */
  readonly summary: string;
  /** What else there is to know, in lines of the width of a terminal. */
  readonly details: string;
  readonly options: Options;
  readonly examples: readonly string[];
  /** Returns the exit code; nothing for success. */
  run(invocation: Invocation<Options>): Promise<number | undefined>;
}

interface CommandDefinition<O extends Options> {
  readonly name: string;
  readonly operands?: string;
  readonly arity?: readonly [number, number];
  readonly summary: string;
  readonly details?: string;
  readonly options: O;
  readonly examples: readonly [string, ...string[]];
  run(invocation: Invocation<O>): Promise<number | undefined>;
}

/** Checks that a command uses only the options it declares. */
export const command = <O extends Options>(definition: CommandDefinition<O>): Command => ({
  operands: '',
  arity: [0, 0],
  details: '',
  ...definition,
  // The values come from a parse with these very options.
  run: definition.run as Command['run'],
});

export const print = (text: string): void => void process.stdout.write(text);

export const flag = (text: string) => ({ type: 'boolean', text }) as const;

export const JSON_OPTION = flag('print JSON, for programs');
export const YES_OPTION = flag('do not ask');

/** Where the project and its database are. */
export const PROJECT_OPTIONS = {
  project: {
    type: 'string',
    value: 'DIR',
    text: 'the folder that holds src/api; without it the current one, or the nearest above it',
    variable: 'SHEAF_PROJECT',
  },
  database: {
    type: 'string',
    value: 'URL',
    text: 'sqlite:PATH or postgres://user:password@host/name; without it what config/database names',
    variable: 'DATABASE_URL',
  },
  'read-only': {
    type: 'boolean',
    text: 'write nothing, to a database that is there',
    variable: 'SHEAF_READ_ONLY',
  },
  example: flag('the restaurant guide that comes with sheaf, on a database of its own'),
} as const satisfies Options;

/** Where to listen. */
export const LISTEN_OPTIONS = {
  host: {
    type: 'string',
    value: 'HOST',
    text: 'where to listen; 127.0.0.1 unless config/server says otherwise; off this machine only with a JWT_SECRET',
    variable: 'HOST',
  },
  port: {
    type: 'string',
    value: 'N',
    text: '1337 unless config/server says otherwise; 0 takes any free port',
    variable: 'PORT',
  },
} as const satisfies Options;
