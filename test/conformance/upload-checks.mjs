// What clients of Strapi 5 rely on when they upload, read and delete files, checked from outside: what is answered, what
// is stored, what is served. Checks marked `ours` are those where Sheaf answers better than Strapi 5 does.
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import zlib from 'node:zlib';

// ---- pictures -------------------------------------------------------------------------------------------------------------
const crcTable = Array.from({ length: 256 }, (_, n) => {
  for (let k = 0; k < 8; k++) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
  return n >>> 0;
});
const crc32 = (bytes) => {
  let c = 0xffffffff;
  for (const b of bytes) c = crcTable[(c ^ b) & 255] ^ (c >>> 8);
  return (c ^ 0xffffffff) >>> 0;
};
/** An RGB PNG of the given size; `pixel(x, y)` gives its colours. */
export function png(width, height, pixel = () => [200, 40, 40]) {
  const line = width * 3 + 1,
    raw = Buffer.alloc(line * height);
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) raw.set(pixel(x, y), y * line + 1 + x * 3);
  const chunk = (type, data) => {
    const body = Buffer.concat([Buffer.from(type), data]),
      out = Buffer.alloc(body.length + 8);
    out.writeUInt32BE(data.length);
    body.copy(out, 4);
    out.writeUInt32BE(crc32(body), body.length + 4);
    return out;
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head[8] = 8;
  head[9] = 2;
  return Buffer.concat([
    Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]),
    chunk('IHDR', head),
    chunk('IDAT', zlib.deflateSync(raw)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
export const pngSize = (bytes) => ({ width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) });
/** 320×16 baseline JPEG, left half red, right half blue. */
export const jpeg = Buffer.from(
  '/9j/2wBDAA0JCgsKCA0LCgsODg0PEyAVExISEyccHhcgLikxMC4pLSwzOko+MzZGNywtQFdBRkxOUlNSMj5aYVpQYEpRUk//2wBDAQ4ODhMREyYVFSZPNS01T09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT0//wAARCAAQAUADASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAX/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/8QAFwEBAQEBAAAAAAAAAAAAAAAAAAcFBv/EABQRAQAAAAAAAAAAAAAAAAAAAAD/2gAMAwEAAhEDEQA/AJYDHduAAAAAAAAAAAAAAAAAAjgKgnQAAAAAAAAAAAAAAAAAD//Z',
  'base64',
);
/** The same JPEG with an EXIF tag saying "turn by 90° to show" (orientation 6). */
export function turnedJpeg(orientation = 6) {
  const tiff = Buffer.alloc(26);
  tiff.write('MM\0*', 0, 'latin1');
  tiff.writeUInt32BE(8, 4);
  tiff.writeUInt16BE(1, 8);
  tiff.writeUInt16BE(0x112, 10);
  tiff.writeUInt16BE(3, 12);
  tiff.writeUInt32BE(1, 14);
  tiff.writeUInt16BE(orientation, 18);
  const app1 = Buffer.concat([Buffer.from([0xff, 0xe1, 0, 0]), Buffer.from('Exif\0\0', 'latin1'), tiff]);
  app1.writeUInt16BE(app1.length - 2, 2);
  return Buffer.concat([jpeg.subarray(0, 2), app1, jpeg.subarray(2)]);
}
/** Size in the frame header and EXIF orientation (1 without a tag) of a JPEG. */
export function jpegFacts(bytes) {
  const facts = { orientation: 1 };
  for (let at = 2; at + 4 <= bytes.length && bytes[at] === 0xff; ) {
    const marker = bytes[at + 1],
      length = bytes.readUInt16BE(at + 2),
      body = bytes.subarray(at + 4, at + 2 + length);
    if (marker >= 0xc0 && marker <= 0xc2)
      return { ...facts, height: body.readUInt16BE(1), width: body.readUInt16BE(3) };
    if (marker === 0xe1 && body.toString('latin1', 0, 4) === 'Exif') {
      const tiff = body.subarray(6),
        little = tiff.toString('latin1', 0, 2) === 'II',
        u16 = (o) => (little ? tiff.readUInt16LE(o) : tiff.readUInt16BE(o)),
        u32 = (o) => (little ? tiff.readUInt32LE(o) : tiff.readUInt32BE(o));
      const dir = u32(4);
      for (let i = 0; i < u16(dir); i++)
        if (u16(dir + 2 + i * 12) === 0x112) facts.orientation = u16(dir + 2 + i * 12 + 8);
    }
    at += 2 + length;
  }
  return facts;
}
/** 260×20 GIF with two frames. */
export const gif = Buffer.from(
  'R0lGODlhBAEUAIAAAExpcQoKCiH/C05FVFNDQVBFMi4wAwEAAAAh+QQFCgAAACwAAAAABAEUAAACToyPqcvtD6OctNqLs968+w+G4kiW5omm6sq27gvH8kzX9o3n+s73/g8MCofEovGITCqXzKbzCY1Kp9Sq9YrNarfcrvcLDovH5LL5jE7XCgAh+QQFCgAAACwAAAAABAEUAIBMaXHc3NwCToyPqcvtD6OctNqLs968+w+G4kiW5omm6sq27gvH8kzX9o3n+s73/g8MCofEovGITCqXzKbzCY1Kp9Sq9YrNarfcrvcLDovH5LL5jE7XCgA7',
  'base64',
);
export const gifFrames = (bytes) => bytes.toString('latin1').split('\x21\xf9\x04').length - 1;
export const webp = Buffer.from(
  'UklGRmgAAABXRUJQVlA4IFwAAACwBQCdASosARQAPzmcyl6vKyilIOgB4CcJaQDVwK+wGN7yb6dOnTp0d2b4hbkQvxC3IhfiFYAA/t+APi4ZDEf+j/u/9SUUxO+mIAAF9BL2uG3bsrQxqPNQqAAAAA==',
  'base64',
); // 300×20
export const avif = Buffer.from(
  'AAAAHGZ0eXBhdmlmAAAAAG1pZjFhdmlmbWlhZgAAANZtZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAAAAAAACJpbG9jAAAAAERAAAEAAQAAAAAA+gABAAAAAAAAACgAAAAjaWluZgAAAAAAAQAAABVpbmZlAgAAAAABAABhdjAxAAAAAA5waXRtAAAAAAABAAAAVmlwcnAAAAA4aXBjbwAAAAxhdjFDgSACAAAAABRpc3BlAAAAAAAAASwAAAAUAAAAEHBpeGkAAAAAAwgICAAAABZpcG1hAAAAAAAAAAEAAQOBAgMAAAAwbWRhdBIACgk4ISVzaQENBpAyGRbBMWJwAAsAAqxDaQy26ppdxU7Ct72sWvA=',
  'base64',
); // 300×20
export const svg =
  '<svg xmlns="http://www.w3.org/2000/svg" width="300" height="200"><script>document.title="ran"</script><rect width="300" height="200"/></svg>';

// ---- runner ---------------------------------------------------------------------------------------------------------------
class Skip extends Error {}
const show = (value) => {
  const text = JSON.stringify(value);
  return text === undefined ? String(value) : text.length > 300 ? `${text.slice(0, 300)}…` : text;
};
export const ok = (condition, what) => {
  if (!condition) throw new Error(what);
};
export const eq = (actual, expected, what) => {
  if (!isDeepStrictEqual(actual, expected)) throw new Error(`${what}: expected ${show(expected)}, got ${show(actual)}`);
};
export const near = (actual, expected, what) =>
  ok(Math.abs(actual - expected) <= 1, `${what}: expected ${expected} ± 1, got ${actual}`);
export const isError = (answer, status, name, message) => {
  eq(answer.status, status, `status of ${show(answer.body)}`);
  ok(answer.body?.error && answer.body.data === null, `error envelope, got ${show(answer.body)}`);
  eq(answer.body.error.status, status, 'error.status');
  if (name) eq(answer.body.error.name, name, 'error.name');
  if (message) eq(answer.body.error.message, message, 'error.message');
};
export const FILE_KEYS = [
  'alternativeText',
  'caption',
  'createdAt',
  'documentId',
  'ext',
  'focalPoint',
  'formats',
  'hash',
  'height',
  'id',
  'isUrlSigned',
  'mime',
  'name',
  'previewUrl',
  'provider',
  'provider_metadata',
  'publishedAt',
  'size',
  'updatedAt',
  'url',
  'width',
];
export const FORMAT_KEYS = ['ext', 'hash', 'height', 'mime', 'name', 'path', 'size', 'sizeInBytes', 'url', 'width'];
export const kilobytes = (bytes) => Math.round(bytes / 10) / 100;

/** What a check gets: requests against the server under test, which remember what they made. */
export function against({ base, token, publicDir, provider = 'local', uploads = '/uploads/', isBucket = false }) {
  const auth = token ? { authorization: `Bearer ${token}` } : {};
  const made = { files: new Set(), entries: [] };
  const tag = Math.random().toString(36).slice(2, 8);
  const parse = (text) => {
    try {
      return JSON.parse(text);
    } catch {
      return text;
    }
  };
  const api = async (method, target, { json, body, headers } = {}) => {
    const answer = await fetch(base + target, {
      method,
      body: json === undefined ? body : JSON.stringify(json),
      headers: { ...auth, ...(json === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    });
    return { status: answer.status, body: parse(await answer.text()), headers: answer.headers };
  };
  /** parts: [field, text] or [field, bytes, file name, type] */
  const upload = async (query, parts, headers) => {
    const form = new FormData();
    for (const [field, value, name, type = ''] of parts)
      name === undefined ? form.append(field, value) : form.append(field, new Blob([value], { type }), name);
    const answer = await api('POST', `/api/upload${query}`, { body: form, headers });
    for (const file of Array.isArray(answer.body) ? answer.body : []) made.files.add(file.id);
    return answer;
  };
  const one = async (parts) => {
    const answer = await upload('', parts);
    eq(answer.status, 201, `status of ${show(answer.body)}`);
    ok(Array.isArray(answer.body), 'a bare array');
    return answer.body[0];
  };
  const entry = async (type, data, query = '') => {
    const answer = await api('POST', `/api/${type}${query}`, { json: { data } });
    eq(answer.status, 201, `create ${type} ${show(answer.body)}`);
    made.entries.push(`/api/${type}/${answer.body.data.documentId}`);
    return answer.body.data;
  };
  const serve = async (url, options = {}) => {
    const answer = await fetch(new URL(url, base), options);
    return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) };
  };
  /** A request with its path and body exactly as given. */
  const raw = (method, target, { headers = {}, body } = {}) =>
    new Promise((resolve, reject) => {
      const isElsewhere = target.startsWith('http:');
      const { hostname, port } = new URL(isElsewhere ? target : base);
      const place = isElsewhere ? new URL(target).pathname : target;
      const request = http.request(
        { hostname, port, method, path: place, headers: { ...auth, ...headers }, timeout: 15000 },
        (answer) => {
          const chunks = [];
          answer.on('data', (c) => chunks.push(c));
          answer.on('end', () => {
            const bytes = Buffer.concat(chunks);
            resolve({ status: answer.statusCode, headers: answer.headers, bytes, body: parse(bytes.toString()) });
          });
          answer.on('error', reject);
        },
      );
      request.on('error', reject);
      request.on('timeout', () => request.destroy(new Error('no answer in 15 s')));
      request.end(body);
    });
  const onDisk = (part) =>
    publicDir
      ? fs
          .readdirSync(path.join(publicDir, 'uploads'))
          .filter((name) => name.includes(part))
          .sort()
      : undefined;
  const named = async (part) =>
    (await api('GET', `/api/upload/files?filters[name][$contains]=${encodeURIComponent(part)}&sort=id:asc`)).body;
  const clean = async () => {
    for (const target of made.entries) await api('DELETE', target).catch(() => {});
    for (const id of made.files) await api('DELETE', `/api/upload/files/${id}`).catch(() => {});
  };
  return {
    base,
    tag,
    publicDir,
    provider,
    uploads,
    api,
    upload,
    one,
    entry,
    serve,
    raw,
    onDisk,
    named,
    made,
    clean,
    isBucket,
  };
}
export function suite() {
  const checks = [];
  return {
    checks,
    check: (name, run) => checks.push({ name, run }),
    ours: (name, run) => checks.push({ name, run, ours: true }),
  };
}

// ---- checks ---------------------------------------------------------------------------------------------------------------
const { checks, check, ours } = suite();
// Strapi takes several files in the order in which they were written to disk, which varies; only checks marked `ours` rely on order.
const text = (name, body = 'hello') => ['files', body, name, 'text/plain'];
const restaurant = (t, data = {}) =>
  t.entry('restaurants', { name: `Upload ${t.tag} ${Math.random().toString(36).slice(2, 8)}`, ...data });
const link = (ref, id, field) => [
  ['ref', ref],
  ['refId', String(id)],
  ['field', field],
];
/** Whether what a URL has beyond that of the folder is a plain name. */
const isPlain = (t, url, pattern) => url.startsWith(t.uploads) && pattern.test(url.slice(t.uploads.length));
const RESTAURANT = 'api::restaurant.restaurant',
  ARTICLE = 'api::article.article';

check('upload › one file: 201, a bare array, every key', async (t) => {
  const file = await t.one([text(`plain-${t.tag}.txt`)]);
  eq(Object.keys(file).sort(), FILE_KEYS, 'keys');
  ok(Number.isInteger(file.id) && /^[a-z0-9]{24}$/.test(file.documentId), 'id and documentId');
  eq(
    [file.name, file.ext, file.mime, file.size, file.provider],
    [`plain-${t.tag}.txt`, '.txt', 'text/plain', 0.01, t.provider],
    'name, ext, mime, size, provider',
  );
  for (const key of [
    'alternativeText',
    'caption',
    'focalPoint',
    'width',
    'height',
    'formats',
    'previewUrl',
    'provider_metadata',
  ])
    eq(file[key], null, key);
  eq(file.isUrlSigned, false, 'isUrlSigned');
  for (const key of ['createdAt', 'updatedAt', 'publishedAt'])
    ok(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(file[key]), `${key} ${file[key]}`);
});
check('upload › hash is the slug of the name and ten hex digits, url is /uploads/<hash><ext>', async (t) => {
  const file = await t.one([text(`Große Datei (${t.tag}).TXT`)]);
  ok(new RegExp(`^Grosse_Datei_${t.tag}_[0-9a-f]{10}$`).test(file.hash), `hash ${file.hash}`);
  eq([file.ext, file.url], ['.TXT', `${t.uploads}${file.hash}.TXT`], 'ext and url');
  if (t.publicDir) eq(t.onDisk(file.hash), [`${file.hash}.TXT`], 'on disk');
});
check('upload › several files in one request', async (t) => {
  const { status, body } = await t.upload('', [
    text(`s1-${t.tag}.txt`, '1'),
    text(`s2-${t.tag}.txt`, '22'),
    ['files', png(4, 3), `s3-${t.tag}.png`, 'image/png'],
  ]);
  eq([status, body.length], [201, 3], 'status and length');
  eq(body.map((f) => f.name).sort(), [`s1-${t.tag}.txt`, `s2-${t.tag}.txt`, `s3-${t.tag}.png`], 'names');
  eq(new Set(body.map((f) => f.id)).size, 3, 'distinct ids');
});
ours(
  'upload › several files keep the order they were sent in, and each its fileInfo and its place in a gallery',
  async (t) => {
    for (let round = 0; round < 12; round++) {
      const sent = ['a', 'b', 'c', 'd', 'e'].map((letter) => `o${letter}-${t.tag}.${letter}`),
        { id, documentId } = round ? {} : await restaurant(t);
      const { body } = await t.upload('', [
        ...sent.map((name) => text(name, name)),
        ['fileInfo', JSON.stringify(sent.map((name) => ({ caption: name })))],
        ...(id ? link(RESTAURANT, id, 'gallery') : []),
      ]);
      eq(
        body.map((f) => [f.name, f.caption]),
        sent.map((name) => [name, name]),
        `round ${round}`,
      );
      ok(
        body.every((f, i) => !i || f.id > body[i - 1].id),
        'ids rise',
      );
      if (documentId)
        eq(
          (await t.api('GET', `/api/restaurants/${documentId}?populate=gallery`)).body.data.gallery.map((f) => f.name),
          sent,
          'gallery',
        );
    }
  },
);
check('upload › the same name twice gives two files', async (t) => {
  const a = await t.one([text(`same-${t.tag}.txt`, 'a')]),
    b = await t.one([text(`same-${t.tag}.txt`, 'b')]);
  ok(a.id !== b.id && a.hash !== b.hash && a.url !== b.url, 'distinct id, hash, url');
  eq([(await t.serve(a.url)).bytes.toString(), (await t.serve(b.url)).bytes.toString()], ['a', 'b'], 'contents');
});
check('fileInfo › JSON text sets name, alternativeText, caption and focalPoint', async (t) => {
  const file = await t.one([
    text(`i-${t.tag}.txt`),
    [
      'fileInfo',
      JSON.stringify({
        name: `Shown ${t.tag}`,
        alternativeText: 'alt',
        caption: 'cap',
        focalPoint: { x: 10, y: 20.5 },
      }),
    ],
  ]);
  eq(
    [file.name, file.alternativeText, file.caption, file.focalPoint, file.ext],
    [`Shown ${t.tag}`, 'alt', 'cap', { x: 10, y: 20.5 }, '.txt'],
    'values',
  );
  ok(file.hash.startsWith(`Shown_${t.tag}_`), `hash comes from the given name: ${file.hash}`);
});
check('fileInfo › one part per file', async (t) => {
  const { body } = await t.upload('', [
    text(`p1-${t.tag}.txt`),
    text(`p2-${t.tag}.txt`),
    ['fileInfo', '{"name":"first","caption":"c1"}'],
    ['fileInfo', '{"caption":"c2"}'],
  ]);
  eq(body.find?.((f) => f.caption === 'c1')?.name, 'first', 'first');
  ok(/^p[12]-/.test(body.find((f) => f.caption === 'c2')?.name), 'second keeps its name');
});
check('fileInfo › one part holding a JSON list', async (t) => {
  const { body } = await t.upload('', [
    text(`l1-${t.tag}.txt`),
    text(`l2-${t.tag}.txt`),
    ['fileInfo', '[{"caption":"c1"},{"name":"second"}]'],
  ]);
  eq(body.find?.((f) => f.name === 'second')?.caption, null, 'second');
  ok(/^l[12]-/.test(body.find((f) => f.caption === 'c1')?.name), 'first keeps its name');
});
check('fileInfo › one object for two files is 400', async (t) =>
  isError(await t.upload('', [text('a.txt'), text('b.txt'), ['fileInfo', '{"name":"x"}']]), 400, 'ValidationError'),
);
check('fileInfo › a focal point outside 0–100 is 400 and says where', async (t) => {
  const answer = await t.upload('', [text('a.txt'), ['fileInfo', '{"focalPoint":{"x":150,"y":2}}']]);
  isError(answer, 400, 'ValidationError');
  eq(answer.body.error.details.errors[0].path, ['fileInfo', 'focalPoint', 'x'], 'path');
});
check(
  'fileInfo › unknown keys, hash, url and folder are ignored; null and empty names mean the file name',
  async (t) => {
    const file = await t.one([
      text(`u-${t.tag}.txt`),
      ['fileInfo', '{"hash":"evil","url":"/evil","folder":7,"foo":1,"name":null}'],
    ]);
    eq(file.name, `u-${t.tag}.txt`, 'name');
    ok(
      file.url.startsWith(t.uploads) &&
        !file.url.includes('evil') &&
        !('foo' in file) &&
        !('folder' in file) &&
        !('folderPath' in file),
      `url ${file.url}`,
    );
  },
);
check('names › unicode is kept, the url is plain ASCII and works', async (t) => {
  for (const name of [`日本語 ${t.tag}.txt`, `Привет ${t.tag}.txt`, `e\u0301te\u0301 ${t.tag}.txt`]) {
    const file = await t.one([text(name, name)]);
    eq(file.name, name.normalize(), 'name');
    ok(isPlain(t, file.url, /^[\w.-]+$/), `url ${file.url}`);
    eq((await t.serve(file.url)).bytes.toString(), name, 'content');
  }
});
check('names › / : ? * " < > | and device names are 400', async (t) => {
  for (const name of [
    `../../out-${t.tag}.txt`,
    'a/b.txt',
    'a:b.txt',
    'a?.txt',
    'a*.txt',
    'a<b>.txt',
    'a|b.txt',
    'con',
    `${'x'.repeat(256)}.txt`,
  ])
    isError(await t.upload('', [text(name)]), 400, 'ApplicationError', 'File name contains invalid characters');
});
check('names › a Windows path is cut to its last part', async (t) =>
  eq((await t.one([text(`C:\\fakepath\\w-${t.tag}.txt`)])).name, `w-${t.tag}.txt`, 'name'),
);
check('names › a path in fileInfo.name never reaches the url or the disk', async (t) => {
  const file = await t.one([text('a.txt'), ['fileInfo', JSON.stringify({ name: `../../${t.tag}/evil.txt` })]]);
  ok(isPlain(t, file.url, /^[\w-]+\.txt$/), `url ${file.url}`);
  eq((await t.serve(file.url)).status, 200, 'served');
});
check('names › without an extension it comes from the type; of several dots the last counts', async (t) => {
  eq(
    [
      (await t.one([['files', png(4, 3), `noext-${t.tag}`, 'image/png']])).ext,
      (await t.one([['files', 'x', `blob`, 'text/plain']])).ext,
      (await t.one([['files', 'x', `a.${t.tag}.tar.gz`, 'application/gzip']])).ext,
    ],
    ['.png', '.txt', '.gz'],
    'ext',
  );
});
check('type › of text, pdf and svg; a missing or general type comes from the name', async (t) => {
  const types = [];
  for (const [name, type, body] of [
    ['a.txt', '', 'x'],
    ['a.txt', 'application/octet-stream', 'x'],
    ['a.pdf', 'application/pdf', '%PDF-1.4\n%%EOF'],
    ['noext', 'application/octet-stream', 'x'],
  ])
    types.push((await t.one([['files', body, name, type]])).mime);
  eq(types, ['text/plain', 'text/plain', 'application/pdf', 'application/octet-stream'], 'mime');
});
check('empty › no file, a wrong part name, a JSON body: 400 Files are empty', async (t) => {
  isError(await t.upload('', [['x', 'y']]), 400, 'ValidationError', 'Files are empty');
  isError(await t.upload('', [['file', 'x', 'b.txt', 'text/plain']]), 400, 'ValidationError', 'Files are empty');
  isError(await t.upload('', [['files', 'only text']]), 400, 'ValidationError', 'Files are empty');
  isError(await t.api('POST', '/api/upload', { json: { files: [] } }), 400, 'ValidationError', 'Files are empty');
});
check('empty › a file of 0 bytes alone is 400, beside another it is stored', async (t) => {
  isError(await t.upload('', [text('zero.txt', '')]), 400, 'ValidationError', 'Files are empty');
  const { status, body } = await t.upload('', [text(`zero-${t.tag}.txt`, ''), text(`one-${t.tag}.txt`, 'x')]);
  const zero = body.find?.((f) => f.name.startsWith('zero'));
  eq([status, body.length, zero?.size], [201, 2, 0], 'status, number, size');
  eq((await t.serve(zero.url)).bytes.length, 0, 'served length');
});
check('images › a small PNG has its size and no formats', async (t) => {
  const f = await t.one([['files', png(245, 156), `small-${t.tag}.png`, 'image/png']]);
  eq([f.width, f.height, f.formats, f.mime], [245, 156, null, 'image/png'], 'width, height, formats, mime');
});
check('images › just over the thumbnail size: only a thumbnail', async (t) => {
  const f = await t.one([['files', png(246, 20), `thumb-${t.tag}.png`, 'image/png']]);
  eq(Object.keys(f.formats ?? {}), ['thumbnail'], 'formats');
  eq([f.formats.thumbnail.width, f.formats.thumbnail.height], [245, 20], 'size');
});
check('images › 1200×800: thumbnail 234×156, small 500×333, medium 750×500, large 1000×667, all served', async (t) => {
  const file = await t.one([
    ['files', png(1200, 800, (x, y) => [x >> 3, y >> 3, 60]), `big-${t.tag}.png`, 'image/png'],
  ]);
  eq(
    [file.width, file.height, Object.keys(file.formats).sort()],
    [1200, 800, ['large', 'medium', 'small', 'thumbnail']],
    'size and formats',
  );
  for (const [key, width, height] of [
    ['thumbnail', 234, 156],
    ['small', 500, 333],
    ['medium', 750, 500],
    ['large', 1000, 667],
  ]) {
    const format = file.formats[key];
    eq(Object.keys(format).sort(), FORMAT_KEYS, `${key} keys`);
    near(format.width, width, `${key} width`);
    near(format.height, height, `${key} height`);
    eq(
      [format.name, format.hash, format.ext, format.mime, format.path, format.url],
      [`${key}_${file.name}`, `${key}_${file.hash}`, '.png', 'image/png', null, `${t.uploads}${key}_${file.hash}.png`],
      key,
    );
    const { status, bytes } = await t.serve(format.url);
    eq(
      [status, bytes.length, pngSize(bytes), format.size],
      [200, format.sizeInBytes, { width: format.width, height: format.height }, kilobytes(bytes.length)],
      `${key} as served`,
    );
  }
  if (t.publicDir) eq(t.onDisk(file.hash).length, 5, 'files on disk');
});
check('images › exactly 500 wide has no small format, 501 has', async (t) => {
  const a = await t.one([['files', png(500, 8), `w500-${t.tag}.png`, 'image/png']]),
    b = await t.one([['files', png(501, 8), `w501-${t.tag}.png`, 'image/png']]);
  eq([Object.keys(a.formats), Object.keys(b.formats).sort()], [['thumbnail'], ['small', 'thumbnail']], 'formats');
});
check('images › size is that of the stored file in kB with two decimals', async (t) => {
  const f = await t.one([['files', png(60, 60, (x, y) => [(x * y) & 255, x, y]), `size-${t.tag}.png`, 'image/png']]);
  eq(f.size, kilobytes((await t.serve(f.url)).bytes.length), 'size');
});
check('images › JPEG: size, thumbnail in JPEG', async (t) => {
  const f = await t.one([['files', jpeg, `photo-${t.tag}.jpg`, 'image/jpeg']]);
  eq(
    [f.width, f.height, f.mime, f.ext, Object.keys(f.formats)],
    [320, 16, 'image/jpeg', '.jpg', ['thumbnail']],
    'facts',
  );
  const { bytes, headers } = await t.serve(f.formats.thumbnail.url);
  eq([jpegFacts(bytes).width, headers.get('content-type')], [245, 'image/jpeg'], 'thumbnail as served');
});
check('images › a JPEG turned by EXIF is taken', async (t) => {
  const f = await t.one([['files', turnedJpeg(), `turned-${t.tag}.jpg`, 'image/jpeg']]);
  eq(
    [f.width, f.height].sort((a, b) => a - b),
    [16, 320],
    'size',
  );
  ok(f.formats?.thumbnail, 'thumbnail');
});
ours(
  'images › a JPEG turned by EXIF still shows upright: turned pixels or the tag kept, and width/height as stored',
  async (t) => {
    const f = await t.one([['files', turnedJpeg(), `upright-${t.tag}.jpg`, 'image/jpeg']]);
    for (const [what, url, entry] of [
      ['original', f.url, f],
      ['thumbnail', f.formats.thumbnail.url, f.formats.thumbnail],
    ]) {
      const facts = jpegFacts((await t.serve(url)).bytes);
      ok(
        facts.orientation === 6 ? facts.width > facts.height : facts.orientation === 1 && facts.height > facts.width,
        `${what}: ${show(facts)}`,
      );
      eq([entry.width, entry.height].sort(), [facts.width, facts.height].sort(), `${what} size`);
    }
  },
);
check('images › an animated GIF keeps its frames, its thumbnail too', async (t) => {
  const f = await t.one([['files', gif, `anim-${t.tag}.gif`, 'image/gif']]);
  eq([f.width, f.height, f.mime], [260, 20, 'image/gif'], 'facts');
  eq(
    [gifFrames((await t.serve(f.url)).bytes), gifFrames((await t.serve(f.formats.thumbnail.url)).bytes)],
    [2, 2],
    'frames',
  );
});
check('images › SVG: size from the drawing, no formats', async (t) => {
  const f = await t.one([['files', svg, `draw-${t.tag}.svg`, 'image/svg+xml']]);
  eq([f.width, f.height, f.formats, f.mime, f.ext], [300, 200, null, 'image/svg+xml', '.svg'], 'facts');
});
check('images › a broken picture is 400 and leaves nothing', async (t) => {
  isError(
    await t.upload('', [
      [
        'files',
        png(300, 300, (x, y) => [(x * 7) & 255, (y * 5) & 255, (x * y) & 255]).subarray(0, 400),
        `broken-${t.tag}.png`,
        'image/png',
      ],
    ]),
    400,
    'ApplicationError',
    'File is not a valid image',
  );
  eq(await t.named(`broken-${t.tag}`), [], 'listed');
  if (t.publicDir) eq(t.onDisk(`broken_${t.tag}`), [], 'on disk');
});
check('read › the list is a bare array; one file equals what the upload answered', async (t) => {
  const file = await t.one([text(`read-${t.tag}.txt`)]);
  const list = await t.api('GET', '/api/upload/files');
  eq(list.status, 200, 'status');
  ok(Array.isArray(list.body), 'bare array');
  eq(
    list.body.find((f) => f.id === file.id),
    file,
    'in the list',
  );
  const one = await t.api('GET', `/api/upload/files/${file.id}`);
  eq([one.status, one.body], [200, file], 'alone');
});
check('read › filters, sort and fields', async (t) => {
  await t.one([text(`f1-find${t.tag}.txt`, 'x'.repeat(500))]);
  await t.one([text(`f2-find${t.tag}.txt`)]);
  await t.one([['files', png(4, 3), `f3-find${t.tag}.png`, 'image/png']]);
  const names = async (query) =>
    (await t.api('GET', `/api/upload/files?filters[$and][0][name][$contains]=find${t.tag}&${query}`)).body.map((f) =>
      f.name.slice(0, 2),
    );
  eq(
    [
      await names('sort=name:desc'),
      await names('filters[mime][$startsWith]=image/'),
      await names('filters[size][$gt]=0.4'),
      await names('filters[ext]=.txt&sort=id:desc'),
    ],
    [['f3', 'f2', 'f1'], ['f3'], ['f1'], ['f2', 'f1']],
    'names',
  );
  const [first] = (await t.api('GET', `/api/upload/files?filters[name][$contains]=find${t.tag}&fields=name&fields=url`))
    .body;
  eq(
    Object.keys(first)
      .filter((k) => k !== 'isUrlSigned')
      .sort(),
    ['documentId', 'id', 'name', 'url'],
    'fields',
  );
});
check('read › unknown or private keys are 400', async (t) => {
  for (const query of ['filters[nope]=1', 'filters[folderPath]=/1', 'sort=nope', 'fields=nope', 'populate=folder'])
    isError(await t.api('GET', `/api/upload/files?${query}`), 400, 'ValidationError');
});
check('read › pages: {data, meta.pagination}', async (t) => {
  const { status, body } = await t.api('GET', '/api/upload/files/page?pagination[pageSize]=1&sort=id:asc');
  if (status === 403) throw new Skip('plugin::upload.content-api.findPage is not granted');
  eq([status, body.data?.length, body.meta?.pagination?.page, body.meta.pagination.pageSize], [200, 1, 1, 1], 'page');
  eq(body.meta.pagination.pageCount, body.meta.pagination.total, 'pageCount');
});
check('read › an unknown id is 404 in the envelope', async (t) => {
  isError(await t.api('GET', '/api/upload/files/99999999'), 404, 'NotFoundError', 'file.notFound');
  isError(await t.api('DELETE', '/api/upload/files/99999999'), 404, 'NotFoundError', 'file.notFound');
});
check('access › a wrong token is 401', async (t) =>
  isError(await t.upload('', [text('a.txt')], { authorization: 'Bearer wrong' }), 401, 'UnauthorizedError'),
);
check(
  'link › ref, refId (row id) and field put the file on the entry; in an entry it has no isUrlSigned',
  async (t) => {
    const { id, documentId } = await restaurant(t);
    const file = await t.one([text(`cover-${t.tag}.txt`), ...link(RESTAURANT, id, 'cover')]);
    const { isUrlSigned, ...plain } = file;
    eq((await t.api('GET', `/api/restaurants/${documentId}?populate=cover`)).body.data.cover, plain, 'cover');
    const [related] = (await t.api('GET', `/api/upload/files/${file.id}?populate=related`)).body.related;
    eq([related?.__type, related?.documentId], [RESTAURANT, documentId], 'related');
  },
);
check('link › on a single field the new file takes the place of the old, which stays stored', async (t) => {
  const { id, documentId } = await restaurant(t);
  const a = await t.one([text(`c1-${t.tag}.txt`), ...link(RESTAURANT, id, 'cover')]),
    b = await t.one([text(`c2-${t.tag}.txt`), ...link(RESTAURANT, id, 'cover')]);
  eq((await t.api('GET', `/api/restaurants/${documentId}?populate=cover`)).body.data.cover.id, b.id, 'cover');
  eq((await t.api('GET', `/api/upload/files/${a.id}`)).status, 200, 'old file');
});
check('link › several files at once on a multiple field; more are added', async (t) => {
  const { id, documentId } = await restaurant(t);
  const gallery = async () =>
    (await t.api('GET', `/api/restaurants/${documentId}?populate=gallery`)).body.data.gallery.map((f) =>
      f.name.slice(0, 2),
    );
  await t.upload('', [text(`g1-${t.tag}.txt`), text(`g2-${t.tag}.txt`), ...link(RESTAURANT, id, 'gallery')]);
  eq((await gallery()).sort(), ['g1', 'g2'], 'two');
  await t.upload('', [text(`g3-${t.tag}.txt`), ...link(RESTAURANT, id, 'gallery')]);
  eq((await gallery()).sort(), ['g1', 'g2', 'g3'], 'three');
});
ours('link › a file added to a gallery goes to its end', async (t) => {
  const ids = (
      await t.upload('', [text(`e1-${t.tag}.txt`), text(`e2-${t.tag}.txt`), text(`e3-${t.tag}.txt`)])
    ).body.map((f) => f.id),
    { id, documentId } = await restaurant(t, { gallery: ids });
  const last = await t.one([text(`e4-${t.tag}.txt`), ...link(RESTAURANT, id, 'gallery')]);
  eq(
    (await t.api('GET', `/api/restaurants/${documentId}?populate=gallery`)).body.data.gallery.map((f) => f.id),
    [...ids, last.id],
    'order',
  );
});
check('link › file ids in an entry: order kept; null and [] empty them; an unknown id is 400', async (t) => {
  const ids = (
      await t.upload('', [text(`d1-${t.tag}.txt`), text(`d2-${t.tag}.txt`), text(`d3-${t.tag}.txt`)])
    ).body.map((f) => f.id),
    order = [ids[2], ids[0], ids[1]],
    { documentId } = await restaurant(t, { cover: ids[0], gallery: order });
  const put = async (data) => {
    const { status, body } = await t.api(
      'PUT',
      `/api/restaurants/${documentId}?populate[0]=cover&populate[1]=gallery`,
      { json: { data } },
    );
    return status === 200 ? [body.data.cover?.id ?? null, body.data.gallery.map((f) => f.id)] : status;
  };
  eq(
    [
      await put({}),
      await put({ cover: ids[1] }),
      await put({ cover: null, gallery: [] }),
      await put({ cover: 99999999 }),
    ],
    [[ids[0], order], [ids[1], order], [null, []], 400],
    'answers',
  );
});
check('link › to a draft row: the draft has it, the published entry only after publishing', async (t) => {
  const draft = await t.entry('articles', { title: `Upload ${t.tag}` }, '?status=draft');
  await t.api('PUT', `/api/articles/${draft.documentId}?status=published`, { json: { data: {} } });
  const rowId = (await t.api('GET', `/api/articles/${draft.documentId}?status=draft`)).body.data.id,
    file = await t.one([text(`art-${t.tag}.txt`), ...link(ARTICLE, rowId, 'cover')]);
  const cover = async (status) =>
    (await t.api('GET', `/api/articles/${draft.documentId}?status=${status}&populate=cover`)).body.data.cover?.id ??
    null;
  eq([await cover('draft'), await cover('published')], [file.id, null], 'before');
  await t.api('PUT', `/api/articles/${draft.documentId}?status=published`, { json: { data: {} } });
  eq([await cover('draft'), await cover('published')], [file.id, file.id], 'after publishing');
});
check('link › without refId or field the file is just stored', async (t) => {
  await t.one([text('a.txt'), ['ref', RESTAURANT], ['field', 'cover']]);
  await t.one([text('a.txt'), ['path', 'some/dir'], ['source', 'x']]);
});
ours(
  'link › an unknown type, row or field is 400 or 404 and stores nothing; a documentId is understood or refused, never 500',
  async (t) => {
    const { id, documentId } = await restaurant(t);
    for (const [name, ref, refId, field] of [
      ['ref', 'api::nope.nope', id, 'cover'],
      ['row', RESTAURANT, 99999999, 'cover'],
      ['field', RESTAURANT, id, 'nope'],
      ['scalar', RESTAURANT, id, 'name'],
    ]) {
      const answer = await t.upload('', [text(`bad-${name}-${t.tag}.txt`), ...link(ref, refId, field)]);
      ok([400, 404].includes(answer.status) && answer.body.error, `${name}: ${answer.status} ${show(answer.body)}`);
    }
    eq(
      await t.named(`-${t.tag}.txt`).then((files) => files.filter((f) => f.name.startsWith('bad-')).map((f) => f.name)),
      [],
      'stored',
    );
    if (t.publicDir)
      eq(
        t.onDisk('bad_').filter((n) => n.includes(t.tag)),
        [],
        'on disk',
      );
    const answer = await t.upload('', [text(`doc-${t.tag}.txt`), ...link(RESTAURANT, documentId, 'cover')]);
    ok([201, 400].includes(answer.status), `documentId: ${answer.status}`);
  },
);
check('update › ?id= with fileInfo alone: 200, one object, the rest kept; null changes nothing', async (t) => {
  const file = await t.one([
    text(`up-${t.tag}.txt`),
    ['fileInfo', '{"alternativeText":"alt","caption":"cap","focalPoint":{"x":1,"y":2}}'],
  ]);
  const { status, body } = await t.upload(`?id=${file.id}`, [['fileInfo', '{"name":"renamed","caption":null}']]);
  eq(status, 200, 'status');
  eq({ ...body, updatedAt: 0 }, { ...file, name: 'renamed', updatedAt: 0 }, 'file');
  ok(body.updatedAt >= file.updatedAt, 'updatedAt');
  const json = await t.api('POST', `/api/upload?id=${file.id}`, { json: { fileInfo: { caption: '', url: '/evil' } } });
  eq([json.status, json.body.caption, json.body.url], [200, '', file.url], 'as JSON');
});
check('update › unknown id 404; two ids 400', async (t) => {
  isError(await t.upload('?id=99999999', [['fileInfo', '{"name":"x"}']]), 404, 'NotFoundError');
  isError(await t.upload('?id=99999999', [text('a.txt')]), 404, 'NotFoundError');
  isError(await t.upload('?id=1&id=2', [['fileInfo', '{"name":"x"}']]), 400, 'ValidationError');
});
check(
  'replace › id, documentId, hash, ext, url, texts, folder and links stay; name, mime, size, formats and bytes are new',
  async (t) => {
    const { id, documentId } = await restaurant(t);
    const file = await t.one([
      ['files', png(600, 40), `r-${t.tag}.png`, 'image/png'],
      ['fileInfo', '{"alternativeText":"alt","caption":"cap"}'],
      ...link(RESTAURANT, id, 'cover'),
    ]);
    const { status, body } = await t.upload(`?id=${file.id}`, [
      ['files', png(300, 30), `new-${t.tag}.png`, 'image/png'],
    ]);
    eq(status, 200, 'status');
    eq(
      ['id', 'documentId', 'hash', 'ext', 'url', 'alternativeText', 'caption', 'createdAt'].map((k) => body[k]),
      ['id', 'documentId', 'hash', 'ext', 'url', 'alternativeText', 'caption', 'createdAt'].map((k) => file[k]),
      'kept',
    );
    eq(
      [body.name, body.width, body.height, Object.keys(body.formats)],
      [`new-${t.tag}.png`, 300, 30, ['thumbnail']],
      'new',
    );
    eq(pngSize((await t.serve(file.url)).bytes), { width: 300, height: 30 }, 'served');
    eq(
      [(await t.serve(file.formats.small.url)).status, (await t.serve(body.formats.thumbnail.url)).status],
      [404, 200],
      'formats',
    );
    eq((await t.api('GET', `/api/restaurants/${documentId}?populate=cover`)).body.data.cover?.id, file.id, 'link');
  },
);
check('replace › with two files is 400', async (t) => {
  const file = await t.one([text(`r2-${t.tag}.txt`)]);
  isError(
    await t.upload(`?id=${file.id}`, [text('a.txt'), text('b.txt')]),
    400,
    'ValidationError',
    'Cannot replace a file with multiple ones',
  );
  eq((await t.serve(file.url)).bytes.toString(), 'hello', 'unchanged');
});
check('delete › answers the file; row, bytes, formats and links are gone', async (t) => {
  const { id, documentId } = await restaurant(t);
  const file = await t.one([
    ['files', png(300, 30), `del-${t.tag}.png`, 'image/png'],
    ...link(RESTAURANT, id, 'cover'),
  ]);
  const { status, body } = await t.api('DELETE', `/api/upload/files/${file.id}`);
  eq([status, body], [200, file], 'answer');
  eq(
    [
      (await t.api('GET', `/api/upload/files/${file.id}`)).status,
      (await t.serve(file.url)).status,
      (await t.serve(file.formats.thumbnail.url)).status,
    ],
    [404, 404, 404],
    'gone',
  );
  if (t.publicDir) eq(t.onDisk(file.hash), [], 'on disk');
  eq((await t.api('GET', `/api/restaurants/${documentId}?populate=cover`)).body.data.cover, null, 'cover');
  isError(await t.api('DELETE', `/api/upload/files/${file.id}`), 404, 'NotFoundError');
});
check('delete › deleting an entry keeps its files', async (t) => {
  const { id, documentId } = await restaurant(t);
  const file = await t.one([text(`keep-${t.tag}.txt`), ...link(RESTAURANT, id, 'cover')]);
  await t.api('DELETE', `/api/restaurants/${documentId}`);
  const left = await t.api('GET', `/api/upload/files/${file.id}?populate=related`);
  eq([left.status, left.body.related, (await t.serve(file.url)).status], [200, [], 200], 'file');
});
check('serve › bytes, type by extension, length, Last-Modified, Accept-Ranges, nosniff', async (t) => {
  for (const [name, type, body, expected] of [
    ['s.txt', 'text/plain', 'grüß', 'text/plain; charset=utf-8'],
    ['s.pdf', 'application/pdf', '%PDF-1.4\n%%EOF', 'application/pdf'],
    ['s.json', 'application/json', '{}', 'application/json; charset=utf-8'],
    ['s.bin7', 'application/x-thing', 'x', 'application/octet-stream'],
  ]) {
    const file = await t.one([['files', body, name, type]]),
      { status, headers, bytes } = await t.serve(file.url);
    // A bucket knows the type that it was told, and sends no headers of ours.
    const shown = t.isBucket && !type.startsWith('text/') ? type : expected;
    eq(
      [
        status,
        bytes.toString(),
        headers.get('content-type'),
        headers.get('content-length'),
        headers.get('accept-ranges'),
        headers.get('x-content-type-options'),
      ],
      [200, body, shown, String(Buffer.byteLength(body)), 'bytes', t.isBucket ? null : 'nosniff'],
      name,
    );
    ok(!Number.isNaN(Date.parse(headers.get('last-modified'))), 'last-modified');
    ok(headers.get('cache-control'), 'cache-control');
  }
});
check('serve › needs no token, minds neither a wrong one nor a query', async (t) => {
  const { url } = await t.one([text(`open-${t.tag}.txt`)]);
  eq([(await t.serve(url)).status, (await t.serve(`${url}?v=1`)).status], [200, 200], 'status');
  // A bucket refuses what looks like credentials and is not.
  const { status } = await t.serve(url, { headers: { authorization: 'Bearer wrong' } });
  eq(status >= 400, t.isBucket, `status ${status} with a wrong token`);
});
check('serve › HEAD: the headers without the bytes', async (t) => {
  const { url } = await t.one([text(`head-${t.tag}.txt`, '0123456789')]);
  const { status, headers, bytes } = await t.serve(url, { method: 'HEAD' });
  eq([status, headers.get('content-length'), bytes.length], [200, '10', 0], 'answer');
});
check('serve › ranges a-b and a-', async (t) => {
  const { url } = await t.one([text(`range-${t.tag}.txt`, '0123456789')]);
  const range = async (value) => {
    const r = await t.serve(url, { headers: { range: value } });
    return [r.status, r.headers.get('content-range'), r.headers.get('content-length'), r.bytes.toString()];
  };
  eq(
    [await range('bytes=0-3'), await range('bytes=5-'), await range('bytes=9-9')],
    [
      [206, 'bytes 0-3/10', '4', '0123'],
      [206, 'bytes 5-9/10', '5', '56789'],
      [206, 'bytes 9-9/10', '1', '9'],
    ],
    'ranges',
  );
});
ours('serve › ranges -n and past the end: last bytes, cut to the end, 416 with the length', async (t) => {
  const { url } = await t.one([text(`range2-${t.tag}.txt`, '0123456789')]);
  const range = async (value) => {
    const r = await t.raw('GET', url, { headers: { range: value } });
    return [r.status, r.headers['content-range'], r.status === 206 ? r.bytes.toString() : ''];
  };
  // Of a bucket, ranges are its own affair; what is past the end is cut there, too.
  if (t.isBucket) return eq(await range('bytes=5-50'), [206, 'bytes 5-9/10', '56789'], 'range');
  eq(
    [await range('bytes=-3'), await range('bytes=5-50'), await range('bytes=20-30')],
    [
      [206, 'bytes 7-9/10', '789'],
      [206, 'bytes 5-9/10', '56789'],
      [416, 'bytes */10', ''],
    ],
    'ranges',
  );
});
ours('serve › an unchanged file is 304 by ETag or date', async (t) => {
  const { url } = await t.one([text(`etag-${t.tag}.txt`)]);
  const { headers } = await t.serve(url);
  ok(headers.get('etag'), 'etag');
  eq(
    [
      (await t.serve(url, { headers: { 'if-none-match': headers.get('etag') } })).status,
      (await t.serve(url, { headers: { 'if-modified-since': headers.get('last-modified') } })).status,
      (await t.serve(url, { headers: { 'if-none-match': '"other"' } })).status,
    ],
    [304, 304, 200],
    'status',
  );
});
check('serve › an unknown file and the folder itself are 404 in the envelope', async (t) => {
  for (const target of ['/uploads/nope.png', '/uploads/', '/uploads/.hidden'])
    isError(await t.raw('GET', target), 404, 'NotFoundError');
});
check('serve › no way out of the folder', async (t) => {
  for (const target of [
    '/uploads/../package.json',
    '/uploads/..%2f..%2fpackage.json',
    '/uploads/%2e%2e/%2e%2e/package.json',
    '/uploads/..%5c..%5cpackage.json',
    '/uploads/%252e%252e%252fpackage.json',
    '/uploads//etc/passwd',
    '/uploads/a%00.txt',
    '/uploads/%E0%A4%A',
  ]) {
    const r = await t.raw('GET', target);
    ok(r.status >= 400 && r.status < 500, `${target}: ${r.status}`);
    ok(r.body?.error, `${target}: envelope, got ${show(r.body)}`);
  }
});
ours('serve › SVG and HTML cannot run scripts in our origin: attachment or a sandboxing policy', async (t) => {
  for (const [name, type, body] of [
    ['x.svg', 'image/svg+xml', svg],
    ['x.html', 'text/html', '<script src="/uploads/x.js"></script>'],
    ['x.xhtml', 'application/xhtml+xml', '<html xmlns="http://www.w3.org/1999/xhtml"/>'],
  ]) {
    const answer = await t.upload('', [['files', body, name, type]]);
    if (answer.status === 400) continue; // refusing them is safe too
    const { headers } = await t.serve(answer.body[0].url),
      policy = headers.get('content-security-policy') ?? '';
    ok(
      /^attachment/.test(headers.get('content-disposition') ?? '') ||
        /(^|;)\s*sandbox\s*(;|$)/.test(policy) ||
        headers.get('content-type') === 'application/octet-stream',
      `${name}: ${headers.get('content-type')}, ${policy}`,
    );
  }
});
check('methods › PUT /api/upload, DELETE /api/upload/files, POST /uploads/x: 405', async (t) =>
  eq(
    [
      (await t.raw('PUT', '/api/upload')).status,
      (await t.raw('DELETE', '/api/upload/files')).status,
      (await t.raw('POST', '/uploads/x.txt')).status,
    ],
    [405, 405, 405],
    'status',
  ),
);
ours('methods › 405 in the envelope', async (t) => {
  isError(await t.raw('PUT', '/api/upload'), 405);
  isError(await t.raw('POST', '/uploads/x.txt'), 405);
});
ours('errors › broken fileInfo, broken multipart, no boundary: 400', async (t) => {
  isError(await t.upload('', [text(`bj-${t.tag}.txt`), ['fileInfo', '{nope']]), 400);
  eq(await t.named(`bj-${t.tag}`), [], 'stored');
  isError(
    await t.raw('POST', '/api/upload', {
      headers: { 'content-type': 'multipart/form-data; boundary=x' },
      body: '--x\r\ncontent-disp',
    }),
    400,
  );
  isError(await t.raw('POST', '/api/upload', { headers: { 'content-type': 'multipart/form-data' }, body: 'x' }), 400);
});
ours('errors › when one file of several is refused, none is stored', async (t) => {
  isError(await t.upload('', [text(`atom-${t.tag}.txt`), text('a:b.txt')]), 400);
  eq(await t.named(`atom-${t.tag}`), [], 'stored');
  if (t.publicDir) eq(t.onDisk(`atom_${t.tag}`), [], 'on disk');
});

export { checks };
