// `sheaf init`: what it makes, and that it leaves alone what is there.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { open } from '../src/app.ts';
import { initProject, initReport } from '../src/cli/init/init-command.ts';
import { createServer } from '../src/http/server.ts';
import { openOptions, readConfig } from '../src/project/environment.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'sheaf-test-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const read = (...parts: string[]): string => readFileSync(path.join(folder, ...parts), 'utf8');
const files = (): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(path.join(folder, name)).isFile())
    .sort();
const contents = () => Object.fromEntries(files().map((name) => [name, read(name)]));

const MADE = [
  '.env',
  '.env.example',
  '.gitignore',
  'README.md',
  'config/sheaf.json',
  'package.json',
  'src/api/article/content-types/article/schema.json',
];

describe('sheaf init', () => {
  it('makes a project that starts, whose files name their JSON Schemas, with secrets that nobody else can read', async () => {
    const project = path.join(folder, 'My Blog');
    const { made, next } = initProject(project);
    expect(made.toSorted()).toEqual(MADE);
    expect(next).toEqual([`cd '${project}'`, 'npm install', 'npx sheaf dev']);
    expect(statSync(path.join(project, '.env')).mode & 0o777).toBe(0o600);
    expect(read('My Blog', '.gitignore').split('\n')).toContain('.env');
    const own = JSON.parse(read('My Blog', 'package.json'));
    expect(own).toMatchObject({ name: 'my-blog', private: true, scripts: { dev: 'sheaf dev', start: 'sheaf start' } });
    expect(own.dependencies.sheaf).toBe(
      `^${JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')).version}`,
    );
    for (const file of [...made.slice(-1), 'config/sheaf.json']) {
      const content = JSON.parse(read('My Blog', file));
      const [, schema] = content.$schema.split('node_modules/sheaf/');
      expect(path.resolve(project, path.dirname(file), content.$schema)).toBe(
        path.join(project, 'node_modules/sheaf', schema),
      );
      const validate = new Ajv({ strict: false }).compile(JSON.parse(readFileSync(path.join(ROOT, schema), 'utf8')));
      expect(validate(content), JSON.stringify(validate.errors)).toBe(true);
    }
    const config = readConfig({ project }, {});
    expect(config.secrets).toEqual({
      jwt: expect.stringMatching(/^.{43}$/),
      apiTokenSalt: expect.stringMatching(/^.{43}$/),
    });
    expect(config.database).toBe(`sqlite:${path.join(project, 'data/content.db')}`);
    const sheaf = await open(openOptions(config));
    const app = createServer(sheaf);
    try {
      await (await sheaf.auth()).roles.grant('public', ['api::article.article.create', 'api::article.article.find']);
      const body = { data: { title: 'Hello' } };
      expect((await app.inject({ method: 'POST', url: '/api/articles', payload: body })).statusCode).toBe(201);
      expect((await app.inject('/api/articles?fields=title')).json()).toMatchObject({ data: [{ title: 'Hello' }] });
    } finally {
      await app.close();
      await sheaf.close();
    }
  });

  it('leaves everything as it is when it runs again, and makes what was removed', () => {
    initProject(folder);
    const before = contents();
    const again = initProject(folder);
    expect(contents()).toEqual(before);
    expect(again).toMatchObject({ made: [], extended: {} });
    expect(initReport(again)).toContain(`Nothing is missing in ${folder}`);
    // As in a clone of the repository.
    rmSync(path.join(folder, '.env'));
    expect(initProject(folder).made).toEqual(['.env']);
    expect(read('.env')).not.toBe(before['.env']);
  });

  it('adds to package.json and .gitignore what they lack, and nothing to other files or to types', () => {
    const given = {
      'package.json':
        '{\n\t"name": "x",\n\t"scripts": { "start": "other" },\n\t"devDependencies": { "sheaf": "file:a.tgz" }\n}\n',
      '.gitignore': '/node_modules\n*.log',
      '.env': 'DATABASE_URL=sqlite:a.db\n',
      'README.md': '# Mine\n',
    };
    for (const [name, text] of Object.entries(given)) writeFileSync(path.join(folder, name), text);
    mkdirSync(path.join(folder, 'src/api/page'), { recursive: true });
    const { made, extended, kept } = initProject(folder);
    expect(made).toEqual(['.env.example', 'config/sheaf.json']);
    expect(kept).toEqual(['.env', 'README.md']);
    expect(extended['.gitignore']).toEqual(['.env', '.sheaf/', 'data/']);
    expect(read('.gitignore')).toBe('/node_modules\n*.log\n.env\n.sheaf/\ndata/\n');
    expect(extended['package.json']![0]).toBe('scripts.dev');
    expect(read('package.json')).toMatch(
      /^\{\n\t"name": "x",\n\t"scripts": \{\n\t\t"start": "other",\n\t\t"dev": "sheaf dev"\n\t\}/,
    );
    expect(JSON.parse(read('package.json')).dependencies?.sheaf).toBeUndefined();
    expect([read('.env'), read('README.md')]).toEqual([given['.env'], given['README.md']]);
  });

  it('refuses a file, a broken package.json and a project of Strapi, and writes nothing then', () => {
    const refuse = (target: string, message: string) => {
      const before = contents();
      expect(() => initProject(path.join(folder, target))).toThrow(message);
      expect(contents()).toEqual(before);
    };
    writeFileSync(path.join(folder, 'file'), '');
    refuse('file', 'is no folder');
    writeFileSync(path.join(folder, 'package.json'), '{');
    refuse('.', 'not valid JSON');
    writeFileSync(path.join(folder, 'package.json'), '{"dependencies": {"@strapi/strapi": "5.0.0"}}');
    refuse('.', 'sheaf adopt says how');
  });
});
