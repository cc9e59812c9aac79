// One file in a window: what it is, what is said of it, other bytes for it.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useId, useState } from 'react';
import { api } from '../shell/api.ts';
import { useSession } from '../shell/session.ts';
import { Button } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field, TextArea, TextInput } from '../ui/field.tsx';
import { ErrorNotice } from '../ui/notice.tsx';
import { toast } from '../ui/toast.tsx';
import { DeleteFiles } from './delete-files.tsx';
import { acceptOf, dimensionsOf, kindOf, type StoredFile, sizeInWords } from './file.ts';
import { FilePreview, type FocalPoint, FocalPointFields } from './file-preview.tsx';
import { ChooseFiles, UploadList } from './upload-area.tsx';
import { FILES_KEY, sendInPlace, useUploads } from './use-uploads.ts';

interface FileDetailsProps {
  readonly file: StoredFile;
  readonly onClose: () => void;
  readonly onChanged: (file: StoredFile) => void;
  /** Where it cannot be deleted from here, there is none. */
  readonly onDeleted?: (ids: readonly number[]) => void;
}

interface FileInfo {
  readonly name: string;
  readonly alternativeText: string;
  readonly caption: string;
  readonly focalPoint: FocalPoint | null;
}

const infoOf = (file: StoredFile): FileInfo => ({
  name: file.name,
  alternativeText: file.alternativeText ?? '',
  caption: file.caption ?? '',
  focalPoint: file.focalPoint,
});

/** What was changed, and nothing else. */
const changesOf = (file: StoredFile, info: FileInfo): Partial<FileInfo> => {
  const before: Readonly<Record<string, unknown>> = { ...infoOf(file) };
  return Object.fromEntries(
    Object.entries(info).filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(before[key])),
  );
};

export function FileDetails({ file: opened, onClose, onChanged, onDeleted }: FileDetailsProps): ReactNode {
  const [file, setFile] = useState(opened);
  const [info, setInfo] = useState(() => infoOf(opened));
  const client = useQueryClient();
  const form = useId();
  const mayChange = useSession().can('files.update');
  const show = (changed: StoredFile): void => {
    setFile(changed);
    setInfo(infoOf(changed));
    onChanged(changed);
  };
  const save = useMutation({
    mutationFn: () => api.post<StoredFile>(`rest/upload?id=${file.id}`, { fileInfo: changesOf(file, info) }),
    onSuccess: (changed) => {
      void client.invalidateQueries({ queryKey: FILES_KEY });
      show(changed);
      toast('Saved');
    },
  });
  const hasChanges = Object.keys(changesOf(file, info)).length > 0;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    // The form of an entry may be around this one.
    event.stopPropagation();
    if (hasChanges) save.mutate();
  };
  return (
    <Dialog
      title={file.name}
      isOpen
      wide
      onClose={onClose}
      actions={
        mayChange && (
          <Button kind="primary" type="submit" form={form} disabled={!hasChanges || save.isPending}>
            Save
          </Button>
        )
      }
    >
      <div className="files-details">
        <div className="stack">
          <FilePreview
            file={file}
            focalPoint={info.focalPoint}
            onFocalPoint={mayChange ? (focalPoint) => setInfo({ ...info, focalPoint }) : null}
          />
          <FileData file={file} />
          {mayChange && <FileActions file={file} onReplaced={show} onDeleted={onDeleted} />}
        </div>
        <form id={form} className="stack" onSubmit={submit}>
          {save.error && <ErrorNotice error={save.error} />}
          <InfoFields file={file} info={info} onChange={setInfo} readOnly={!mayChange} />
        </form>
      </div>
    </Dialog>
  );
}

interface InfoFieldsProps {
  readonly file: StoredFile;
  readonly info: FileInfo;
  readonly onChange: (info: FileInfo) => void;
  readonly readOnly: boolean;
}

const InfoFields = ({ file, info, onChange, readOnly }: InfoFieldsProps): ReactNode => (
  <>
    <Field
      label="Alternative text"
      hint={kindOf(file.mime) === 'images' ? 'What the picture shows, for those who do not see it.' : undefined}
    >
      {(control) => (
        <TextInput
          {...control}
          readOnly={readOnly}
          value={info.alternativeText}
          onChange={(event) => onChange({ ...info, alternativeText: event.target.value })}
        />
      )}
    </Field>
    <Field label="Caption">
      {(control) => (
        <TextArea
          {...control}
          readOnly={readOnly}
          value={info.caption}
          onChange={(event) => onChange({ ...info, caption: event.target.value })}
        />
      )}
    </Field>
    <Field label="Name" hint="The address stays the same.">
      {(control) => (
        <TextInput
          {...control}
          required
          readOnly={readOnly}
          value={info.name}
          onChange={(event) => onChange({ ...info, name: event.target.value })}
        />
      )}
    </Field>
    {kindOf(file.mime) === 'images' && !readOnly && (
      <FocalPointFields focalPoint={info.focalPoint} onChange={(focalPoint) => onChange({ ...info, focalPoint })} />
    )}
  </>
);

interface FileActionsProps {
  readonly file: StoredFile;
  readonly onReplaced: (file: StoredFile) => void;
  readonly onDeleted: FileDetailsProps['onDeleted'];
}

function FileActions({ file, onReplaced, onDeleted }: FileActionsProps): ReactNode {
  const [isAsking, setAsking] = useState(false);
  const { uploads, add, remove } = useUploads(onReplaced, sendInPlace(file.id));
  return (
    <>
      <UploadList uploads={uploads} remove={remove} />
      <div className="row">
        <ChooseFiles small accept={acceptOf([kindOf(file.mime)])} onFiles={(files) => add(files.slice(0, 1))}>
          Replace
        </ChooseFiles>
        {onDeleted && (
          <Button small kind="danger" icon="delete" onClick={() => setAsking(true)}>
            Delete
          </Button>
        )}
      </div>
      {isAsking && onDeleted && <DeleteFiles files={[file]} onClose={() => setAsking(false)} onDeleted={onDeleted} />}
    </>
  );
}

const time = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

function FileData({ file }: { readonly file: StoredFile }): ReactNode {
  const address = new URL(file.url, window.location.href).href;
  const formats = Object.entries(file.formats ?? {}).filter(([, { url }]) => typeof url === 'string');
  return (
    <div className="stack">
      <dl className="files-data">
        <dt>Type</dt>
        <dd>{file.mime}</dd>
        <dt>Size</dt>
        <dd>{sizeInWords(file.size)}</dd>
        {dimensionsOf(file) && (
          <>
            <dt>Dimensions</dt>
            <dd>{dimensionsOf(file)}</dd>
          </>
        )}
        {formats.length > 0 && (
          <>
            <dt>Formats</dt>
            <dd>
              {formats.map(([name, { url, width, height, size }]) => (
                <div key={name}>
                  <a href={url} target="_blank" rel="noreferrer">
                    {name}
                  </a>{' '}
                  {width} × {height}
                  {size !== undefined && `, ${sizeInWords(size)}`}
                </div>
              ))}
            </dd>
          </>
        )}
        {file.createdAt !== '' && (
          <>
            <dt>Uploaded</dt>
            <dd>{time.format(new Date(file.createdAt))}</dd>
          </>
        )}
        <dt>Address</dt>
        <dd>
          <a href={file.url} target="_blank" rel="noreferrer">
            {file.url}
          </a>
        </dd>
      </dl>
      <div className="row">
        <CopyButton text={address} label="Copy the address" />
      </div>
    </div>
  );
}
