// `sheaf completion SHELL`: a script that completes commands and options in a shell, made from the table of commands. It
// is static: it starts no process while somebody types.
import type { Command, Option } from './command.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

export const isShell = (word: string | undefined): word is Shell => SHELLS.some((shell) => shell === word);

/** What may follow the words before it: the next word of a command, or one of the words that an operand may be. */
interface NextWord {
  readonly word: string;
  readonly text: string;
}

/** By the words before, joined; the commands themselves with the words that their first operand may be. */
function nextWords(commands: readonly Command[]): ReadonlyMap<string, readonly NextWord[]> {
  const found = new Map<string, Map<string, NextWord>>();
  const add = (before: string, word: string, text: string): void => {
    const words = found.get(before) ?? new Map<string, NextWord>();
    found.set(before, words);
    if (!words.has(word)) words.set(word, { word, text });
  };
  for (const { name, operands, summary } of commands) {
    const words = name.split(' ');
    for (const [index, word] of words.entries())
      add(words.slice(0, index).join(' '), word, index === words.length - 1 ? summary : `sheaf ${word} …`);
    for (const choice of choicesIn(operands.split(' ')[0]!)) add(name, choice, '');
  }
  // `sheaf help` takes the words of any command.
  for (const [before, words] of [...found])
    if (!before.startsWith('help'))
      for (const { word, text } of words.values()) add(`help ${before}`.trimEnd(), word, text);
  return new Map([...found].map(([before, words]) => [before, [...words.values()]]));
}

/** `bash|zsh|fish` stands for one of three words; one in capitals for what somebody names. */
const choicesIn = (form = ''): readonly string[] =>
  form.includes('|')
    ? form
        .replaceAll(/[[\]]/g, '')
        .split('|')
        .filter((word) => word !== word.toUpperCase())
    : [];

/** How each shell completes the value of an option. */
interface ValueCompletion {
  readonly folder: string;
  readonly file: string;
  readonly nothing: string;
  oneOf(words: string): string;
}

const VALUES: Readonly<Record<Shell, ValueCompletion>> = {
  bash: {
    folder: 'COMPREPLY=($(compgen -d -- "$cur"))',
    file: 'COMPREPLY=($(compgen -f -- "$cur"))',
    nothing: 'COMPREPLY=()',
    oneOf: (words) => `COMPREPLY=($(compgen -W "${words}" -- "$cur"))`,
  },
  zsh: { folder: '_files -/', file: '_files', nothing: ':', oneOf: (words) => `compadd -- ${words}` },
  fish: {
    folder: " -x -a '(__fish_complete_directories)'",
    file: ' -r -F',
    nothing: ' -x',
    oneOf: (words) => ` -x -a '${words}'`,
  },
};

function valueCompletion(shell: Shell, { value }: Option): string {
  const { folder, file, nothing, oneOf } = VALUES[shell];
  const choices = choicesIn(value);
  if (choices.length > 0) return oneOf(choices.join(' '));
  return value === 'DIR' ? folder : value === 'FILE' ? file : nothing;
}

/** Every option that takes a value. An option is the same in every command that has it. */
function valueOptions(commands: readonly Command[]): ReadonlyMap<string, Option> {
  const found = new Map<string, Option>();
  for (const { options } of commands)
    for (const [name, option] of Object.entries(options)) if (option.type === 'string') found.set(`--${name}`, option);
  return found;
}

const flagsOf = ({ options }: Command): string[] => [...Object.keys(options).map((name) => `--${name}`), '--help'];

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

export function completionScript(shell: Shell, commands: readonly Command[]): string {
  const scripts = { bash, zsh, fish };
  return scripts[shell](commands);
}

