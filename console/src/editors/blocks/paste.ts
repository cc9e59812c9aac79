// What is pasted from pages and word processors, as blocks. Only structure is taken over: kinds of blocks, marks, links.
import { type Editor, Range } from 'slate';
import { isLinkUrl } from '../url.ts';
import { blockAt, setLink } from './commands.ts';
import type { Block, BlockText, Inline, ListElement, ListItemElement, Mark } from './nodes.ts';

export function withPaste<T extends Editor>(editor: T): T {
  const { insertData } = editor;
  editor.insertData = (data) => {
    const plain = data.getData('text/plain');
    const isOwn = data.types.includes('application/x-slate-fragment');
    if (blockAt(editor)?.[0].type === 'code') editor.insertText(plain);
    else if (!isOwn && isSelected(editor) && isLinkUrl(plain.trim())) setLink(editor, plain.trim(), '');
    else if (isOwn || !insertHtml(editor, data.getData('text/html'))) insertData(data);
  };
  return editor;
}

const isSelected = ({ selection }: Editor): boolean => selection !== null && Range.isExpanded(selection);

function insertHtml(editor: Editor, html: string): boolean {
  if (html === '') return false;
  // The policy of the page holds for styles in what is parsed as well, though it is never shown.
  const withoutStyles = html
    .replaceAll(/<style\b[\s\S]*?<\/style\s*>/gi, '')
    .replaceAll(/\sstyle\s*=/gi, ' data-style=');
  const blocks = readBlocks(new DOMParser().parseFromString(withoutStyles, 'text/html').body);
  if (blocks.length === 0) return false;
  editor.insertFragment(blocks);
  return true;
}

const SKIPPED = new Set([
  'SCRIPT',
  'STYLE',
  'TEMPLATE',
  'TITLE',
  'META',
  'LINK',
  'NOSCRIPT',
  'SVG',
  'OBJECT',
  'IFRAME',
]);
const BLOCK_TAGS =
  'address,article,aside,blockquote,dd,div,dl,dt,figure,footer,form,h1,h2,h3,h4,h5,h6,header,hr,li,main,nav,ol,p,pre,section,table,tr,ul';

/** The blocks in an element. What stands between them is a paragraph. */
function readBlocks(parent: Element): Block[] {
  const blocks: Block[] = [];
  let loose: Inline[] = [];
  const flush = (): void => {
    const children = trimmed(loose);
    if (children.length > 0) blocks.push({ type: 'paragraph', children });
    loose = [];
  };
  for (const node of parent.childNodes) {
    const element = node instanceof Element ? node : null;
    if (element && SKIPPED.has(element.tagName.toUpperCase())) continue;
    if (!element || !(element.matches(BLOCK_TAGS) || element.querySelector(BLOCK_TAGS))) {
      loose.push(...readInlines(node, {}));
      continue;
    }
    flush();
    blocks.push(...readBlock(element));
  }
  flush();
  return blocks;
}

function readBlock(element: Element): Block[] {
  const tag = element.tagName;
  const level = /^H([1-6])$/.exec(tag)?.[1];
  const children = (): Inline[] => trimmed(readInlines(element, {}));
  const only = (block: Block): Block[] => (block.children.length > 0 ? [block] : []);
  if (level) return only({ type: 'heading', level: Number(level), children: children() });
  if (tag === 'BLOCKQUOTE') return only({ type: 'quote', children: children() });
  if (tag === 'PRE') return only({ type: 'code', children: textOf(element.textContent.replace(/\n$/, '')) });
  if (tag === 'UL' || tag === 'OL') return only(readList(element));
  if (tag === 'TR') return only({ type: 'paragraph', children: textOf(cellsOf(element)) });
  return readBlocks(element);
}

const textOf = (text: string): BlockText[] => (text === '' ? [] : [{ type: 'text', text }]);
const cellsOf = (row: Element): string =>
  [...row.children].map(({ textContent }) => textContent.trim().replaceAll(/\s+/g, ' ')).join('\t');

function readList(list: Element): ListElement {
  const children: (ListItemElement | ListElement)[] = [];
  for (const item of list.children) {
    if (item.matches('ul,ol')) {
      children.push(readList(item));
      continue;
    }
    const inner = [...item.querySelectorAll(':scope > ul, :scope > ol')];
    for (const one of inner) one.remove();
    const inlines = trimmed(readInlines(item, {}));
    if (inlines.length > 0) children.push({ type: 'list-item', children: inlines });
    children.push(...inner.map(readList));
  }
  return {
    type: 'list',
    format: list.tagName === 'OL' ? 'ordered' : 'unordered',
    children: children.filter((child) => child.children.length > 0),
  };
}

type Marks = Partial<Record<Mark, true>>;

const MARK_TAGS: Readonly<Record<string, Mark>> = {
  B: 'bold',
  STRONG: 'bold',
  I: 'italic',
  EM: 'italic',
  U: 'underline',
  S: 'strikethrough',
  DEL: 'strikethrough',
  STRIKE: 'strikethrough',
  CODE: 'code',
};
/** Word processors say it by styles, and take back by them what a tag says. */
const MARK_STYLES: readonly (readonly [RegExp, Mark])[] = [
  [/font-weight:\s*(?:bold|[6-9]00)/i, 'bold'],
  [/font-style:\s*italic/i, 'italic'],
  [/text-decoration[^;]*underline/i, 'underline'],
  [/text-decoration[^;]*line-through/i, 'strikethrough'],
];
const IS_LIGHT = /font-weight:\s*(?:normal|[1-5]00)/i;

function marksOf(element: Element, marks: Marks): Marks {
  const style = element.getAttribute('data-style') ?? '';
  const tag = MARK_TAGS[element.tagName];
  const found: Marks = { ...marks };
  if (tag && !(tag === 'bold' && IS_LIGHT.test(style))) found[tag] = true;
  // Links are underlined anyway.
  if (element.tagName !== 'A') for (const [pattern, mark] of MARK_STYLES) if (pattern.test(style)) found[mark] = true;
  return found;
}

function readInlines(node: Node, marks: Marks): Inline[] {
  if (node instanceof Text) {
    const text = node.data.replaceAll(/[\t\n\r ]+/g, ' ');
    return text === '' ? [] : [{ type: 'text', text, ...marks }];
  }
  if (!(node instanceof Element) || SKIPPED.has(node.tagName.toUpperCase())) return [];
  if (node.tagName === 'BR') return [{ type: 'text', text: '\n' }];
  const own = marksOf(node, marks);
  const children = [...node.childNodes].flatMap((child) => readInlines(child, own));
  const url = node.tagName === 'A' ? (node.getAttribute('href') ?? '') : '';
  const texts = children.filter((child): child is BlockText => child.type === 'text');
  if (isLinkUrl(url) && texts.some(({ text }) => text.trim() !== '')) return [{ type: 'link', url, children: texts }];
  // Lines of a quote are blocks in it.
  return node.matches('p,div,li,tr') && children.length > 0 ? [...children, { type: 'text', text: '\n' }] : children;
}

/** Without space at its start and end. */
function trimmed(inlines: readonly Inline[]): Inline[] {
  const kept = [...inlines];
  const isBlank = (inline: Inline | undefined): boolean => inline?.type === 'text' && inline.text.trim() === '';
  while (isBlank(kept[0])) kept.shift();
  while (isBlank(kept.at(-1))) kept.pop();
  const [first] = kept;
  if (first?.type === 'text') kept[0] = { ...first, text: first.text.trimStart() };
  const last = kept.at(-1);
  if (last?.type === 'text') kept[kept.length - 1] = { ...last, text: last.text.trimEnd() };
  return kept;
}
