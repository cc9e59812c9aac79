import { expect, it } from 'vitest';
import type { AskAs } from '../../../../src/console/contract.ts';
import { asText, readAs } from './ask-as.ts';

it('says in the URL in whose eyes a request is read', () => {
  const all: readonly AskAs[] = [
    { kind: 'account' },
    { kind: 'role', type: 'public' },
    { kind: 'token', type: 'full-access' },
  ];
  expect(all.map(asText)).toEqual([null, 'role:public', 'token:full-access']);
  expect(all.map((as) => readAs(asText(as)))).toEqual(all);
  expect(['', 'role:', 'token:custom', 'nobody'].map(readAs)).toEqual(Array(4).fill({ kind: 'account' }));
});
