// The editor of blocks without a browser: what keys and commands do, and that the server takes all that comes of them.
import fc from 'fast-check';
import { createEditor, type Descendant, Editor, Element, type Node, Path, Text, Transforms } from 'slate';
import { withHistory } from 'slate-history';
import { describe, expect, it } from 'vitest';
import { blocksProblem } from '../../../../src/plan/write/blocks.ts';
import { GIVEN_SEED, scaled } from '../../../../test/support/scale.ts';
import type { StoredFile } from '../../files/file.ts';
import * as commands from './commands.ts';
import { loadBlocks } from './convert.ts';
import { MARKS } from './nodes.ts';
import { withBlocks } from './with-blocks.ts';

const text = (value: string, marks: object = {}) => ({ type: 'text', text: value, ...marks });
const paragraph = (value: string) => ({ type: 'paragraph', children: [text(value)] });
const item = (value: string) => ({ type: 'list-item', children: [text(value)] });
const list = (...children: unknown[]) => ({ type: 'list', format: 'unordered', children });
const link = (url: string, value: string) => ({ type: 'link', url, children: [text(value)] });

function open(value: unknown) {
  const loaded = loadBlocks(value);
  const editor = withBlocks(withHistory(createEditor()));
  editor.children = loaded.children;
  return { editor, saved: () => loaded.save(editor.children) };
}

/** Types as a person does: after all that is there. */
function typing(value: unknown, act: (editor: Editor) => void) {
  const { editor, saved } = open(value);
  Transforms.select(editor, Editor.end(editor, []));
  act(editor);
  return saved();
}
const type = (editor: Editor, characters: string): void => {
  for (const character of characters) editor.insertText(character);
};

describe('Typing', () => {
  it.each([
    ['# ', { type: 'heading', level: 1, children: [text('a')] }],
    ['###### ', { type: 'heading', level: 6, children: [text('a')] }],
    ['> ', { type: 'quote', children: [text('a')] }],
    ['``` ', { type: 'code', children: [text('a')] }],
    ['- ', list(item('a'))],
    ['1. ', { ...list(item('a')), format: 'ordered' }],
    ['####### ', paragraph('####### a')],
  ])('%s at the start of a line', (sign, block) => {
    expect(typing(null, (editor) => type(editor, `${sign}a`))).toEqual([block]);
    expect(typing([paragraph('b')], (editor) => type(editor, `${sign}a`))).toEqual([paragraph(`b${sign}a`)]);
  });

  it('Enter goes on with a list, and leaves it from an empty item; a heading is followed by a paragraph', () => {
    const made = typing(null, (editor) => {
      type(editor, '- a');
      editor.insertBreak();
      type(editor, 'b');
      editor.insertBreak();
      editor.insertBreak();
      type(editor, '## c');
      editor.insertBreak();
      type(editor, 'd');
    });
    expect(made).toEqual([
      list(item('a'), item('b')),
      { type: 'heading', level: 2, children: [text('c')] },
      paragraph('d'),
    ]);
  });

  it('Enter in code and quotes is a line, and leads out of an empty one', () => {
    const made = typing([{ type: 'code', language: 'ts', children: [text('a')] }], (editor) => {
      editor.insertBreak();
      type(editor, 'b');
      editor.insertBreak();
      editor.insertBreak();
      type(editor, 'c');
    });
    expect(made).toEqual([{ type: 'code', language: 'ts', children: [text('a\nb')] }, paragraph('c')]);
  });

  it('Backspace at its start makes a block a paragraph', () => {
    for (const block of [{ type: 'heading', level: 2, children: [text('')] }, list(item(''))])
      expect(typing([paragraph('a'), block], (editor) => editor.deleteBackward('character'))).toEqual([
        paragraph('a'),
        paragraph(''),
      ]);
  });

  it('nothing at all is null', () => {
    expect(typing([paragraph('a')], (editor) => editor.deleteBackward('character'))).toBeNull();
  });
});

