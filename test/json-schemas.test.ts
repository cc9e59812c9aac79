// The JSON Schemas that editors read: they are up to date, take what the server takes, and refuse what it refuses.
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv, type ValidateFunction } from 'ajv';
import { afterAll, describe, expect, it } from 'vitest';
import { jsonSchemas, schemaText } from '../scripts/json-schemas.ts';
import { readRules } from '../src/access/rules.ts';
import type { SetupError } from '../src/errors.ts';
import { ATTRIBUTE_OPTIONS, ATTRIBUTE_TYPES } from '../src/model/attribute-options.ts';
import { loadModel } from '../src/model/build.ts';
import { BUILTIN_DEFINITIONS } from '../src/model/builtin.ts';
import { readDefinitions } from '../src/model/definitions.ts';
import { DEFAULT_SETTINGS, readSettings, settingProblems } from '../src/project/settings.ts';
import { modelOf } from './support/project.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SCHEMAS = path.join(ROOT, 'schemas');
const folder = mkdtempSync(path.join(os.tmpdir(), 'sheaf-test-'));
afterAll(() => rmSync(folder, { recursive: true }));

const schemaOf = (name: string) => JSON.parse(readFileSync(path.join(SCHEMAS, name), 'utf8'));
const validator = (name: string): ValidateFunction =>
  new Ajv({ strict: false, allErrors: true }).compile(schemaOf(name));
const isValid = {
  contentType: validator('content-type.json'),
  component: validator('component.json'),
  extension: validator('extension.json'),
  access: validator('access.json'),
  settings: validator('settings.json'),
};

function write(file: string, value: unknown): void {
  mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
  writeFileSync(path.join(folder, file), JSON.stringify(value));
}

/** Values of every kind, some of them right for something. */
const VALUES: readonly unknown[] = [
  ...[true, false, null, 0, 1, -1, 1.5, 12, 70_000, 1e12],
  ...['', 'x', '/api', 'lax', 'cookie', 'HS512', 'example.com', 'a b', 'public, max-age=60'],
  ...['https://a.example', '-----BEGIN KEY-----', 'x-tenant'],
  ...[[], ['x'], [''], [1], ['controller'], [['x']], [[]]],
  ...[{}, { a: 1 }, { a: ['x'] }, { a: [['x']] }, { a: ['controller'] }, { max: 1, seconds: 1 }, { max: 1 }],
];

const OPTION_VALUES = [true, null, -1, 1.5, 12, '', 'x', 'oneToMany', [], ['x'], ['x', 'x'], [1], ['images'], {}];

