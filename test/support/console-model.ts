// The model of the guide as the console is told it, to someone who may do everything; and generated drafts over it.
import fc from 'fast-check';
import {
  COUNT_OPERATORS,
  type Count,
  emptyDraft,
  type FilterDraft,
  PLAIN_POPULATE,
  type PopulateDraft,
  type PopulateItem,
  type ReadDraft,
  type SetWord,
  type SortDraft,
  type Step,
  type Test,
} from '../../console/src/query/draft.ts';
import { arityOf, operatorsFor, takesSet, valueKindOf } from '../../console/src/query/operators.ts';
import {
  isFilterable,
  isSortable,
  isThroughMany,
  isToMany,
  leadsOn,
  namesIn,
  rootView,
  type SchemaView,
  schemaView,
  targetOf,
} from '../../console/src/query/schema-view.ts';
import { systemAccess } from '../../src/access/access.ts';
import type { ConsoleAttribute, ConsoleModel } from '../../src/console/contract.ts';
import { consoleModel } from '../../src/describe/console-model.ts';
import { loadModel } from '../../src/model/build.ts';
import { DEFAULT_SETTINGS } from '../../src/project/settings.ts';
import { GUIDE_PROJECT } from './content.ts';

export const guideModel = loadModel(GUIDE_PROJECT);

const locale = (code: string, name: string, isDefault: boolean) => ({ code, name, isDefault });
export const GUIDE: ConsoleModel = consoleModel({
  model: guideModel,
  access: systemAccess(guideModel),
  settings: DEFAULT_SETTINGS,
  locales: [locale('en', 'English', true), locale('fr', 'French', false)],
  mainFields: new Map(),
});

// ---- generated drafts

/** How deep paths, groups and what is populated may go. */
const DEPTH = 3;

const word = fc.oneof(
  fc.constantFrom('Alba', 'a b', "l'île", 'a&b=c', '100%', '#?/+', '[x]', '', '"q"', 'true', '12'),
  fc.string({ unit: 'binary', maxLength: 6 }).filter((text) => !text.includes('\0')),
);

function anyValueOf(attribute: ConsoleAttribute): fc.Arbitrary<string> {
  switch (valueKindOf(attribute)) {
    case 'number':
      return fc.integer({ min: -1000, max: 1000 }).map(String);
    case 'boolean':
      return fc.constantFrom('true', 'false');
    case 'date':
      return fc.constantFrom('2026-11-15', 'now-7d', 'now/d');
    case 'datetime':
      return fc.constantFrom('2026-11-15T10:00:00.000Z', 'now-7d', 'now+1M/M');
    case 'time':
      return fc.constantFrom('22:30:00', '08:00:00.000');
    case 'enumeration':
      return fc.constantFrom(...attribute.values!);
    case 'json':
      return fc.constantFrom('1', '"a"', '{"a":[1]}');
    default:
      return word;
  }
}

type Way = readonly { readonly attribute: ConsoleAttribute; readonly set: SetWord | null }[];
type Ends = (attribute: ConsoleAttribute) => boolean;

const SET_WORDS: fc.Arbitrary<SetWord | null> = fc.constantFrom(null, 'some', 'none', 'every');

/** Ways to attributes for which `ends` holds, of each length; null where there is none. */
function wayTo(view: SchemaView, ends: Ends, depth: number): fc.Arbitrary<Way> | null {
  const byLength = Array.from({ length: depth + 1 }, (_, length) => waysOf(view, ends, length)).filter(
    (ways) => ways.length > 0,
  );
  if (byLength.length === 0) return null;
  return fc.oneof(...byLength.map((ways) => fc.constantFrom(...ways))).chain((way) =>
    fc.tuple(
      ...way.map((attribute, index) =>
        fc.record({
          attribute: fc.constant(attribute),
          set: index < way.length - 1 && takesSet(attribute) ? SET_WORDS : fc.constant(null),
        }),
      ),
    ),
  );
}

