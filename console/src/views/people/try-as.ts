// Links to requests as someone else would see their answers.
import type { AskAs } from '../../../../src/console/contract.ts';
import { findPath } from '../../shell/paths.ts';

/** `url`: a path of the API. */
export function tryAsPath(as: Exclude<AskAs, { kind: 'account' }>, url?: string): string {
  const path = findPath(url);
  return `${path}${path.includes('?') ? '&' : '?'}as=${encodeURIComponent(`${as.kind}:${as.type}`)}`;
}
