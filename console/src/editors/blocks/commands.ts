// What the toolbar and the keys do with the text that is selected.
import { Editor, Element, type NodeEntry, Path, Range, Transforms } from 'slate';
import type { StoredFile } from '../../files/file.ts';
import {
  type BlockElement,
  type CodeElement,
  emptyParagraph,
  emptyText,
  type ImageElement,
  type LinkElement,
  type ListElement,
  type ListFormat,
  type ListItemElement,
  MAX_LIST_NESTING,
  type Mark,
  TEXT_BLOCKS,
} from './nodes.ts';
import { become } from './normalize.ts';

/** A block as the toolbar names it. */
export type BlockKind =
  | { readonly type: 'paragraph' | 'quote' | 'code' }
  | { readonly type: 'heading'; readonly level: number };

const isTextBlock = (node: unknown): node is BlockElement => Element.isElement(node) && TEXT_BLOCKS.includes(node.type);

/** The block that the selection begins in. */
export function blockAt(editor: Editor): NodeEntry<Element> | undefined {
  if (!editor.selection) return undefined;
  const [at] = Range.edges(editor.selection);
  return Editor.above<Element>(editor, {
    at,
    match: (node) => isTextBlock(node) || (Element.isElement(node) && node.type === 'image'),
    voids: true,
  });
}

export const hasMark = (editor: Editor, mark: Mark): boolean => Editor.marks(editor)?.[mark] === true;

export function toggleMark(editor: Editor, mark: Mark): void {
  if (hasMark(editor, mark)) Editor.removeMark(editor, mark);
  else Editor.addMark(editor, mark, true);
}

/** Makes the selected blocks such blocks; items of lists leave them. */
export function setBlock(editor: Editor, kind: BlockKind): void {
  if (!editor.selection) return;
  Editor.withoutNormalizing(editor, () => {
    leaveLists(editor);
    const blocks = [...Editor.nodes(editor, { match: isTextBlock })];
    for (const entry of blocks) become(editor, entry, kind);
  });
}

const isList = (node: unknown): node is ListElement => Element.isElement(node) && node.type === 'list';
const isItem = (node: unknown): node is ListItemElement => Element.isElement(node) && node.type === 'list-item';
const listAt = (editor: Editor, at?: Path): NodeEntry<ListElement> | undefined =>
  Editor.above<ListElement>(editor, { ...(at && { at }), match: isList, mode: 'lowest' });

/** The format of the list that the selection is in. */
export const listFormat = (editor: Editor): ListFormat | null =>
  editor.selection ? (listAt(editor)?.[0].format ?? null) : null;

/** Takes the selected items out of all lists that they are in. */
function leaveLists(editor: Editor): void {
  const items = [...Editor.nodes(editor, { match: isItem })].map(([, path]) => Editor.pathRef(editor, path));
  for (const item of items) {
    while (item.current && item.current.length > 1) Transforms.liftNodes(editor, { at: item.current });
    item.unref();
  }
}

/** Makes a list of the selected blocks; out of a list of that format, blocks; out of the other, that one. */
export function toggleList(editor: Editor, format: ListFormat): void {
  if (!editor.selection) return;
  const current = listFormat(editor);
  if (current === format) {
    setBlock(editor, { type: 'paragraph' });
    return;
  }
  if (current !== null) {
    Transforms.setNodes(editor, { format }, { match: isList, mode: 'lowest' });
    return;
  }
  Editor.withoutNormalizing(editor, () => {
    const blocks = [...Editor.nodes(editor, { match: (node) => isTextBlock(node) && node.type !== 'list-item' })];
    for (const entry of blocks) become(editor, entry, { type: 'list-item' });
    const paths = blocks.map(([, path]) => path);
    for (const run of runsOf(paths).reverse()) wrapRun(editor, run, format);
  });
}

type Run = [Path, ...Path[]];

/** Paths of neighbours, together. */
function runsOf(paths: readonly Path[]): Run[] {
  const runs: Run[] = [];
  for (const path of paths) {
    const run = runs.at(-1);
    if (run && Path.equals(Path.next(run.at(-1)!), path)) run.push(path);
    else runs.push([path]);
  }
  return runs;
}

function wrapRun(editor: Editor, run: Run, format: ListFormat): void {
  const [first] = run;
  Transforms.insertNodes(editor, { type: 'list', format, children: [] }, { at: first });
  for (const [index] of run.entries()) Transforms.moveNodes(editor, { at: Path.next(first), to: [...first, index] });
}

/** The item of a list that the selection begins in. */
const itemAt = (editor: Editor): NodeEntry<Element> | undefined =>
  editor.selection
    ? Editor.above<Element>(editor, {
        at: Range.edges(editor.selection)[0],
        match: isItem,
      })
    : undefined;