describe('The JSON Schemas', () => {
  it('are those that `npm run schemas` makes', () => {
    for (const [name, schema] of Object.entries(jsonSchemas()))
      expect(readFileSync(path.join(SCHEMAS, name), 'utf8'), name).toBe(schemaText(schema));
  });

  it('take every definition of the example and of the fixtures', () => {
    const check = (pattern: string, validate: ValidateFunction): number => {
      const files = ['examples/*', 'test/fixtures/projects/*'].flatMap((one) =>
        globSync(`${one}/src/${pattern}`, { cwd: ROOT }),
      );
      for (const file of files) {
        validate(JSON.parse(readFileSync(path.join(ROOT, file), 'utf8')));
        expect(validate.errors, file).toBeNull();
      }
      return files.length;
    };
    expect(check('api/*/content-types/*/schema.json', isValid.contentType)).toBeGreaterThan(30);
    expect(check('components/*/*.json', isValid.component)).toBeGreaterThan(10);
    expect(check('extensions/*/content-types/*/schema.json', isValid.extension)).toBeGreaterThan(0);
  });

  it('refuse every option of an attribute that the start refuses, and take each type with what it needs', () => {
    const NEEDED: Readonly<Record<string, object>> = {
      enumeration: { enum: ['a'] },
      relation: { relation: 'oneToOne', target: 'api::page.page' },
      component: { component: 'shared.it' },
      dynamiczone: { components: ['shared.it'] },
      customField: { customField: 'plugin::a.b' },
    };
    const attributes: Record<string, object> = {};
    const plain = Object.keys(ATTRIBUTE_TYPES).map((type) => [type, { type, ...NEEDED[type] }] as const);
    for (const [type, attribute] of plain)
      for (const option of ['type', ...Object.keys(ATTRIBUTE_OPTIONS)])
        for (const [index, value] of OPTION_VALUES.entries())
          attributes[`${type}_${option}_${index}`] = { ...attribute, [option]: value };
    const info = { singularName: 'page', pluralName: 'pages', displayName: 'Page' };
    write('src/api/page/content-types/page/schema.json', { info, attributes });
    let problems: readonly string[] = [];
    try {
      readDefinitions(folder, BUILTIN_DEFINITIONS);
    } catch (error) {
      problems = (error as SetupError).message.split('\n');
    }
    const refused = new Set(problems.map((problem) => /attributes\.(\w+)/.exec(problem)?.[1]));
    expect(refused.size).toBeGreaterThan(1000);
    const missed = [...refused].filter(
      (name) => name !== undefined && isValid.contentType({ info, attributes: { it: attributes[name] } }),
    );
    expect(missed).toEqual([]);
    for (const [type, attribute] of plain) {
      expect(refused.has(`${type}_required_0`), type).toBe(false);
      expect(isValid.contentType({ info, attributes: { it: attribute } }), type).toBe(true);
      if (type !== 'customField')
        expect(isValid.component({ collectionName: 'c', attributes: { it: { ...attribute, requird: true } } })).toBe(
          false,
        );
    }
  });

  it('take and refuse the same settings as the start', () => {
    /** What a function checks. */
    const LENIENT = new Set(['cors.origins', 'trustProxy', 'files.resize']);
    const leaves: string[][] = [];
    const collect = (schema: { properties?: Record<string, object>; description?: string }, keys: string[]): void => {
      if (keys.length > 0) expect(schema.description, keys.join('.')).toBeTypeOf('string');
      if (schema.properties)
        for (const [key, inner] of Object.entries(schema.properties)) collect(inner, [...keys, key]);
      else leaves.push(keys);
    };
    collect(schemaOf('settings.json'), []);
    expect(leaves.length).toBeGreaterThan(60);
    for (const keys of leaves)
      for (const value of [...VALUES, ['*']]) {
        const settings = keys.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
        const [ofStart, ofSchema] = [settingProblems(settings).length === 0, isValid.settings(settings)];
        const shown = JSON.stringify(settings);
        if (LENIENT.has(keys.join('.'))) expect(ofSchema || !ofStart, shown).toBe(true);
        else expect(ofSchema, shown).toBe(ofStart);
      }
    expect(isValid.settings({ rest: { prefx: '/api' } })).toBe(false);
    expect(isValid.settings(DEFAULT_SETTINGS)).toBe(true);
  });

  it('take and refuse the same rules of access as the start', () => {
    const model = modelOf({ types: { page: { attributes: { x: { type: 'string' } }, drafts: true } } });
    const uid = 'api::page.page';
    const files: unknown[] = [
      { public: { [uid]: { rows: { find: { x: 'a' } }, fields: { read: ['x'], write: [] }, drafts: true } } },
      { $schema: 'a', public: { [uid]: { rows: { update: { x: { $in: ['a'] } }, delete: { x: '$user.id' } } } } },
      ...[{}, { public: {} }, [], { public: [] }, { public: { [uid]: [] } }, { public: { [uid]: { row: {} } } }],
      ...[{ rows: [] }, { rows: { find: {} } }, { rows: { read: { x: 1 } } }, { fields: { read: 'x' } }].map(
        (rules) => ({ public: { [uid]: rules } }),
      ),
      ...[{ fields: { reed: [] } }, { fields: { read: [1] } }, { drafts: 1 }, { drafts: null }].map((rules) => ({
        public: { [uid]: rules },
      })),
    ];
    const taken = files.map((file) => {
      write('access/rules.json', file);
      const ofStart = readRules(folder, model).problems.length === 0;
      expect(isValid.access(file), JSON.stringify(file)).toBe(ofStart);
      return ofStart;
    });
    expect(taken.slice(0, 5)).toEqual([true, true, true, true, false]);
  });

  it('can be named by the files that they are of', () => {
    const info = { singularName: 'page', pluralName: 'pages', displayName: 'Page' };
    const definition = {
      $schema: '../a.json',
      info,
      attributes: { it: { type: 'component', component: 'shared.it' } },
    };
    write('src/api/page/content-types/page/schema.json', definition);
    write('src/components/shared/it.json', { $schema: 'a', collectionName: 'its', attributes: {} });
    write('config/sheaf.json', { $schema: '../a.json', rest: { prefix: '/v1' } });
    write('access/rules.json', { $schema: 'a', public: { 'api::page.page': { fields: { read: ['it'] } } } });
    const model = loadModel(folder);
    expect(model.contentTypes.get('api::page.page')!.attributes.has('it')).toBe(true);
    expect(readRules(folder, model)).toMatchObject({ problems: [], byRole: { size: 1 } });
    expect(readSettings(folder)).toEqual({ ...DEFAULT_SETTINGS, rest: { ...DEFAULT_SETTINGS.rest, prefix: '/v1' } });
    expect(settingProblems({ $schema: 1 })).toHaveLength(1);
  });
});
