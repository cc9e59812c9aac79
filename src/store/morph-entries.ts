// A list of entries of several types has one order over all of them. In it a number stands for a type and a row.
import type { MorphAttribute } from '../model/types.ts';

export function morphEntry({ targets }: MorphAttribute, uid: string, row: number): number {
  return row * targets.length + targets.findIndex((target) => target.uid === uid);
}

export const targetOfEntry = ({ targets }: MorphAttribute, entry: number): MorphAttribute['targets'][number] =>
  targets[entry % targets.length]!;

export const rowOfEntry = ({ targets }: MorphAttribute, entry: number): number => Math.floor(entry / targets.length);
