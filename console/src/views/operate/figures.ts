// Numbers of the server as people read them, and as charts are drawn from them.
import type { LoadPoint } from '../../../../src/console/contract.ts';

export const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Points of a chart: the minutes of an hour. */
export const POINTS = 60;

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

export function bytesInWords(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log(bytes) / Math.log(1024)));
  const value = bytes / 1024 ** power;
  return `${value.toFixed(power === 0 || value >= 100 ? 0 : 1)} ${UNITS[power]}`;
}

/** The two largest units: `3 d 4 h`, `5 min 10 s`. */
export function durationInWords(milliseconds: number): string {
  const parts: readonly (readonly [number, string])[] = [
    [Math.floor(milliseconds / DAY), 'd'],
    [Math.floor((milliseconds % DAY) / HOUR), 'h'],
    [Math.floor((milliseconds % HOUR) / MINUTE), 'min'],
    [Math.floor((milliseconds % MINUTE) / 1_000), 's'],
  ];
  const first = parts.findIndex(([count]) => count > 0);
  if (first < 0) return '0 s';
  return parts
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ');
}

export function millisecondsInWords(milliseconds: number): string {
  if (milliseconds >= 1_000) return `${(milliseconds / 1_000).toFixed(1)} s`;
  return `${milliseconds < 10 ? milliseconds.toFixed(1) : Math.round(milliseconds)} ms`;
}

/** A point for every minute of the hour that ends at `now`; where nothing was asked, nothing happened. */
export function wholeHour(load: readonly LoadPoint[], now: number): readonly LoadPoint[] {
  const minuteOf = (at: number): number => Math.floor(at / MINUTE);
  const known = new Map(load.map((point) => [minuteOf(Date.parse(point.at)), point]));
  const last = minuteOf(now);
  return Array.from({ length: POINTS }, (_, index) => {
    const minute = last - POINTS + 1 + index;
    const at = new Date(minute * MINUTE).toISOString();
    return known.get(minute) ?? { at, requests: 0, errors: 0, p50: 0, p99: 0 };
  });
}

/** The top of a scale: the next of 1, 2, 5, 10, 20, … */
export function topOf(values: readonly number[]): number {
  const largest = Math.max(0, ...values);
  if (largest <= 1) return 1;
  const power = 10 ** Math.floor(Math.log10(largest));
  return [1, 2, 5, 10].map((step) => step * power).find((top) => top >= largest)!;
}

/** A line through the points that have a value, on a field of `values.length` by 100. */
export function linePath(values: readonly (number | null)[], top: number): string {
  const has = (index: number): boolean => typeof values[index] === 'number';
  return values
    .map((value, index) => {
      if (value === null) return '';
      const y = round(100 - (value / top) * 100);
      // A point by itself would not be seen.
      if (!has(index - 1) && !has(index + 1)) return `M${index + 0.1} ${y}h0.8`;
      return `${has(index - 1) ? 'L' : 'M'}${index + 0.5} ${y}`;
    })
    .join('');
}

const round = (value: number): number => Math.round(value * 100) / 100;

export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
