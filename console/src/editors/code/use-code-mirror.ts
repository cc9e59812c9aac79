// CodeMirror in a form. It stands in a shadow root: only there does it make its styles without a <style> element, which
// the policy of the page forbids.
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { Annotation, Compartment, EditorState, type Extension } from '@codemirror/state';
import { drawSelection, EditorView, keymap } from '@codemirror/view';
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef } from 'react';
import type { ControlProps } from '../../ui/field.tsx';
import { labelText, useLabelClick } from '../editor.ts';
import { look } from './theme.ts';

/** Marks a change that came from outside, which is told to nobody. */
const fromOutside = Annotation.define<boolean>();

interface CodeMirrorOptions {
  readonly text: string;
  readonly onChange: (text: string) => void;
  readonly control: ControlProps;
  readonly readOnly: boolean;
  /** The same at every call. */
  readonly extensions: Extension;
}

interface CodeMirror {
  /** For the element that it stands in. */
  readonly host: RefObject<HTMLDivElement | null>;
  readonly view: RefObject<EditorView | null>;
}

export function useCodeMirror({ text, onChange, control, readOnly, extensions }: CodeMirrorOptions): CodeMirror {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const tell = useRef(onChange);
  const first = useRef(text);
  const states = useRef(new Compartment());
  /** What was told and has not come back yet. */
  const told = useRef<string[]>([]);
  useEffect(() => {
    tell.current = onChange;
  });
  useEffect(() => {
    const element = host.current!;
    const root = element.shadowRoot ?? element.attachShadow({ mode: 'open', delegatesFocus: true });
    const made = new EditorView({
      parent: root,
      root,
      state: EditorState.create({
        doc: first.current,
        extensions: [
          history(),
          drawSelection(),
          EditorView.lineWrapping,
          extensions,
          keymap.of([...defaultKeymap, ...historyKeymap]),
          look,
          states.current.of([]),
          whenEdited((next) => {
            told.current.push(next);
            tell.current(next);
          }),
        ],
      }),
    });
    view.current = made;
    return () => {
      // What it holds is where the next one begins, when React makes it twice.
      first.current = made.state.doc.toString();
      made.destroy();
    };
  }, [extensions]);
  useLayoutEffect(() => {
    const index = told.current.lastIndexOf(text);
    told.current = index === -1 ? [] : told.current.slice(index + 1);
    if (index === -1 && view.current) setText(view.current, text);
  }, [text]);
  useShownState(view, states, control, readOnly);
  useLabelClick(
    control.id,
    useCallback(() => view.current?.focus(), []),
  );
  return { host, view };
}

const whenEdited = (tell: (text: string) => void): Extension =>
  EditorView.updateListener.of(({ docChanged, transactions, state }) => {
    const isOwn = transactions.some((one) => one.docChanged && !one.annotation(fromOutside));
    if (docChanged && isOwn) tell(state.doc.toString());
  });

/** Says of the editor what its control says of itself. */
function useShownState(
  view: RefObject<EditorView | null>,
  states: RefObject<Compartment>,
  control: ControlProps,
  readOnly: boolean,
): void {
  const { id, 'aria-describedby': describedBy, 'aria-invalid': isInvalid, 'aria-required': isRequired } = control;
  useEffect(() => {
    const made = view.current!;
    made.dispatch({
      effects: states.current.reconfigure([
        EditorState.readOnly.of(readOnly),
        EditorView.contentAttributes.of({
          'aria-label': labelText(id),
          'aria-invalid': String(isInvalid),
          'aria-required': String(isRequired ?? false),
          'aria-readonly': String(readOnly),
        }),
      ]),
    });
    describe(made, describedBy);
  }, [id, describedBy, isInvalid, isRequired, readOnly]);
}

function setText(view: EditorView, text: string): void {
  if (view.state.doc.toString() === text) return;
  view.dispatch({
    changes: { from: 0, to: view.state.doc.length, insert: text },
    annotations: fromOutside.of(true),
  });
}

/** Ids do not reach out of a shadow root; elements do, in browsers that know how. */
function describe(view: EditorView, ids: string | undefined): void {
  const elements = (ids?.split(' ') ?? []).map((id) => document.getElementById(id)).filter((one) => one !== null);
  if ('ariaDescribedByElements' in view.contentDOM) view.contentDOM.ariaDescribedByElements = elements;
}