describe('Commands', () => {
  it('lists go into lists and out again, with their depth', () => {
    const { editor, saved } = open([list(item('a'), item('b'), item('c'))]);
    Transforms.select(editor, Editor.start(editor, [0, 1]));
    expect(commands.indent(editor)).toBe(true);
    Transforms.select(editor, Editor.start(editor, [0, 2]));
    commands.indent(editor);
    const nested = { ...list(item('b'), item('c')), indentLevel: 1 };
    expect(saved()).toEqual([list(item('a'), nested)]);
    commands.outdent(editor);
    expect(saved()).toEqual([list(item('a'), { ...list(item('b')), indentLevel: 1 }, item('c'))]);
    Transforms.select(editor, Editor.start(editor, [0, 0]));
    expect(commands.indent(editor)).toBe(false);
  });

  it('blocks become lists, lists the other kind, and blocks again', () => {
    const { editor, saved } = open([paragraph('a'), { type: 'heading', level: 2, children: [text('b')] }]);
    Transforms.select(editor, []);
    commands.toggleList(editor, 'ordered');
    expect(saved()).toEqual([{ ...list(item('a'), item('b')), format: 'ordered' }]);
    commands.toggleList(editor, 'unordered');
    expect(saved()).toEqual([list(item('a'), item('b'))]);
    commands.toggleList(editor, 'unordered');
    expect(saved()).toEqual([paragraph('a'), paragraph('b')]);
    for (let step = 0; step < 3; step += 1) editor.undo();
    expect(saved()).toEqual([paragraph('a'), { type: 'heading', level: 2, children: [text('b')] }]);
  });

  it('marks and links', () => {
    const { editor, saved } = open([paragraph('abc')]);
    Transforms.select(editor, { anchor: { path: [0, 0], offset: 1 }, focus: { path: [0, 0], offset: 2 } });
    commands.toggleMark(editor, 'bold');
    commands.setLink(editor, 'https://example.com', '');
    const linked = { type: 'link', url: 'https://example.com', children: [text('b', { bold: true })] };
    expect(saved()).toEqual([{ type: 'paragraph', children: [text('a'), linked, text('c')] }]);
    Transforms.select(editor, Editor.start(editor, [0, 1]));
    commands.setLink(editor, '/b', '');
    expect(commands.linkAt(editor)?.[0].url).toBe('/b');
    commands.removeLink(editor);
    expect(saved()).toEqual([{ type: 'paragraph', children: [text('a'), text('b', { bold: true }), text('c')] }]);
  });

  it('a picture takes the place of an empty line', () => {
    const made = typing([paragraph('a'), paragraph('')], (editor) => commands.insertImage(editor, { url: '/a.png' }));
    const image = { type: 'image', image: { url: '/a.png' }, children: [text('')] };
    expect(made).toEqual([paragraph('a'), image, paragraph('')]);
  });
});

