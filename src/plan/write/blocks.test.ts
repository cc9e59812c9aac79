// Rich text in blocks: what is well formed, and what is told of the first block that is not.
import { describe, expect, it } from 'vitest';
import { blocksProblem } from './blocks.ts';

const text = (more: object = {}) => ({ type: 'text', text: 'a', ...more });
const paragraph = (...children: unknown[]) => ({ type: 'paragraph', children });
const link = (url: unknown) => ({ type: 'link', url, children: [text()] });
const listItem = (...children: unknown[]) => ({ type: 'list-item', children });
const list = (...children: unknown[]) => ({ type: 'list', format: 'ordered', children });
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
    ['an image', [{ type: 'image', image: { url: '/a.png' }, children: [text()] }]],
    [
      'items of lists, links and images that hold nothing',
      [
        list(listItem()),
        paragraph({ ...link('/'), children: [] }),
        { type: 'image', image: { url: '/a' }, children: [] },
      ],
    ],
    ['code in a language', ['js', null].map((language) => ({ type: 'code', language, children: [text()] }))],
    ['keys that nobody asks for', [{ ...paragraph(text({ color: 'red' })), align: 'left' }]],
  ])('are well formed: %s', (_what, value) => {
    expect(blocksProblem(value)).toBeNull();
  });

  it.each<[string, unknown, string]>([
    ['no list', { type: 'paragraph' }, 'must be a list of blocks'],
    ['null', null, 'must be a list of blocks'],
    ['a block that is a string', ['a'], 'block 0: must be an object'],
    ['an unknown block', [{ type: 'video', children: [text()] }], 'block 0: is of no known type'],
    ['no children', [paragraph()], 'block 0: needs children'],
    ['children that are no list', [{ type: 'paragraph', children: 'a' }], 'block 0: needs children'],
    ['an item of a list without children', [list({ type: 'list-item' })], 'block 0: needs children'],
    ['a list that holds nothing', [list()], 'block 0: needs children'],
    [
      'a language that is no string',
      [{ type: 'code', language: {}, children: [text()] }],
      'block 0: the language of code is a string',
    ],
    ['a block inside a block', [paragraph(paragraph(text()))], 'block 0: inline nodes are text or link'],
    ['a text node without text', [paragraph({ type: 'text' })], 'block 0: a text node needs a string as its text'],
    ['a mark that is no yes or no', [paragraph(text({ italic: 1 }))], 'block 0: marks are true or false'],
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
      'block 0: a link needs a url: a path from /, or one with http, https, ftp, mailto or tel',
    ]),
    ['a link in code', [{ type: 'code', children: [link('/')] }], 'block 0: code holds text'],
    [
      'a link in a link',
      [paragraph({ type: 'link', url: '/', children: [{ type: 'link', url: '/', children: [text()] }] })],
      'block 0: a link holds text',
    ],
    [
      'a heading without a level',
      [{ type: 'heading', children: [text()] }],
      'block 0: a heading needs a level from 1 to 6',
    ],
    [
      'a heading of level 7',
      [{ type: 'heading', level: 7, children: [text()] }],
      'block 0: a heading needs a level from 1 to 6',
    ],
    [
      'a heading of level 1.5',
      [{ type: 'heading', level: 1.5, children: [text()] }],
      'block 0: a heading needs a level from 1 to 6',
    ],
    [
      'a list without a format',
      [{ type: 'list', children: [listItem(text())] }],
      'block 0: a list needs the format ordered or unordered',
    ],
    ['a list of text', [list(text())], 'block 0: a list holds list-items and lists'],
    ['a list-item outside of a list', [listItem(text())], 'block 0: is of no known type'],
    ['lists that are nested too deeply', [nested(21)], 'block 0: is nested too deeply'],
    [
      'an image without an image',
      [{ type: 'image', children: [text()] }],
      'block 0: an image needs an image with a url',
    ],
  ])('are refused: %s', (_what, value, told) => {
    expect(blocksProblem(value)).toBe(told);
  });

  it('are told of by the first that is wrong', () => {
    expect(blocksProblem([paragraph(text()), paragraph(), 'a'])).toBe('block 1: needs children');
  });
});
