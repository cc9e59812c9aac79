import { Toolbar } from '@base-ui/react/toolbar';
import type { ReactNode } from 'react';
import type { Editor } from 'slate';
import { ReactEditor, useSlate } from 'slate-react';
import { Menu } from '../../ui/menu.tsx';
import { EditorToolbar, ToolbarButton, ToolbarMenuButton, ToolbarSeparator } from '../toolbar.tsx';
import {
  type BlockKind,
  blockAt,
  hasMark,
  indent,
  linkAt,
  listFormat,
  mayLink,
  outdent,
  setBlock,
  setLanguage,
  toggleList,
  toggleMark,
} from './commands.ts';
import type { BlockElement, ListFormat, Mark } from './nodes.ts';

const MARK_BUTTONS: readonly { readonly mark: Mark; readonly label: string; readonly keys: string; sign: string }[] = [
  { mark: 'bold', label: 'Bold', keys: 'Ctrl+B', sign: 'B' },
  { mark: 'italic', label: 'Italic', keys: 'Ctrl+I', sign: 'I' },
  { mark: 'underline', label: 'Underline', keys: 'Ctrl+U', sign: 'U' },
  { mark: 'strikethrough', label: 'Strikethrough', keys: 'Ctrl+Shift+S', sign: 'S' },
  { mark: 'code', label: 'Code', keys: 'Ctrl+E', sign: '<>' },
];

const KINDS: readonly { readonly label: string; readonly kind: BlockKind }[] = [
  { label: 'Paragraph', kind: { type: 'paragraph' } },
  ...[1, 2, 3, 4, 5, 6].map((level) => ({ label: `Heading ${level}`, kind: { type: 'heading', level } as const })),
  { label: 'Quote', kind: { type: 'quote' } },
  { label: 'Code', kind: { type: 'code' } },
];

function nameOf(block: BlockElement | undefined): string {
  if (block?.type === 'list-item') return 'List';
  if (block?.type === 'image') return 'Image';
  const same = KINDS.find(
    ({ kind }) =>
      kind.type === block?.type &&
      (kind.type !== 'heading' || (block.type === 'heading' && kind.level === block.level)),
  );
  return same?.label ?? 'Paragraph';
}

interface BlocksToolbarProps {
  readonly controls: string;
  readonly onLink: () => void;
  readonly onImage: (() => void) | null;
}

export function BlocksToolbar({ controls, onLink, onImage }: BlocksToolbarProps): ReactNode {
  const editor = useSlate();
  const block = blockAt(editor);
  const kind = nameOf(block?.[0]);
  const choose = (next: BlockKind): void => {
    setBlock(editor, next);
    // After the menu has given the focus back.
    setTimeout(() => ReactEditor.focus(editor));
  };
  return (
    <EditorToolbar label="Formatting" controls={controls}>
      <Menu
        trigger={<ToolbarMenuButton label={`Kind of block: ${kind}`}>{kind}</ToolbarMenuButton>}
        items={KINDS.map((one) => ({ label: one.label, onSelect: () => choose(one.kind) }))}
      />
      <ToolbarSeparator />
      {MARK_BUTTONS.map(({ mark, label, keys, sign }) => (
        <ToolbarButton
          key={mark}
          label={label}
          keys={keys}
          sign={<span className={`editor-sign-${mark}`}>{sign}</span>}
          isOn={hasMark(editor, mark)}
          onClick={() => toggleMark(editor, mark)}
        />
      ))}
      <ToolbarSeparator />
      <ToolbarButton
        label="Link"
        keys="Ctrl+K"
        icon="link"
        isOn={linkAt(editor) !== undefined}
        disabled={!mayLink(editor)}
        onClick={onLink}
      />
      {onImage && <ToolbarButton label="Image" icon="image" onClick={onImage} />}
      <ListButtons editor={editor} format={listFormat(editor)} />
      <ToolbarSeparator />
      <ToolbarButton label="Undo" keys="Ctrl+Z" sign="↶" onClick={() => editor.undo()} />
      <ToolbarButton label="Redo" keys="Ctrl+Shift+Z" sign="↷" onClick={() => editor.redo()} />
      {block?.[0].type === 'code' && (
        <Toolbar.Input
          className="input input-small editor-language"
          aria-label="Language of the code"
          placeholder="Language"
          value={block[0].language ?? ''}
          onChange={(event) => setLanguage(editor, block[1], event.target.value)}
        />
      )}
    </EditorToolbar>
  );
}

interface ListButtonsProps {
  readonly editor: Editor;
  /** Of the list that the selection is in. */
  readonly format: ListFormat | null;
}

const ListButtons = ({ editor, format }: ListButtonsProps): ReactNode => (
  <>
    <ToolbarButton
      label="List"
      icon="list"
      isOn={format === 'unordered'}
      onClick={() => toggleList(editor, 'unordered')}
    />
    <ToolbarButton
      label="Numbered list"
      icon="numbers"
      isOn={format === 'ordered'}
      onClick={() => toggleList(editor, 'ordered')}
    />
    {format && (
      <>
        <ToolbarButton label="Into the list above" keys="Tab" sign="⇥" onClick={() => indent(editor)} />
        <ToolbarButton label="Out of this list" keys="Shift+Tab" sign="⇤" onClick={() => outdent(editor)} />
      </>
    )}
  </>
);
