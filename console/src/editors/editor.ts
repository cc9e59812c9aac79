// What all editors have in common: how a form uses one.
import { useEffect, useState } from 'react';
import type { ControlProps } from '../ui/field.tsx';

export interface EditorProps<T> {
  readonly value: T;
  readonly onChange: (value: T) => void;
  readonly control: ControlProps;
  readonly readOnly?: boolean;
}

/** The id of the label that a field gives the control with an id. */
export const labelId = (id: string): string => `${id}-label`;

/** The words of that label, without what only eyes see. */
export function labelText(id: string): string {
  const label = document.getElementById(labelId(id));
  const shown = [...(label?.childNodes ?? [])].filter(
    (node) => !(node instanceof Element && node.ariaHidden === 'true'),
  );
  return shown.map((node) => node.textContent).join('');
}

/** A click on the label leads to the editor, as it leads to an input. */
export function useLabelClick(id: string, focus: () => void): void {
  useEffect(() => {
    const label = document.getElementById(labelId(id));
    label?.addEventListener('click', focus);
    return () => label?.removeEventListener('click', focus);
  }, [id, focus]);
}

const isSame = (a: unknown, b: unknown): boolean => a === b || JSON.stringify(a) === JSON.stringify(b);

/**
 * An editor holds its own text, so it is made anew where the value becomes another than the one it gave. The number says
 * how often that was.
 */
export function useOwnValue<T>(value: T, onChange: (value: T) => void): readonly [number, (value: T) => void] {
  const [state, setState] = useState({ seen: value, own: value, version: 0 });
  if (value !== state.seen)
    setState(
      isSame(value, state.own) ? { ...state, seen: value } : { seen: value, own: value, version: state.version + 1 },
    );
  const emit = (next: T): void => {
    setState((now) => ({ ...now, own: next }));
    onChange(next);
  };
  return [state.version, emit];
}
