// The place where the files of a project are stored, as its settings say.
import path from 'node:path';
import type { FileSettings } from '../project/file-settings.ts';
import { LocalStorage } from './local-storage.ts';
import type { FileStorage } from './storage.ts';

/** `state`: where files are kept until they are stored elsewhere. */
export async function openStorage({ folder, s3 }: FileSettings, project: string, state: string): Promise<FileStorage> {
  if (s3 === null) return new LocalStorage(path.resolve(project, folder));
  const { openS3 } = await import('./s3-storage.ts');
  return openS3(s3, path.join(state, 'incoming'));
}
