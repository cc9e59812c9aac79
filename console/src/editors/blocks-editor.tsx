// Rich text in blocks, edited as it looks.
import { type KeyboardEvent, type ReactNode, useCallback, useRef, useState } from 'react';
import { createEditor, type Editor, Range, type Selection, Transforms } from 'slate';
import { withHistory } from 'slate-history';
import { Editable, ReactEditor, Slate, withReact } from 'slate-react';
import { useSession } from '../shell/session.ts';
import { BlocksToolbar } from './blocks/blocks-toolbar.tsx';
import { imageOf, insertImage, linkAt, mayLink, removeLink, setLink } from './blocks/commands.ts';
import { loadBlocks } from './blocks/convert.ts';
import { renderElement, renderLeaf } from './blocks/elements.tsx';
import { handleKey } from './blocks/keys.ts';
import { LinkDialog } from './blocks/link-dialog.tsx';
import { withPaste } from './blocks/paste.ts';
import { withBlocks } from './blocks/with-blocks.ts';
import { type EditorProps, labelId, useLabelClick, useOwnValue } from './editor.ts';
import { PictureDialog } from './picture-dialog.tsx';
import './blocks-editor.css';

/** The value is a list of blocks; null where there is no text. */
export default function BlocksEditor({ value, onChange, ...rest }: EditorProps<unknown>): ReactNode {
  const [version, emit] = useOwnValue(value, onChange);
  return <LoadedEditor key={version} value={value} onChange={emit} {...rest} />;
}

function openEditor(value: unknown) {
  const loaded = loadBlocks(value);
  const editor = withPaste(withBlocks(withReact(withHistory(createEditor()))));
  editor.children = loaded.children;
  return { editor, save: loaded.save };
}

type DialogKind = 'link' | 'image';

/** Which dialog is open. When it closes, the text is selected as it was before, and what was chosen is done there. */
function useDialog(editor: Editor) {
  const [dialog, setDialog] = useState<DialogKind | null>(null);
  /** Where the text was selected when a dialog was opened. */
  const selected = useRef<Selection>(null);
  return {
    dialog,
    open: (which: DialogKind): void => {
      selected.current = editor.selection;
      if (which === 'image' || mayLink(editor)) setDialog(which);
    },
    close: (change: () => void): void => {
      setDialog(null);
      // After the dialog has given the focus back, which leaves the cursor at the start.
      setTimeout(() => {
        if (selected.current) Transforms.select(editor, selected.current);
        change();
        ReactEditor.focus(editor);
      });
    },
  };
}

function LoadedEditor({ value, onChange, control, readOnly = false }: EditorProps<unknown>): ReactNode {
  const [{ editor, save }] = useState(() => openEditor(value));
  const { dialog, open, close } = useDialog(editor);
  const mayChoose = useSession().can('files.read');
  // Escape, then Tab leaves the editor from within a list.
  const leaves = useRef(false);
  useLabelClick(
    control.id,
    useCallback(() => ReactEditor.focus(editor), [editor]),
  );
  const onKeyDown = (event: KeyboardEvent): void => {
    if (leaves.current && event.key === 'Tab') return;
    if (event.key !== 'Shift') leaves.current = event.key === 'Escape';
    if (handleKey(editor, event, () => open('link'))) event.preventDefault();
  };
  const { id, ...aria } = control;
  const look = ['editor', readOnly && 'editor-read-only', control['aria-invalid'] && 'editor-invalid'];
  return (
    <div className={look.filter(Boolean).join(' ')}>
      <Slate editor={editor} onValueChange={(children) => onChange(save(children))}>
        {!readOnly && (
          <BlocksToolbar controls={id} onLink={() => open('link')} onImage={mayChoose ? () => open('image') : null} />
        )}
        <Editable
          id={id}
          className="blocks"
          {...(readOnly ? { role: 'group' } : { ...aria, 'aria-multiline': true })}
          aria-labelledby={labelId(id)}
          readOnly={readOnly}
          disableDefaultStyles
          renderElement={renderElement}
          renderLeaf={renderLeaf}
          onKeyDown={onKeyDown}
        />
        {dialog === 'link' && (
          <LinkDialog
            url={linkAt(editor)?.[0].url ?? null}
            asksText={editor.selection !== null && Range.isCollapsed(editor.selection) && !linkAt(editor)}
            onClose={() => close(() => {})}
            onSet={(url, text) => close(() => setLink(editor, url, text))}
            onRemove={() => close(() => removeLink(editor))}
          />
        )}
        {dialog === 'image' && (
          <PictureDialog
            onClose={() => close(() => {})}
            onChoose={(file) => close(() => insertImage(editor, imageOf(file)))}
          />
        )}
      </Slate>
    </div>
  );
}
