// Signs at the start of a line that stand for a block, as in Markdown: "# " is a heading, "- " a list.
import { Editor, Range, Transforms } from 'slate';
import { type BlockKind, blockAt, setBlock, toggleList } from './commands.ts';
import type { ListFormat } from './nodes.ts';

type Shortcut = { readonly block: BlockKind } | { readonly list: ListFormat };

export function shortcutOf(text: string): Shortcut | null {
  if (/^#{1,6}$/.test(text)) return { block: { type: 'heading', level: text.length } };
  if (text === '-' || text === '*' || text === '+') return { list: 'unordered' };
  if (/^\d{1,3}[.)]$/.test(text)) return { list: 'ordered' };
  if (text === '>') return { block: { type: 'quote' } };
  if (text === '```') return { block: { type: 'code' } };
  return null;
}

/** Applies the sign before the cursor, if a paragraph begins with one; `only`: that sign alone. */
export function applyShortcut(editor: Editor, only?: string): boolean {
  const { selection } = editor;
  const entry = blockAt(editor);
  if (!selection || Range.isExpanded(selection) || entry?.[0].type !== 'paragraph') return false;
  const before = { anchor: Editor.start(editor, entry[1]), focus: selection.anchor };
  const text = Editor.string(editor, before);
  const shortcut = shortcutOf(text);
  if (!shortcut || (only !== undefined && text !== only)) return false;
  Editor.withoutNormalizing(editor, () => {
    Transforms.delete(editor, { at: before });
    if ('list' in shortcut) toggleList(editor, shortcut.list);
    else setBlock(editor, shortcut.block);
  });
  return true;
}