const marks = fc.record(Object.fromEntries(MARKS.map((mark) => [mark, fc.boolean()])), { requiredKeys: [] });
const anyText = fc.tuple(fc.string({ maxLength: 4 }), marks).map(([value, marked]) => text(value, marked));
const anyInline = fc.oneof(
  { weight: 4, arbitrary: anyText },
  {
    weight: 1,
    arbitrary: fc
      .array(anyText, { minLength: 1, maxLength: 2 })
      .map((children) => ({ type: 'link', url: '/a', children })),
  },
);
const inlines = fc.array(anyInline, { minLength: 1, maxLength: 3 });
const anyItem = inlines.map((children) => ({ type: 'list-item', children }));
const anyList = fc.letrec<{ list: object }>((tie) => ({
  list: fc.record({
    type: fc.constant('list'),
    format: fc.constantFrom('ordered', 'unordered'),
    children: fc.array(fc.oneof({ depthSize: 'small' }, anyItem, tie('list')), { minLength: 1, maxLength: 3 }),
  }),
})).list;
const PICTURE: StoredFile = {
  ...{ id: 1, documentId: 'a', name: 'a.png', alternativeText: null, caption: null, focalPoint: null },
  ...{ width: 20, height: 10, formats: null, hash: 'a', ext: '.png', mime: 'image/png', size: 1, url: '/a.png' },
  ...{ previewUrl: null, provider: 'local' },
  ...{ createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' },
};
const anyBlock = fc.oneof(
  inlines.map((children) => ({ type: 'paragraph', children })),
  inlines.map((children) => ({ type: 'quote', children, align: 'left' })),
  fc.tuple(fc.integer({ min: 1, max: 6 }), inlines).map(([level, children]) => ({ type: 'heading', level, children })),
  fc.array(anyText, { minLength: 1, maxLength: 2 }).map((children) => ({ type: 'code', language: 'sql', children })),
  anyList,
  fc.constant({ type: 'image', image: commands.imageOf(PICTURE), children: [text('')] }),
);
const anyValue = fc.array(anyBlock, { maxLength: 4 });

/** A path and an offset that exist, from any two numbers. */
function pointOf(editor: Editor, at: number, offset: number) {
  const texts = [...Editor.nodes(editor, { at: [], match: Text.isText, voids: true })];
  const [node, path] = texts[at % texts.length]!;
  return { path, offset: offset % (node.text.length + 1) };
}
function pathOf(editor: Editor, at: number): Path {
  const all = [...Editor.nodes(editor, { at: [], voids: true })].filter(([, path]) => path.length > 0);
  return all[at % all.length]![1];
}

/** What a person can do, and what a paste or an extension could: raw changes of the tree. */
const ACTIONS: readonly ((editor: Editor, at: number, fragment: Descendant[]) => void)[] = [
  (editor) => editor.insertText('x'),
  (editor) => editor.insertText(' '),
  (editor) => editor.insertText('#'),
  (editor) => editor.insertBreak(),
  (editor) => editor.insertSoftBreak(),
  (editor) => editor.deleteBackward('character'),
  (editor) => editor.deleteForward('word'),
  (editor) => editor.deleteFragment(),
  (editor, at) => commands.toggleMark(editor, MARKS[at % MARKS.length]!),
  (editor, at) => commands.setBlock(editor, { type: 'heading', level: 1 + (at % 6) }),
  (editor, at) => commands.setBlock(editor, { type: (['paragraph', 'quote', 'code'] as const)[at % 3]! }),
  (editor, at) => commands.toggleList(editor, at % 2 ? 'ordered' : 'unordered'),
  (editor) => commands.indent(editor),
  (editor) => commands.outdent(editor),
  (editor) => commands.setLink(editor, 'https://example.com', 'x'),
  (editor) => commands.removeLink(editor),
  (editor) => commands.insertImage(editor, commands.imageOf({ ...PICTURE, url: '/b.png' })),
  (editor) => editor.undo(),
  (editor) => editor.redo(),
  (editor, _at, fragment) => editor.insertFragment(fragment),
  (editor, at) => Transforms.wrapNodes(editor, { type: 'quote', children: [] }, { at: pathOf(editor, at) }),
  (editor, at) => Transforms.wrapNodes(editor, list() as Element, { at: pathOf(editor, at) }),
  (editor, at) => Transforms.removeNodes(editor, { at: pathOf(editor, at) }),
  (editor, at) => Transforms.setNodes(editor, { type: 'nonsense' } as object, { at: pathOf(editor, at) }),
  (editor, at) =>
    Transforms.setNodes(
      editor,
      { type: 'list-item' },
      { at: pathOf(editor, at), match: (node) => Element.isElement(node) },
    ),
  (editor, at) =>
    Transforms.setNodes(editor, { type: 'link' }, { at: pathOf(editor, at), match: (node) => Element.isElement(node) }),
  (editor, at) => Transforms.insertNodes(editor, { text: 'loose' } as Node, { at: Path.next(pathOf(editor, at)) }),
];

describe('Any editing', () => {
  it('of any value leaves one that the server takes', () => {
    const steps = fc.array(fc.tuple(fc.nat(), fc.nat(), fc.nat(), fc.nat(), anyValue), { maxLength: 15 });
    fc.assert(
      fc.property(anyValue, steps, (value, all) => {
        const { editor, saved } = open(value);
        for (const [action, at, from, to, fragment] of all) {
          Transforms.select(editor, { anchor: pointOf(editor, from, at), focus: pointOf(editor, to, at) });
          if (action % 3 === 0) Transforms.collapse(editor);
          ACTIONS[action % ACTIONS.length]!(editor, at, structuredClone(fragment) as Descendant[]);
          expect(blocksProblem(saved() ?? [])).toBeNull();
        }
      }),
      { numRuns: scaled(200), seed: GIVEN_SEED ?? 31 },
    );
  });

  it('of one block leaves the others as they were, and none leaves all', () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        expect(blocksProblem(value)).toBeNull();
        const { editor, saved } = open(value);
        if (saved() !== null) expect(saved()).toEqual(value);
        Transforms.insertNodes(editor, paragraph('new') as Element, { at: [editor.children.length] });
        if (value.length > 0) expect(saved()).toEqual([...value, paragraph('new')]);
      }),
      { numRuns: scaled(100), seed: GIVEN_SEED ?? 32 },
    );
  });

  it('of what is no blocks at all leaves blocks', () => {
    for (const value of [
      'text',
      5,
      [null],
      [{ type: 'video' }],
      [{ text: 'a' }],
      [{ type: 'list', children: [{}] }],
      [link('', 'a')],
    ])
      expect(blocksProblem(typing(value, (editor) => type(editor, 'a')))).toBeNull();
  });
});
