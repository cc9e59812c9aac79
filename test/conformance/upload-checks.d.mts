/** Requests against the server under test, which remember what they made. */
export interface Checked {
  clean(): Promise<void>;
}

export interface Check {
  readonly name: string;
  /** Whether Strapi 5 answers otherwise. */
  readonly ours?: true;
  run(checked: Checked): Promise<void>;
}

export const checks: readonly Check[];
export function against(server: {
  readonly base: string;
  readonly publicDir?: string;
  readonly provider?: string;
  readonly uploads?: string;
  /** That files are in a bucket, which serves them itself. */
  readonly isBucket?: boolean;
}): Checked;
export function png(width: number, height: number, pixel?: (x: number, y: number) => readonly number[]): Buffer;
export function pngSize(bytes: Buffer): { readonly width: number; readonly height: number };
export function turnedJpeg(orientation?: number): Buffer;
export function jpegFacts(bytes: Buffer): {
  readonly orientation: number;
  readonly width: number;
  readonly height: number;
};
export function gifFrames(bytes: Buffer): number;
export const jpeg: Buffer;
export const gif: Buffer;
export const webp: Buffer;
export const avif: Buffer;
export const svg: string;
