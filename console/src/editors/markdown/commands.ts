// What the toolbar does with text in Markdown. Each gives the change to make.
import { type ChangeSpec, EditorSelection, type EditorState, type TransactionSpec } from '@codemirror/state';

/** Puts signs around what is selected, or takes them away. */
export function toggleAround(state: EditorState, sign: string): TransactionSpec {
  return state.changeByRange((range) => {
    const { length } = sign;
    const before = state.sliceDoc(Math.max(0, range.from - length), range.from);
    const after = state.sliceDoc(range.to, range.to + length);
    if (before === sign && after === sign)
      return {
        changes: [
          { from: range.from - length, to: range.from },
          { from: range.to, to: range.to + length },
        ],
        range: EditorSelection.range(range.anchor - length, range.head - length),
      };
    return {
      changes: [
        { from: range.from, insert: sign },
        { from: range.to, insert: sign },
      ],
      range: EditorSelection.range(range.anchor + length, range.head + length),
    };
  });
}

export type LineKind = 'quote' | 'list' | 'numbers' | { readonly heading: number };

const PREFIX = /^(?:#{1,6} +|> ?|[-*+] +|\d+[.)] +)/;

const prefixOf = (kind: LineKind, index: number): string => {
  if (kind === 'quote') return '> ';
  if (kind === 'list') return '- ';
  return kind === 'numbers' ? `${index + 1}. ` : `${'#'.repeat(kind.heading)} `;
};

/** Makes the selected lines such lines; those that are, plain ones. */
export function toggleLines(state: EditorState, kind: LineKind): TransactionSpec {
  const { from, to } = state.selection.main;
  const first = state.doc.lineAt(from).number;
  const last = state.doc.lineAt(to).number;
  const lines = Array.from({ length: last - first + 1 }, (_, index) => state.doc.line(first + index));
  const areSuch = lines.every((line, index) => line.text.startsWith(prefixOf(kind, index)));
  const changes = lines.map((line, index): ChangeSpec => {
    const old = PREFIX.exec(line.text)?.[0].length ?? 0;
    return { from: line.from, to: line.from + old, insert: areSuch ? '' : prefixOf(kind, index) };
  });
  return { changes, selection: state.selection.map(state.changes(changes), 1) };
}

/** A link around what is selected; what is to be written next is selected then. */
export function insertLink(state: EditorState): TransactionSpec {
  const { from, to } = state.selection.main;
  const text = state.sliceDoc(from, to);
  const at = from + text.length + 3;
  return text === ''
    ? { changes: { from, insert: '[](https://)' }, selection: { anchor: from + 1 } }
    : { changes: { from, to, insert: `[${text}](https://)` }, selection: { anchor: at, head: at + 8 } };
}

const escaped = (text: string): string => text.replaceAll(/[[\]\\]/g, '\\$&');

export function insertImage(state: EditorState, url: string, alt: string): TransactionSpec {
  const { from, to } = state.selection.main;
  const insert = `![${escaped(alt)}](${/[\s()]/.test(url) ? `<${url}>` : url})`;
  return { changes: { from, to, insert }, selection: { anchor: from + insert.length } };
}
