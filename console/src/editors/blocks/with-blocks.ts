// Slate, taught the blocks of the API: what is inline, what has no text, and what keys do at the edges of blocks.
import { Editor, Element, Path, Point, Range, Transforms } from 'slate';
import { blockAt, leaveList, outdent, setBlock } from './commands.ts';
import { emptyParagraph } from './nodes.ts';
import { repair } from './normalize.ts';
import { applyShortcut } from './shortcuts.ts';

export function withBlocks<T extends Editor>(editor: T): T {
  const { isInline, isVoid, normalizeNode, insertBreak, deleteBackward, insertText } = editor;
  editor.isInline = (element) => element.type === 'link' || isInline(element);
  editor.isVoid = (element) => element.type === 'image' || isVoid(element);
  editor.normalizeNode = (entry, options) => {
    if (!repair(editor, entry)) normalizeNode(entry, options);
  };
  editor.insertBreak = () => {
    if (!breakBlock(editor)) insertBreak();
  };
  editor.insertSoftBreak = () => editor.insertText('\n');
  editor.deleteBackward = (unit) => {
    if (!deleteAtStart(editor)) deleteBackward(unit);
  };
  editor.insertText = (text, options) => {
    if (text !== ' ' || !applyShortcut(editor)) insertText(text, options);
  };
  return editor;
}

/** What Enter does where it does more than to part a block in two. */
function breakBlock(editor: Editor): boolean {
  if (editor.selection && Range.isExpanded(editor.selection) && blockAt(editor)?.[0].type !== 'image')
    Editor.deleteFragment(editor);
  const { selection } = editor;
  const entry = blockAt(editor);
  if (!selection || !entry) return false;
  const [block, path] = entry;
  const isEmpty = Editor.string(editor, path) === '';
  switch (block.type) {
    case 'image':
      Transforms.insertNodes(editor, emptyParagraph(), { at: Path.next(path), select: true });
      return true;
    case 'list-item':
      if (isEmpty) leaveList(editor);
      else Transforms.splitNodes(editor, { always: true });
      return true;
    case 'heading':
      if (!Editor.isEnd(editor, selection.anchor, path)) return false;
      Transforms.insertNodes(editor, emptyParagraph(), { at: Path.next(path), select: true });
      return true;
    case 'quote':
    case 'code':
      return breakLine(editor, path);
    default:
      return applyShortcut(editor, '```');
  }
}

/** Quotes and code have several lines; an empty one at the end leads out. */
function breakLine(editor: Editor, path: Path): boolean {
  const text = Editor.string(editor, path);
  if (!text.endsWith('\n') || !Editor.isEnd(editor, editor.selection!.anchor, path)) {
    editor.insertText('\n');
    return true;
  }
  Editor.withoutNormalizing(editor, () => {
    Transforms.delete(editor, { distance: 1, unit: 'character', reverse: true });
    Transforms.insertNodes(editor, emptyParagraph(), { at: Path.next(path), select: true });
  });
  return true;
}

/** Backspace at the start of a block that is no paragraph makes it one; a list-item goes out of its list. */
function deleteAtStart(editor: Editor): boolean {
  const { selection } = editor;
  const entry = blockAt(editor);
  if (!selection || Range.isExpanded(selection) || !entry) return false;
  const [block, path] = entry;
  if (!Point.equals(selection.anchor, Editor.start(editor, path))) return false;
  switch (block.type) {
    case 'list-item':
      if (!outdent(editor)) leaveList(editor);
      return true;
    case 'heading':
    case 'quote':
    case 'code':
      setBlock(editor, { type: 'paragraph' });
      return true;
    case 'paragraph':
      return deleteBeforeVoid(editor, path);
    default:
      return false;
  }
}

/** Before an image, Backspace selects it, so that nothing is lost unseen. */
function deleteBeforeVoid(editor: Editor, path: Path): boolean {
  if (path.at(-1) === 0) return false;
  const [before, previous] = Editor.node(editor, Path.previous(path));
  if (!Element.isElement(before) || before.type !== 'image') return false;
  if (Editor.string(editor, path) === '') Transforms.removeNodes(editor, { at: path });
  Transforms.select(editor, Editor.start(editor, previous));
  return true;
}
