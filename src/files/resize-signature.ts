// Signatures of URLs that ask for a picture in another size: whoever has the key may ask for any. It follows from the
// secret of the project, and does not tell it.
import { createHmac, timingSafeEqual } from 'node:crypto';

const PURPOSE = 'resized pictures';
/** It comes last, so that everything before it is signed as it stands. */
const SIGNED = /^([^?]+\?.+)&signature=([^&]*)$/;

/** What a front end signs with. */
export const resizeKey = (secret: string): string => createHmac('sha256', secret).update(PURPOSE).digest('base64url');

const signatureOf = (url: string, key: string): string => createHmac('sha256', key).update(url).digest('base64url');

/** `url`: path and query. */
export const signUrl = (url: string, key: string): string => `${url}&signature=${signatureOf(url, key)}`;

/** Whether the path and the query before the signature are what was signed. */
export function isSigned(url: string, key: string): boolean {
  const [, signed, signature] = SIGNED.exec(url) ?? [];
  if (signed === undefined || signature === undefined) return false;
  // As text: several texts stand for the same bytes, and only one of them was signed.
  const [expected, given] = [Buffer.from(signatureOf(signed, key)), Buffer.from(signature)];
  return given.length === expected.length && timingSafeEqual(given, expected);
}
