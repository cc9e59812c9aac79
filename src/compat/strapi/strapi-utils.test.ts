import slugify from '@sindresorhus/slugify';
import { describe, expect, it } from 'vitest';
import { relationQuestions, schemaQuestions } from './schema-questions.ts';
import { PaginationError, ValidationError } from './strapi-errors.ts';
import { strapiPackages } from './strapi-packages.ts';
import {
  asyncHelpers,
  fileHelpers,
  paginationHelpers,
  parseType,
  policyHelpers,
  setCreatorFields,
  stringHelpers,
} from './strapi-utils.ts';
import { validateYupSchema, validateYupSchemaSync } from './yup-validation.ts';

describe('Helpers of @strapi/utils', () => {
  it('work on lists, one after the other or together', async () => {
    const { map, pipe, reduce } = asyncHelpers;
    let [running, most] = [0, 0];
    const double = async (item: unknown, index: number) => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      return Number(item) * 2 + index;
    };
    expect(await map([1, Promise.resolve(2), 3], double, { concurrency: 2 })).toEqual([2, 5, 8]);
    expect(most).toBe(2);
    expect(await (map([1, 2]) as (later: typeof double) => unknown)(double)).toEqual([2, 5]);
    const failing = map([1], async () => {
      throw new Error('bad');
    });
    await expect(failing).rejects.toThrow('bad');
    expect(
      await pipe(
        (x) => Number(x) + 1,
        async (x) => Number(x) * 2,
      )(3),
    ).toBe(8);
    expect(await reduce([1, 2, 3])(async (all, item, index) => Number(all) + Number(item) * index, 10)).toBe(18);
  });

  it.each([
    ['boolean', 't', true],
    ['boolean', 0, false],
    ['integer', '12', 12],
    ['decimal', '1.5', 1.5],
    ['time', '12:30:15', '12:30:15.000'],
    ['time', '12:30:15.5', '12:30:15.500'],
    ['date', '2024-02-03', '2024-02-03'],
    ['date', new Date(2024, 1, 3), '2024-02-03'],
    ['datetime', '2024-02-03T10:00:00.000Z', new Date('2024-02-03T10:00:00.000Z')],
    ['datetime', '1700000000000', new Date(1_700_000_000_000)],
    ['string', 5, 5],
  ])('read a %s out of %s', (type, value, expected) => {
    expect(parseType({ type, value })).toEqual(expected);
  });

  it.each([
    ['boolean', 'x', 'Invalid boolean input'],
    ['time', '25:00:00', 'Invalid time format, expected HH:mm:ss.SSS'],
    ['date', 'nope', 'Invalid format, expected an ISO compatible date'],
    ['datetime', 'nope', 'Invalid format, expected a timestamp or an ISO date'],
    ['date', 5, 'Expected a string, got a number'],
  ])('read no %s out of %s', (type, value, message) => {
    expect(() => parseType({ type, value })).toThrow(message);
    expect(parseType({ type: 'boolean', value: 'x', forceCast: true })).toBe(true);
  });

  it('name, measure, and tell who made an entry', () => {
    const { nameToSlug, joinBy, toKebabCase, isKebabCase } = stringHelpers(slugify);
    expect(['Été à Paris', 'fooBar baz', 'Straße & Co'].map((name) => nameToSlug(name))).toEqual([
      'ete-a-paris',
      'foo-bar-baz',
      'strasse-and-co',
    ]);
    expect([nameToSlug('A B', { separator: '_' }), joinBy('/', 'a/', '/b/', '/c'), toKebabCase('fooBar_x')]).toEqual([
      'a_b',
      'a/b/c',
      'foo-bar-x',
    ]);
    expect([isKebabCase('a-b'), isKebabCase('aB')]).toEqual([true, false]);
    const { bytesToKbytes, kbytesToBytes, bytesToHumanReadable } = fileHelpers;
    expect([bytesToKbytes(12_345), kbytesToBytes(2), bytesToHumanReadable(123_456), bytesToHumanReadable(0)]).toEqual([
      12.35,
      2000,
      '123 KB',
      '0 Bytes',
    ]);
    expect(setCreatorFields({ user: { id: 3 } })({ a: 1 })).toEqual({ a: 1, createdBy: 3, updatedBy: 3 });
    expect(setCreatorFields({ user: { id: 3 }, isEdition: true })({ a: 1 })).toEqual({ a: 1, updatedBy: 3 });
    const validator = (config: unknown) => {
      if (!config) throw new Error('nothing');
    };
    const policy = policyHelpers.createPolicy({ name: 'strict', validator, handler: () => true });
    expect(() => policy.validator(null)).toThrow('Invalid config passed to "strict" policy.');
    expect(policy.validator({})).toBeUndefined();
  });

  it('turn pages into offsets and back', () => {
    const { withDefaultPagination, transformPagedPaginationInfo, transformOffsetPaginationInfo } = paginationHelpers;
    expect(withDefaultPagination({})).toEqual({ start: 0, limit: 10 });
    expect(withDefaultPagination({ page: 2, pageSize: 5, x: 1 })).toEqual({ start: 5, limit: 5, x: 1 });
    expect(withDefaultPagination({ start: 3 }, { maxLimit: 7 })).toEqual({ start: 3, limit: 7 });
    expect(withDefaultPagination({ limit: -1 }, { maxLimit: 50 })).toEqual({ start: 0, limit: 50 });
    expect(() => withDefaultPagination({ page: 1, start: 2 })).toThrow(PaginationError);
    expect(transformPagedPaginationInfo({ start: 10, limit: 5 }, 12)).toEqual({
      page: 3,
      pageSize: 5,
      pageCount: 3,
      total: 12,
    });
    expect(transformPagedPaginationInfo({ page: 2, pageSize: 5 }, 12)).toMatchObject({ page: 2, pageCount: 3 });
    expect(transformOffsetPaginationInfo({ page: 2, pageSize: 5 }, 12)).toEqual({ start: 5, limit: 5, total: 12 });
  });

  it('answer questions about attributes', () => {
    const attributes = {
      name: { type: 'string' },
      note: { type: 'string', private: true },
      createdAt: { type: 'datetime' },
      tags: { type: 'relation', relation: 'manyToMany' },
    };
    expect(schemaQuestions.getPrivateAttributes({ attributes })).toEqual(['note']);
    expect(schemaQuestions.getTimestamps({ attributes })).toEqual(['createdAt']);
    expect(schemaQuestions.getNonWritableAttributes({ attributes })).toEqual([
      'id',
      'documentId',
      'createdAt',
      'updatedAt',
    ]);
    expect([relationQuestions.isAnyToMany(attributes.tags), relationQuestions.isAnyToOne(attributes.tags)]).toEqual([
      true,
      false,
    ]);
  });
});

