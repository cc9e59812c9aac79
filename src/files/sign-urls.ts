// Files as answers show them: with signed URLs where they are private.
import { isObject } from '../type-guards.ts';
import type { FileStorage } from './storage.ts';

/** Files with what tells whether their URLs are signed. Of a private place, all URLs of its own are. */
export async function signFiles<F extends object>(storage: FileStorage, files: readonly F[]): Promise<F[]> {
  const signed: F[] = [];
  for (const file of files)
    signed.push(storage.isPrivate ? await signFile(storage, file) : { ...file, isUrlSigned: false });
  return signed;
}

export async function signFile<F extends object>(storage: FileStorage, file: F): Promise<F> {
  const { url, formats }: { readonly url?: unknown; readonly formats?: unknown } = file;
  const own = await signedUrl(storage, url);
  const shown = isObject(formats) ? await signFormats(storage, formats) : formats;
  return {
    ...file,
    ...(own !== null && { url: own }),
    ...(isObject(formats) && { formats: shown }),
    isUrlSigned: own !== null,
  };
}

async function signFormats(storage: FileStorage, formats: Record<string, unknown>): Promise<Record<string, unknown>> {
  const signed: Record<string, unknown> = {};
  for (const [key, format] of Object.entries(formats)) {
    const url = isObject(format) ? await signedUrl(storage, format.url) : null;
    signed[key] = isObject(format) && url !== null ? { ...format, url, isUrlSigned: true } : format;
  }
  return signed;
}

/** Null for what is not the URL of a file in this place. */
async function signedUrl(storage: FileStorage, url: unknown): Promise<string | null> {
  const key = typeof url === 'string' ? storage.keyOf(url) : null;
  return key === null ? null : storage.signedUrl(key);
}
