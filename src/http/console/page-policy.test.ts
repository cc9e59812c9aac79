import { expect, it } from 'vitest';
import { type FilePlace, pagePolicy } from './page-policy.ts';

const storage = (url: string, signed?: () => Promise<string>): FilePlace => ({
  isPrivate: signed !== undefined,
  url: (key) => `${url}/${key}`,
  signedUrl: signed ?? (() => Promise.reject(new Error('nothing is signed'))),
});
const pictures = async (one: FilePlace) => (await pagePolicy(one)).match(/(?:img|media)-src [^;]+/g);

it('lets pages load pictures and films from where files are, and nothing else from elsewhere', async () => {
  expect(await pictures(storage('/uploads'))).toEqual(["img-src 'self' data: blob:", "media-src 'self'"]);
  expect(await pictures(storage('https://cdn.example.com/media'))).toEqual([
    "img-src 'self' data: blob: https://cdn.example.com",
    "media-src 'self' https://cdn.example.com",
  ]);
  const signed = () => Promise.resolve('https://bucket.s3.amazonaws.com/a?X-Amz-Signature=x');
  expect(await pictures(storage('https://cdn.example.com', signed))).toEqual([
    "img-src 'self' data: blob: https://cdn.example.com https://bucket.s3.amazonaws.com",
    "media-src 'self' https://cdn.example.com https://bucket.s3.amazonaws.com",
  ]);
  const nobody = () => Promise.reject(new Error('no credentials'));
  expect(await pictures(storage('/uploads', nobody))).toEqual(["img-src 'self' data: blob:", "media-src 'self'"]);
  expect((await pagePolicy(storage('https://cdn.example.com'))).match(/cdn/g)).toHaveLength(2);
});
