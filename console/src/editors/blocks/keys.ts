// Keys of the editor of blocks.
import type { KeyboardEvent } from 'react';
import type { Editor } from 'slate';
import { indent, outdent, toggleMark } from './commands.ts';
import type { Mark } from './nodes.ts';

const MARK_KEYS: Readonly<Record<string, Mark>> = {
  b: 'bold',
  i: 'italic',
  u: 'underline',
  e: 'code',
  'shift+s': 'strikethrough',
};

/** What a key does; false where Slate and the browser shall decide. */
export function handleKey(editor: Editor, event: KeyboardEvent, onLink: () => void): boolean {
  if (event.key === 'Tab' && !event.ctrlKey && !event.metaKey && !event.altKey)
    return event.shiftKey ? outdent(editor) : indent(editor);
  if ((!event.ctrlKey && !event.metaKey) || event.altKey) return false;
  const key = `${event.shiftKey ? 'shift+' : ''}${event.key.toLowerCase()}`;
  if (key === 'k') {
    onLink();
    return true;
  }
  const mark = MARK_KEYS[key];
  if (mark === undefined) return false;
  toggleMark(editor, mark);
  return true;
}
