// One form for every path, so that whoever compares it, the router or code of a project, compares the same text. Encoded
// characters that need no encoding are decoded, all others are encoded: as encodeURI would write what is meant.

/** A target that is in its form already, as nearly all are. */
const NORMAL = /^\/[\w.~!'()*$&+,/:;=@-]*(?:\?[^#]*)?$/;
/** What means the same whether it is encoded or not. */
const FREE = /^[\w.~!'()*-]$/;
const ENCODED = /%([\da-f]{2})/gi;
const BROKEN = /%(?![\da-f]{2})/i;
/** What stands for itself in no URL. */
const UNSAFE = /[^!-~]|["<>[\\\]^`{|}]/gu;
/** The Kelvin sign is another way to write K. In lower case both are the same letter, which the router compares. */
const KELVIN = /%E2%84%AA/g;
const ORIGIN = /^https?:\/\/[^/?#]*/i;

/** A request target: its path in one form, without an origin and a fragment. The query is left as it is. */
export function normalisedUrl(url: string): string {
  if (NORMAL.test(url)) return url;
  const [origin = ''] = ORIGIN.exec(url) ?? [];
  const [target = ''] = url.slice(origin.length).split('#', 1);
  const mark = target.indexOf('?');
  const path = mark < 0 ? target : target.slice(0, mark);
  return `${path === '' ? '/' : normalisedPath(path)}${mark < 0 ? '' : target.slice(mark)}`;
}

/** A path, or a part of one. What is encoded wrongly stays so: to decode a part of it would make it mean something. */
export function normalisedPath(path: string): string {
  if (BROKEN.test(path)) return path;
  return path
    .replace(ENCODED, (text, digits: string) => {
      const character = String.fromCharCode(Number.parseInt(digits, 16));
      return FREE.test(character) ? character : text.toUpperCase();
    })
    .replace(UNSAFE, (character) => encodeURIComponent(character.toWellFormed()))
    .replace(KELVIN, 'K');
}
