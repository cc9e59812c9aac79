// What the pages of the console may load: all from this server, pictures, films and sound also from where files are.
import type { FileStorage } from '../../files/storage.ts';

/** Any name of a file; URLs of all have the same origin. */
const ANY = 'a';
const HERE = 'http://here.invalid';

/** What is asked of a place of files here. */
export type FilePlace = Pick<FileStorage, 'isPrivate' | 'url' | 'signedUrl'>;

export async function pagePolicy(storage: FilePlace): Promise<string> {
  const elsewhere = (await originsOf(storage)).map((origin) => ` ${origin}`).join('');
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src 'self' data: blob:${elsewhere}`,
    `media-src 'self'${elsewhere}`,
    "font-src 'self'",
    "connect-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'self'",
  ].join('; ');
}

/** Signed URLs may lead elsewhere than those of the rows, which may be of a CDN. */
async function originsOf(storage: FilePlace): Promise<readonly string[]> {
  const urls = [storage.url(ANY)];
  // Without credentials no file is shown, and none needs to be allowed.
  if (storage.isPrivate) urls.push(await storage.signedUrl(ANY).catch(() => HERE));
  const origins = new Set(urls.map((url) => new URL(url, HERE).origin));
  origins.delete(HERE);
  return [...origins];
}
