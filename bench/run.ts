// The benchmark. Without options: reads on SQLite beside the limit server, then how soon Sheaf answers after a start,
// and what memory it holds. The other parts are asked for by name.
import { access } from './access.ts';
import { aggregates } from './aggregates.ts';
import { compareBuilds } from './builds.ts';
import { clientWrites } from './client-writes.ts';
import { code } from './code.ts';
import { dataSet } from './data.ts';
import { growth } from './growth.ts';
import { hostile } from './hostile.ts';
import { median } from './load.ts';
import { HELP, type Options, readOptions, runPart } from './options.ts';
import { readsOnPostgres } from './postgres.ts';
import { compareReads, ROOT, workloadsOf } from './reads.ts';
import { scale } from './scale.ts';
import { search } from './search.ts';
import { Server } from './server.ts';
import { sets } from './sets.ts';
import { shapes } from './shapes.ts';
import { startTimes } from './starts.ts';
import { types } from './types.ts';
import { uploads } from './uploads.ts';
import { writes } from './writes.ts';

async function readsOnSqlite(options: Options): Promise<void> {
  const { file, documentId } = await dataSet(options.restaurants);
  const workloads = workloadsOf(documentId, options.only);
  const { beside } = options;
  if (beside !== null) return compareBuilds(`sqlite:${file}`, workloads, { ...options, beside });
  const limit = await Server.start('The limit server', ['bench/limit-server.ts', file, documentId], ROOT);
  const memory = await compareReads(limit, `sqlite:${file}`, workloads, options);
  await limit.stop();

  const starts = await startTimes();
  console.log(
    `\nstart to first answer   ${median(starts).toFixed(0)} ms (median of ${starts.map((time) => time.toFixed(0)).join(', ')})`,
  );
  console.log(
    memory
      ? `resident memory         ${memory.all.toFixed(0)} MB after the workloads, ${memory.own.toFixed(0)} MB without files mapped`
      : 'resident memory         this system does not say',
  );
}

const PARTS = {
  reads: readsOnSqlite,
  postgres: readsOnPostgres,
  writes,
  clientWrites,
  growth,
  access,
  hostile,
  search,
  shapes,
  scale,
  sets,
  aggregates,
  uploads,
  code,
  types,
} as const;

await runPart(async () => {
  const options = readOptions();
  if (options) await PARTS[options.part](options);
  else console.log(HELP);
});
