import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { StoredFile } from '../../files/file.ts';
import { FileDetails } from '../../files/file-details.tsx';
import { FILES_KEY } from '../../files/use-uploads.ts';
import { api } from '../../shell/api.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorNotice, Spinner } from '../../ui/notice.tsx';

interface OpenFileProps {
  /** As it stands in the address. */
  readonly id: string;
  /** The file, where the page shows it. */
  readonly known: StoredFile | undefined;
  readonly onClose: () => void;
  readonly onDeleted: (ids: readonly number[]) => void;
}

/** The details of a file, also of one that is on another page. */
export function OpenFile({ id, known, onClose, onDeleted }: OpenFileProps): ReactNode {
  const found = useQuery({
    queryKey: [...FILES_KEY, 'one', id],
    queryFn: () => api.get<StoredFile>(`rest/upload/files/${encodeURIComponent(id)}`),
    enabled: !known,
  });
  const file = known ?? found.data;
  if (file)
    return <FileDetails key={file.id} file={file} onClose={onClose} onChanged={() => {}} onDeleted={onDeleted} />;
  return (
    <Dialog title="File" isOpen onClose={onClose}>
      {found.error ? <ErrorNotice error={found.error} /> : <Spinner />}
    </Dialog>
  );
}
