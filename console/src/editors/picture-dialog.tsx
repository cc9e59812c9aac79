import type { ReactNode } from 'react';
import type { StoredFile } from '../files/file.ts';
import { LibraryDialog } from '../files/library-dialog.tsx';

interface PictureDialogProps {
  readonly onChoose: (file: StoredFile) => void;
  readonly onClose: () => void;
}

/** Asks for a picture of the library, to be shown in a text. */
export const PictureDialog = ({ onChoose, onClose }: PictureDialogProps): ReactNode => (
  <LibraryDialog multiple={false} allowedTypes={['images']} onClose={onClose} onChoose={([file]) => onChoose(file!)} />
);
