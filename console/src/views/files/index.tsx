// The library: all files of the project, to look at, upload, describe, replace and delete.
import { type ReactNode, useState } from 'react';
import { useSearchParams } from 'wouter';
import { DeleteFiles } from '../../files/delete-files.tsx';
import type { StoredFile } from '../../files/file.ts';
import { type FileList, fileListParameters, readFileList } from '../../files/file-list.ts';
import { FilePager } from '../../files/file-pager.tsx';
import { ChooseFiles, DropFiles, UploadList } from '../../files/upload-area.tsx';
import { useFilePage } from '../../files/use-file-page.ts';
import { useUploads } from '../../files/use-uploads.ts';
import { useSession } from '../../shell/session.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState, ErrorNotice, Spinner } from '../../ui/notice.tsx';
import { PageHeader } from '../../ui/page.tsx';
import { FileFilters, type FileView } from './file-filters.tsx';
import { FileGrid, FileTable } from './file-grid.tsx';
import { OpenFile } from './open-file.tsx';
import './files-view.css';

export default function Files(): ReactNode {
  const { can } = useSession();
  if (can('files.read')) return <Library />;
  return (
    <>
      <PageHeader title="Files" />
      <EmptyState title="Your account may not see files" />
    </>
  );
}

function Library(): ReactNode {
  const { can } = useSession();
  const [parameters, setParameters] = useSearchParams();
  const list = readFileList(parameters);
  const set = (changes: Readonly<Record<string, string | null>>, replace = false): void =>
    setParameters(
      (now) => {
        const next = new URLSearchParams(now);
        for (const [name, value] of Object.entries(changes))
          if (value === null) next.delete(name);
          else next.set(name, value);
        return next;
      },
      { replace },
    );
  const show = (changes: Partial<FileList>): void => set(fileListParameters({ ...list, page: 1, ...changes }));
  const uploads = useUploads(() => {});
  const mayUpload = can('files.create');
  return (
    <DropFiles onFiles={mayUpload ? (files) => uploads.add(files) : null} label="Drop to upload">
      <PageHeader title="Files">
        {mayUpload && (
          <ChooseFiles kind="primary" multiple onFiles={(files) => uploads.add(files)}>
            Upload files
          </ChooseFiles>
        )}
      </PageHeader>
      <div className="stack files-view">
        <FileFilters
          list={list}
          show={show}
          view={viewOf(parameters)}
          onView={(view) => set({ view: view === 'grid' ? null : view }, true)}
        />
        <UploadList uploads={uploads.uploads} remove={uploads.remove} />
        <FilesPage
          list={list}
          show={show}
          view={viewOf(parameters)}
          open={parameters.get('file')}
          onOpen={(id) => set({ file: id === null ? null : String(id) })}
        />
      </div>
    </DropFiles>
  );
}

const viewOf = (parameters: URLSearchParams): FileView => (parameters.get('view') === 'list' ? 'list' : 'grid');

interface FilesPageProps {
  readonly list: FileList;
  readonly show: (changes: Partial<FileList>) => void;
  readonly view: FileView;
  /** The id of the file whose details are shown. */
  readonly open: string | null;
  readonly onOpen: (id: number | null) => void;
}

function FilesPage({ list, show, view, open, onOpen }: FilesPageProps): ReactNode {
  const page = useFilePage(list);
  const { can } = useSession();
  const [chosen, setChosen] = useState<readonly StoredFile[]>([]);
  const [isDeleting, setDeleting] = useState(false);
  const choose = (file: StoredFile, isChosen: boolean): void =>
    setChosen((now) => [...now.filter(({ id }) => id !== file.id), ...(isChosen ? [file] : [])]);
  const forget = (ids: readonly number[]): void => setChosen((now) => now.filter(({ id }) => !ids.includes(id)));
  const files = page.data?.data ?? [];
  const grid = {
    files,
    chosen: can('files.update') ? new Set(chosen.map(({ id }) => id)) : null,
    onChoose: choose,
    onOpen: ({ id }: StoredFile) => onOpen(id),
  };
  return (
    <>
      {page.error && <ErrorNotice error={page.error} />}
      {page.isPending && <Spinner />}
      {chosen.length > 0 && <Chosen files={chosen} onNone={() => setChosen([])} onDelete={() => setDeleting(true)} />}
      {page.data && files.length === 0 && <NoFiles list={list} mayUpload={can('files.create')} />}
      {files.length > 0 && (view === 'list' ? <FileTable {...grid} /> : <FileGrid {...grid} />)}
      {page.data && (
        <FilePager page={list.page} {...page.data.meta.pagination} onPage={(next) => show({ page: next })} />
      )}
      {open !== null && (
        <OpenFile
          id={open}
          known={files.find(({ id }) => String(id) === open)}
          onClose={() => onOpen(null)}
          onDeleted={(ids) => {
            if (ids.length > 0) onOpen(null);
            forget(ids);
          }}
        />
      )}
      {isDeleting && <DeleteFiles files={chosen} onClose={() => setDeleting(false)} onDeleted={forget} />}
    </>
  );
}

const NoFiles = ({ list, mayUpload }: { readonly list: FileList; readonly mayUpload: boolean }): ReactNode =>
  list.search === '' && list.kinds.length === 0 ? (
    <EmptyState title="No files yet">
      {mayUpload && <p>Drop files here, or choose them with the button above.</p>}
    </EmptyState>
  ) : (
    <EmptyState title="No file matches" />
  );

interface ChosenProps {
  readonly files: readonly StoredFile[];
  readonly onNone: () => void;
  readonly onDelete: () => void;
}

const Chosen = ({ files, onNone, onDelete }: ChosenProps): ReactNode => (
  <div className="row card files-chosen">
    <span className="grow" role="status">
      {files.length === 1 ? '1 file chosen' : `${files.length} files chosen`}
    </span>
    <Button small onClick={onNone}>
      Choose none
    </Button>
    <Button small kind="danger" icon="delete" onClick={onDelete}>
      Delete the chosen
    </Button>
  </div>
);
