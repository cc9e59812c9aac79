// The commands about locales, for the table of commands.
import { command, flag, JSON_OPTION, type Options, PROJECT_OPTIONS, print, YES_OPTION } from './command.ts';
import type { LocaleVerb } from './locale-commands.ts';

const LOCALE_OPTIONS = {
  name: { type: 'string', value: 'NAME', text: 'what editors see; without it the name of the language' },
  'delete-entries': flag('delete what is written in it as well; asks first'),
  yes: YES_OPTION,
} as const satisfies Options;

interface LocaleCommand {
  readonly verb: LocaleVerb;
  readonly summary: string;
  readonly details?: string;
  readonly options?: Partial<typeof LOCALE_OPTIONS>;
  readonly examples: readonly [string, ...string[]];
}

const locale = ({ verb, options, ...rest }: LocaleCommand) =>
  command({
    name: `locale ${verb}`,
    ...(verb !== 'list' && { operands: 'CODE', arity: [1, 1] as const }),
    ...rest,
    options: { ...PROJECT_OPTIONS, ...options, json: JSON_OPTION },
    async run({ config, values, operands: [code] }) {
      const { localeCommand } = await import('./locale-commands.ts');
      print(await localeCommand(await config(), verb, code, values));
    },
  });

const { name, yes } = LOCALE_OPTIONS;

export const LOCALE_COMMANDS = [
  locale({
    verb: 'list',
    summary: 'the locales of the project, and which is the default',
    examples: ['sheaf locale list', 'sheaf locale list --json'],
  }),
  locale({
    verb: 'add',
    summary: 'let content be written in a locale',
    options: { name },
    examples: ['sheaf locale add fr', "sheaf locale add de-AT --name 'Deutsch (Österreich)'"],
  }),
  locale({
    verb: 'default',
    summary: 'make a locale the one that requests are about where they name none',
    details: 'Servers that run follow at once. No content is moved.',
    examples: ['sheaf locale default fr'],
  }),
  locale({
    verb: 'remove',
    summary: 'remove a locale; refused of the default one, and as long as there is content in it',
    options: { 'delete-entries': LOCALE_OPTIONS['delete-entries'], yes },
    examples: ['sheaf locale remove fr', 'sheaf locale remove fr --delete-entries'],
  }),
];
