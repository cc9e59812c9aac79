// Lists that lose entries, whatever their positions: Strapi 5 and other programs leave gaps, fractions, ties and rows
// without a position. What stays keeps its order, nothing before the gap is written, and dense lists stay dense.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Documents } from '../src/index.ts';
import { type Content, type Project, relation, useContents } from './support/content.ts';
import { describeOnEveryDatabase } from './support/database.ts';
import { GIVEN_SEED, scaled } from './support/scale.ts';

const CASES = { numRuns: scaled(25), seed: GIVEN_SEED ?? 5 };

const PROJECT: Project = {
  types: {
    box: { attributes: { name: { type: 'string' }, tags: relation('manyToMany', 'tag', { inversedBy: 'boxes' }) } },
    tag: { attributes: { label: { type: 'string' }, boxes: relation('manyToMany', 'box', { mappedBy: 'tags' }) } },
  },
};

interface Entry {
  readonly tag: number;
  readonly position: number | null;
}

interface Filled {
  /** Two boxes with the same tags at the same places. */
  readonly boxes: readonly number[];
  /** In the order of the positions given. */
  readonly tags: readonly { readonly id: number; readonly documentId: string }[];
}

async function fill(content: Content, positions: readonly (number | null)[]): Promise<Filled> {
  const make = async (type: string) => {
    const { id, documentId } = await content.sheaf.documents(`api::${type}.${type}`).create({ data: {} });
    return { id, documentId };
  };
  const [boxes, tags] = [[await make('box'), await make('box')], [] as Filled['tags'][number][]];
  for (const position of positions) {
    const tag = await make('tag');
    tags.push(tag);
    for (const [index, box] of boxes.entries())
      await content.execute(
        `insert into boxs_tags_lnk (box_id, tag_id, tag_ord, box_ord) values (${box.id}, ${tag.id}, ${position}, ${index + 1})`,
      );
  }
  return { boxes: boxes.map(({ id }) => id), tags };
}

async function listOf(content: Content, box: number): Promise<Entry[]> {
  const rows = await content.rows(
    `select tag_id, tag_ord from boxs_tags_lnk where box_id = ${box} order by tag_ord nulls last, id`,
  );
  return rows.map(([tag, position]) => ({ tag: Number(tag), position: position === null ? null : Number(position) }));
}

const positions = fc.oneof(
  fc.array(fc.constantFrom(null, 0.5, 1, 1, 2, 3, 4.25, 5, 9), { minLength: 1, maxLength: 7 }),
  fc.integer({ min: 1, max: 7 }).map((length) => Array.from({ length }, (_, index) => index + 1)),
);
const cases = positions.chain((all) =>
  fc.record({ all: fc.constant(all), gone: fc.subarray(all.map((_, index) => index)) }),
);

const isDense = (list: readonly Entry[]): boolean => list.every(({ position }, index) => position === index + 1);

describeOnEveryDatabase('A list that loses entries', (engine) => {
  const contents = useContents(engine);

  it.each([
    ['deleted', (tags: Documents, documentId: string) => tags.delete({ documentId })],
    [
      'disconnected from their side',
      (tags: Documents, documentId: string) => tags.update({ documentId, data: { boxes: [] } }),
    ],
  ] as const)('keeps the order of the others where they are %s', async (_, remove) => {
    const content = await contents.open(PROJECT);
    const documents = content.sheaf.documents('api::tag.tag');
    await fc.assert(
      fc.asyncProperty(cases, async ({ all, gone }) => {
        const { boxes, tags } = await fill(content, all);
        const [before, same] = [await listOf(content, boxes[0]!), await listOf(content, boxes[1]!)];
        expect(same).toEqual(before);
        for (const index of gone) await remove(documents, tags[index]!.documentId);
        const isGone = ({ tag }: Entry) => gone.some((index) => tags[index]!.id === tag);
        const after = await listOf(content, boxes[0]!);
        expect(after.map(({ tag }) => tag)).toEqual(before.filter((entry) => !isGone(entry)).map(({ tag }) => tag));
        expect(await listOf(content, boxes[1]!)).toEqual(after);
        const first = before.findIndex(isGone);
        const untouched = first < 0 ? before.length : first;
        expect(after.slice(0, untouched)).toEqual(before.slice(0, untouched));
        if (isDense(before)) expect(isDense(after)).toBe(true);
      }),
      CASES,
    );
  });
});
