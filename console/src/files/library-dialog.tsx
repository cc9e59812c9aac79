// The library in a window, to choose files for an entry; new ones can be uploaded right there.
import { type FormEvent, type ReactNode, useState } from 'react';
import { useSession } from '../shell/session.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field, Select } from '../ui/field.tsx';
import { EmptyState, ErrorNotice, Spinner } from '../ui/notice.tsx';
import { SearchBox } from '../ui/search-box.tsx';
import { type AllowedKinds, acceptOf, FILE_KINDS, isAllowed, KIND_NAMES, type StoredFile } from './file.ts';
import { FIRST_FILES } from './file-list.ts';
import { FilePager } from './file-pager.tsx';
import { FileFigure } from './file-picture.tsx';
import { ChooseFiles, DropFiles, UploadList } from './upload-area.tsx';
import { useFilePage } from './use-file-page.ts';
import { useUploads } from './use-uploads.ts';

interface LibraryDialogProps {
  readonly multiple: boolean;
  readonly allowedTypes: AllowedKinds;
  readonly onChoose: (files: readonly StoredFile[]) => void;
  readonly onClose: () => void;
}

export function LibraryDialog({ multiple, allowedTypes, onChoose, onClose }: LibraryDialogProps): ReactNode {
  const [chosen, setChosen] = useState<readonly StoredFile[]>([]);
  const choose = (file: StoredFile, isChosen: boolean): void =>
    setChosen((now) => {
      const others = multiple ? now.filter(({ id }) => id !== file.id) : [];
      return isChosen ? [...others, file] : others;
    });
  const uploads = useUploads((file) => isAllowed(file.mime, allowedTypes) && choose(file, true));
  const { can } = useSession();
  const add = (files: readonly File[]): void => uploads.add(multiple ? files : files.slice(0, 1), allowedTypes);
  return (
    <Dialog
      title={multiple ? 'Choose files' : 'Choose a file'}
      isOpen
      wide
      onClose={onClose}
      actions={
        <Button kind="primary" disabled={chosen.length === 0} onClick={() => onChoose(chosen)}>
          {chosen.length > 1 ? `Use ${chosen.length} files` : 'Use the file'}
        </Button>
      }
    >
      <DropFiles onFiles={can('files.create') ? add : null} label="Drop to upload">
        <div className="stack" onSubmit={keepFromOutside}>
          <UploadList uploads={uploads.uploads} remove={uploads.remove} />
          <LibraryPage
            allowedTypes={allowedTypes}
            multiple={multiple}
            chosen={chosen}
            onChange={choose}
            extra={
              can('files.create') && (
                <ChooseFiles onFiles={add} accept={acceptOf(allowedTypes)} multiple={multiple}>
                  Upload
                </ChooseFiles>
              )
            }
          />
        </div>
      </DropFiles>
    </Dialog>
  );
}

/** A search that is sent is nothing to the form of the entry around it. */
const keepFromOutside = (event: FormEvent): void => event.stopPropagation();

interface LibraryPageProps {
  readonly allowedTypes: AllowedKinds;
  readonly multiple: boolean;
  readonly chosen: readonly StoredFile[];
  readonly onChange: (file: StoredFile, isChosen: boolean) => void;
  readonly extra: ReactNode;
}

function LibraryPage({ allowedTypes, multiple, chosen, onChange, extra }: LibraryPageProps): ReactNode {
  const kinds = FILE_KINDS.filter((kind) => !allowedTypes?.length || allowedTypes.includes(kind));
  const [list, setList] = useState({ ...FIRST_FILES, kinds });
  const page = useFilePage(list);
  return (
    <>
      <div className="files-filters">
        <SearchBox
          label="Search files"
          value={list.search}
          onChange={(search) => setList({ ...list, search, page: 1 })}
        />
        {kinds.length > 1 && (
          <Field label="Kind">
            {(control) => (
              <Select
                {...control}
                value={list.kinds.length === 1 ? list.kinds[0] : ''}
                options={[
                  { value: '', label: 'All' },
                  ...kinds.map((kind) => ({ value: kind, label: KIND_NAMES[kind] })),
                ]}
                onChange={(kind) => setList({ ...list, kinds: kind === '' ? kinds : [kind], page: 1 })}
              />
            )}
          </Field>
        )}
        {extra}
      </div>
      {page.error && <ErrorNotice error={page.error} />}
      {page.isPending && <Spinner />}
      {page.data?.data.length === 0 && <EmptyState title="No file matches" />}
      {page.data && page.data.data.length > 0 && (
        <FileChoices files={page.data.data} multiple={multiple} chosen={chosen} onChange={onChange} />
      )}
      {page.data && (
        <FilePager
          page={list.page}
          {...page.data.meta.pagination}
          onPage={(next) => setList({ ...list, page: next })}
        />
      )}
    </>
  );
}

type FileChoicesProps = Pick<LibraryPageProps, 'multiple' | 'chosen' | 'onChange'> & {
  readonly files: readonly StoredFile[];
};

const FileChoices = ({ files, multiple, chosen, onChange }: FileChoicesProps): ReactNode => (
  <fieldset className="files-choices">
    <legend className="visually-hidden">Files</legend>
    <ul className="files-grid">
      {files.map((file) => (
        <li key={file.id}>
          <label className="files-card files-choice">
            <input
              type={multiple ? 'checkbox' : 'radio'}
              name="library"
              checked={chosen.some(({ id }) => id === file.id)}
              onChange={(event) => onChange(file, event.target.checked)}
            />
            <FileFigure file={file} />
          </label>
        </li>
      ))}
    </ul>
  </fieldset>
);
