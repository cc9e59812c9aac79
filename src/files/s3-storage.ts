import type { S3Settings } from '../project/file-settings.ts';
import type { FileStorage } from './storage.ts';
export async function openS3(_settings: S3Settings, _incoming: string): Promise<FileStorage> {
  throw new Error('not yet');
}
