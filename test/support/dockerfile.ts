// Runs the steps of a Dockerfile without a container engine: each stage has a folder that stands for its root, and what
// runs in it runs as an ordinary user. Knows the instructions that our own file uses, and refuses others.
import { execFileSync } from 'node:child_process';
import { chownSync, cpSync, mkdirSync } from 'node:fs';
import path from 'node:path';

export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** What an image says about running it. */
export interface BuiltImage {
  /** The folder that stands for its root. */
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
  readonly workdir: string;
  readonly user: string;
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly healthCheck: readonly string[];
  readonly volumes: readonly string[];
  readonly exposed: readonly string[];
}

type Stage = { -readonly [Key in keyof BuiltImage]: BuiltImage[Key] } & { readonly args: Record<string, string> };

export interface BuildOptions {
  /** The folder of the build; what is copied into the image is below it. */
  readonly context: string;
  /** Where the roots are made. */
  readonly folder: string;
  readonly args: Readonly<Record<string, string>>;
  /** Who runs the steps; this account where it is not given. */
  readonly account: Account | undefined;
  /** The variables of the machine that steps need. */
  readonly env: NodeJS.ProcessEnv;
}

/** Instructions with their text, in order; lines that end in a backslash are put together. */
function instructionsOf(text: string): [name: string, rest: string][] {
  const lines = text.replace(/^\s*#.*\n/gm, '').replace(/\\\n/g, ' ');
  return [...lines.matchAll(/^([A-Z]+)\s+(.+)$/gm)].map(([, name, rest]) => [name!, rest!.trim()]);
}

export function buildImage(text: string, options: BuildOptions): BuiltImage {
  const stages = new Map<string, Stage>();
  let stage: Stage | undefined;
  for (const [name, rest] of instructionsOf(text)) {
    if (name === 'FROM') {
      const [, , alias = String(stages.size)] = rest.split(/\s+/);
      stage = newStage(path.join(options.folder, alias), options.account);
      stages.set(alias, stage);
    } else if (!stage) throw new Error(`${name} stands before FROM`);
    else perform(stage, name, rest, { ...options, stages });
  }
  return stage!;
}

function newStage(root: string, account: Account | undefined): Stage {
  makeFolder(root, account);
  const nothing = { entrypoint: [], command: [], healthCheck: [], volumes: [], exposed: [] };
  return { root, env: {}, args: {}, workdir: '/', user: 'root', ...nothing };
}

function makeFolder(folder: string, account: Account | undefined): void {
  mkdirSync(folder, { recursive: true });
  if (account) chownSync(folder, account.uid, account.gid);
}

function perform(
  stage: Stage,
  name: string,
  rest: string,
  { context, account, env, args, stages }: BuildOptions & { readonly stages: ReadonlyMap<string, Stage> },
): void {
  const inside = (place: string): string => path.join(stage.root, path.posix.resolve(stage.workdir, place));
  const words = (): string[] => JSON.parse(rest);
  switch (name) {
    case 'ARG': {
      const [key = '', value = ''] = rest.split('=');
      stage.args[key] = args[key] ?? value;
      return;
    }
    case 'ENV':
      for (const pair of rest.split(/\s+/)) {
        const [, name, value] = /^(\w+)=(.*)$/.exec(pair)!;
        stage.env = { ...stage.env, [name!]: value! };
      }
      return;
    case 'WORKDIR':
      stage.workdir = rest;
      makeFolder(inside('.'), account);
      return;
    case 'COPY': {
      const [, from, source = '', target = ''] = /^(?:--from=(\S+)\s+)?(\S+)\s+(\S+)$/.exec(rest)!;
      const given = source.replace(/\$\{(\w+)\}/g, (_, key: string) => stage.args[key]!);
      const base = from === undefined ? context : stages.get(from)!.root;
      cpSync(path.join(base, given), inside(target), { recursive: true, verbatimSymlinks: true });
      return;
    }
    case 'RUN':
      execFileSync('sh', ['-c', rest], { cwd: inside('.'), env: { ...env, ...stage.env }, stdio: 'pipe', ...account });
      return;
    case 'USER':
      stage.user = rest;
      return;
    case 'VOLUME':
      stage.volumes = [...stage.volumes, rest];
      makeFolder(inside(rest), account);
      return;
    case 'EXPOSE':
      stage.exposed = [...stage.exposed, rest];
      return;
    case 'HEALTHCHECK':
      stage.healthCheck = JSON.parse(rest.slice(rest.indexOf('[')));
      return;
    case 'ENTRYPOINT':
      stage.entrypoint = words();
      return;
    case 'CMD':
      stage.command = words();
      return;
    default:
      throw new Error(`The instruction ${name} is not known here`);
  }
}
