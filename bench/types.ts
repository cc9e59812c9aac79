// How long the compiler takes for a file of 100 queries on a model of 50 content-types, beside the same program without
// them: what is left is Sheaf's part.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { declarations } from '../src/describe/declarations.ts';
import { buildModel } from '../src/model/build.ts';
import type { AttributeDefinition, Definition } from '../src/model/types.ts';
import { DATA_FOLDER } from './data.ts';
import { median } from './load.ts';
import { ROOT } from './reads.ts';
import { BenchError } from './server.ts';

const TYPES = 50;
const COMPONENTS = 10;
const CALLS = 100;
const ROUNDS = 7;
/** What the check may take, in milliseconds. */
const MOST = 2000;

const definition = (
  singularName: string,
  attributes: Record<string, AttributeDefinition>,
  uid: string,
): Definition => ({
  uid,
  file: uid,
  kind: uid.startsWith('api::') ? 'collectionType' : 'component',
  collectionName: `${singularName.replaceAll('-', '_')}s`,
  singularName,
  pluralName: `${singularName}s`,
  draftAndPublish: true,
  populateCreatorFields: false,
  privateAttributes: [],
  localized: false,
  indexes: [],
  attributes,
});

const typeUid = (index: number): string => `api::type${index % TYPES}.type${index % TYPES}`;
const componentUid = (index: number): string => `kit.part${index % COMPONENTS}`;
const to = (relation: string, index: number): AttributeDefinition => ({
  type: 'relation',
  relation,
  target: typeUid(index),
});

/** Types with what types of a project have: some twenty attributes, five relations, components, a zone, media. */
const typeAt = (index: number): Definition =>
  definition(
    `type${index}`,
    {
      title: { type: 'string', required: true },
      slug: { type: 'uid' },
      summary: { type: 'text' },
      body: { type: 'richtext' },
      story: { type: 'blocks' },
      rank: { type: 'integer' },
      rating: { type: 'decimal' },
      views: { type: 'biginteger' },
      open: { type: 'boolean', default: true },
      day: { type: 'date' },
      moment: { type: 'datetime' },
      kind: { type: 'enumeration', enum: ['one', 'two', 'three', 'four'] },
      email: { type: 'email' },
      extra: { type: 'json' },
      note: { type: 'string', private: true },
      next: to('manyToOne', index + 1),
      other: to('oneToOne', index + 7),
      some: to('manyToMany', index + 3),
      more: to('oneToMany', index + 11),
      peers: to('manyToMany', index),
      part: { type: 'component', component: componentUid(index) },
      parts: { type: 'component', component: componentUid(index + 1), repeatable: true },
      blocks: { type: 'dynamiczone', components: [0, 2, 4, 6].map((step) => componentUid(index + step)) },
      cover: { type: 'media', multiple: false },
      gallery: { type: 'media', multiple: true },
    },
    typeUid(index),
  );

const componentAt = (index: number): Definition =>
  definition(
    `part${index}`,
    {
      label: { type: 'string', required: true },
      size: { type: 'enumeration', enum: ['small', 'large'] },
      shown: { type: 'boolean' },
      leads: to('manyToOne', index),
      picture: { type: 'media', multiple: false },
    },
    componentUid(index),
  );

/** Queries of all forms in turn; what they return is used. */
const FORMS: readonly ((index: number) => string)[] = [
  (index) =>
    `(await client.type${index}s.find({ fields: ['title', 'rank'], populate: { next: { fields: ['title'] } }, filters: { kind: { $in: ['one', 'two'] }, some: { $some: { rank: { $gt: ${index} } } } }, sort: 'rank:desc,next.title' })).data[0]?.next?.title`,
  (index) => `(await documents('${typeUid(index)}').findMany({ populate: '*' }))[0]?.some[0]?.title`,
  (index) =>
    `(await client.type${index}s.find({ populate: 'next.other.some,peers' })).data[0]?.next?.other?.some[0]?.rank`,
  (index) =>
    `(await documents('${typeUid(index)}').findMany({ populate: { blocks: { on: { '${componentUid(index)}': { populate: 'leads' } } }, parts: { fields: ['size'] }, gallery: { fields: ['url'] } } }))[0]?.blocks[0]?.leads?.title`,
  (index) =>
    `(await client.type${index}s.findOne('id', { fields: '*', populate: ['some.next', 'more.other'], status: 'draft' }))?.more[0]?.other?.slug`,
  (index) =>
    `(await documents('${typeUid(index)}').findMany({ fields: ['note'], populate: { some: { count: true }, next: { populate: { peers: { fields: ['title'], sort: 'rank' } } } } }))[0]?.next?.peers[0]?.rank`,
  (index) =>
    `(await client.type${index}s.create({ title: 'a', kind: 'one', next: 'id', some: { connect: [{ documentId: 'b', position: { start: true } }] }, part: { label: 'c' } }, { populate: 'part.picture' })).part?.picture?.url`,
  (index) =>
    `(await documents('${typeUid(index)}').update({ documentId: 'a', data: { blocks: [{ __component: '${componentUid(index)}', label: 'd' }], open: false }, fields: ['open'] }))?.open`,
];

