// The larger editors. Each is loaded when a form first needs it.
import { lazy } from 'react';

export const JsonEditor = lazy(() => import('../../../editors/json-editor.tsx'));
export const BlocksEditor = lazy(() => import('../../../editors/blocks-editor.tsx'));
export const MarkdownEditor = lazy(() => import('../../../editors/markdown-editor.tsx'));
export const MediaInput = lazy(() => import('../../../editors/media-input.tsx'));
