// The command line without a database: what it says of itself, and how it refuses. All in this process.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { runHere } from '../../test/support/in-process.ts';
import { SetupError } from '../errors.ts';
import { COMMANDS } from './commands.ts';
import { bySubject, variablesOf } from './help.ts';
import { requirePort } from './start.ts';

const said = (...args: string[]) => runHere(args);

const WIDTH = 120;
const tooWide = (text: string): string[] => text.split('\n').filter((line) => line.length > WIDTH);

describe('The help', () => {
  it('groups the commands by subject, each once, in lines that fit a terminal', async () => {
    const { code, out } = await said('--help');
    expect(code).toBe(0);
    expect(tooWide(out)).toEqual([]);
    const groups = bySubject(COMMANDS);
    expect(groups.flatMap(([, commands]) => commands).length).toBe(COMMANDS.length);
    for (const [title, commands] of groups) {
      const text = out
        .slice(out.indexOf(`\n${title}\n`))
        .trimStart()
        .split('\n\n')[0]!;
      for (const { name } of commands) expect(text).toContain(`\n  sheaf ${name}`);
    }
    expect(await said('help')).toEqual({ code, out, err: '' });
  });

  it('on each command shows its options and examples, fits a terminal, and is the same both ways', async () => {
    for (const { name, options, examples } of COMMANDS) {
      const { code, out } = await said(...name.split(' '), '--help');
      expect(code).toBe(0);
      expect(out).toContain(`Usage\n  sheaf ${name}`);
      for (const option of Object.keys(options)) expect(out).toContain(`  --${option}`);
      for (const example of examples) {
        expect(example.startsWith(`sheaf ${name}`), example).toBe(true);
        expect(out).toContain(`  ${example}\n`);
      }
      expect(tooWide(out), name).toEqual([]);
      expect((await said('help', ...name.split(' '))).out).toBe(out);
    }
  });

  it('on a first word shows the commands that begin with it', async () => {
    const { out } = await said('role', '--help');
    expect(out).toContain('  sheaf role grant ROLE ACTION…');
    expect(out).not.toContain('sheaf user list');
    expect((await said('help', 'role')).out).toBe(out);
  });

  it('on the environment names every variable that is read', async () => {
    const { out } = await said('help', 'environment');
    expect(tooWide(out)).toEqual([]);
    const listed = variablesOf(COMMANDS).flatMap(([names]) => names.split(', '));
    for (const file of ['environment.ts', 'strapi-database.ts']) {
      const source = readFileSync(new URL(`../project/${file}`, import.meta.url), 'utf8');
      for (const [, name] of source.matchAll(/['. ]((?:DATABASE|SHEAF|JWT|API|SMTP|LOG|NODE)_[A-Z_]+)\b(?! =)/g)) {
        expect(listed).toContain(name);
        expect(out).toContain(name);
      }
    }
    expect(listed.length).toBe(new Set(listed).size);
  });
});

describe('What is wrong', () => {
  it('is told to programs as JSON, on the error output', async () => {
    const { code, out, err } = await said('shema', 'dif', '--json');
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(JSON.parse(err)).toEqual({
      error: {
        message: '"shema dif" is not a command',
        hints: ['did you mean sheaf schema diff?', 'sheaf --help shows them all'],
      },
    });
    const nowhere = await said('user', 'list', '--json', '--project', '/nonexistent');
    expect(nowhere.code).toBe(1);
    expect(JSON.parse(nowhere.err)).toEqual({ error: { message: expect.any(String), hints: expect.any(Array) } });
  });

  it('is an option that the command has not got, and the nearest is named', async () => {
    const { code, err } = await said('user', 'list', '--jsn');
    expect(code).toBe(1);
    expect(err).toBe(
      'sheaf: sheaf user list has no option --jsn\n  - did you mean --json?\n  - sheaf user list --help shows the options\n',
    );
  });

  it('is any option of any command with a letter left out, and the right one is named', async () => {
    for (const { name, options } of COMMANDS)
      for (const option of [...Object.keys(options), 'help', 'version']) {
        const given = `--${option.slice(0, -1)}`;
        const { code, err } = await said(...name.split(' '), given);
        expect(code, `${name} ${given}`).toBe(name === 'compare' ? 2 : 1);
        expect(err).toContain(`sheaf ${name} has no option ${given}\n  - did you mean --${option}?`);
      }
  });

  it.each<[string, string[], string, string[]]>([
    [
      'an option before the command',
      ['--prot', '1400', 'start'],
      'There is no option --prot',
      ['did you mean --port?'],
    ],
    ['an option alone', ['--halp'], 'There is no option --halp', ['did you mean --help?']],
    ['a command to help with', ['help', 'strat'], '"strat" is not a command', ['did you mean sheaf start?']],
    [
      'a command with --help',
      ['role', 'gran', '--help'],
      '"role gran" is not a command',
      ['did you mean sheaf role grant?'],
    ],
    ['a word too many', ['start', '/srv/cms'], 'sheaf start does not take "/srv/cms"', ['expected sheaf start']],
    ['an option that is empty', ['start', '--host', ''], '--host is empty', ['expected --host HOST, or no --host']],
    [
      'a project beside the example',
      ['start', '--example', '--project', '.'],
      '--example has a project of its own',
      [],
    ],
    ['two projects', ['adopt', '.', '--project', 'other'], 'Two projects are named', ['. or --project other']],
    ['a folder that is not there', ['config', '--project', '/nonexistent'], 'There is no folder /nonexistent', []],
  ])('is %s', async (_, words, message, hints) => {
    const { code, out, err } = await said(...words);
    expect(code).toBeGreaterThan(0);
    expect(out).toBe('');
    for (const text of [message, ...hints]) expect(err).toContain(text);
  });

  it('is a file that cannot be written, told without a stack', async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'sheaf-run-'));
    writeFileSync(path.join(folder, 'file'), '');
    await expect(said('init', path.join(folder, 'file', 'project'))).resolves.toEqual({
      code: 1,
      out: '',
      err: expect.stringMatching(/^sheaf: A file or folder cannot be used: ENOTDIR: .*\n {2}- expected .*\n$/),
    });
    rmSync(folder, { recursive: true });
  });

  it.each([
    ['SHEAF_READONLY', 'SHEAF_READ_ONLY'],
    ['SHEAF_WORKER', 'SHEAF_WORKERS'],
  ])('is the variable %s', async (name, meant) => {
    vi.stubEnv(name, 'true');
    const { code, err } = await said('config');
    vi.unstubAllEnvs();
    expect(code).toBe(1);
    expect(err).toContain(`There is no variable ${name}\n  - did you mean ${meant}?`);
  });

  it('is no variable that Kubernetes sets for a service', async () => {
    vi.stubEnv('SHEAF_PORT', 'tcp://10.0.0.1:1337');
    vi.stubEnv('SHEAF_SERVICE_HOST', '10.0.0.1');
    const { code } = await said('config', '--example');
    vi.unstubAllEnvs();
    expect(code).toBe(0);
  });

  it.each([
    ['ENOTFOUND', 'getaddrinfo', /^The server cannot listen on 10.0.0.1: .*ENOTFOUND/],
    ['EADDRNOTAVAIL', 'listen', /^The server cannot listen on 10.0.0.1: .*EADDRNOTAVAIL/],
    ['EADDRNOTAVAIL', 'bind', /^The server cannot listen on 10.0.0.1: .*EADDRNOTAVAIL/],
    ['EACCES', 'listen', /^This account may not listen on port 80\n/],
    ['EADDRINUSE', 'listen', /^Port 80 of 10.0.0.1 is taken\n/],
  ])('is a place where a server cannot listen: %s of %s', async (code, syscall, message) => {
    const refused = Object.assign(new Error(`${syscall} ${code}`), { code, syscall });
    const listening = requirePort({ host: '10.0.0.1', port: 80 }, () => Promise.reject(refused));
    await expect(listening).rejects.toThrow(SetupError);
    await expect(listening).rejects.toThrow(message);
  });

  it('is an option without its value', async () => {
    const { err } = await said('user', 'list', '--project');
    expect(err).toMatch(/^sheaf: .*--project.*\n {2}- sheaf user list --help shows the options\n$/s);
  });
});