/** Through `length` others. */
function waysOf(view: SchemaView, ends: Ends, length: number): ConsoleAttribute[][] {
  const names = namesIn(view).filter(isFilterable);
  if (length === 0) return names.filter(ends).map((one) => [one]);
  return names.filter(leadsOn).flatMap((one) => {
    const below = targetOf(view.model, one);
    return below ? waysOf(below, ends, length - 1).map((rest) => [one, ...rest]) : [];
  });
}

const stepsOf = (path: Way): Step[] => path.map(({ attribute, set }) => ({ name: attribute.name, set }));

const isValue = (attribute: ConsoleAttribute): boolean => !leadsOn(attribute);

const testIn = (view: SchemaView): fc.Arbitrary<Test> =>
  wayTo(view, isValue, DEPTH)!.chain((path) => {
    const { attribute } = path.at(-1)!;
    const throughMany = isThroughMany(view, stepsOf(path));
    const inJson = attribute.type === 'json' ? fc.boolean() : fc.constant(false);
    return inJson.chain((isInside) =>
      fc.constantFrom(...operatorsFor(attribute, { inJson: isInside, throughMany })).chain(({ op }) => {
        const arity = arityOf(op);
        const value = isInside ? fc.constantFrom('1', 'a', 'true') : anyValueOf(attribute);
        const values =
          arity === 'flag'
            ? fc.constant(['true'])
            : arity === 'one'
              ? fc.tuple(value)
              : fc.array(arity === 'two' ? value.filter((text) => text !== '') : value, {
                  minLength: arity === 'two' ? 2 : 1,
                  maxLength: 2,
                });
        return values.map(
          (given): Test => ({
            kind: 'test',
            path: stepsOf(path),
            at: isInside ? ['seats', 'at most'] : [],
            op,
            values: given,
          }),
        );
      }),
    );
  });

const countIn = (view: SchemaView, depth: number): fc.Arbitrary<FilterDraft> =>
  wayTo(view, takesSet, 1)?.chain((path) => {
    const below = targetOf(view.model, path.at(-1)!.attribute);
    const where = below && depth > 0 ? filtersIn(below, depth - 1) : fc.constant([]);
    return fc
      .record({
        kind: fc.constant('count' as const),
        path: fc.constant(stepsOf(path)),
        op: fc.constantFrom(...COUNT_OPERATORS),
        values: fc.constant(['1', '3']),
        where: fc.oneof(fc.constant([]), where),
      })
      .map(withValues);
  }) ?? testIn(view);

const withValues = (count: Count): Count => ({
  ...count,
  values: count.op === '$between' || count.op === '$in' || count.op === '$notIn' ? count.values : ['2'],
});

function nodeIn(view: SchemaView, depth: number): fc.Arbitrary<FilterDraft> {
  const leaf = fc.oneof({ weight: 5, arbitrary: testIn(view) }, { weight: 1, arbitrary: countIn(view, depth) });
  if (depth === 0) return leaf;
  const join = fc.constantFrom('and' as const, 'or' as const);
  const group = fc.record({
    kind: fc.constant('group' as const),
    join,
    negated: fc.boolean(),
    of: filtersIn(view, depth - 1, 1),
  });
  const scope = wayTo(view, leadsOn, 1)?.chain((path) => {
    const below = targetOf(view.model, path.at(-1)!.attribute);
    if (!below) return leaf;
    const last = path.at(-1)!.attribute;
    const set = takesSet(last) ? SET_WORDS : fc.constant(null);
    return fc.tuple(set, join, filtersIn(below, depth - 1, 1)).map(
      ([word, how, of]): FilterDraft => ({
        kind: 'scope',
        path: stepsOf([...path.slice(0, -1), { attribute: last, set: word }]),
        join: how,
        of,
      }),
    );
  });
  return fc.oneof(
    { weight: 4, arbitrary: leaf },
    { weight: 2, arbitrary: group },
    { weight: 2, arbitrary: scope ?? leaf },
  );
}

const filtersIn = (view: SchemaView, depth: number, minLength = 0): fc.Arbitrary<FilterDraft[]> =>
  fc.constant(null).chain(() => fc.array(nodeIn(view, depth), { minLength, maxLength: 3 }));