/** Puts an item into a list of its own below the item before it. False where there is none, or it is deep enough. */
export function indent(editor: Editor): boolean {
  const item = itemAt(editor);
  if (!item) return false;
  const [, path] = item;
  const [list] = Editor.parent(editor, path);
  if (path.at(-1) === 0 || !isList(list) || path.length - 1 > MAX_LIST_NESTING) return false;
  const before = Path.previous(path);
  const [previous] = Editor.node(editor, before);
  if (isList(previous)) Transforms.moveNodes(editor, { at: path, to: [...before, previous.children.length] });
  else Transforms.wrapNodes(editor, { type: 'list', format: list.format, children: [] }, { at: path });
  return true;
}

/** Takes an item into the list around its own. False where there is none. */
export function outdent(editor: Editor): boolean {
  const item = itemAt(editor);
  if (!item || item[1].length < 3) return false;
  Transforms.liftNodes(editor, { at: item[1] });
  return true;
}

/** Takes an item out by one list; out of the outermost it is a paragraph. */
export function leaveList(editor: Editor): void {
  const item = itemAt(editor);
  if (!item || outdent(editor)) return;
  Editor.withoutNormalizing(editor, () => {
    Transforms.setNodes(editor, { type: 'paragraph' }, { at: item[1] });
    Transforms.liftNodes(editor, { at: item[1] });
  });
}

export const linkAt = (editor: Editor): NodeEntry<LinkElement> | undefined =>
  editor.selection
    ? Editor.above<LinkElement>(editor, { match: (node) => Element.isElement(node) && node.type === 'link' })
    : undefined;

/** Whether text of this kind of block can be a link; code cannot. */
export const mayLink = (editor: Editor): boolean => {
  const type = blockAt(editor)?.[0].type;
  return type !== undefined && type !== 'code' && type !== 'image';
};

/** Links what is selected; where nothing is, `text` is put in. Within a link, that link changes. */
export function setLink(editor: Editor, url: string, text: string): void {
  const existing = linkAt(editor);
  if (existing) {
    Transforms.setNodes(editor, { url }, { at: existing[1] });
    return;
  }
  const { selection } = editor;
  if (!selection || !mayLink(editor)) return;
  if (Range.isExpanded(selection)) {
    Transforms.wrapNodes(editor, { type: 'link', url, children: [] }, { split: true });
    Transforms.collapse(editor, { edge: 'end' });
    return;
  }
  const marks = Editor.marks(editor) ?? {};
  Transforms.insertNodes(editor, {
    type: 'link',
    url,
    children: [{ ...marks, type: 'text', text: text === '' ? url : text }],
  });
  Transforms.move(editor, { unit: 'offset' });
}

export function removeLink(editor: Editor): void {
  const link = linkAt(editor);
  if (link) Transforms.unwrapNodes(editor, { at: link[1] });
}

/** Puts a picture after the block of the selection, in place of an empty paragraph, and a line to go on with after it. */
export function insertImage(editor: Editor, image: ImageElement['image']): void {
  const node: ImageElement = { type: 'image', image, children: [emptyText()] };
  const top = editor.selection ? Range.end(editor.selection).path[0]! : editor.children.length - 1;
  const block = editor.children[top];
  Editor.withoutNormalizing(editor, () => {
    const isEmpty = Element.isElement(block) && block.type === 'paragraph' && Editor.string(editor, [top]) === '';
    const at = isEmpty ? top : top + 1;
    if (isEmpty) Transforms.removeNodes(editor, { at: [top] });
    Transforms.insertNodes(editor, node, { at: [at] });
    if (at === editor.children.length - 1) Transforms.insertNodes(editor, emptyParagraph(), { at: [at + 1] });
    Transforms.select(editor, Editor.start(editor, [at + 1]));
  });
}

/** Names the language of the code at a path; without one nothing is said of it. */
export const setLanguage = (editor: Editor, path: Path, language: string): void =>
  Transforms.setNodes<CodeElement>(editor, { language: language === '' ? null : language }, { at: path });

/** What Strapi 5 stores of a picture in a text. */
const STORED = [
  'name',
  'alternativeText',
  'url',
  'caption',
  'width',
  'height',
  'formats',
  'hash',
  'ext',
  'mime',
  'size',
  'previewUrl',
  'provider',
  'createdAt',
  'updatedAt',
] as const satisfies readonly (keyof StoredFile)[];

export const imageOf = (file: StoredFile): ImageElement['image'] => ({
  ...Object.fromEntries(STORED.map((key) => [key, file[key] ?? null])),
  url: file.url,
});
