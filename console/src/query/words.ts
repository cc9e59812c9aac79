// Words made of names and values, as people say them.

/** `averagePrice` is "average price". */
export const humanized = (name: string): string =>
  name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/[-_.]+/g, ' ')
    .trim()
    .toLowerCase();

export const article = (word: string): string => (/^[aeiou]/i.test(word) ? `an ${word}` : `a ${word}`);

/** Whether a name speaks of several things: `stars`, not `address` or `status`. */
export const isPlural = (word: string): boolean => /s$/.test(word) && !/(ss|us|is)$/.test(word);

/** `name's`, `stars'`. */
export const possessive = (word: string): string => (isPlural(word) ? `${word}’` : `${word}’s`);

/** "a", "a and b", "a, b and c". */
export function listed(items: readonly string[], word: string): string {
  if (items.length <= 1) return items.join('');
  return `${items.slice(0, -1).join(', ')} ${word} ${items.at(-1)}`;
}

export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const UNITS: Readonly<Record<string, string>> = {
  y: 'year',
  M: 'month',
  w: 'week',
  d: 'day',
  h: 'hour',
  m: 'minute',
  s: 'second',
};

/** `now-7d` is "7 days ago"; null for what is told in a way that has no short words. */
export function relativeDateWords(text: string): string | null {
  if (text === 'now') return 'now';
  // A plus sign in a query can come as a space.
  const match = /^now(?:([+ -])(\d{1,6})([yMwdhms]))?(?:\/([yMwdhms]))?$/.exec(text);
  if (!match) return null;
  const [, sign, amount, unit, begun] = match;
  const moved = amount === undefined ? '' : `${amount} ${UNITS[unit!]}${amount === '1' ? '' : 's'}`;
  if (begun === undefined) return sign === '-' ? `${moved} ago` : `${moved} from now`;
  const name = UNITS[begun]!;
  const present = begun === 'd' ? 'today' : `this ${name}`;
  if (moved === '') return `the beginning of ${present}`;
  return `the beginning of the ${name} ${sign === '-' ? `${moved} ago` : `${moved} from now`}`;
}
