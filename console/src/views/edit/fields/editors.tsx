// The larger editors. Each is loaded when a form first needs it.
import { lazy, type ReactNode } from 'react';
import type { FileValue } from '../form/values.ts';

export const JsonEditor = lazy(() => import('../../../editors/json-editor.tsx'));
export const BlocksEditor = lazy(() => import('../../../editors/blocks-editor.tsx'));
export const MarkdownEditor = lazy(() => import('../../../editors/markdown-editor.tsx'));

interface MediaInputProps {
  readonly label: string;
  readonly value: readonly FileValue[];
  readonly onChange: (value: readonly FileValue[]) => void;
  readonly multiple: boolean;
  readonly allowedTypes: readonly string[] | null;
  readonly readOnly: boolean;
}

export const MediaInput = ({ value }: MediaInputProps): ReactNode => (
  <span className="soft">{value.map((file) => String(file.name ?? file.id)).join(', ') || 'Nothing'}</span>
);
