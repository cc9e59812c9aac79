// How dates, times, instants and whole numbers are written by clients, in queries and in bodies alike.

const INSTANT = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?\s?(Z|[+-]\d\d(?::?\d\d)?)?)?$/i;
const TIME = /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.(\d{1,3}))?$/;
const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;

function isDay(text: string): boolean {
  const [, year, month, day] = DATE.exec(text) ?? [];
  // There is no year 0, and not every database has one.
  if (day === undefined || year === '0000') return false;
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  return date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
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

/** Milliseconds since 1970. What is written without an offset is meant as UTC, wherever the server stands. */
export function readInstant(text: string): number | null {
  if (/^[+-]?\d{1,16}$/.test(text)) return withinYears(Number(text));
  const match = INSTANT.exec(text);
  if (!match || !isDay(match[1]!)) return null;
  const [, day, clock = '00:00', seconds = '00', fraction = '', zone = 'Z'] = match;
  const offset = /^Z$/i.test(zone) ? 'Z' : zone.length === 3 ? `${zone}:00` : zone.replace(/^(...)(\d\d)$/, '$1:$2');
  const parsed = Date.parse(`${day}T${clock}:${seconds}.${fraction.slice(0, 3).padEnd(3, '0')}${offset}`);
  return withinYears(parsed);
}

/** Null for what is no instant of these years. */
export const withinYears = (milliseconds: number): number | null =>
  milliseconds >= EARLIEST && milliseconds <= LATEST ? milliseconds : null;

/** A date that code in process gave, as a client would write it; one that is no moment cannot be read as one. */
export const dateText = (date: Date): string => (Number.isNaN(date.getTime()) ? String(date) : date.toISOString());

export const isNumeric = (text: string): boolean => text.trim() !== '' && Number.isFinite(Number(text));

/** A whole number of any length, exactly. */
export function readWhole(text: string): bigint | null {
  const trimmed = text.trim();
  return /^[+-]?\d+$/.test(trimmed) ? BigInt(trimmed.replace(/^\+/, '')) : null;
}
