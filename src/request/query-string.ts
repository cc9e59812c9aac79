// Query string → nested object, in the bracket dialect of `qs`, with every option strict: whatever does not fit a
// limit is refused, because a condition that gets lost on the way would show rows it was meant to hide.
import qs from 'qs';
import { invalidKey, limitExceeded, validationError } from '../errors.ts';
import { DEFAULT_LIMITS, type Limits } from '../limits.ts';

export type QueryObject = Readonly<Record<string, unknown>>;

/** A name and groups in brackets, with nothing between, before or after them that would be lost. */
const KEY = /^[^[\]]+(\[[^[\]]*\])*$/;

const OPTIONS: qs.IParseOptions = {
  strictDepth: true,
  throwOnLimitExceeded: true,
  strictNullHandling: true,
  plainObjects: true,
  decoder(text, decode, _charset, type): string {
    const decoded = decode(text);
    if (type === 'key' && !KEY.test(decoded)) throw invalidKey(decoded, [], decoded.split('[')[0]!);
    if (type === 'key' && decoded.includes('__proto__')) throw invalidKey('__proto__', [], decoded.split('[')[0]!);
    return decoded;
  },
};

export function parseQueryString(text: string, limits: Limits = DEFAULT_LIMITS): QueryObject {
  if (text === '') return {};
  const { depth, listItems, parameters } = limits;
  try {
    const options = { ...OPTIONS, depth, arrayLimit: listItems, parameterLimit: parameters };
    return qs.parse(text.includes('&') ? meaningfulPairs(text, parameters) : text, options);
  } catch (error) {
    if (error instanceof RangeError) throw explained(error, limits);
    throw error;
  }
}

/** A place that takes several values: two that are equal may be meant there. */
const LIST_KEY = /(\[|%5B)((\$|%24)between)?(\]|%5D)$/i;

/** The pairs without empty ones, as in `a=b&&c=d`, and without those that say again what was said. */
function meaningfulPairs(text: string, most: number): string {
  const all = text.split('&');
  if (all.length > most) throw limitExceeded('MAX_PARAMETERS', most, 'parameters');
  const seen = new Set<string>();
  const pairs = all.filter((pair) => {
    if (pair === '' || (seen.has(pair) && !LIST_KEY.test(pair.split('=', 1)[0]!))) return false;
    seen.add(pair);
    return true;
  });
  return pairs.join('&');
}

function explained({ message }: RangeError, { depth, listItems, parameters }: Limits): Error {
  if (message.startsWith('Parameter')) return limitExceeded('MAX_PARAMETERS', parameters, 'parameters');
  if (message.startsWith('Array')) return limitExceeded('MAX_LIST_ITEMS', listItems, 'values in a list');
  if (message.startsWith('Input depth')) return limitExceeded('MAX_DEPTH', depth, 'levels of brackets');
  return validationError('The query string cannot be read');
}
