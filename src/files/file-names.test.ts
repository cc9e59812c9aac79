// Names of files, as they are shown and as URLs hold them.
import { describe, expect, it } from 'vitest';
import { extensionOf, fileName, hashOf, kilobytes } from './file-names.ts';

describe('the name of a file', () => {
  it('is kept whole and in one form, without the path that some browsers send', () => {
    expect(fileName('e\u0301te\u0301 😀 日本.txt')).toBe('été 😀 日本.txt');
    expect(fileName('C:\\fakepath\\a.txt')).toBe('a.txt');
    expect(fileName('')).toBe('unamed');
    expect(fileName(undefined)).toBe('unamed');
    expect(fileName('a%20b.txt')).toBe('a%20b.txt');
  });

  it.each([
    'a/b',
    'a:b',
    'a?b',
    'a*b',
    'a"b',
    'a<b',
    'a>b',
    'a|b',
    'a\0b',
    'a\nb',
    '.',
    '..',
    'CON',
    'lpt1',
    'x'.repeat(256),
  ])('is refused: %j', (name) => {
    expect(() => fileName(name)).toThrow('File name contains invalid characters');
  });

  it.each([
    ['Große Bild (1)', 'Grosse_Bild_1'],
    ['myPhotoABC', 'my_Photo_ABC'],
    ['a&b', 'a_and_b'],
    ['100%', '100'],
    ['Привет мир', 'Privet_mir'],
    ['日本語', ''],
  ])('has a hash as Strapi 5 makes it: %s', async (name, slug) => {
    expect(await hashOf(`${name}.png`, '.png')).toMatch(new RegExp(`^${slug}_[0-9a-f]{10}$`));
  });

  it('has its last extension, or that of its type, and none that a URL could not hold', () => {
    expect(extensionOf('a.tar.gz', 'text/plain')).toBe('.gz');
    expect(extensionOf('a.PNG', 'image/png')).toBe('.PNG');
    expect(extensionOf('a', 'image/png')).toBe('.png');
    expect(extensionOf('.env', 'text/plain')).toBe('.txt');
    expect(extensionOf('a.t xt%', 'text/plain')).toBe('.txt');
    expect(extensionOf('a', 'application/x-nobody-knows')).toBe('');
  });

  it('goes with a size in kilobytes of 1000 bytes', () => {
    expect([4, 5, 1_000, 123_456].map(kilobytes)).toEqual([0, 0.01, 1, 123.46]);
  });
});
