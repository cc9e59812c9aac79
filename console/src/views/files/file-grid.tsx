import type { ReactNode } from 'react';
import { dimensionsOf, KIND_NAMES, kindOf, type StoredFile, sizeInWords } from '../../files/file.ts';
import { FileFigure, FilePicture } from '../../files/file-picture.tsx';
import { ScrollBox } from '../../ui/scroll.tsx';

export interface FileGridProps {
  readonly files: readonly StoredFile[];
  /** Ids of those that are chosen; null where nothing can be done with several. */
  readonly chosen: ReadonlySet<number> | null;
  readonly onChoose: (file: StoredFile, isChosen: boolean) => void;
  readonly onOpen: (file: StoredFile) => void;
}

const Choice = ({ file, chosen, onChoose }: { readonly file: StoredFile } & Omit<FileGridProps, 'files' | 'onOpen'>) =>
  chosen && (
    <input
      type="checkbox"
      aria-label={`Choose ${file.name}`}
      checked={chosen.has(file.id)}
      onChange={(event) => onChoose(file, event.target.checked)}
    />
  );

export const FileGrid = ({ files, chosen, onChoose, onOpen }: FileGridProps): ReactNode => (
  <ul className="files-grid" aria-label="Files">
    {files.map((file) => (
      <li key={file.id} className="files-card">
        <Choice file={file} chosen={chosen} onChoose={onChoose} />
        <button type="button" className="files-open" onClick={() => onOpen(file)}>
          <FileFigure file={file} />
        </button>
      </li>
    ))}
  </ul>
);

const date = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });

export const FileTable = ({ files, chosen, onChoose, onOpen }: FileGridProps): ReactNode => (
  <ScrollBox label="Files">
    <table className="table files-table">
      <thead>
        <tr>
          {chosen && (
            <th>
              <span className="visually-hidden">Choose</span>
            </th>
          )}
          <th>Name</th>
          <th>Alternative text</th>
          <th>Kind</th>
          <th>Size</th>
          <th>Dimensions</th>
          <th>Uploaded</th>
        </tr>
      </thead>
      <tbody>
        {files.map((file) => (
          <tr key={file.id}>
            {chosen && (
              <td>
                <Choice file={file} chosen={chosen} onChoose={onChoose} />
              </td>
            )}
            <td>
              <button type="button" className="files-open files-open-row" onClick={() => onOpen(file)}>
                <FilePicture file={file} isNamed />
                <span className="files-row-name">{file.name}</span>
              </button>
            </td>
            <td>{file.alternativeText}</td>
            <td>{KIND_NAMES[kindOf(file.mime)]}</td>
            <td>{sizeInWords(file.size)}</td>
            <td>{dimensionsOf(file)}</td>
            <td>{date.format(new Date(file.createdAt))}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </ScrollBox>
);