describe('The table of commands', () => {
  it('has one meaning for each option that takes a value or a short name', () => {
    const kinds = new Map<string, string>();
    for (const { name: command, options } of COMMANDS)
      for (const [name, { type, short, multiple }] of Object.entries(options)) {
        const kind = JSON.stringify([type, short, multiple]);
        expect(kinds.get(name) ?? kind, `--${name} of ${command}`).toBe(kind);
        kinds.set(name, kind);
      }
  });

  it('has --json wherever a command prints something and ends', () => {
    const without = COMMANDS.filter(({ options }) => !('json' in options)).map(({ name }) => name);
    // Those that go on until they are stopped, and those whose output is a text, or JSON, by nature.
    const others = ['start', 'dev', 'help', 'completion', 'openapi', 'schema json'];
    expect(without.filter((name) => !others.includes(name))).toEqual([]);
  });
});

describe('Completion in bash', () => {
  async function completed(line: string): Promise<string[]> {
    const { out } = await said('completion', 'bash');
    const script = `${out}
COMP_LINE=$1; COMP_POINT=\${#1}; read -r -a COMP_WORDS <<< "$1"
[[ "$1" == *" " ]] && COMP_WORDS+=("")
COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _sheaf; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', script, 'bash', line], { encoding: 'utf8' });
    expect(stderr).toBe('');
    return stdout.split('\n').filter((word) => word !== '');
  }

  it.each<[string, readonly string[], readonly string[]]>([
    ['sheaf ro', ['role'], ['user']],
    ['sheaf role ', ['show', 'create', 'grant', 'revoke'], ['list', '--json']],
    ['sheaf --project /srv/a:b role gr', ['grant'], ['revoke']],
    ['sheaf role grant --', ['--yes', '--json', '--project', '--help'], ['--days']],
    ['sheaf role grant public api::a.a.find --y', ['--yes'], []],
    ['sheaf token create web --type ', ['read-only', 'full-access', 'custom'], ['--type']],
    ['sheaf completion z', ['zsh'], ['bash']],
    ['sheaf help ', ['environment', 'role', 'start'], ['COMMAND']],
    ['sheaf help role ', ['grant', 'copy'], ['list']],
    ['sheaf --v', ['--version'], ['--help']],
    ['sheaf start --port ', [], ['--host', 'start']],
  ])('of "%s"', async (line, expected, others) => {
    const words = await completed(line);
    expect(words).toEqual(expect.arrayContaining([...expected]));
    expect(words.filter((word) => others.includes(word))).toEqual([]);
  });
});

describe('Completion in other shells', () => {
  it.each(['zsh', 'fish'])('names every command and option in %s', async (shell) => {
    const { out } = await said('completion', shell);
    for (const { name, options } of COMMANDS) {
      for (const word of name.split(' ')) expect(out).toContain(word);
      for (const option of Object.keys(options))
        expect(out).toMatch(
          shell === 'zsh'
            ? new RegExp(`^ +'${name}'\\|'${name} '\\*\\) flags=\\(.*'--${option}:`, 'm')
            : `__sheaf_in "${name}"' -l ${option} `,
        );
    }
  });

  it('refuses a shell that it does not know', async () => {
    expect(await said('completion', 'tcsh')).toMatchObject({
      code: 1,
      err: expect.stringContaining('bash, zsh or fish'),
    });
  });
});
