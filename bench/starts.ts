// How soon Sheaf answers after a start, on the example's own small database.
import { rmSync } from 'node:fs';
import path from 'node:path';
import { open } from '../src/app.ts';
import { fillExample } from '../src/cli/example.ts';
import { DATA_FOLDER } from './data.ts';
import { ROOT, startSheaf } from './reads.ts';

const STARTS = 5;
const START_PATH = '/api/restaurants';

/** Milliseconds from starting the process to its first answer. */
export async function startTimes(): Promise<number[]> {
  const file = path.join(DATA_FOLDER, 'start.sqlite');
  rmSync(file, { force: true });
  const guide = await open({ project: path.join(ROOT, 'examples/guide'), database: `sqlite:${file}` });
  await fillExample(guide);
  await guide.close();
  const times: number[] = [];
  for (let index = 0; index < STARTS; index++) {
    const begin = performance.now();
    const server = await startSheaf(`sqlite:${file}`);
    await server.get(START_PATH);
    times.push(performance.now() - begin);
    await server.stop();
  }
  return times;
}