const sortIn = (view: SchemaView): fc.Arbitrary<SortDraft[]> =>
  fc.array(
    fc.oneof(
      fc.record({
        path: wayTo(view, (one) => isValue(one) && isSortable(one), 1)!.map((path) =>
          path.map((one) => one.attribute.name),
        ),
        aggregate: fc.constant(null),
        descending: fc.boolean(),
      }),
      ...namesIn(view)
        .filter((one) => isFilterable(one) && takesSet(one))
        .map(({ name }) => fc.constant<SortDraft>({ path: [name], aggregate: 'count', descending: true })),
    ),
    { maxLength: 2 },
  );

const fieldsIn = (view: SchemaView): fc.Arbitrary<string[] | null> => {
  const names = namesIn(view).filter((one) => isValue(one) && !one.private);
  return fc.option(fc.uniqueArray(fc.constantFrom(...names.map(({ name }) => name)), { minLength: 1, maxLength: 3 }));
};

function populateIn(view: SchemaView, depth: number): fc.Arbitrary<PopulateDraft> {
  const names = namesIn(view).filter((one) => leadsOn(one) && !one.private);
  if (names.length === 0) return fc.constant({ all: false, at: [] });
  const items = fc
    .uniqueArray(fc.constantFrom(...names), { maxLength: 2, selector: ({ name }) => name })
    .chain((chosen) => fc.tuple(...chosen.map((attribute) => itemOf(view, attribute, depth))));
  return fc.oneof(
    { weight: 4, arbitrary: items.map((at) => ({ all: false, at })) },
    { weight: 1, arbitrary: fc.constant({ all: true, at: [] }) },
  );
}

function itemOf(view: SchemaView, attribute: ConsoleAttribute, depth: number): fc.Arbitrary<PopulateItem> {
  const { name, components } = attribute;
  const below = targetOf(view.model, attribute);
  const plain = fc.constant({ name, node: PLAIN_POPULATE });
  if (components) {
    const uid = components[0]!;
    const inner = schemaView(view.model, uid)!;
    return fc.oneof(
      plain,
      fieldsIn(inner).map((fields) => ({
        name,
        node: { ...PLAIN_POPULATE, on: [{ name: uid, node: { ...PLAIN_POPULATE, fields } }] },
      })),
    );
  }
  if (!below || depth === 0) return plain;
  const isList = isToMany(attribute);
  return fc
    .record({
      fields: fieldsIn(below),
      filters: isList ? filtersIn(below, 0) : fc.constant([]),
      sort: isList && attribute.type === 'relation' ? sortIn(below) : fc.constant([]),
      populate: populateIn(below, depth - 1),
      page: isList ? fc.constantFrom<Record<string, string>>({}, { limit: '3' }) : fc.constant({}),
    })
    .map((node) => ({ name, node: { ...PLAIN_POPULATE, ...node } }));
}

/** Drafts of reads of the guide that the server takes. */
export const anyDraft: fc.Arbitrary<ReadDraft> = fc
  .constantFrom(...GUIDE.types.filter(({ source }) => source === 'own'))
  .chain((type) => {
    const view = rootView(GUIDE, emptyDraft(type.path))!;
    const isList = type.kind === 'collectionType';
    return fc.record({
      type: fc.constant(type.path),
      below: fc.constant(''),
      filters: filtersIn(view, 2),
      sort: sortIn(view),
      fields: fieldsIn(view),
      populate: populateIn(view, 2),
      pagination: isList
        ? fc.constantFrom<Record<string, string>>({}, { page: '2', pageSize: '10' }, { start: '3' })
        : fc.constant({}),
      status: fc.constantFrom(null, 'draft', 'published'),
      locale: fc.constantFrom([], ['fr'], ['*'], ['fr', 'en']),
      q: fc.constantFrom('', 'cosy & warm'),
      other: fc.constantFrom<Record<string, string>>({}, { timezone: 'Europe/Paris' }, { facets: 'id' }),
    });
  });
