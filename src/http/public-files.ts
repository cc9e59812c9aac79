// Files of a project at their own paths, where no route answers: those of its public folder, such as robots.txt, and its
// icon. The project's developers put them there; what was uploaded lies below the same folder, and is for upload-files.ts
// alone, which takes care that it does no harm.
import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import type { FastifyRequest } from 'fastify';
import type { Sheaf } from '../app.ts';
import { notFoundError, SheafError } from '../errors.ts';
import { UPLOADS } from '../files/local-storage.ts';
import { sendValue } from './respond.ts';
import type { Handler } from './routes.ts';
import { placeOf, sendFrom } from './upload-files.ts';

/** As long as Strapi 5 has them kept. */
const MAX_AGE_SECONDS = 60;
const ICON = 'favicon.ico';
/** In the folder of the project, the first that is there. */
const ICONS = ['favicon.png', ICON];
const INDEX = 'index.html';

/** As in Strapi 5: pages may run what this server has, and nothing else. */
const POLICY = [
  "default-src 'self'",
  "base-uri 'self'",
  "font-src 'self' https: data:",
  "form-action 'self'",
  "frame-ancestors 'self'",
  "img-src 'self' data: blob: https:",
  "media-src 'self' data: blob:",
  "object-src 'none'",
  "script-src 'self'",
  "script-src-attr 'none'",
  "style-src 'self' https: 'unsafe-inline'",
  "connect-src 'self' https:",
].join('; ');

const HEADERS = {
  'cache-control': `public, max-age=${MAX_AGE_SECONDS}`,
  'content-security-policy': POLICY,
  'x-frame-options': 'SAMEORIGIN',
  'cross-origin-resource-policy': 'cross-origin',
  vary: 'Origin',
};

/** Sends the file that a path without a route names, or says what stands at the root. Refuses what is not there. */
export function publicFiles({ project, settings, files }: Sheaf): Handler {
  const { publicFolder } = settings.server;
  const folder = publicFolder === null ? null : path.resolve(project, publicFolder);
  // A folder that holds the whole project would give away its code and its settings.
  const root = folder === null || isWithin(project, folder) ? null : folder;
  return async (request, reply) => {
    const name = nameOf(request, settings.rest.prefix);
    const place = name === null ? null : await fileOf(name, { project, root, uploads: files.folder });
    if (place !== null) await sendFrom(reply, place, () => HEADERS);
    // Mails lead here until a project says where else, and load balancers ask here.
    else if (name === '')
      sendValue(reply, { message: `This is a content API. Its entries are below ${settings.rest.prefix}/.` });
    else throw notFoundError();
  };
}

interface Folders {
  readonly project: string;
  readonly root: string | null;
  readonly uploads: string;
}

async function fileOf(name: string, { project, root, uploads }: Folders): Promise<string | null> {
  if (name === ICON)
    for (const icon of ICONS) {
      const place = await within(project, icon);
      if (place !== null) return place;
    }
  const place = root === null ? null : await within(root, name === '' ? INDEX : name);
  if (place === null) return null;
  return isWithin(place, await realpath(uploads).catch(() => uploads)) ? null : place;
}

/** Whether a place is a folder or something in it. */
const isWithin = (place: string, folder: string): boolean =>
  `${path.resolve(place)}${path.sep}`.startsWith(`${path.resolve(folder)}${path.sep}`);

/** The file that a name stands for in a folder, or the page of the folder that it stands for; null where there is none. */
async function within(folder: string, name: string): Promise<string | null> {
  try {
    const place = await placeOf(folder, name);
    return (await stat(place)).isDirectory() ? await placeOf(folder, `${name}/${INDEX}`) : place;
  } catch (error) {
    if (error instanceof SheafError) return null;
    throw error;
  }
}

/** Without a slash at either end; null for what names no public file, whatever is on the disk. */
function nameOf({ url }: FastifyRequest, prefix: string): string | null {
  const [target = ''] = url.split('?', 1);
  const name = target.replace(/^\/|\/$/g, '');
  const below = `/${name.toLowerCase()}/`;
  if (below.startsWith(UPLOADS) || (prefix !== '' && below.startsWith(`${prefix.toLowerCase()}/`))) return null;
  try {
    const parts = name.split('/').map(decodeURIComponent);
    return parts.some((part) => part.includes('/')) ? null : parts.join('/');
  } catch {
    return null;
  }
}
