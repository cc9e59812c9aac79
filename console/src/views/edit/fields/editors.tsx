// The larger editors. Each is loaded when a form first needs it.
import type { ReactNode } from 'react';
import { type ControlProps, TextArea } from '../../../ui/field.tsx';
import type { FileValue } from '../form/values.ts';

interface EditorProps<T> {
  readonly value: T;
  readonly onChange: (value: T) => void;
  readonly control: ControlProps;
  readonly readOnly: boolean;
}

export function JsonEditor({ value, onChange, control, readOnly }: EditorProps<unknown>): ReactNode {
  return (
    <TextArea
      {...control}
      readOnly={readOnly}
      defaultValue={value === null ? '' : JSON.stringify(value, null, 2)}
      onChange={(event) => {
        try {
          onChange(event.target.value === '' ? null : JSON.parse(event.target.value));
        } catch {}
      }}
    />
  );
}
export const BlocksEditor = JsonEditor;
export const MarkdownEditor = ({ value, onChange, control, readOnly }: EditorProps<string>): ReactNode => (
  <TextArea {...control} readOnly={readOnly} value={value} onChange={(event) => onChange(event.target.value)} />
);
export const MediaInput = ({
  label,
  value,
  onChange,
  readOnly,
}: {
  readonly label: string;
  readonly value: readonly FileValue[];
  readonly onChange: (value: readonly FileValue[]) => void;
  readonly multiple: boolean;
  readonly allowedTypes: readonly string[] | null;
  readonly readOnly: boolean;
}): ReactNode => (
  <input
    className="input"
    aria-label={label}
    readOnly={readOnly}
    value={value.map(({ id }) => id).join(',')}
    onChange={(event) =>
      onChange(
        event.target.value
          .split(',')
          .filter(Boolean)
          .map((id) => ({ id: Number(id) })),
      )
    }
  />
);
