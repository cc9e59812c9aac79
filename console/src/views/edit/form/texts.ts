// Between the values of the API and the texts of inputs.

/** A number as the API takes it; what is none stays a text, so that it is shown and found wrong. */
export function parseNumber(type: string, text: string): number | string | null {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  if (type === 'biginteger') return trimmed;
  return isNumber(trimmed) && (type !== 'decimal' || keepsDigits(trimmed)) ? Number(trimmed) : trimmed;
}

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

export const isNumber = (text: string): boolean => NUMBER.test(text) && Number.isFinite(Number(text));

/** Whether a number of JSON has every digit of a text. */
export const keepsDigits = (text: string): boolean => digitsOf(text) === digitsOf(String(Number(text)));

const digitsOf = (text: string): string =>
  text
    .replace(/e.*$/i, '')
    .replace(/[+.-]/g, '')
    .replace(/^0+|0+$/g, '');

const two = (number: number): string => String(number).padStart(2, '0');

const momentOf = (value: unknown): Date => new Date(/^-?\d+$/.test(String(value)) ? Number(value) : String(value));

/** A moment of the API, an ISO text or milliseconds, as `datetime-local` shows it: in the time zone of the person. */
export function dateTimeText(value: unknown): string {
  if (value === null || value === undefined || value === '') return '';
  const time = momentOf(value);
  if (Number.isNaN(time.getTime())) return '';
  const date = `${String(time.getFullYear()).padStart(4, '0')}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  return `${date}T${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`;
}

/**
 * Null for what is no moment, such as one of a year of five digits. Inputs show no milliseconds: those of the value
 * `before` stay as long as its second does.
 */
export function parseDateTime(text: string, before: unknown): string | null {
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) return null;
  const old = momentOf(before);
  if (old.getSeconds() === time.getSeconds()) time.setMilliseconds(old.getMilliseconds());
  return time.toISOString();
}

export function parseTimestamp(text: string, before: unknown): string | null {
  const moment = parseDateTime(text, before);
  return moment === null ? null : String(Date.parse(moment));
}

/** Hours, minutes and seconds of `22:30:00.000`. */
export const timeText = (value: unknown): string => String(value ?? '').slice(0, 8);

/** The milliseconds of the value `before` stay as long as its second does. */
export function parseTime(text: string, before: unknown): string {
  const time = text.length === 5 ? `${text}:00` : text;
  const [, seconds, milliseconds] = /:(\d\d)(\.\d{3})$/.exec(String(before ?? '')) ?? [];
  return `${time}${seconds === time.slice(6) ? milliseconds : '.000'}`;
}
