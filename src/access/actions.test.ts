// The names of rights: which ones an operation needs, and what words on the command line stand for.
import { describe, expect, it } from 'vitest';
import { modelOf } from '../../test/support/project.ts';
import { FILE, ROLE, USER } from '../model/builtin.ts';
import type { ContentType } from '../model/types.ts';
import {
  actionOn,
  actionsOf,
  DEFAULT_GRANTS,
  draftActionsOf,
  expandActions,
  knownActions,
  mayRead,
  readActions,
  servedActions,
} from './actions.ts';
import type { Operation } from './operation.ts';

const model = modelOf({
  types: {
    page: { drafts: true, attributes: { title: { type: 'string' } } },
    tag: { attributes: { label: { type: 'string' } } },
    front: { single: true, drafts: true, attributes: { title: { type: 'string' } } },
    imprint: { single: true, attributes: { title: { type: 'string' } } },
  },
});
const typeOf = (uid: string): ContentType => model.contentTypes.get(uid)!;
const PAGE = typeOf('api::page.page');
const TAG = typeOf('api::tag.tag');
const FRONT = typeOf('api::front.front');
const USERS = typeOf(USER);

describe('the right that an operation needs', () => {
  it.each<[Operation['name'], ContentType, string[]]>([
    ['find', PAGE, ['api::page.page.find']],
    ['findOne', PAGE, ['api::page.page.findOne']],
    ['publish', PAGE, ['api::page.page.publish']],
    ['delete', PAGE, ['api::page.page.delete']],
    ['delete', USERS, [`${USER}.destroy`]],
    ['update', USERS, [`${USER}.update`]],
    ['me', USERS, [`${USER}.me`]],
    ['findOne', FRONT, ['api::front.front.find']],
    ['count', PAGE, ['api::page.page.find']],
  ])('for %s', (name, type, actions) => {
    expect(actionsOf(type, name)).toEqual(actions);
  });

  it('for a count of users is the right to list them besides that to count', () => {
    expect([...actionsOf(USERS, 'count')].sort()).toEqual([`${USER}.count`, `${USER}.find`]);
  });

  it('can be granted, for every operation that a type is served with', () => {
    const known = knownActions(model);
    for (const type of [PAGE, TAG, FRONT, USERS]) {
      const names: Operation['name'][] = ['find', 'findOne', 'count', 'update', 'delete', ...draftActionsOf(type)];
      for (const name of names)
        for (const action of actionsOf(type, name)) expect(known.has(action), `${type.uid} ${name}`).toBe(true);
    }
  });
});

describe('reading a type', () => {
  it('takes the right to find one or to find many, and no other', () => {
    const only = (verb: string) => (action: string) => action === `api::page.page.${verb}`;
    expect(['find', 'findOne', 'update', 'delete'].filter((verb) => mayRead(PAGE, only(verb)))).toEqual([
      'find',
      'findOne',
    ]);
    expect(mayRead(TAG, only('find'))).toBe(false);
  });
});

describe('draft actions', () => {
  it.each([
    ['a type with drafts has all', PAGE, ['publish', 'unpublish', 'discardDraft', 'clone']],
    ['a type without drafts can only be cloned', TAG, ['clone']],
    ['a single type has one document and is not cloned', FRONT, ['publish', 'unpublish', 'discardDraft']],
    ['accounts are not cloned', USERS, []],
  ])('%s', (_name, type, actions) => {
    expect(draftActionsOf(type)).toEqual(actions);
  });
});

describe('what is granted by *', () => {
  const served = servedActions(model);

  it('has each action once, and only such as can be granted one by one', () => {
    expect(new Set(served).size).toBe(served.length);
    expect(served.filter((action) => !knownActions(model).has(action))).toEqual([]);
  });

  it('has the actions that fit the kind of a type', () => {
    const ofType = (uid: string) =>
      served.filter((action) => action.startsWith(`${uid}.`)).map((action) => action.slice(uid.length + 1));
    expect(ofType('api::tag.tag')).toEqual(['find', 'findOne', 'create', 'update', 'delete', 'clone']);
    expect(ofType('api::imprint.imprint')).toEqual(['find', 'update', 'delete']);
    expect(ofType(USER)).toEqual(['find', 'findOne', 'create', 'update', 'destroy', 'count', 'me']);
  });

  it('has nothing of types without paths, of roles, or of logging in', () => {
    const foreign = [`${FILE}.`, `${ROLE}.`, 'plugin::users-permissions.auth.', 'admin::'];
    expect(served.filter((action) => foreign.some((prefix) => action.startsWith(prefix)))).toEqual([]);
  });
});

describe('a word on the command line', () => {
  it('is an action by itself, or a type for all of its actions', () => {
    expect(expandActions(model, 'api::tag.tag.find')).toEqual(['api::tag.tag.find']);
    const all = expandActions(model, 'api::tag.tag');
    expect(all).toEqual(servedActions(model).filter((action) => action.startsWith('api::tag.tag.')));
    expect(expandActions(model, 'api::tag.tag.*')).toEqual(all);
    expect(expandActions(model, '*')).toEqual(servedActions(model));
  });

  it('reaches roles and logging in when it names them', () => {
    const verbs = ['find', 'findOne', 'createRole', 'updateRole', 'deleteRole'];
    expect(expandActions(model, ROLE)).toEqual(verbs.map((verb) => `${ROLE}.${verb}`));
    expect(expandActions(model, 'plugin::users-permissions.auth')).toEqual(
      expect.arrayContaining([...DEFAULT_GRANTS.public]),
    );
  });

  it.each([
    '',
    '.',
    '*.find',
    'api::tag',
    'api::ta',
    'api::tag.tag.publish',
    'api::nosuch.nosuch',
    FILE,
    'plugin::users-permissions',
  ])('that stands for nothing is told so: "%s"', (word) => {
    expect(expandActions(model, word)).toBeNull();
  });
});

describe('the action on a type', () => {
  it('is named after its uid', () => {
    expect(actionOn({ uid: 'api::x.y' }, 'delete')).toBe('api::x.y.delete');
  });
});

describe('what it takes to read', () => {
  it('is find and findOne of the types of the project, and nothing of users', () => {
    expect(readActions(model)).toEqual([
      ['api::page.page.find', 'api::page.page.findOne'],
      ['api::tag.tag.find', 'api::tag.tag.findOne'],
      ['api::front.front.find'],
      ['api::imprint.imprint.find'],
    ]);
  });
});
