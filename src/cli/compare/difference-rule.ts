// A deliberate difference between Sheaf and Strapi 5, by name, and how to recognize it.
import type { Exchange } from './exchange.ts';
import type { Difference } from './json-difference.ts';

export interface DifferenceRule {
  readonly name: string;
  /** One line for people: what Strapi 5 does, and what Sheaf does instead. */
  readonly text: string;
  explains(difference: Difference, exchange: Exchange): boolean;
}

/** Names of attributes on the way to a difference, without `data` and without positions in lists. */
export function attributePath({ path }: Difference): string[] {
  const [first, ...rest] = path;
  return (first === 'data' ? rest : path).filter((part) => typeof part === 'string');
}
