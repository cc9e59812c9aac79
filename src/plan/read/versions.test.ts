// Which versions of a document a status and a publication filter let through, told on documents that are published,
// changed since, and never published, in one locale and in two.
import { describe, expect, it } from 'vitest';
import { modelOf } from '../../../test/support/project.ts';
import type { PublicationFilter, Status } from '../../request/read-request.ts';
import type { Condition } from './nodes.ts';
import { allOf, statusCondition } from './versions.ts';

const model = modelOf({
  types: {
    page: { drafts: true, localized: true, attributes: { title: { type: 'string' } } },
    tag: { attributes: { label: { type: 'string' } } },
  },
  components: { 'kit.seal': { name: { type: 'string' } } },
});
const PAGE = model.contentTypes.get('api::page.page')!;

interface Row {
  readonly document: string;
  readonly locale: string;
  readonly status: Status;
  readonly updated: number;
}
const row = (document: string, locale: string, status: Status, updated: number): Row => ({
  document,
  locale,
  status,
  updated,
});
const ROWS: readonly Row[] = [
  row('same', 'en', 'draft', 1),
  row('same', 'en', 'published', 1),
  row('changed', 'en', 'draft', 2),
  row('changed', 'en', 'published', 1),
  row('new', 'en', 'draft', 1),
  row('undrafted', 'en', 'published', 1),
  row('half', 'en', 'draft', 1),
  row('half', 'fr', 'published', 1),
];

function meets(condition: Condition, one: Row): boolean {
  switch (condition.is) {
    case 'and':
      return condition.of.every((member) => meets(member, one));
    case 'null':
      return one.status === 'draft';
    case 'notNull':
      return one.status === 'published';
    case 'never':
      return false;
    case 'sibling': {
      const { status, sameLocale, draftIsNewer } = condition.sibling;
      const found = ROWS.some((other) => {
        if (other.document !== one.document || other.status !== status) return false;
        if (sameLocale && other.locale !== one.locale) return false;
        const [draft, published] = status === 'draft' ? [other, one] : [one, other];
        if (draftIsNewer !== null && draft.updated > published.updated !== draftIsNewer) return false;
        return condition.where === null || meets(condition.where, other);
      });
      return found !== condition.negated;
    }
    default:
      throw new Error(`${condition.is} is not about versions`);
  }
}

const seenBy = (status: Status, publication: PublicationFilter | null, seen: Condition | null = null): string[] => {
  const condition = statusCondition(PAGE, { status, publication }, () => seen)!;
  return ROWS.filter((one) => meets(condition, one)).map(({ document, locale }) =>
    locale === 'en' ? document : `${document} ${locale}`,
  );
};

describe('a status', () => {
  it('shows drafts, or what is published', () => {
    expect(seenBy('draft', null)).toEqual(['same', 'changed', 'new', 'half']);
    expect(seenBy('published', null)).toEqual(['same', 'changed', 'undrafted', 'half fr']);
  });

  it('means nothing for types without drafts and for components', () => {
    for (const schema of [model.contentTypes.get('api::tag.tag')!, model.components.get('kit.seal')!])
      expect(statusCondition(schema, { status: 'draft', publication: 'modified' }, () => ({ is: 'never' }))).toBeNull();
  });
});

describe('a publication filter', () => {
  it.each<[PublicationFilter, string[], string[]]>([
    ['never-published', ['new', 'half'], []],
    ['never-published-document', ['new'], []],
    ['has-published-version', ['same', 'changed'], ['same', 'changed']],
    ['has-published-version-document', ['same', 'changed', 'half'], ['same', 'changed', 'half fr']],
    ['modified', ['changed'], ['changed']],
    ['unmodified', ['same'], ['same']],
    ['published-without-draft', [], ['undrafted', 'half fr']],
    ['published-with-draft', [], ['same', 'changed']],
  ])('%s shows the drafts %j and the published rows %j', (filter, drafts, published) => {
    expect(seenBy('draft', filter)).toEqual(drafts);
    expect(seenBy('published', filter)).toEqual(published);
  });

  it('takes other versions that the caller may not see for missing', () => {
    expect(seenBy('draft', 'never-published', { is: 'never' })).toEqual(seenBy('draft', null));
    expect(seenBy('published', 'published-with-draft', { is: 'never' })).toEqual([]);
  });

  it('asks what is seen of the other status', () => {
    const asked: Status[] = [];
    for (const status of ['draft', 'published'] as const)
      statusCondition(PAGE, { status, publication: 'modified' }, (other) => {
        asked.push(other);
        return null;
      });
    expect(asked).toEqual(['published', 'draft']);
  });
});

describe('conditions together', () => {
  it('are none, the only one, or a group', () => {
    const one: Condition = { is: 'document' };
    const other: Condition = { is: 'never' };
    expect(allOf([null, null])).toBeNull();
    expect(allOf([null, one])).toBe(one);
    expect(allOf([one, null, other])).toEqual({ is: 'and', of: [one, other] });
  });
});
