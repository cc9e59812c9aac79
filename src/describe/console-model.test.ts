import { expect, it } from 'vitest';
import { modelOf } from '../../test/support/project.ts';
import { systemAccess } from '../access/access.ts';
import { DEFAULT_SETTINGS } from '../project/settings.ts';
import { consoleModel } from './console-model.ts';

const back = (morphBy: string) => ({
  type: 'relation',
  relation: 'morphMany',
  target: 'api::comment.comment',
  morphBy,
});
const visibleWhen = { '==': [{ var: 'kind' }, 'a'] };
const model = modelOf({
  types: {
    comment: {
      attributes: {
        kind: { type: 'string' },
        needed: { type: 'string', required: true, conditions: { visible: visibleWhen } },
        about: { type: 'relation', relation: 'morphToMany' },
      },
    },
    page: { attributes: { title: { type: 'string' }, comments: back('about') } },
    shop: { attributes: { title: { type: 'string' }, comments: back('about') } },
    other: { attributes: { title: { type: 'string' } } },
  },
});

it('The model of the console says when a form shows an attribute, and where a relation to several types leads', () => {
  const access = systemAccess(model);
  const { types } = consoleModel({
    model,
    access,
    settings: DEFAULT_SETTINGS,
    locales: [],
    mainFields: new Map(),
  });
  const { attributes } = types.find(({ singularName }) => singularName === 'comment')!;
  const byName = new Map(attributes.map((attribute) => [attribute.name, attribute]));
  expect(byName.get('needed')?.visibleWhen).toEqual(visibleWhen);
  expect(byName.get('kind')).not.toHaveProperty('visibleWhen');
  const own = ['comment', 'other', 'page', 'shop'].map((name) => `api::${name}.${name}`);
  expect(byName.get('about')?.relation).toMatchObject({ target: null, targets: expect.arrayContaining(own) });
});
