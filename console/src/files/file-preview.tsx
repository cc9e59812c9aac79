import type { MouseEvent, ReactNode } from 'react';
import { Button } from '../ui/button.tsx';
import { Field, TextInput } from '../ui/field.tsx';
import { Icon } from '../ui/icon.tsx';
import { altOf, extensionOf, freshUrl, kindOf, type StoredFile } from './file.ts';

/** In per cent of width and height. */
export interface FocalPoint {
  readonly x: number;
  readonly y: number;
}

interface FilePreviewProps {
  readonly file: StoredFile;
  readonly focalPoint: FocalPoint | null;
  /** Null where it cannot be changed. */
  readonly onFocalPoint: ((point: FocalPoint) => void) | null;
}

/** A picture as large as there is room, where a click sets its focal point; of other files their kind. */
export function FilePreview({ file, focalPoint, onFocalPoint }: FilePreviewProps): ReactNode {
  const kind = kindOf(file.mime);
  if (kind === 'videos' || kind === 'audios') {
    const Player = kind === 'videos' ? 'video' : 'audio';
    return <Player className="files-player" src={freshUrl(file.url, file)} controls preload="metadata" />;
  }
  if (kind !== 'images')
    return (
      <div className="files-preview-none">
        <Icon name="file" />
        <strong>{extensionOf(file)}</strong>
        <a href={file.url} target="_blank" rel="noreferrer">
          Open the file
        </a>
      </div>
    );
  const shown = file.formats?.medium?.url ?? file.formats?.small?.url ?? file.url;
  const choose = (event: MouseEvent): void => {
    const { left, top, width, height } = event.currentTarget.getBoundingClientRect();
    onFocalPoint?.({
      x: percent((event.clientX - left) / width),
      y: percent((event.clientY - top) / height),
    });
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the fields of the focal point do the same for keys
    // biome-ignore lint/a11y/useKeyWithClickEvents: as above
    <div className={onFocalPoint ? 'files-preview files-preview-focus' : 'files-preview'} onClick={choose}>
      <img src={freshUrl(shown, file)} alt={altOf(file)} />
      {focalPoint && <span className="files-focus" style={{ left: `${focalPoint.x}%`, top: `${focalPoint.y}%` }} />}
    </div>
  );
}

const percent = (part: number): number => Math.round(Math.min(1, Math.max(0, part)) * 1000) / 10;

const MIDDLE: FocalPoint = { x: 50, y: 50 };

interface FocalPointFieldsProps {
  readonly focalPoint: FocalPoint | null;
  readonly onChange: (point: FocalPoint) => void;
}

export function FocalPointFields({ focalPoint, onChange }: FocalPointFieldsProps): ReactNode {
  if (!focalPoint)
    return (
      <div className="stack">
        <p className="field-hint">Click the picture at what must stay in sight where it is cropped.</p>
        <div>
          <Button small onClick={() => onChange(MIDDLE)}>
            Set a focal point
          </Button>
        </div>
      </div>
    );
  const field = (axis: 'x' | 'y', label: string): ReactNode => (
    <Field label={label}>
      {(control) => (
        <TextInput
          {...control}
          type="number"
          min={0}
          max={100}
          step="any"
          value={focalPoint[axis]}
          onChange={({ target: { valueAsNumber } }) =>
            onChange({ ...focalPoint, [axis]: Number.isNaN(valueAsNumber) ? 0 : valueAsNumber })
          }
        />
      )}
    </Field>
  );
  return (
    <div className="files-pair">
      {field('x', 'Focal point from the left, %')}
      {field('y', 'Focal point from the top, %')}
    </div>
  );
}
