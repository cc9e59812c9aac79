// The files of an entry: cards in their order, which can be moved, taken from the library or uploaded.
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { type AllowedKinds, acceptOf, asFile, isAllowed, type StoredFile } from '../files/file.ts';
import { FileDetails } from '../files/file-details.tsx';
import { LibraryDialog } from '../files/library-dialog.tsx';
import { ChooseFiles, DropFiles, UploadList } from '../files/upload-area.tsx';
import { useUploads } from '../files/use-uploads.ts';
import { useSession } from '../shell/session.ts';
import { Button } from '../ui/button.tsx';
import { MediaCards } from './media/media-cards.tsx';
import './media-input.css';

/** A file as an entry has it. */
export type MediaValue = Readonly<Record<string, unknown>> & { readonly id: number };

interface MediaInputProps {
  /** The name of the attribute. */
  readonly label: string;
  readonly value: readonly MediaValue[];
  readonly onChange: (value: readonly MediaValue[]) => void;
  readonly multiple: boolean;
  /** Kinds of files, as the definition names them; null: all. */
  readonly allowedTypes: AllowedKinds;
  readonly readOnly?: boolean;
}

/** Puts files to the others, or in place of the one. Those that are there already are not put twice. */
function usePut({ value, multiple, onChange }: MediaInputProps): (files: readonly StoredFile[]) => void {
  // Uploads may end one after the other before the form shows the first.
  const latest = useRef(value);
  useEffect(() => {
    latest.current = value;
  }, [value]);
  return (added) => {
    const known = new Set(latest.current.map(({ id }) => id));
    const fresh = added.filter(({ id }) => !known.has(id)).map((file): MediaValue => ({ ...file }));
    latest.current = multiple ? [...latest.current, ...fresh] : added.slice(0, 1).map((file) => ({ ...file }));
    onChange(latest.current);
  };
}

export default function MediaInput(props: MediaInputProps): ReactNode {
  const { label, value, onChange, multiple, allowedTypes, readOnly = false } = props;
  const { can } = useSession();
  const [isChoosing, setChoosing] = useState(false);
  const [shown, setShown] = useState<StoredFile | null>(null);
  const files = value.map(asFile);
  const put = usePut(props);
  const uploads = useUploads((file) => isAllowed(file.mime, allowedTypes) && put([file]));
  const add = (chosen: readonly File[]): void => uploads.add(multiple ? chosen : chosen.slice(0, 1), allowedTypes);
  const mayUpload = !readOnly && can('files.create');
  const isFull = !multiple && files.length > 0;
  return (
    <DropFiles onFiles={mayUpload ? add : null} label={isFull ? 'Drop to put it in its place' : 'Drop to upload'}>
      <div className="media">
        <MediaCards
          label={label}
          files={files}
          isMovable={multiple && !readOnly}
          onMove={(ids) => onChange(ids.map((id) => value.find((file) => file.id === id)!))}
          onRemove={readOnly ? null : (id) => onChange(value.filter((file) => file.id !== id))}
          onShow={setShown}
        />
        {files.length === 0 && <p className="soft media-none">{multiple ? 'No files' : 'No file'}</p>}
        <UploadList uploads={uploads.uploads} remove={uploads.remove} />
        {!readOnly && (
          <MediaButtons
            label={label}
            isFull={isFull}
            multiple={multiple}
            allowedTypes={allowedTypes}
            onChoose={can('files.read') ? () => setChoosing(true) : null}
            onUpload={mayUpload ? add : null}
          />
        )}
      </div>
      {isChoosing && (
        <LibraryDialog
          multiple={multiple}
          allowedTypes={allowedTypes}
          onClose={() => setChoosing(false)}
          onChoose={(chosen) => {
            setChoosing(false);
            put(chosen);
          }}
        />
      )}
      {shown && (
        <FileDetails
          file={shown}
          onClose={() => setShown(null)}
          onChanged={(changed) =>
            onChange(value.map((file) => (file.id === changed.id ? { ...file, ...changed } : file)))
          }
        />
      )}
    </DropFiles>
  );
}

type MediaButtonsProps = Pick<MediaInputProps, 'label' | 'multiple' | 'allowedTypes'> & {
  /** Whether another file would take the place of the one that is there. */
  readonly isFull: boolean;
  readonly onChoose: (() => void) | null;
  readonly onUpload: ((files: readonly File[]) => void) | null;
};

function MediaButtons({ label, multiple, allowedTypes, isFull, onChoose, onUpload }: MediaButtonsProps): ReactNode {
  const action = isFull ? 'Choose another' : 'Choose from the library';
  return (
    <div className="row">
      {onChoose && (
        <Button small icon="image" onClick={onChoose} aria-label={`${action}: ${label}`}>
          {action}
        </Button>
      )}
      {onUpload && (
        <ChooseFiles
          small
          label={`Upload: ${label}`}
          onFiles={onUpload}
          accept={acceptOf(allowedTypes)}
          multiple={multiple}
        >
          Upload
        </ChooseFiles>
      )}
    </div>
  );
}
