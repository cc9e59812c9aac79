// Query string → nested object, in the bracket dialect of `qs`, with every option strict: whatever does not fit a
// limit is refused, because a condition that gets lost on the way would show rows it was meant to hide.
import qs from 'qs';
import { invalidKey, limitExceeded, validationError } from '../errors.ts';
import { MAX_DEPTH, MAX_LIST_ITEMS, MAX_PARAMETERS } from '../limits.ts';

export type QueryObject = Readonly<Record<string, unknown>>;

/** A name and groups in brackets, with nothing between, before or after them that would be lost. */
const KEY = /^[^[\]]+(\[[^[\]]*\])*$/;

const OPTIONS = {
  depth: MAX_DEPTH,
  strictDepth: true,
  arrayLimit: MAX_LIST_ITEMS,
  parameterLimit: MAX_PARAMETERS,
  throwOnLimitExceeded: true,
  strictNullHandling: true,
  plainObjects: true,
  decoder(text: string, decode: (text: string) => string, _charset: string, type: string): string {
    const decoded = decode(text);
    if (type === 'key' && !KEY.test(decoded)) throw invalidKey(decoded, [], decoded.split('[')[0]!);
    if (type === 'key' && decoded.includes('__proto__')) throw invalidKey('__proto__', [], decoded.split('[')[0]!);
    return decoded;
  },
} as unknown as qs.IParseOptions & { decoder?: never };

export function parseQueryString(text: string): QueryObject {
  if (text === '') return {};
  try {
    return qs.parse(text, OPTIONS) as QueryObject;
  } catch (error) {
    if (error instanceof RangeError) throw explained(error);
    throw error;
  }
}

function explained(error: RangeError): Error {
  if (error.message.startsWith('Parameter')) return limitExceeded('MAX_PARAMETERS', MAX_PARAMETERS, 'parameters');
  if (error.message.startsWith('Array')) return limitExceeded('MAX_LIST_ITEMS', MAX_LIST_ITEMS, 'values in a list');
  if (error.message.startsWith('Input depth')) return limitExceeded('MAX_DEPTH', MAX_DEPTH, 'levels of brackets');
  return validationError('The query string cannot be read');
}
