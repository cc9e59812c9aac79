// The examples of docs/strapi-code.md: its files make a project, its requests are sent, and its answers are what comes back.
// `sheaf doctor` and `sheaf routes` tell of the same project.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { listRoutes } from '../src/cli/code-commands.ts';
import { examineCode } from '../src/cli/doctor.ts';
import { readConfig } from '../src/project/environment.ts';
import { useContents } from './support/content.ts';
import { describeOnSqlite } from './support/database.ts';
import { useGuarded } from './support/guarded.ts';

const PAGE = readFileSync(fileURLToPath(new URL('../docs/strapi-code.md', import.meta.url)), 'utf8');
const ARTICLE = 'api::article.article';

const blocksOf = (language: string): string[] =>
  [...PAGE.matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, text]) => text!);

function write(folder: string, file: string, text: string): void {
  mkdirSync(path.join(folder, path.dirname(file)), { recursive: true });
  writeFileSync(path.join(folder, file), text);
}

describeOnSqlite('The page about code of Strapi', (engine) => {
  const contents = useContents(engine);
  const guarded = useGuarded(engine, contents);

  it('has examples that answer as it says, and a doctor who knows what runs', async () => {
    const attributes = { title: { type: 'string' }, featured: { type: 'boolean' }, hidden: { type: 'boolean' } };
    const folder = contents.project({ types: { article: { attributes, drafts: true } } });
    for (const text of blocksOf('ts')) write(folder, /^\/\/ (\S+)\n/.exec(text)![1]!, text);
    write(
      folder,
      'src/plugins/own/strapi-server.js',
      `module.exports = () => ({ register({ strapi }) { strapi.x = 1; } });`,
    );
    write(folder, 'src/middlewares/broken.js', `module.exports = () => {\n  const a = ;\n};`);
    write(folder, 'src/middlewares/token.js', `module.exports = () => () => {\n  strapi.admin.services;\n};`);
    const site = await guarded.open(folder, { database: engine.bareDatabaseUrl(null) });
    const [first, second] = [
      { title: 'First', featured: true, hidden: false },
      { title: 'Second', hidden: true },
    ];
    for (const data of [first, second]) await site.sheaf.documents(ARTICLE).create({ data, status: 'published' });
    await site.auth.roles.grant(
      'public',
      ['find', 'create'].map((action) => `${ARTICLE}.${action}`),
    );
    await site.auth.roles.grant('authenticated', [`${ARTICLE}.feature`]);
    const requests = blocksOf('http').map((text) => text.split('\n'));
    expect(requests.length).toBeGreaterThan(3);
    for (const [request, answer] of requests) {
      const [method, url] = request!.split(' ') as [string, string];
      const [, status, body] = /^(\d+) (.*)$/.exec(answer!)!;
      const sent = method === 'POST' ? { data: { title: 'x' } } : undefined;
      const got = await site.send(method, url.replace('/api/', ''), sent);
      expect([request, got.status]).toEqual([request, Number(status)]);
      expect(got.body, request).toMatchObject(JSON.parse(body!));
      if (got.status === 200) expect(got.headers['x-stamp']).toBe('seen');
    }
    const config = readConfig({ project: folder, database: site.database }, {});
    const project = { sheaf: site.sheaf, auth: site.auth, config };
    const { value, text } = await examineCode(project);
    const states = Object.fromEntries(
      (value as { file: string; state: string }[]).map(({ file, state }) => [file, state]),
    );
    expect(states).toMatchObject({
      'src/api/article/controllers/article.ts': 'runs',
      'src/policies/has-key.ts': 'runs',
      'src/middlewares/broken.js': 'does not run',
      'src/middlewares/token.js': 'in part',
    });
    expect(
      Object.keys(states).some((file) => file.startsWith('src/plugins/own') && states[file] === 'does not run'),
    ).toBe(true);
    expect(text).toMatch(/does not run {2}src\/middlewares\/broken\.js\n +line 2: /);
    expect(text).toMatch(/in part +src\/middlewares\/token\.js\n +line 2: strapi\.admin is not offered; /);
    const { value: routes } = await listRoutes(project);
    expect(routes).toContainEqual({
      method: 'POST',
      path: '/api/articles/:id/feature',
      source: 'src/api/article/routes/01-article.ts',
      action: `${ARTICLE}.feature`,
      policies: [],
    });
  });
});
