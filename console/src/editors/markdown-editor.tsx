// Rich text in Markdown, with a preview beside it.
import { markdownKeymap, markdownLanguage } from '@codemirror/lang-markdown';
import type { EditorState, TransactionSpec } from '@codemirror/state';
import { keymap } from '@codemirror/view';
import { type ReactNode, useDeferredValue, useMemo, useState } from 'react';
import { altOf } from '../files/file.ts';
import { useSession } from '../shell/session.ts';
import { Menu } from '../ui/menu.tsx';
import { useCodeMirror } from './code/use-code-mirror.ts';
import { type EditorProps, labelText } from './editor.ts';
import { insertImage, insertLink, toggleAround, toggleLines } from './markdown/commands.ts';
import { renderMarkdown } from './markdown/render.tsx';
import { PictureDialog } from './picture-dialog.tsx';
import { EditorToolbar, ToolbarButton, ToolbarMenuButton, ToolbarSeparator } from './toolbar.tsx';
import './markdown-editor.css';

type Command = (state: EditorState) => TransactionSpec;

const bold: Command = (state) => toggleAround(state, '**');
const italic: Command = (state) => toggleAround(state, '_');
const code: Command = (state) => toggleAround(state, '`');

const key = (name: string, command: Command) => ({
  key: name,
  run: (view: { state: EditorState; dispatch: (spec: TransactionSpec) => void }) => {
    if (view.state.readOnly) return false;
    view.dispatch(command(view.state));
    return true;
  },
});
const EXTENSIONS = [
  keymap.of([
    key('Mod-b', bold),
    key('Mod-i', italic),
    key('Mod-e', code),
    key('Mod-k', insertLink),
    ...markdownKeymap,
  ]),
  markdownLanguage.extension,
];

/** The value is text; an empty one is null. */
export default function MarkdownEditor({
  value,
  onChange,
  control,
  readOnly = false,
}: EditorProps<string | null>): ReactNode {
  const text = value ?? '';
  const [hasPreview, setPreview] = useState(false);
  const [isChoosing, setChoosing] = useState(false);
  const mayChoose = useSession().can('files.read');
  const { host, view } = useCodeMirror({
    text,
    onChange: (next) => onChange(next === '' ? null : next),
    control,
    readOnly,
    extensions: EXTENSIONS,
  });
  const run = (command: Command): void => {
    const made = view.current!;
    made.dispatch(command(made.state));
    made.focus();
  };
  const look = ['editor', readOnly && 'editor-read-only', control['aria-invalid'] && 'editor-invalid'];
  return (
    <div className={look.filter(Boolean).join(' ')}>
      <MarkdownToolbar
        controls={control.id}
        run={readOnly ? null : run}
        onImage={mayChoose ? () => setChoosing(true) : null}
        hasPreview={hasPreview}
        onPreview={() => setPreview(!hasPreview)}
      />
      <div className={hasPreview ? 'markdown-panes markdown-panes-two' : 'markdown-panes'}>
        <div ref={host} id={control.id} className="markdown-source" />
        {hasPreview && <Preview text={text} label={`${labelText(control.id)}: preview`} />}
      </div>
      {isChoosing && (
        <PictureDialog
          onClose={() => setChoosing(false)}
          onChoose={(file) => {
            setChoosing(false);
            // After the dialog has given the focus back.
            setTimeout(() => run((state) => insertImage(state, file.url, altOf(file))));
          }}
        />
      )}
    </div>
  );
}

function Preview({ text, label }: { readonly text: string; readonly label: string }): ReactNode {
  const shown = useDeferredValue(text);
  const content = useMemo(() => renderMarkdown(shown), [shown]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and must by keyboard as well
    <section className="markdown-preview" aria-label={label} tabIndex={0}>
      {shown.trim() === '' ? <p className="soft">Nothing to show yet</p> : content}
    </section>
  );
}

interface MarkdownToolbarProps {
  readonly controls: string;
  /** Null where nothing can be changed. */
  readonly run: ((command: Command) => void) | null;
  readonly onImage: (() => void) | null;
  readonly hasPreview: boolean;
  readonly onPreview: () => void;
}

const MarkdownToolbar = ({ controls, run, onImage, hasPreview, onPreview }: MarkdownToolbarProps): ReactNode => (
  <EditorToolbar label="Formatting" controls={controls}>
    {run && (
      <>
        <Menu
          trigger={<ToolbarMenuButton label="Heading">Heading</ToolbarMenuButton>}
          items={[1, 2, 3, 4, 5, 6].map((heading) => ({
            label: `Heading ${heading}`,
            // After the menu has given the focus back.
            onSelect: () => setTimeout(() => run((state) => toggleLines(state, { heading }))),
          }))}
        />
        <ToolbarSeparator />
        <ToolbarButton
          label="Bold"
          keys="Ctrl+B"
          sign={<span className="editor-sign-bold">B</span>}
          onClick={() => run(bold)}
        />
        <ToolbarButton
          label="Italic"
          keys="Ctrl+I"
          sign={<span className="editor-sign-italic">I</span>}
          onClick={() => run(italic)}
        />
        <ToolbarButton
          label="Strikethrough"
          sign={<span className="editor-sign-strikethrough">S</span>}
          onClick={() => run((state) => toggleAround(state, '~~'))}
        />
        <ToolbarButton
          label="Code"
          keys="Ctrl+E"
          sign={<span className="editor-sign-code">{'<>'}</span>}
          onClick={() => run(code)}
        />
        <ToolbarSeparator />
        <ToolbarButton label="Link" keys="Ctrl+K" icon="link" onClick={() => run(insertLink)} />
        {onImage && <ToolbarButton label="Image" icon="image" onClick={onImage} />}
        <ToolbarButton label="List" icon="list" onClick={() => run((state) => toggleLines(state, 'list'))} />
        <ToolbarButton
          label="Numbered list"
          icon="numbers"
          onClick={() => run((state) => toggleLines(state, 'numbers'))}
        />
        <ToolbarButton label="Quote" sign="❝" onClick={() => run((state) => toggleLines(state, 'quote'))} />
        <ToolbarSeparator />
      </>
    )}
    <ToolbarButton label="Preview" icon="columns" isOn={hasPreview} onClick={onPreview} />
  </EditorToolbar>
);
