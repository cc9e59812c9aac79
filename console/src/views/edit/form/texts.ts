// Between the values of the API and the texts of inputs.

/** A number as the API takes it; what is none stays a text, so that it is shown and found wrong. */
export function parseNumber(type: string, text: string): number | string | null {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  if (type === 'biginteger') return trimmed;
  const number = Number(trimmed);
  return Number.isFinite(number) ? number : trimmed;
}

const two = (number: number): string => String(number).padStart(2, '0');

/** A moment of the API, an ISO text or milliseconds, as `datetime-local` shows it: in the time zone of the person. */
export function dateTimeText(value: unknown): string {
  if (value === null || value === undefined || value === '') return '';
  const time = new Date(/^-?\d+$/.test(String(value)) ? Number(value) : String(value));
  if (Number.isNaN(time.getTime())) return '';
  const date = `${String(time.getFullYear()).padStart(4, '0')}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  return `${date}T${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`;
}

export const parseDateTime = (text: string): string => new Date(text).toISOString();

/** Hours, minutes and seconds of `22:30:00.000`. */
export const timeText = (value: unknown): string => String(value ?? '').slice(0, 8);

export const parseTime = (text: string): string => (text.length === 5 ? `${text}:00.000` : `${text}.000`);
