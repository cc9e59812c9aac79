// Rich text in blocks: what is well formed, and what is told of the first block that is not.
import { describe, expect, it } from 'vitest';
import { blocksProblem } from './blocks.ts';

const text = (more: object = {}) => ({ type: 'text', text: 'a', ...more });
const paragraph = (...children: unknown[]) => ({ type: 'paragraph', children });
const link = (url: unknown) => ({ type: 'link', url, children: [text()] });
const listItem = (...children: unknown[]) => ({ type: 'list-item', children });
const list = (...children: unknown[]) => ({ type: 'list', format: 'ordered', children });
const IMAGE = {
  ...{ name: 'a.png', url: '/a.png', hash: 'a', ext: '.png', mime: 'image/png', provider: 'local' },
  ...{ width: 1, height: 2, size: 0.5, createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' },
};
const image = (more: object) => ({ type: 'image', image: { ...IMAGE, ...more }, children: [text()] });
/** Lists inside lists. */
const nested = (depth: number): object => list(depth === 0 ? listItem(text()) : nested(depth - 1));

describe('blocks', () => {
  it.each([
    ['nothing', []],
    ['a paragraph', [paragraph(text({ bold: true, code: false }))]],
    ['an empty line', [paragraph(text({ text: '' }))]],
    ['a link', [paragraph(text(), link('/a'))]],
    [
      'links to pages, files, mail and phones',
      ['https://a.example/b?c#d', 'http://a', 'ftp://a/b', 'mailto:a@b.example', 'tel:+49301', '//a/b', '/#c'].map(
        (url) => paragraph(link(url)),
      ),
    ],
    ['a heading of each level', [1, 2, 3, 4, 5, 6].map((level) => ({ type: 'heading', level, children: [text()] }))],
    ['a quote and code', ['quote', 'code'].map((type) => ({ type, children: [text()] }))],
    ['lists in lists', [list(listItem(text()), { ...list(listItem(text())), format: 'unordered' })]],
    ['lists as deep as they may be', [nested(20)]],
    ['an image', [{ type: 'image', image: IMAGE, children: [text()] }]],
    [
      'items of lists, links and images that hold nothing',
      [list(listItem()), paragraph({ ...link('/'), children: [] }), { type: 'image', image: IMAGE, children: [] }],
    ],
    ['code in a language', ['js', null].map((language) => ({ type: 'code', language, children: [text()] }))],
    ['keys that nobody asks for', [{ ...paragraph(text({ color: 'red' })), align: 'left' }]],
  ])('are well formed: %s', (_what, value) => {
    expect(blocksProblem(value)).toBeNull();
  });

  it.each<[string, unknown, string]>([
    ['no list', { type: 'paragraph' }, ': must be a list of blocks'],
    ['null', null, ': must be a list of blocks'],
    ['a block that is a string', ['a'], '0: must be an object'],
    ['an unknown block', [{ type: 'video', children: [text()] }], '0: is of no known type'],
    ['no children', [paragraph()], '0.children: needs children'],
    ['children that are no list', [{ type: 'paragraph', children: 'a' }], '0.children: needs children'],
    ['an item of a list without children', [list({ type: 'list-item' })], '0.children.0.children: needs children'],
    ['a list that holds nothing', [list()], '0.children: needs children'],
    [
      'a language that is no string',
      [{ type: 'code', language: {}, children: [text()] }],
      '0.language: the language of code is a string',
    ],
    ['a block inside a block', [paragraph(paragraph(text()))], '0.children.0: inline nodes are text or link'],
    [
      'a text node without text',
      [paragraph({ type: 'text' })],
      '0.children.0.text: a text node needs a string as its text',
    ],
    ['a mark that is no yes or no', [paragraph(text({ italic: 1 }))], '0.children.0.italic: marks are true or false'],
    ...[
      ['without a url', undefined],
      ['with an empty url', ''],
      ['to a script', 'javascript:alert(1)'],
      ['to a script in other letters', ' JavaScript\n:alert(1)'],
      ['to data', 'data:text/html,<script>alert(1)</script>'],
      ['to a place that depends on the page', 'a/b'],
    ].map(([what, url]): [string, unknown, string] => [
      `a link ${what}`,
      [paragraph(link(url))],
      '0.children.0.url: a link needs a url: a path from /, or one with http, https, ftp, mailto or tel',
    ]),
    ['a link in code', [{ type: 'code', children: [link('/')] }], '0.children.0: code holds text'],
    [
      'a link in a link',
      [paragraph({ type: 'link', url: '/', children: [{ type: 'link', url: '/', children: [text()] }] })],
      '0.children.0.children.0: a link holds text',
    ],
    [
      'a heading without a level',
      [{ type: 'heading', children: [text()] }],
      '0.level: a heading needs a level from 1 to 6',
    ],
    [
      'a heading of level 7',
      [{ type: 'heading', level: 7, children: [text()] }],
      '0.level: a heading needs a level from 1 to 6',
    ],
    [
      'a heading of level 1.5',
      [{ type: 'heading', level: 1.5, children: [text()] }],
      '0.level: a heading needs a level from 1 to 6',
    ],
    [
      'a list without a format',
      [{ type: 'list', children: [listItem(text())] }],
      '0.format: a list needs the format ordered or unordered',
    ],
    ['a list of text', [list(text())], '0.children.0: a list holds list-items and lists'],
    ['a list-item outside of a list', [listItem(text())], '0: is of no known type'],
    ['lists that are nested too deeply', [nested(21)], `0${'.children.0'.repeat(21)}: is nested too deeply`],
    [
      'an image without an image',
      [{ type: 'image', children: [text()] }],
      '0.image: an image needs the image, an object with what is known of its file',
    ],
    [
      'an image with a url alone',
      [{ ...image({}), image: { url: '/a' } }],
      '0.image.name: an image needs the name of its file, a string',
    ],
    ['an image with an empty url', [image({ url: '' })], '0.image.url: an image needs the url of its file, a string'],
    [
      'an image without a width',
      [image({ width: null })],
      '0.image.width: an image needs the width of its file, a number',
    ],
  ])('are refused: %s', (_what, value, told) => {
    const { path, message } = blocksProblem(value)!;
    expect(`${path.join('.')}: ${message}`).toBe(told);
  });

  it('are told of by the first that is wrong', () => {
    expect(blocksProblem([paragraph(text()), paragraph(), 'a'])).toEqual({
      path: [1, 'children'],
      message: 'needs children',
    });
  });
});
