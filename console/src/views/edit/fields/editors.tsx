// The larger editors. Each is loaded when a form first needs it.
import type { ComponentType, ReactNode } from 'react';
import { type Load, useLoaded } from '../../../shell/ready.ts';
import { Spinner } from '../../../ui/notice.tsx';

/** Until it is there, a placeholder stands for it, as high as an editor at least, so that little moves when it comes. */
const editor = <Props extends object>(load: Load<Props>): ComponentType<Props> =>
  function Editor(props: Props): ReactNode {
    const Loaded = useLoaded(load);
    return Loaded ? (
      <Loaded {...props} />
    ) : (
      <div className="edit-loading">
        <Spinner />
      </div>
    );
  };

export const JsonEditor = editor(() => import('../../../editors/json-editor.tsx'));
export const BlocksEditor = editor(() => import('../../../editors/blocks-editor.tsx'));
export const MarkdownEditor = editor(() => import('../../../editors/markdown-editor.tsx'));
export const MediaInput = editor(() => import('../../../editors/media-input.tsx'));
