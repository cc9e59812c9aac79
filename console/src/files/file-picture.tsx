import { type ReactNode, useState } from 'react';
import { Icon } from '../ui/icon.tsx';
import { altOf, dimensionsOf, extensionOf, type StoredFile, sizeInWords, thumbnailOf } from './file.ts';
import './files.css';

/**
 * A small picture of a file, or its extension where there is none, or it cannot be loaded. `isNamed`: its name stands
 * beside it, so it says nothing of its own.
 */
export function FilePicture({ file, isNamed }: { readonly file: StoredFile; readonly isNamed: boolean }): ReactNode {
  const thumbnail = thumbnailOf(file);
  const [broken, setBroken] = useState<string | null>(null);
  if (thumbnail && thumbnail !== broken)
    return (
      <span className="files-picture">
        <img src={thumbnail} alt={isNamed ? '' : altOf(file)} loading="lazy" onError={() => setBroken(thumbnail)} />
      </span>
    );
  return (
    <span className="files-picture files-picture-none" aria-hidden={isNamed || undefined}>
      <Icon name="file" />
      {extensionOf(file)}
    </span>
  );
}

/** "PNG · 320 × 200 · 12 kB". */
const factsOf = (file: StoredFile): string =>
  [extensionOf(file), dimensionsOf(file), sizeInWords(file.size)].filter((fact) => fact !== null).join(' · ');

/** What a card shows of a file. */
export const FileFigure = ({ file }: { readonly file: StoredFile }): ReactNode => (
  <>
    <FilePicture file={file} isNamed />
    <span className="files-name">{file.name}</span>
    <span className="files-facts">{factsOf(file)}</span>
  </>
);
