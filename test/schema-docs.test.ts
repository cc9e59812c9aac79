// docs/schema.md: its files are a project that loads, its tables list what there is, its commands work.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import { afterAll, describe, expect, it } from 'vitest';
import { COMMANDS } from '../src/cli/commands.ts';
import { ATTRIBUTE_OPTIONS, ATTRIBUTE_TYPES } from '../src/model/attribute-options.ts';
import { loadModel } from '../src/model/build.ts';
import { tablesOf } from '../src/model/tables.ts';
import type { ContentType } from '../src/model/types.ts';
import { createTable } from '../src/sql/ddl.ts';
import { postgresDialect } from '../src/sql/dialect-postgres.ts';
import { sqliteDialect } from '../src/sql/dialect-sqlite.ts';
import { useCommands } from './support/commands.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const page = readFileSync(path.join(ROOT, 'docs/schema.md'), 'utf8');
const root = mkdtempSync(path.join(os.tmpdir(), 'sheaf-test-'));
afterAll(() => rmSync(root, { recursive: true }));

/** The files of the page, by path. */
const files = [...page.matchAll(/^```json (\S+)\n(.*?)^```$/gms)].map(([, file, text]) => [file!, text!] as const);

/** The cells of the table below a heading of the page, without marks of code. */
function rowsOf(heading: string): string[][] {
  const [, section = ''] = page.split(`\n## ${heading}\n`);
  const [table = ''] = section.split('\n## ')[0]!.match(/(^\|.*\n)+/m) ?? [];
  return table
    .trim()
    .split('\n')
    .slice(2)
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim().replaceAll('`', '')),
    );
}

describe('The page on definitions', () => {
  const project = path.join(root, 'page');
  for (const [file, text] of files) {
    mkdirSync(path.dirname(path.join(project, file)), { recursive: true });
    writeFileSync(path.join(project, file), text);
  }
  const model = loadModel(project);
  const article = model.contentTypes.get('api::article.article') as ContentType;

  it('shows files that are valid and load together', () => {
    for (const [folder, schema] of Object.entries({
      api: 'content-type',
      components: 'component',
      extensions: 'extension',
    })) {
      const content = JSON.parse(readFileSync(path.join(ROOT, `schemas/${schema}.json`), 'utf8'));
      const validate = new Ajv({ strict: false }).compile(content);
      for (const [file, text] of files.filter(([one]) => one.startsWith(`src/${folder}/`)))
        expect(validate(JSON.parse(text)), `${file}: ${JSON.stringify(validate.errors)}`).toBe(true);
    }
    expect(page.match(/^```json/gm)).toHaveLength(files.length);
    expect(model.notes).toEqual([]);
    // Every type is shown in use.
    const used = new Set(files.flatMap(([, text]) => [...text.matchAll(/"type": "(\w+)"/g)].map(([, type]) => type)));
    expect(Object.keys(ATTRIBUTE_TYPES).filter((type) => !used.has(type))).toEqual(['customField']);
  });

  it('lists every type with its columns, and every option', () => {
    const types = rowsOf('Types');
    expect(types.map(([type]) => type).toSorted()).toEqual(Object.keys(ATTRIBUTE_TYPES).toSorted());
    expect(
      rowsOf('Options')
        .map(([option]) => option)
        .toSorted(),
    ).toEqual(Object.keys(ATTRIBUTE_OPTIONS).toSorted());
    const table = tablesOf(model).find(({ name }) => name === article.table)!;
    const scalars = [...article.attributes.values()].filter((one) => one.kind === 'scalar');
    for (const [dialect, column] of [
      [sqliteDialect, 2],
      [postgresDialect, 3],
    ] as const) {
      const { sql } = createTable(dialect, table);
      const shown = types.filter(([type]) => scalars.some((one) => one.type === type));
      expect(shown.length).toBeGreaterThan(14);
      for (const cells of shown) {
        const attribute = scalars.find(
          (one) => one.type === cells[0] && one.column in columnsOf(sql) && one.name !== 'id',
        )!;
        expect(columnsOf(sql)[attribute.column], `${dialect.name}: ${cells[0]}`).toBe(cells[column]);
      }
    }
  });

  it('names the tables and columns of links, components and polymorphic relations', () => {
    const columns = Object.fromEntries(
      tablesOf(model).map(({ name, columns: all }) => [name, all.map((one) => one.name)]),
    );
    expect(rowsOf('Relations').map(([kind]) => kind)).toEqual(['oneToOne', 'oneToMany', 'manyToOne', 'manyToMany']);
    expect(columns.articles_author_lnk).toEqual(['id', 'article_id', 'author_id', 'article_ord']);
    expect(columns.articles_related_lnk).toEqual(['id', 'article_id', 'inv_article_id', 'article_ord']);
    expect(columns.articles_cmps).toEqual(['id', ...rowsOf('Components and dynamic zones').map(([column]) => column)]);
    expect(columns.comment).toContain('author_id');
    expect(Object.keys(columns)).toEqual(
      expect.arrayContaining(['comment_about_mph', 'files_related_mph', 'components_blocks_quotes_cmps']),
    );
    const automatic = rowsOf('In the database').flatMap(([names]) => names!.split(', '));
    expect(columns.authors!.filter((name) => !['name', 'email'].includes(name)).toSorted()).toEqual(
      automatic.toSorted(),
    );
  });
});

const columnsOf = (sql: string): Record<string, string> =>
  Object.fromEntries(
    [...sql.matchAll(/"(\w+)" (varchar\(255\)|timestamp\(6\)|double precision|\w+)/g)].map(([, name, type]) => [
      name,
      type!,
    ]),
  );

describe('Commands that write definitions', () => {
  const command = useCommands();
  /** Words as a shell reads them. */
  const wordsOf = (line: string): string[] =>
    [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain!).slice(1);

  it('work as the page and their help show them', async () => {
    const [, ofPage = ''] = /^```sh\n(sheaf type add .*?)^```$/ms.exec(page) ?? [];
    const ofHelp = COMMANDS.filter(({ name }) => /^(type|component|attribute) add$/.test(name)).flatMap(
      ({ examples }) => examples,
    );
    for (const [name, lines] of Object.entries({ page: ofPage.trim().split('\n'), help: ofHelp })) {
      expect(lines.length).toBeGreaterThan(3);
      const cwd = path.join(root, `commands-${name}`);
      mkdirSync(cwd);
      for (const line of lines) {
        const { code, out, err } = await command(wordsOf(line), { cwd });
        expect({ code, err }, line).toEqual({ code: 0, err: '' });
        expect(out).toMatch(/^(Made|Added) /);
      }
      expect(loadModel(cwd).contentTypes.has('api::article.article')).toBe(true);
    }
  });
});