function writeProgram(folder: string, calls: number): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const definitions = [
    ...Array.from({ length: TYPES }, (_, index) => typeAt(index)),
    ...Array.from({ length: COMPONENTS }, (_, index) => componentAt(index)),
  ];
  writeFileSync(
    path.join(folder, 'sheaf-types.d.ts'),
    declarations(buildModel(definitions), { locales: ['en', 'fr'] }),
  );
  const lines = Array.from({ length: calls }, (_, index) => {
    const form = FORMS[index % FORMS.length]!;
    return `export const value${index} = ${form((index * 7) % TYPES)};\n`;
  });
  const head = `import type { Sheaf } from 'sheaf';
import type { Client } from 'sheaf/types';
import type { Registry } from './sheaf-types.js';
declare const client: Client<Registry>;
declare const documents: Sheaf['documents'];
export { client, documents };
`;
  writeFileSync(path.join(folder, 'queries.ts'), head + lines.join(''));
  const compilerOptions = { target: 'es2024', module: 'nodenext', strict: true, skipLibCheck: true, noEmit: true };
  const types = { types: ['node'], typeRoots: [path.join(ROOT, 'node_modules/@types')] };
  const config = { compilerOptions: { ...compilerOptions, ...types }, include: ['*.ts'] };
  writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify(config));
}

/** How long a run took, from its start to its end, and how much of that processors worked for it, in milliseconds. */
interface Took {
  readonly elapsed: number;
  /** NaN where the system does not say. */
  readonly worked: number;
}

function check(folder: string): Took {
  const tsc = path.join(ROOT, 'node_modules/typescript/bin/tsc');
  const [begin, worked] = [performance.now(), childTime()];
  const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' });
  const took = { elapsed: performance.now() - begin, worked: childTime() - worked };
  if (status !== 0) throw new BenchError(`The queries do not compile:\n${stdout}`);
  return took;
}

const TICK_MS = 10;

/** What processors worked for the processes that this one started and that have ended. Other load does not count. */
function childTime(): number {
  if (process.platform !== 'linux') return Number.NaN;
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[13]) + Number(fields[14])) * TICK_MS;
}

export async function types(): Promise<void> {
  const folders = { none: path.join(DATA_FOLDER, 'types-none'), all: path.join(DATA_FOLDER, 'types-all') };
  writeProgram(folders.none, 0);
  writeProgram(folders.all, CALLS);
  const times: { readonly none: Took; readonly all: Took }[] = [];
  for (let round = 0; round < ROUNDS; round++) times.push({ none: check(folders.none), all: check(folders.all) });
  const line = (name: string, one: (time: { readonly none: Took; readonly all: Took }) => Took): string => {
    const [elapsed, worked] = [
      median(times.map((time) => one(time).elapsed)),
      median(times.map((time) => one(time).worked)),
    ];
    return `  ${name.padEnd(18)} ${elapsed.toFixed(0)} ms, of processors ${worked.toFixed(0)} ms`;
  };
  console.log(
    `${CALLS} queries on ${TYPES} content-types and ${COMPONENTS} components, checked by tsc; at most ${MOST} ms`,
  );
  console.log(line('all of it', ({ all }) => all));
  console.log(line('without queries', ({ none }) => none));
}
