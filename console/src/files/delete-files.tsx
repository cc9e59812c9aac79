// Asks before files are deleted, and says which entries show them.
import { useMutation, useQueries, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { FileUses } from '../../../src/console/contract.ts';
import { api } from '../shell/api.ts';
import { typeOf, useModel } from '../shell/model.ts';
import { entryPath } from '../shell/paths.ts';
import { Confirm } from '../ui/confirm.tsx';
import { ErrorNotice, Notice, Spinner } from '../ui/notice.tsx';
import { toast } from '../ui/toast.tsx';
import type { StoredFile } from './file.ts';
import { fileUsesPath } from './file-list.ts';
import { FILES_KEY } from './use-uploads.ts';

interface DeleteFilesProps {
  readonly files: readonly StoredFile[];
  readonly onClose: () => void;
  readonly onDeleted: (ids: readonly number[]) => void;
}

export function DeleteFiles({ files, onClose, onDeleted }: DeleteFilesProps): ReactNode {
  const client = useQueryClient();
  const uses = useQueries({
    queries: files.map(({ id }) => ({
      queryKey: [...FILES_KEY, 'uses', id],
      queryFn: () => api.get<FileUses>(fileUsesPath(id)),
      gcTime: 0,
    })),
  });
  const remove = useMutation({
    mutationFn: async () => {
      const deleted: number[] = [];
      try {
        for (const { id } of files) {
          // Who is asked knows where it is used.
          await api.delete(`rest/upload/files/${id}?force=true`);
          deleted.push(id);
        }
        toast(files.length === 1 ? `${files[0]!.name} is deleted` : `${files.length} files are deleted`);
        onClose();
      } finally {
        onDeleted(deleted);
        void client.invalidateQueries({ queryKey: [...FILES_KEY, 'page'] });
      }
    },
  });
  const isKnown = uses.every(({ isPending }) => !isPending);
  const failed = uses.find(({ error }) => error)?.error;
  return (
    <Confirm
      title={files.length === 1 ? `Delete ${files[0]!.name}?` : `Delete ${files.length} files?`}
      isOpen
      onClose={onClose}
      action={files.length === 1 ? 'Delete the file' : 'Delete the files'}
      onConfirm={() => remove.mutate()}
      isPending={remove.isPending || !isKnown}
      error={remove.error}
    >
      {!isKnown && <Spinner label="Looking for entries that use it…" />}
      {failed && <ErrorNotice error={failed} />}
      {isKnown && !failed && <Uses files={files} uses={uses.flatMap(({ data }) => data ?? [])} />}
    </Confirm>
  );
}

const count = (number: number, one: string, several: string): string =>
  number === 1 ? `1 ${one}` : `${number} ${several}`;

function Uses({
  files,
  uses,
}: {
  readonly files: readonly StoredFile[];
  readonly uses: readonly FileUses[];
}): ReactNode {
  const model = useModel();
  const shown = uses.flatMap((one, index) => one.uses.map((use) => ({ ...use, file: files[index]! })));
  const hidden = uses.reduce((sum, one) => sum + one.hidden, 0);
  if (shown.length === 0 && hidden === 0) return <p>No entry uses {files.length === 1 ? 'it' : 'them'}.</p>;
  return (
    <>
      <Notice tone="warn">
        {files.length === 1 ? 'It is' : 'They are'} used, and will be missing there:{' '}
        {count(shown.length + hidden, 'place', 'places')}.
      </Notice>
      <ul className="files-uses" aria-label="Where it is used">
        {shown.map(({ uid, documentId, title, attribute, file }, index) => {
          const type = typeOf(model, uid);
          return (
            <li key={index}>
              {type && documentId !== null ? <Link href={entryPath(type, documentId)}>{title}</Link> : title}{' '}
              <span className="soft">
                {type?.displayName ?? uid}, {attribute}
                {files.length > 1 && `: ${file.name}`}
              </span>
            </li>
          );
        })}
      </ul>
      {hidden > 0 && (
        <p className="soft">
          {count(hidden, 'more entry that your account may not see', 'more entries that your account may not see')}
        </p>
      )}
    </>
  );
}
