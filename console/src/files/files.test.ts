// The library without a browser: its words, its requests and its uploads.
import { expect, it } from 'vitest';
import { parseQueryString } from '../../../src/request/query-string.ts';
import { acceptOf, asFile, extensionOf, freshUrl, isAllowed, kindsInWords, sizeInWords, thumbnailOf } from './file.ts';
import { FIRST_FILES, fileListParameters, fileListPath, readFileList } from './file-list.ts';
import { type Send, UploadQueue } from './upload-queue.ts';

it('says what a file is', () => {
  expect(
    [0.4, 1.5, 12.3, 999, 1500, 250_000, 3_000_000].map((size) => sizeInWords(size).replace('\u00a0', ' ')),
  ).toEqual(['400 B', '1.5 kB', '12 kB', '999 kB', '1.5 MB', '250 MB', '3 GB']);
  const file = asFile({
    id: 1,
    name: 'a.PNG',
    ext: '.PNG',
    mime: 'image/png',
    url: '/uploads/a.png',
    updatedAt: '1970-01-01T00:00:01.000Z',
  });
  expect(extensionOf(file)).toBe('PNG');
  expect(extensionOf(asFile({ id: 2 }))).toBe('OCTET');
  expect(thumbnailOf(file)).toBe('/uploads/a.png?v=1000');
  expect(thumbnailOf({ ...file, formats: { thumbnail: { url: '/uploads/t.png' } } })).toBe('/uploads/t.png?v=1000');
  expect(thumbnailOf({ ...file, mime: 'text/plain' })).toBeNull();
  expect(freshUrl('https://cdn.example.com/a.png?signature=x', file)).toBe('https://cdn.example.com/a.png?signature=x');
});

it('knows which kinds may stand where', () => {
  expect([
    isAllowed('image/png', null),
    isAllowed('image/png', ['images']),
    isAllowed('text/plain', ['images']),
  ]).toEqual([true, true, false]);
  expect(isAllowed('application/pdf', ['files'])).toBe(true);
  expect([acceptOf(null), acceptOf(['images', 'audios']), acceptOf(['images', 'files'])]).toEqual([
    undefined,
    'image/*,audio/*',
    undefined,
  ]);
  expect(kindsInWords(['images', 'files'])).toBe('images or documents');
});

it('keeps what is asked for in the address', () => {
  const list = { search: 'a&b', kinds: ['files'], sort: 'name:asc', page: 3 } as const;
  const parameters = Object.entries(fileListParameters(list)).filter(
    (pair): pair is [string, string] => pair[1] !== null,
  );
  expect(readFileList(new URLSearchParams(parameters))).toEqual(list);
  expect(Object.values(fileListParameters(FIRST_FILES))).toEqual([null, null, null, null]);
  expect(readFileList(new URLSearchParams('sort=secret&page=-1&kind=x'))).toEqual(FIRST_FILES);
});

it('asks for a page of the kinds', () => {
  const asked = (list: Parameters<typeof fileListPath>[0]) => parseQueryString(fileListPath(list).split('?')[1]!);
  expect(asked({ search: 'a&b', kinds: ['images', 'files'], sort: 'name:asc', page: 2 })).toEqual({
    pagination: { page: '2', pageSize: '24' },
    sort: ['name:asc', 'id:desc'],
    _q: 'a&b',
    filters: {
      $or: [
        { mime: { $startsWith: 'image/' } },
        {
          $not: {
            $or: ['image/', 'video/', 'audio/'].map((prefix) => ({ mime: { $startsWith: prefix } })),
          },
        },
      ],
    },
  });
  expect(asked(FIRST_FILES).filters).toBeUndefined();
});

it('uploads three at a time, and goes on after one that fails or is cancelled', async () => {
  const running: { name: string; end: (error?: Error) => void; progress: (sent: number) => void }[] = [];
  const send: Send = (file, { onProgress, signal }) =>
    new Promise((resolve, reject) => {
      const end = (error?: Error): void => (error ? reject(error) : resolve(asFile({ id: 1, name: file.name })));
      running.push({ name: file.name, end, progress: onProgress });
      signal.addEventListener('abort', () => reject(new Error('Cancelled')));
    });
  const stored: string[] = [];
  const queue = new UploadQueue(send, ({ name }) => stored.push(name));
  const shown = () => queue.snapshot().map(({ name, state, sent, error }) => [name, state, error ?? sent]);
  const files = ['a', 'b', 'c', 'd', 'e'].map((name) => new File(['x'], name));
  queue.add(files, ({ name }) => (name === 'b' ? 'Not this one' : null));
  expect(running.map(({ name }) => name)).toEqual(['a', 'c', 'd']);
  running[0]!.progress(0.5);
  expect(shown().slice(0, 2)).toEqual([
    ['a', 'sending', 0.5],
    ['b', 'failed', 'Not this one'],
  ]);
  running[0]!.end(new Error('Too large'));
  await expect.poll(() => running.length).toBe(4);
  queue.remove(3);
  // The last is done first.
  for (const { end } of running.slice(2).reverse()) end();
  await expect.poll(() => stored).toEqual(['d', 'e']);
  expect(shown()).toEqual([
    ['a', 'failed', 'Too large'],
    ['b', 'failed', 'Not this one'],
    ['d', 'done', 1],
    ['e', 'done', 1],
  ]);
});
