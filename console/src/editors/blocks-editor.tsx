// Rich text in blocks, edited as it looks.
import { type KeyboardEvent, type ReactNode, useCallback, useRef, useState } from 'react';
import { createEditor, Range, type Selection, Transforms } from 'slate';
import { withHistory } from 'slate-history';
import { Editable, ReactEditor, Slate, withReact } from 'slate-react';
import { BlocksToolbar } from './blocks/blocks-toolbar.tsx';
import { linkAt, mayLink, removeLink, setLink } from './blocks/commands.ts';
import { loadBlocks } from './blocks/convert.ts';
import { renderElement, renderLeaf } from './blocks/elements.tsx';
import { handleKey } from './blocks/keys.ts';
import { LinkDialog } from './blocks/link-dialog.tsx';
import { withBlocks } from './blocks/with-blocks.ts';
import { type EditorProps, labelId, useLabelClick, useOwnValue } from './editor.ts';
import './blocks-editor.css';

/** The value is a list of blocks; null where there is no text. */
export default function BlocksEditor({ value, onChange, ...rest }: EditorProps<unknown>): ReactNode {
  const [version, emit] = useOwnValue(value, onChange);
  return <LoadedEditor key={version} value={value} onChange={emit} {...rest} />;
}

function openEditor(value: unknown) {
  const loaded = loadBlocks(value);
  const editor = withBlocks(withReact(withHistory(createEditor())));
  editor.children = loaded.children;
  return { editor, save: loaded.save };
}

function LoadedEditor({ value, onChange, control, readOnly = false }: EditorProps<unknown>): ReactNode {
  const [{ editor, save }] = useState(() => openEditor(value));
  /** Where the text was selected when a dialog was opened. */
  const [linked, setLinked] = useState<Selection>(null);
  // Escape, then Tab leaves the editor from within a list.
  const leaves = useRef(false);
  useLabelClick(
    control.id,
    useCallback(() => ReactEditor.focus(editor), [editor]),
  );
  const openLink = (): void => {
    if (mayLink(editor)) setLinked(editor.selection);
  };
  const closeLink = (change: () => void): void => {
    setLinked(null);
    // After the dialog has given the focus back, which leaves the cursor at the start.
    setTimeout(() => {
      if (linked) Transforms.select(editor, linked);
      change();
      ReactEditor.focus(editor);
    });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (leaves.current && event.key === 'Tab') return;
    if (event.key !== 'Shift') leaves.current = event.key === 'Escape';
    if (handleKey(editor, event, openLink)) event.preventDefault();
  };
  const { id, ...aria } = control;
  const look = ['editor', readOnly && 'editor-read-only', control['aria-invalid'] && 'editor-invalid'];
  return (
    <div className={look.filter(Boolean).join(' ')}>
      <Slate editor={editor} onValueChange={(children) => onChange(save(children))}>
        {!readOnly && <BlocksToolbar controls={id} onLink={openLink} onImage={null} />}
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
        {linked && (
          <LinkDialog
            url={linkAt(editor)?.[0].url ?? null}
            asksText={Range.isCollapsed(linked) && !linkAt(editor)}
            onClose={() => closeLink(() => {})}
            onSet={(url, text) => closeLink(() => setLink(editor, url, text))}
            onRemove={() => closeLink(() => removeLink(editor))}
          />
        )}
      </Slate>
    </div>
  );
}