describe('Validation by schemas of yup', () => {
  const problem = (path: string, message: string, value: unknown) =>
    Object.assign(new Error(message), { name: 'ValidationError', path, value, inner: [] });
  const failing = (error: Error) => ({
    validate: async (): Promise<never> => {
      throw error;
    },
    validateSync: (): never => {
      throw error;
    },
  });

  it('tells all problems', async () => {
    const inner = [problem('name', 'name is a required field', undefined), problem('tags[0].id', 'no id', 1)];
    const error = Object.assign(problem('', '2 errors occurred', {}), { inner });
    const refused = await validateYupSchema(failing(error))({}).then(null, (thrown: unknown) => thrown);
    expect(refused).toBeInstanceOf(ValidationError);
    expect(refused).toMatchObject({
      name: 'ValidationError',
      message: '2 errors occurred',
      details: {
        errors: [
          { path: ['name'], message: 'name is a required field', name: 'ValidationError' },
          { path: ['tags', '0', 'id'], message: 'no id', value: 1 },
        ],
      },
    });
    expect(() => validateYupSchemaSync(failing(problem('a', 'bad', 1)))({}, 'My message')).toThrow('My message');
    expect(() => validateYupSchemaSync(failing(new TypeError('defect')))({})).toThrow(TypeError);
  });

  it('is strict and goes on, unless it is told otherwise', async () => {
    const schema = { validate: async (value: unknown, options: object) => ({ value, options }), validateSync: () => 1 };
    const options = { strict: false, abortEarly: false, context: 1 };
    expect(await validateYupSchema(schema, { strict: false, context: 1 })(5)).toEqual({ value: 5, options });
  });

  it('is done with the package of the project, where it has one', () => {
    const utils = (required: (name: string) => unknown) =>
      strapiPackages({} as never, {} as never, { slugify, required })('@strapi/utils') as {
        yup: { object(): unknown };
      };
    expect(utils((name) => ({ object: () => name })).yup.object()).toBe('yup');
    const missing = utils(() => {
      throw new Error('Cannot find module');
    });
    expect(() => missing.yup.object()).toThrow('@strapi/utils.yup is not offered; it needs the package yup');
  });
});
