// Dates as people say them, by the clocks of places that never change theirs: an hour there is always so far from UTC.

/** Hours that clocks are ahead of UTC. */
export const STEADY_ZONES: Readonly<Record<string, number>> = {
  UTC: 0,
  'Asia/Tokyo': 9,
  'America/Phoenix': -7,
  'Asia/Kathmandu': 5.75,
};

const HOUR = 3_600_000;
const LENGTHS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: HOUR, d: 24 * HOUR, w: 7 * 24 * HOUR };
/** A Monday. */
const FIRST_MONDAY = Date.UTC(1970, 0, 5);

/** Such a date as clocks there show it, with how far they are from UTC; anything else as it is. */
export function said(value: unknown, zone: string): unknown {
  if (Array.isArray(value)) return value.map((one) => said(one, zone));
  if (typeof value !== 'string' || !/^now\b/.test(value)) return value;
  const ahead = STEADY_ZONES[zone]! * HOUR;
  let clock = Date.now() + ahead;
  for (const [step] of value.matchAll(/[+-]\d+\w|\/\w/g)) {
    const unit = step.at(-1)!;
    clock = step.startsWith('/') ? begun(clock, unit) : moved(clock, Number(step.slice(0, -1)), unit);
  }
  const minutes = Math.abs(ahead) / 60_000;
  const two = (number: number): string => String(number).padStart(2, '0');
  const offset = `${ahead < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
  return new Date(clock).toISOString().replace('Z', offset);
}

function begun(clock: number, unit: string): number {
  if (unit === 'y' || unit === 'M') {
    const [year, month] = new Date(clock).toISOString().split('-');
    return Date.parse(`${year}-${unit === 'y' ? '01' : month}-01T00:00:00Z`);
  }
  const from = unit === 'w' ? FIRST_MONDAY : 0;
  const length = LENGTHS[unit]!;
  return from + Math.floor((clock - from) / length) * length;
}

function moved(clock: number, amount: number, unit: string): number {
  const length = LENGTHS[unit];
  if (length !== undefined) return clock + amount * length;
  const [months, date] = [unit === 'y' ? amount * 12 : amount, new Date(clock)];
  const first = new Date(begun(clock, 'M'));
  first.setUTCMonth(first.getUTCMonth() + months);
  // The days of that month: a day before the first of the next.
  const last = new Date(first);
  last.setUTCMonth(last.getUTCMonth() + 1, 0);
  const day = Math.min(date.getUTCDate(), last.getUTCDate());
  return first.getTime() + (day - 1) * LENGTHS.d! + (clock - begun(clock, 'd'));
}
