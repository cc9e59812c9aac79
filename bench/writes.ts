// Writes on SQLite: what Sheaf makes of an operation, up to the text that HTTP would send, beside the very same
// statements with the same values sent by hand. Three copies of one database go the same way: the first is where statements are recorded, the
// second is written by Sheaf and the third by hand, in turns. Also run by itself: node bench/writes.ts
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { open } from '../src/app.ts';
import { ByHand } from './by-hand.ts';
import { contentTables, dataSet, PROJECT, show } from './data.ts';
import { chosen, HELP, type Options, readOptions, runPart } from './options.ts';
import { type Operation, record } from './recording.ts';
import { BenchError } from './server.ts';
import { table } from './table.ts';
import { addContent, WRITE_WORKLOADS, type WriteContent, type WriteWorkload } from './write-workloads.ts';

const OPERATIONS = 400;
/** The share of them, the first ones, that is not measured. */
const WARM_UP = 0.25;
/** Operations of one turn. */
const TURN = 25;

export async function writes({ restaurants, only }: Options): Promise<void> {
  const workloads = chosen(WRITE_WORKLOADS, only);
  const { file } = await dataSet(restaurants);
  const folder = mkdtempSync(path.join(os.tmpdir(), 'sheaf-bench-'));
  try {
    const base = path.join(folder, 'base.sqlite');
    copyFileSync(file, base);
    show(`content for ${OPERATIONS} writes of each kind`);
    const sheaf = await open({ project: PROJECT, database: `sqlite:${base}` });
    const content = await addContent(sheaf, base, OPERATIONS);
    await sheaf.close();
    show('\n');
    console.log(
      `${restaurants} restaurants, operations one after another, statements: written + read for the answer\n`,
    );
    const line = table(30, 12, 14, 12, 6);
    console.log(line('operation', 'statements', 'by hand op/s', 'sheaf op/s', 'ratio'));
    for (const [name, work] of workloads) {
      const { statements, byHand, bySheaf } = await compare(folder, base, content, work);
      console.log(line(name, statements, byHand.toFixed(0), bySheaf.toFixed(0), (bySheaf / byHand).toFixed(2)));
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Compared {
  /** In the transaction + to read the answer. */
  readonly statements: string;
  readonly byHand: number;
  readonly bySheaf: number;
}

async function compare(folder: string, base: string, content: WriteContent, work: WriteWorkload): Promise<Compared> {
  const copy = (name: string): string => {
    const file = path.join(folder, name);
    for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true });
    copyFileSync(base, file);
    return file;
  };
  const count = OPERATIONS * work.times;
  const operations = await recorded(copy('recorded.sqlite'), content, work, count);
  const file = copy('sheaf.sqlite');
  const sheaf = await open({ project: PROJECT, database: `sqlite:${file}` });
  const hand = new ByHand(copy('hand.sqlite'));
  let [sheafTime, handTime] = [0, 0];
  for (let start = 0; start < count; start += TURN) {
    const begin = performance.now();
    for (let index = start; index < start + TURN; index++) await work.run(sheaf, content, index);
    const middle = performance.now();
    for (let index = start; index < start + TURN; index++) hand.run(operations[index]!);
    const end = performance.now();
    if (start < count * WARM_UP) continue;
    sheafTime += middle - begin;
    handTime += end - middle;
  }
  await sheaf.close();
  checkSame(file, hand);
  hand.close();
  const { written, read } = operations.at(-1)!;
  const perSecond = (time: number): number => (count * (1 - WARM_UP) * 1000) / time;
  return {
    statements: `${written.length} + ${read.length}`,
    byHand: perSecond(handTime),
    bySheaf: perSecond(sheafTime),
  };
}

async function recorded(file: string, content: WriteContent, work: WriteWorkload, count: number): Promise<Operation[]> {
  const sheaf = await open({ project: PROJECT, database: `sqlite:${file}` });
  const take = record(sheaf);
  const operations: Operation[] = [];
  for (let index = 0; index < count; index++) {
    await work.run(sheaf, content, index);
    operations.push(take());
  }
  await sheaf.close();
  return operations;
}

/** Figures compare only if both wrote the same. */
function checkSame(file: string, hand: ByHand): void {
  const database = new DatabaseSync(file, { readOnly: true });
  const tables = contentTables(database);
  database.close();
  const sheafs = new ByHand(file);
  const same = sheafs.counts(tables) === hand.counts(tables);
  sheafs.close();
  if (!same) throw new BenchError('the statements sent by hand did not write what Sheaf wrote');
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  await runPart(async () => {
    const options = readOptions('writes');
    if (options) await writes(options);
    else console.log(HELP);
  });
