// How dates, times, instants and whole numbers are written by clients, in queries and in bodies alike.

/** A day in one of its forms, and a time by the clock. */
const INSTANT =
  /^([\dW-]{2,10})(?:Z|[T ](\d\d)(?::?(\d\d)(?::?(\d\d)(?:[.,](\d{1,9}))?)?)?\s?(Z|[+-]\d\d(?::?\d\d)?)?)?$/i;
/** A year, one of its days, months or weeks, or a day of those. */
const DAY = /^(\d{4})(?:-?(?:(\d{3})|(\d\d)(?:-?(\d\d))?|W(\d\d)(?:-?(\d))?))?$/;
const CENTURY = /^\d\d$/;
const TIME = /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.(\d{1,3}))?$/;
const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;

/** Ids of rows are integers of four bytes. */
const LARGEST_ROW_ID = 2 ** 31 - 1;

/** The id of a row, as a number or in digits; null for anything else, and for what no row can have as its id. */
export function readRowId(value: unknown): number | null {
  const id = typeof value === 'string' ? (/^\d+$/.test(value) ? Number(value) : null) : value;
  return typeof id === 'number' && Number.isSafeInteger(id) && Math.abs(id) <= LARGEST_ROW_ID ? id : null;
}

/** There is no year 0, and not every database has one. */
const isDay = (text: string): boolean => DATE.test(text) && !text.startsWith('0000') && !Number.isNaN(midnightOf(text));

const DAY_MS = 86_400_000;

const utcDay = (year: number, month: number, day: number): Date => {
  const date = new Date(0);
  date.setUTCFullYear(year, month, day);
  return date;
};

/** When a day begins, in UTC; not a number for what is none. A longer period begins with its first day. */
function midnightOf(text: string): number {
  if (CENTURY.test(text)) return midnightOf(`${text}00`);
  const [, year, ordinal, month = '01', day = '01', week, weekday = '1'] = DAY.exec(text) ?? [];
  if (year === undefined) return Number.NaN;
  if (week !== undefined) return weekdayOf(Number(year), Number(week), Number(weekday));
  const date = utcDay(Number(year), Number(month) - 1, Number(ordinal ?? day));
  const isThere = ordinal
    ? date.getUTCFullYear() === Number(year) && Number(ordinal) > 0
    : date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
  return isThere ? date.getTime() : Number.NaN;
}

/** The first week of a year is the one with the fourth of January; weeks begin on Mondays. */
function weekdayOf(year: number, week: number, weekday: number): number {
  if (week < 1 || week > 53 || weekday < 1 || weekday > 7) return Number.NaN;
  const fourth = utcDay(year, 0, 4);
  const daysSinceMonday = (fourth.getUTCDay() + 6) % 7;
  return fourth.getTime() + ((week - 1) * 7 + weekday - 1 - daysSinceMonday) * DAY_MS;
}

/** A day, or the day that an instant was written with: `yyyy-MM-dd`. */
export function readDate(text: string): string | null {
  const written = INSTANT.exec(text)?.[1];
  return written !== undefined && isDay(written) ? written : null;
}

/** `HH:mm:ss.SSS`. */
export function readTime(text: string): string | null {
  const match = TIME.exec(text);
  return match ? `${text.slice(0, 8)}.${(match[2] ?? '').padEnd(3, '0')}` : null;
}

/** The first and the last millisecond of the years that are written with four digits. */
const EARLIEST = Date.UTC(2000, 0, 1) - 63_082_281_600_000;
const LATEST = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/**
 * Milliseconds since 1970. What is written without an offset is meant as UTC, wherever the server stands. Digits are a
 * date where they can be one, such as 2025 and 20250301, as Strapi reads them; others, and every number, are
 * milliseconds.
 */
export function readInstant(given: string | number): number | null {
  if (typeof given === 'number') return Number.isInteger(given) ? withinYears(given) : null;
  const written = isoInstant(given);
  if (!Number.isNaN(written)) return withinYears(written);
  return /^[+-]?\d{1,16}$/.test(given) ? withinYears(Number(given)) : null;
}

/** Not a number for what is no instant in ISO 8601. */
function isoInstant(text: string): number {
  const match = INSTANT.exec(text);
  if (!match) return Number.NaN;
  const [, day, hours = '00', minutes = '00', seconds = '00', fraction = '', zone = 'Z'] = match;
  const offset = /^Z$/i.test(zone) ? 'Z' : zone.length === 3 ? `${zone}:00` : zone.replace(/^(...)(\d\d)$/, '$1:$2');
  const clock = `${hours}:${minutes}:${seconds}.${fraction.slice(0, 3).padEnd(3, '0')}${offset}`;
  return midnightOf(day!) + Date.parse(`1970-01-01T${clock}`);
}

/** Null for what is no instant of these years. */
export const withinYears = (milliseconds: number): number | null =>
  milliseconds >= EARLIEST && milliseconds <= LATEST ? milliseconds : null;

/** A date that code in process gave, as a client would write it; one that is no moment cannot be read as one. */
export const dateText = (date: Date): string => (Number.isNaN(date.getTime()) ? String(date) : date.toISOString());

/** Whether every database can keep a string: without a null character and without half a surrogate pair. */
export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();

/** The same two as JSON writes them. After an even number of backslashes, these are letters of the string itself. */
const UNSTORABLE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/;

/** Whether every database can keep all strings of a JSON text. */
export const isStorableJson = (text: string): boolean => !text.includes('\\u') || !UNSTORABLE.test(text);

export const isNumeric = (text: string): boolean => text.trim() !== '' && Number.isFinite(Number(text));

/** Digits of a whole number that are read. No database holds so many, and to read a million takes half a second. */
const MOST_DIGITS = 1_000;
const WHOLE = /^[+-]?\d+$/;

/** Whether text is a whole number of any length. */
export const isWholeNumber = (text: string): boolean => WHOLE.test(text.trim());

/** A whole number, exactly; of one that is larger than any that is held or compared, the first digits. */
export function readWhole(text: string): bigint | null {
  const trimmed = text.trim();
  if (!WHOLE.test(trimmed)) return null;
  const digits = trimmed.replace(/^[+-]?0*/, '').slice(0, MOST_DIGITS);
  const size = BigInt(digits);
  return trimmed.startsWith('-') ? -size : size;
}

/** A number as it is written: its digits without zeros around them, and how many places of it are before the point. */
export interface WrittenNumber {
  readonly negative: boolean;
  readonly digits: string;
  readonly point: number;
}

/** Null for one that is not decimal. Reads every character a few times at most, however many there are. */
export function readWritten(text: string): WrittenNumber | null {
  const match = /^([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d+))?$/i.exec(text.trim());
  if (!match) return null;
  const [, sign, whole = '', fraction = '', exponent = '0'] = match;
  const all = `${whole}${fraction}`;
  let [begin, end] = [0, all.length];
  while (all[begin] === '0') begin++;
  while (end > begin && all[end - 1] === '0') end--;
  const point = begin === end ? 0 : whole.length - begin + Number(exponent);
  return { negative: sign === '-', digits: all.slice(begin, end), point };
}

/** Whether a number has every digit of the text that it was read from. */
export function keepsDigits(number: number, text: string): boolean {
  const given = readWritten(text);
  const kept = readWritten(String(number));
  return given === null || (given.digits === kept?.digits && given.point === kept.point);
}