function bash(commands: readonly Command[]): string {
  const options = valueOptions(commands);
  const values = [...options].map(([name, option]) => `    ${name}) ${valueCompletion('bash', option)}; return ;;`);
  const words = [...nextWords(commands)].map(
    ([before, next]) => `    ${quoted(before)}) words="${next.map(({ word }) => word).join(' ')}" ;;`,
  );
  const flags = commands.map(
    (command) => `    ${quoted(command.name)}|${quoted(`${command.name} `)}*) flags="${flagsOf(command).join(' ')}" ;;`,
  );
  return `# Completion of sheaf in bash: eval "$(sheaf completion bash)"
_sheaf() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" before="" words="" flags="--help --version" word previous="" i
  local -a line
  # Bash also splits words at colons and equal signs.
  read -r -a line <<< "\${COMP_LINE:0:COMP_POINT}"
  [[ "\${COMP_LINE:0:COMP_POINT}" == *" " ]] || unset 'line[\${#line[@]}-1]'
  for ((i = 1; i < \${#line[@]}; i++)); do
    word="\${line[i]}"
    case "$previous" in
      ${[...options.keys()].join('|')}) previous=""; continue ;;
    esac
    previous="$word"
    [[ "$word" == -* ]] || before="\${before:+$before }$word"
  done
  case "$previous" in
${values.join('\n')}
  esac
  case "$before" in
${words.join('\n')}
  esac
  case "$before" in
${flags.join('\n')}
  esac
  [[ "$cur" == -* ]] && words="$flags"
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o bashdefault -F _sheaf sheaf
`;
}

function zsh(commands: readonly Command[]): string {
  const described = (word: string, text: string): string => quoted(`${word.replaceAll(':', '\\:')}:${text}`);
  const words = [...nextWords(commands)].map(
    ([before, next]) =>
      `    ${quoted(before)}) next=(${next.map(({ word, text }) => described(word, text)).join(' ')}) ;;`,
  );
  const flags = commands.map(({ name, options }) => {
    const all = Object.entries(options).map(([option, { text }]) => described(`--${option}`, text));
    return `    ${quoted(name)}|${quoted(`${name} `)}*) flags=(${[...all, described('--help', 'show the help')].join(' ')}) ;;`;
  });
  const options = valueOptions(commands);
  const values = [...options].map(([name, option]) => `    ${name}) ${valueCompletion('zsh', option)}; return ;;`);
  return `#compdef sheaf
# Completion of sheaf in zsh: eval "$(sheaf completion zsh)", after compinit; or this as a file _sheaf in $fpath
_sheaf() {
  local before="" word previous=""
  local -a next flags
  flags=(${[described('--help', 'show the help'), described('--version', 'show the version')].join(' ')})
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$previous" in
      ${[...options.keys()].join('|')}) previous=""; continue ;;
    esac
    previous="$word"
    [[ "$word" == -* ]] || before="\${before:+$before }$word"
  done
  case "$previous" in
${values.join('\n')}
  esac
  case "$before" in
${words.join('\n')}
  esac
  case "$before" in
${flags.join('\n')}
  esac
  if [[ "\${words[CURRENT]}" == -* ]]; then
    _describe -o option flags
  else
    _describe command next
  fi
}
if [[ "\${funcstack[1]}" == _sheaf ]]; then _sheaf "$@"; else compdef _sheaf sheaf; fi
`;
}

function fish(commands: readonly Command[]): string {
  const options = valueOptions(commands);
  const words = [...nextWords(commands)].flatMap(([before, next]) =>
    next.map(
      ({ word, text }) =>
        `complete -c sheaf -f -n ${quoted(`__sheaf_after "${before}"`)} -a ${word} -d ${quoted(text)}`,
    ),
  );
  const flags = commands.flatMap(({ name, options: own }) =>
    Object.entries(own).map(([option, description]) => {
      const value = description.type === 'boolean' ? '' : valueCompletion('fish', description);
      return `complete -c sheaf -n ${quoted(`__sheaf_in "${name}"`)} -l ${option}${value} -d ${quoted(description.text)}`;
    }),
  );
  return `# Completion of sheaf in fish: sheaf completion fish | source
function __sheaf_words
  set -l previous
  for word in (commandline -opc)[2..]
    if contains -- "$previous" ${[...options.keys()].join(' ')}
      set previous
      continue
    end
    set previous $word
    string match -q -- '-*' $word; or echo $word
  end
end
function __sheaf_after
  set -l words (__sheaf_words)
  test "$words" = "$argv"
end
function __sheaf_in
  set -l words (__sheaf_words)
  string match -q -- "$argv *" "$words "
end
complete -c sheaf -l help -s h -d 'show the help'
complete -c sheaf -l version -s v -d 'show the version'
${[...words, ...flags].join('\n')}
`;
}
