// Markdown without a browser: what it looks like, and what the toolbar makes of it.
import { EditorState, type TransactionSpec } from '@codemirror/state';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { insertImage, insertLink, toggleAround, toggleLines } from './commands.ts';
import { renderMarkdown } from './render.tsx';

const html = (text: string): string => renderToStaticMarkup(renderMarkdown(text));
const away = 'target="_blank" rel="noopener noreferrer"';

describe('Preview', () => {
  it.each([
    ['# One', '<h1>One</h1>'],
    ['Two\n---', '<h2>Two\n</h2>'],
    ['a **b** _c_ ~~d~~ `e`', '<p>a <strong>b</strong> <em>c</em> <del>d</del> <code>e</code></p>'],
    ['a  \nb\\\nc', '<p>a<br/>b<br/>c</p>'],
    ['a \\* &amp; &#65; &nope;', '<p>a * &amp; A &amp;nope;</p>'],
    ['> a\n> b', '<blockquote><p>a\n b</p></blockquote>'],
    ['- a\n  - b\n- c', '<ul><li><p>a</p><ul><li><p>b</p></li></ul></li><li><p>c</p></li></ul>'],
    ['3. a', '<ol start="3"><li><p>a</p></li></ol>'],
    ['```js\na < b\n```', '<pre>a &lt; b</pre>'],
    ['---', '<hr/>'],
    ['[a](/b "title")', `<p><a href="/b" ${away}>a</a></p>`],
    [
      '[a][x] [x] [no]\n\n[X]: <https://e.com>',
      `<p><a href="https://e.com" ${away}>a</a> <a href="https://e.com" ${away}>x</a> [no]</p>`,
    ],
    [
      '<https://e.com> www.e.com',
      `<p><a href="https://e.com" ${away}>https://e.com</a> <a href="https://www.e.com" ${away}>www.e.com</a></p>`,
    ],
    ['![alt](/uploads/a.png)', '<p><img src="/uploads/a.png" alt="alt" loading="lazy"/></p>'],
    ['![alt](https://e.com/a.png)', `<p><a href="https://e.com/a.png" ${away}>Picture: alt</a></p>`],
    [
      '| a | b |\n|---|---|\n| 1 | **2** |',
      '<table class="table"><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td><strong>2</strong></td></tr></tbody></table>',
    ],
  ])('%j', (text, expected) => {
    expect(html(text)).toBe(expected);
  });

  it('runs nothing: tags are text, and links of other kinds lead nowhere', () => {
    const shown = html(
      '<script>alert(1)</script>\n\n<img src=x onerror=alert(1)> [a](javascript:alert(1)) [b](<data:text/html,x>) <!-- c -->\n\n- [x] done',
    );
    expect(shown).not.toMatch(/<script|<img|javascript:|href="data/);
    expect(shown).toContain('&lt;img src=x onerror=alert(1)&gt;');
    expect(shown).toContain('aria-label="Done"');
  });
});

describe('Toolbar', () => {
  const at = (doc: string, anchor: number, head = anchor) => EditorState.create({ doc, selection: { anchor, head } });
  const after = (state: EditorState, change: TransactionSpec) => {
    const next = state.update(change).state;
    const { from, to } = next.selection.main;
    return `${next.sliceDoc(0, from)}<${next.sliceDoc(from, to)}>${next.sliceDoc(to)}`;
  };

  it('puts signs around, and takes them away', () => {
    const state = at('a b c', 2, 3);
    expect(after(state, toggleAround(state, '**'))).toBe('a **<b>** c');
    const marked = at('a **b** c', 4, 5);
    expect(after(marked, toggleAround(marked, '**'))).toBe('a <b> c');
  });

  it('makes lines headings, lists and quotes, and plain again', () => {
    const state = at('a\n- b', 0, 5);
    expect(state.update(toggleLines(state, 'numbers')).state.doc.toString()).toBe('1. a\n2. b');
    expect(state.update(toggleLines(state, { heading: 2 })).state.doc.toString()).toBe('## a\n## b');
    const quote = at('> a', 3);
    expect(quote.update(toggleLines(quote, 'quote')).state.doc.toString()).toBe('a');
  });

  it('links and shows pictures', () => {
    const state = at('a b', 2, 3);
    expect(after(state, insertLink(state))).toBe('a [b](<https://>)');
    expect(after(state, insertImage(state, '/uploads/a b.png', 'a [b]'))).toBe('a ![a \\[b\\]](</uploads/a b.png>)<>');
  });
});
