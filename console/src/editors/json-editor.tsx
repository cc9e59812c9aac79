// JSON as text that is checked while it is typed.
import { json } from '@codemirror/lang-json';
import { bracketMatching } from '@codemirror/language';
import { linter, lintGutter } from '@codemirror/lint';
import { lineNumbers } from '@codemirror/view';
import { type ReactNode, useEffect, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { parseJson } from './code/parse-json.ts';
import { useCodeMirror } from './code/use-code-mirror.ts';
import type { EditorProps } from './editor.ts';
import './json-editor.css';
import './toolbar.css';

const EXTENSIONS = [
  lineNumbers(),
  json(),
  bracketMatching(),
  lintGutter(),
  linter(
    ({ state }) => {
      const { problem } = parseJson(state.doc.toString());
      if (!problem) return [];
      return [{ from: problem.at, to: problem.at, severity: 'error', message: problem.message }];
    },
    { delay: 150 },
  ),
];

const textOf = (value: unknown): string => (value == null ? '' : JSON.stringify(value, null, 2));
const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a ?? null) === JSON.stringify(b ?? null);

interface JsonEditorProps extends Omit<EditorProps<unknown>, 'onChange'> {
  /** Told of text that is JSON. */
  readonly onChange: (value: unknown, text: string) => void;
  /** Told what keeps the text from being JSON, with its place; null where nothing does. */
  readonly onProblem?: (message: string | null) => void;
}

/** The value is what the text says; no text is null. */
export default function JsonEditor({
  value,
  onChange,
  onProblem,
  control,
  readOnly = false,
}: JsonEditorProps): ReactNode {
  const [text, setText] = useState(() => textOf(value));
  const [seen, setSeen] = useState(value);
  const parsed = parseJson(text);
  if (value !== seen) {
    setSeen(value);
    if (parsed.problem !== null || !isSame(parsed.value, value)) setText(textOf(value));
  }
  const message = parsed.problem?.message ?? null;
  // Told when the message changes, whatever function it is told to by then.
  useEffect(() => {
    onProblem?.(message);
    return () => onProblem?.(null);
  }, [message]);
  const change = (next: string): void => {
    setText(next);
    const now = parseJson(next);
    if (now.problem === null) onChange(now.value, next);
  };
  const isInvalid = control['aria-invalid'] || message !== null;
  const { host } = useCodeMirror({
    text,
    onChange: change,
    control: { ...control, 'aria-invalid': isInvalid },
    readOnly,
    extensions: EXTENSIONS,
  });
  const look = ['editor', readOnly && 'editor-read-only', isInvalid && 'editor-invalid'];
  return (
    <div className={look.filter(Boolean).join(' ')}>
      <div ref={host} id={control.id} className="json-source" />
      {!readOnly && (
        <div className="json-state">
          <span className={message ? 'field-error grow' : 'field-hint grow'} role="status">
            {message ?? (text.trim() === '' ? 'Empty' : 'Valid JSON')}
          </span>
          <Button
            kind="plain"
            small
            disabled={parsed.problem !== null || text === textOf(parsed.value)}
            onClick={() => parsed.problem === null && setText(textOf(parsed.value))}
          >
            Format
          </Button>
        </div>
      )}
    </div>
  );
}
