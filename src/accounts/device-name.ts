// What a session is called in the list of its user: the browser and the system, as far as a request tells. Nothing else of
// the request is kept.
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Chrome|CriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\b(iPhone|iPad|iPod)\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

/** Such as `Chrome on macOS`; null where the header tells neither. */
export function deviceName(userAgent: string | undefined): string | null {
  const named = (among: typeof BROWSERS) => among.find(([pattern]) => pattern.test(userAgent ?? ''))?.[1];
  const parts = [named(BROWSERS), named(SYSTEMS)].filter((part) => part !== undefined);
  return parts.length > 0 ? parts.join(' on ') : null;
}
