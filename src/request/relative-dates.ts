// Dates as people say them: `now-7d`, `now/d`, `now+1M/M`. They are read when a request is parsed or bound, and resolved
// when it runs, in a time zone: a day has 23 hours now and then, and begins at another instant in each place.

import { limitExceeded } from '../errors.ts';
import { MAX_CACHED_TIMEZONES, MAX_DATE_STEPS } from '../limits.ts';
import { Lru } from '../lru.ts';

type Unit = 'y' | 'M' | 'w' | 'd' | 'h' | 'm' | 's';

/** `amount` units are added; null where the beginning of the unit is meant. */
interface Step {
  readonly amount: number | null;
  readonly unit: Unit;
}

/** What is done to the present, in turn. */
export type RelativeDate = readonly Step[];

/** A plus sign that was not encoded reaches us as a space. */
const WRITTEN = /^now((?:[+ -]\d{1,6}[yMwdhms]|\/[yMwdhms])*)$/;
const STEP = /([+ -])(\d+)([yMwdhms])|\/([yMwdhms])/g;
/** Characters of the longest step. */
const LONGEST_STEP = '+999999y'.length;

/** Null for a text that is no such date. */
export function readRelativeDate(text: string): RelativeDate | null {
  const steps = WRITTEN.exec(text.trim())?.[1];
  if (steps === undefined) return null;
  // So long a text has more steps than are taken, and to read them all would hold up everyone.
  if (steps.length > MAX_DATE_STEPS * LONGEST_STEP) throw tooManySteps();
  return [...steps.matchAll(STEP)].map(([, sign, amount, added, begun]) => ({
    amount: begun === undefined ? (sign === '-' ? -1 : 1) * Number(amount) : null,
    unit: (begun ?? added) as Unit,
  }));
}

/** More steps than all filters of a request may have together. */
export const tooManySteps = (): Error =>
  limitExceeded('MAX_DATE_STEPS', MAX_DATE_STEPS, 'steps of dates that are told from now');

const DAY = 86_400_000;
const DURATIONS: Partial<Record<Unit, number>> = { h: 3_600_000, m: 60_000, s: 1_000 };

/** Milliseconds since 1970; not a number where there is no such date. */
export function resolveRelativeDate(steps: RelativeDate, now: number, timezone: string): number {
  let instant = now;
  for (const { amount, unit } of steps) {
    const duration = DURATIONS[unit];
    if (amount !== null && duration !== undefined) instant += amount * duration;
    else {
      const clock = clockIn(timezone, instant);
      instant = instantOf(amount === null ? beginningOf(clock, unit) : later(clock, amount, unit), timezone);
    }
    if (!Number.isFinite(instant)) return Number.NaN;
  }
  return instant;
}

/** The day in a time zone: `yyyy-MM-dd`. */
export const dayOf = (instant: number, timezone: string): string =>
  new Date(clockIn(timezone, instant)).toISOString().slice(0, 'yyyy-MM-dd'.length);

/** `amount` units after what clocks on the wall show, which is written as if it were UTC. */
function later(clock: number, amount: number, unit: Unit): number {
  const date = new Date(clock);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  if (unit !== 'y' && unit !== 'M') return date.setUTCDate(day + amount * (unit === 'w' ? 7 : 1));
  const months = year * 12 + month + amount * (unit === 'y' ? 12 : 1);
  const [inYear, inMonth] = [Math.floor(months / 12), ((months % 12) + 12) % 12];
  // The 31st of a month that has fewer days is its last.
  const lastDay = new Date(new Date(0).setUTCFullYear(inYear, inMonth + 1, 0)).getUTCDate();
  return date.setUTCFullYear(inYear, inMonth, Math.min(day, lastDay));
}

/** The beginning of a unit, on the same clocks. Weeks begin on Monday. */
function beginningOf(clock: number, unit: Unit): number {
  const duration = DURATIONS[unit];
  if (duration !== undefined) return Math.floor(clock / duration) * duration;
  const date = new Date(Math.floor(clock / DAY) * DAY);
  if (unit === 'w') return date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7));
  if (unit === 'd') return date.getTime();
  return date.setUTCMonth(unit === 'y' ? 0 : date.getUTCMonth(), 1);
}

/** The time zone of the machine. */
export const serverTimezone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The name of a time zone as the standard spells it; null where there is none of that name. */
export function knownTimezone(name: string): string | null {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return null;
  }
}

/** Made once for each time zone in use: to make one takes longer than to read a list. */
const formats = new Lru<string, Intl.DateTimeFormat>(MAX_CACHED_TIMEZONES);

function formatOf(timezone: string): Intl.DateTimeFormat {
  let format = formats.get(timezone);
  if (!format) {
    const two = '2-digit';
    const parts = { year: 'numeric', month: two, day: two, hour: two, minute: two, second: two } as const;
    format = new Intl.DateTimeFormat('en', { ...parts, timeZone: timezone, hourCycle: 'h23', era: 'short' });
    formats.set(timezone, format);
  }
  return format;
}

/** What clocks on the wall show at an instant, as if it were UTC; not a number beyond all dates. */
function clockIn(timezone: string, instant: number): number {
  if (Number.isNaN(new Date(instant).getTime())) return Number.NaN;
  if (timezone === 'UTC') return instant;
  const found: Record<string, string> = {};
  for (const { type, value } of formatOf(timezone).formatToParts(instant)) found[type] = value;
  const year = found.era === 'BC' ? 1 - Number(found.year) : Number(found.year);
  const day = new Date(0).setUTCFullYear(year, Number(found.month) - 1, Number(found.day));
  const time = (Number(found.hour) * 60 + Number(found.minute)) * 60 + Number(found.second);
  return day + time * 1000 + (((instant % 1000) + 1000) % 1000);
}

/** The instant at which clocks show something. A time that is left out in spring is taken as so much later. */
function instantOf(clock: number, timezone: string): number {
  const offsetAt = (instant: number): number => clockIn(timezone, instant) - instant;
  const before = clock - offsetAt(clock - DAY);
  if (clockIn(timezone, before) === clock) return before;
  const after = clock - offsetAt(clock + DAY);
  return clockIn(timezone, after) === clock ? after : before;
}
