// Where files can be dropped or chosen, and how far their uploads are.
import { type DragEvent, type ReactNode, useRef, useState } from 'react';
import { Button, type ButtonKind, IconButton } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import type { Uploads } from './use-uploads.ts';
import './files.css';

interface ChooseProps {
  readonly onFiles: (files: readonly File[]) => void;
  readonly accept?: string | undefined;
  readonly multiple?: boolean;
  readonly kind?: ButtonKind;
  readonly small?: boolean;
  /** What it is called where its words are not enough; they come first in it. */
  readonly label?: string;
  readonly children: ReactNode;
}

/** A button that opens the file chooser of the browser. */
export function ChooseFiles({ onFiles, accept, multiple = false, label, children, ...look }: ChooseProps): ReactNode {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button {...look} icon="upload" aria-label={label} onClick={() => input.current?.click()}>
        {children}
      </Button>
      <input
        ref={input}
        type="file"
        hidden
        accept={accept}
        multiple={multiple}
        onChange={(event) => {
          onFiles([...(event.target.files ?? [])]);
          // The same file can be chosen again.
          event.target.value = '';
        }}
      />
    </>
  );
}

const hasFiles = (event: DragEvent): boolean => event.dataTransfer.types.includes('Files');

interface DropProps {
  /** Null where nothing can be dropped. */
  readonly onFiles: ((files: readonly File[]) => void) | null;
  /** What is shown while files are over it. */
  readonly label: string;
  readonly children: ReactNode;
}

/** Takes files that are dropped anywhere on it. */
export function DropFiles({ onFiles, label, children }: DropProps): ReactNode {
  // Every element within tells that the pointer comes and goes.
  const [depth, setDepth] = useState(0);
  if (!onFiles) return <div className="files-drop">{children}</div>;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button beside it does the same for keys
    <div
      className="files-drop"
      onDragEnter={(event) => hasFiles(event) && setDepth((now) => now + 1)}
      onDragLeave={(event) => hasFiles(event) && setDepth((now) => Math.max(0, now - 1))}
      onDragOver={(event) => {
        if (hasFiles(event)) event.preventDefault();
      }}
      onDrop={(event) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        event.stopPropagation();
        setDepth(0);
        onFiles([...event.dataTransfer.files]);
      }}
    >
      {children}
      {depth > 0 && (
        <div className="files-drop-over">
          <Icon name="upload" />
          {label}
        </div>
      )}
    </div>
  );
}

const percent = (sent: number): string => `${Math.round(sent * 100)} %`;

/** The uploads that were begun here, each with its progress or what went wrong. */
export function UploadList({ uploads, remove }: Pick<Uploads, 'uploads' | 'remove'>): ReactNode {
  if (uploads.length === 0) return null;
  const done = uploads.filter(({ state }) => state === 'done').length;
  const ended = uploads.filter(({ state }) => state === 'done' || state === 'failed');
  return (
    <section className="card files-uploads" aria-label="Uploads">
      <div className="row">
        <span className="grow" role="status">
          {done} of {uploads.length} uploaded
        </span>
        {ended.length > 0 && (
          <Button small kind="plain" onClick={() => remove(...ended.map(({ key }) => key))}>
            Clear the list
          </Button>
        )}
      </div>
      <ul>
        {uploads.map(({ key, name, state, sent, error }) => (
          <li key={key} className="files-upload">
            <span className="files-upload-name">{name}</span>
            {state === 'failed' ? (
              <span className="field-error grow" role="alert">
                {error}
              </span>
            ) : (
              <>
                <progress className="grow" max={1} value={sent} aria-label={`Upload of ${name}`} />
                <span className="soft files-upload-state">
                  {state === 'done' ? 'Uploaded' : sent === 1 ? 'Storing…' : percent(sent)}
                </span>
              </>
            )}
            <IconButton
              small
              icon="close"
              label={state === 'sending' || state === 'waiting' ? `Cancel ${name}` : `Take ${name} from the list`}
              onClick={() => remove(key)}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}
