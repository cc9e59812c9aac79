import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Dialog } from '../../../ui/dialog.tsx';
import { ErrorNotice, Spinner } from '../../../ui/notice.tsx';
import { differencesOf } from '../form/compare.ts';
import { type EntryAddress, type Loaded, type Reader, readForm } from '../load.ts';
import { Lines } from './lines.tsx';

interface CompareDialogProps {
  readonly address: EntryAddress;
  readonly reader: Reader;
  readonly onClose: () => void;
}

/** The stored draft beside what is published, where they differ. */
export function CompareDialog({ address, reader, onClose }: CompareDialogProps): ReactNode {
  const { type, documentId, locale } = address;
  const { data, error } = useQuery({
    queryKey: ['compare', type.uid, documentId, locale],
    queryFn: () => Promise.all([readForm(reader, address, 'published'), readForm(reader, address, 'draft')] as const),
    gcTime: 0,
  });
  return (
    <Dialog title="Draft and published" isOpen onClose={onClose} wide>
      {error && <ErrorNotice error={error} />}
      {!data && !error && <Spinner />}
      {data && <Comparison address={address} reader={reader} published={data[0]} draft={data[1]} />}
    </Dialog>
  );
}

interface ComparisonProps {
  readonly address: EntryAddress;
  readonly reader: Reader;
  readonly published: Loaded | null;
  readonly draft: Loaded | null;
}

function Comparison({ address, reader, published, draft }: ComparisonProps): ReactNode {
  if (!published || !draft) return <p>Nothing is published yet.</p>;
  const differences = differencesOf(reader.model, address.type, published.values, draft.values);
  if (differences.length === 0) return <p>The stored draft is as it is published.</p>;
  return (
    <div className="table-scroll">
      <table className="table">
        <thead>
          <tr>
            <th scope="col">Attribute</th>
            <th scope="col">Published</th>
            <th scope="col">Draft</th>
          </tr>
        </thead>
        <tbody>
          {differences.map(({ attribute, one, other }) => (
            <tr key={attribute.name}>
              <th scope="row">{attribute.name}</th>
              <td>
                <Lines lines={one} against={other} />
              </td>
              <td>
                <Lines lines={other} against={one} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
