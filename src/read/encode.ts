// Column values → JSON text. Written for speed: a list of 25 entries has some 500 values, and a third of the time
// that a general serializer takes goes into dates.
import type { ScalarType } from '../model/types.ts';

export type Encode = (value: unknown) => string;

/** What JSON writes otherwise than it is; most texts hold none of it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that JSON escapes
const ESCAPED = /["\\\u0000-\u001f\ud800-\udfff]/;

const quoted: Encode = (value) => {
  if (value === null) return 'null';
  return typeof value === 'string' && !ESCAPED.test(value) ? `"${value}"` : JSON.stringify(value);
};
const number: Encode = (value) => (value === null || !Number.isFinite(value) ? 'null' : String(value));
const boolean: Encode = (value) => (value === null ? 'null' : value === 0 || value === false ? 'false' : 'true');
/** A column of SQLite takes any text. */
const digits: Encode = (value) => (typeof value === 'string' ? quoted(value) : value === null ? 'null' : `"${value}"`);
/** Stored JSON, made valid and compact by the statement that reads it. */
const json: Encode = (value) => (value === null ? 'null' : (value as string));

const SECONDS_ONLY = /^\d\d:\d\d:\d\d$/;
const COMPLETE_TIME = /^\d\d:\d\d:\d\d\.\d\d\d$/;
const CLOCK = /^(\d\d:\d\d)(:\d\d)?(?:\.(\d*))?$/;

const time: Encode = (value) => {
  if (value === null) return 'null';
  const text = String(value);
  if (SECONDS_ONLY.test(text)) return `"${text}.000"`;
  if (COMPLETE_TIME.test(text)) return `"${text}"`;
  const [, clock, seconds = ':00', fraction = ''] = CLOCK.exec(text) ?? [];
  return clock === undefined ? quoted(text) : `"${clock}${seconds}.${fraction.slice(0, 3).padEnd(3, '0')}"`;
};

const DAY = 86_400_000;
const MAX_DAYS_KEPT = 10_000;
const days = new Map<number, string>();
const two = Array.from({ length: 60 }, (_, index) => String(index).padStart(2, '0'));
const three = Array.from({ length: 1000 }, (_, index) => String(index).padStart(3, '0'));

/** Milliseconds since 1970 as ISO 8601 in UTC; the days met last are kept as text. */
export function isoInstant(milliseconds: number): string {
  const day = Math.floor(milliseconds / DAY);
  let date = days.get(day);
  if (date === undefined) {
    date = new Date(day * DAY).toISOString().split('T')[0]!;
    if (days.size >= MAX_DAYS_KEPT) days.clear();
    days.set(day, date);
  }
  const rest = milliseconds - day * DAY;
  const seconds = (rest / 1000) | 0;
  const minutes = (seconds / 60) | 0;
  const hours = (minutes / 60) | 0;
  return `${date}T${two[hours]}:${two[minutes % 60]}:${two[seconds % 60]}.${three[rest % 1000]}Z`;
}

const LATEST = 8.64e15;

const instant: Encode = (value) => {
  if (value === null) return 'null';
  const milliseconds = typeof value === 'number' ? Math.trunc(value) : Date.parse(`${value}`);
  return Math.abs(milliseconds) <= LATEST ? `"${isoInstant(milliseconds)}"` : 'null';
};

export const ENCODERS: Readonly<Record<ScalarType, Encode>> = {
  string: quoted,
  text: quoted,
  richtext: quoted,
  email: quoted,
  uid: quoted,
  enumeration: quoted,
  password: () => 'null',
  integer: number,
  biginteger: digits,
  float: number,
  decimal: number,
  boolean,
  date: quoted,
  time,
  datetime: instant,
  timestamp: digits,
  json,
  blocks: json,
};

const parsed: Encode = (value) => (value === null ? 'null' : JSON.stringify(value));

const SECONDS = 'yyyy-MM-ddTHH:mm:ss'.length;
const MILLISECONDS = SECONDS + '.SSS'.length;
const MICROSECONDS = SECONDS + '.SSSSSS'.length;
/** What is missing of an instant that has so many characters more than seconds take: its point and up to three digits. */
const REST_OF_INSTANT = ['.000Z"', '', '00Z"', '0Z"', 'Z"'];
const FAR_INSTANT = /^(\d+)(-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?)\d*([+-]\d\d:\d\d)?( BC)?$/;

/** An instant as PostgreSQL writes it into JSON: in UTC, where its column knows no zone, and without zeros at the end. */
const instantText: Encode = (value) => {
  if (value === null) return 'null';
  const text = value as string;
  const { length } = text;
  if (text[4] === '-' && (length === SECONDS || text[SECONDS] === '.')) {
    if (length <= MILLISECONDS) return `"${text}${REST_OF_INSTANT[length - SECONDS]}`;
    if (length <= MICROSECONDS && !text.endsWith(' BC')) return `"${text.slice(0, MILLISECONDS)}Z"`;
  }
  const [, years, rest, zone = 'Z', before] = FAR_INSTANT.exec(text) ?? [];
  const year = before ? 1 - Number(years) : Number(years);
  return instant(Date.parse(`${year < 0 ? '-' : '+'}${String(Math.abs(year)).padStart(6, '0')}${rest}${zone}`));
};

const JSON_ENCODERS: Readonly<Record<ScalarType, Encode>> = {
  ...ENCODERS,
  datetime: instantText,
  json: parsed,
  blocks: parsed,
};

/** `inJson`: the row came as JSON, so that its JSON columns are values, and its instants texts. */
export const encoderOf = (type: ScalarType, inJson: boolean): Encode => (inJson ? JSON_ENCODERS : ENCODERS)[type];

export type Decode = (value: unknown) => unknown;

/** For what few columns hold: by the text after all. */
const byText =
  (encode: Encode): Decode =>
  (value) =>
    value === null ? null : JSON.parse(encode(value));

/** Whose text holds nothing that JSON escapes. */
const plainly =
  (encode: Encode): Decode =>
  (value) => {
    const text = encode(value);
    return text === 'null' ? null : text.slice(1, -1);
  };

const asString: Decode = (value) => (value === null || typeof value === 'string' ? value : JSON.parse(quoted(value)));
const asNumber: Decode = (value) => (typeof value === 'number' && Number.isFinite(value) ? value + 0 : null);
const asBoolean: Decode = (value) => (value === null ? null : value !== 0 && value !== false);
const asDigits: Decode = (value) => (value === null ? null : String(value));
const asIs: Decode = (value) => value;

/** The value that is read from the JSON of a column, without the text in between. */
export function decoderOf(type: ScalarType, inJson: boolean): Decode {
  const encode = encoderOf(type, inJson);
  switch (encode) {
    case quoted:
      return asString;
    case number:
      return asNumber;
    case boolean:
      return asBoolean;
    case digits:
      return asDigits;
    case instant:
    case instantText:
      return plainly(encode);
    case parsed:
      return asIs;
    default:
      return byText(encode);
  }
}
