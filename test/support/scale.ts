// How much the generated tests do. By default they are short, so that the whole suite is: enough for each of them to
// fail where something is wrong. SHEAF_TEST_SCALE, a whole number, multiplies all of them at once: cases and commands
// that are generated, requests that are compared, writes of clients at the same time, servers that are killed or
// stopped, and the time that all this may take. A long run is
//
//   SHEAF_TEST_SCALE=10 npm test
//
// SHEAF_TEST_SEED gives other cases to tests that draw them from a seed. A failure names the seed that shows it again.
export const SCALE = wholeNumber('SHEAF_TEST_SCALE') ?? 1;
if (SCALE < 1) throw new Error('SHEAF_TEST_SCALE is less than 1');

/** Null where none is given: each test then has its own, so that its cases are the same every time. */
export const GIVEN_SEED = wholeNumber('SHEAF_TEST_SEED');

/** A number of runs, or of milliseconds that they may take, at the scale of this run. */
export const scaled = (amount: number): number => amount * SCALE;

/** Every nth of a list, beginning with this one; at a scale of n all of them. */
export const everyNth = <T>(n: number, list: readonly T[], first = 0): T[] => {
  const step = Math.max(1, Math.floor(n / SCALE));
  return list.filter((_, index) => index % step === first % step);
};

/**
 * Whether a matrix of everything with everything has this place at the scale of this run: one place in so many, spread
 * so that every row and every column has some.
 */
export const isAsked = (row: number, column: number, oneIn: number): boolean =>
  (row + column) % Math.ceil(oneIn / SCALE) === 0;

function wholeNumber(name: string): number | null {
  const text = process.env[name];
  if (text === undefined || text === '') return null;
  if (!/^-?\d+$/.test(text)) throw new Error(`${name} is no whole number: ${text}`);
  return Number(text);
}
