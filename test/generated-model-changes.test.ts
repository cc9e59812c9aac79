// Small random projects with content, changed at random: the data follows, nothing is broken by it, it can be written to
// as before, and taking it back gives every row as it was.
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { open, type Sheaf } from '../src/app.ts';
import { schemaApply, schemaDiff, schemaHistory, schemaUndo } from '../src/cli/schema-commands.ts';
import { SheafError } from '../src/errors.ts';
import { tablesOf } from '../src/model/tables.ts';
import type { ServerConfig } from '../src/project/environment.ts';
import { type Answered, writeProject } from './support/content.ts';
import { describeOnEveryDatabase } from './support/database.ts';
import { componentOrphans, violations } from './support/invariants.ts';
import type { Json } from './support/project.ts';
import { type Random, randomness } from './support/randomness.ts';
import { GIVEN_SEED, scaled } from './support/scale.ts';

const TYPES = ['ant', 'bee', 'cat'] as const;
const COMPONENTS = ['kit.inner', 'kit.outer', 'kit.other'] as const;
const KINDS = ['oneToOne', 'oneToMany', 'manyToOne', 'manyToMany'] as const;
const LOCALES = ['en', 'fr'];
const uid = (name: string): string => `api::${name}.${name}`;

type Kind = (typeof KINDS)[number];
interface Relation {
  readonly owner: string;
  readonly target: string;
  readonly name: string;
  readonly kind: Kind;
  readonly isTwoWay: boolean;
  readonly isKey: boolean;
}
interface Drawn {
  types: Record<string, { drafts: boolean; localized: boolean; scalar: string; many: boolean }>;
  relations: Relation[];
  /** What the components lead to. */
  readonly targets: Record<string, string>;
  readonly isMorph: boolean;
  nested: boolean;
}

function draw(random: Random): Drawn {
  const types = Object.fromEntries(
    TYPES.map((name) => [
      name,
      { drafts: random.chance(0.5), localized: random.chance(0.4), scalar: 'integer', many: random.chance(0.6) },
    ]),
  );
  const relations = Array.from({ length: 2 + random.below(4) }, (_, index): Relation => {
    const kind = random.pick(KINDS);
    return {
      owner: random.pick(TYPES),
      target: random.pick(TYPES),
      name: `rel${index}`,
      kind,
      isTwoWay: random.chance(0.5),
      isKey: (kind === 'manyToOne' || kind === 'oneToOne') && random.chance(0.3),
    };
  });
  const targets = Object.fromEntries(COMPONENTS.map((name) => [name, random.pick(TYPES)]));
  return { types, relations, targets, isMorph: random.chance(0.4), nested: random.chance(0.7) };
}

const OPPOSITE = { oneToOne: 'oneToOne', oneToMany: 'manyToOne', manyToOne: 'oneToMany', manyToMany: 'manyToMany' };

function projectOf({ types, relations, targets, isMorph, nested }: Drawn) {
  const related = (kind: string, target: string, options: Json = {}): Json => ({
    type: 'relation',
    relation: kind,
    target: uid(target),
    ...options,
  });
  const attributesOf = (name: string): Record<string, Json> => {
    const attributes: Record<string, Json> = {
      title: { type: 'string' },
      amount: { type: types[name]!.scalar },
      part: { type: 'component', component: 'kit.outer', repeatable: types[name]!.many },
      zone: { type: 'dynamiczone', components: ['kit.inner', 'kit.other'] },
    };
    for (const { owner, target, name: relation, kind, isTwoWay, isKey } of relations) {
      // Of oneToMany with two sides the other one is the owner.
      const isSwapped = isTwoWay && kind === 'oneToMany';
      const [own, other] = isSwapped ? ['mappedBy', 'inversedBy'] : ['inversedBy', 'mappedBy'];
      const key = isKey ? { useJoinTable: false } : {};
      if (owner === name)
        attributes[relation] = related(kind, target, { ...(isTwoWay && { [own]: `${relation}back` }), ...key });
      if (isTwoWay && target === name)
        attributes[`${relation}back`] = related(OPPOSITE[kind], owner, { [other]: relation, ...key });
    }
    if (isMorph && name === 'ant') {
      attributes.any = { type: 'relation', relation: 'morphToOne' };
      attributes.items = { type: 'relation', relation: 'morphToMany' };
    }
    if (isMorph && name !== 'ant') attributes.ants = related('morphMany', 'ant', { morphBy: 'items' });
    return attributes;
  };
  return {
    locales: LOCALES,
    types: Object.fromEntries(
      TYPES.map((name) => [
        name,
        { drafts: types[name]!.drafts, localized: types[name]!.localized, attributes: attributesOf(name) },
      ]),
    ),
    components: {
      'kit.inner': { label: { type: 'string' }, leads: related('manyToMany', targets['kit.inner']!) },
      'kit.other': { label: { type: 'string' }, lead: related('manyToOne', targets['kit.other']!) },
      'kit.outer': {
        label: { type: 'string' },
        lead: related('oneToOne', targets['kit.outer']!),
        ...(nested && { inner: { type: 'component', component: 'kit.inner', repeatable: true } }),
      },
    },
  };
}

/** Draws what an entry holds; `found` are the documents of each type. */
function drawData(drawn: Drawn, random: Random, found: ReadonlyMap<string, string[]>): (name: string) => Json {
  const refs = (target: string, most: number) => random.some(found.get(target)!, most);
  const one = (target: string) => refs(target, 1)[0] ?? null;
  const inner = () => ({ label: `i${random.below(99)}`, leads: refs(drawn.targets['kit.inner']!, 3) });
  const outer = () => ({
    label: `o${random.below(99)}`,
    lead: one(drawn.targets['kit.outer']!),
    ...(drawn.nested && { inner: Array.from({ length: random.below(3) }, inner) }),
  });
  return (name: string): Json => {
    const values: Record<string, unknown> = { title: `t${random.below(99)}`, amount: random.below(5) };
    const parts = Array.from({ length: random.below(3) }, outer);
    values.part = drawn.types[name]!.many ? parts : (parts[0] ?? null);
    values.zone = Array.from({ length: random.below(3) }, () =>
      random.chance(0.5)
        ? { __component: 'kit.inner', ...inner() }
        : { __component: 'kit.other', label: 'z', lead: one(drawn.targets['kit.other']!) },
    );
    for (const { owner, target, name: relation, kind, isTwoWay } of drawn.relations) {
      if (owner === name && random.chance(0.6))
        values[relation] = kind.endsWith('Many') ? refs(target, 3) : one(target);
      if (isTwoWay && target === name && random.chance(0.4))
        values[`${relation}back`] = OPPOSITE[kind].endsWith('Many') ? refs(owner, 3) : one(owner);
    }
    if (drawn.isMorph && name === 'ant')
      values.items = random.some(
        ['bee', 'cat'].flatMap((type) => found.get(type)!.map((documentId) => ({ documentId, __type: uid(type) }))),
        2,
      );
    if (drawn.isMorph && name !== 'ant' && random.chance(0.4)) values.ants = refs('ant', 2);
    return values;
  };
}

/** Writes random content through the ordinary operations. Requests that are refused are no content. */
async function write(sheaf: Sheaf, drawn: Drawn, random: Random, rounds: number): Promise<void> {
  const found = new Map<string, string[]>();
  for (const name of TYPES) {
    const entries = await sheaf
      .documents(uid(name))
      .findMany({ status: 'draft', locale: '*', fields: ['documentId'], sort: 'id' });
    found.set(name, [...new Set(entries.map(({ documentId }: Answered) => documentId as string))]);
  }
  const data = drawData(drawn, random, found);
  for (let round = 0; round < rounds; round++) {
    const name = random.pick(TYPES);
    const { drafts, localized } = drawn.types[name]!;
    const documents = sheaf.documents(uid(name));
    const locale = localized ? random.pick(['en', 'en', 'fr']) : undefined;
    const at = { ...(locale !== undefined && { locale }) };
    const documentId = found.get(name)!.length > 2 ? random.pick(found.get(name)!) : null;
    try {
      if (documentId === null || random.chance(0.3)) {
        const made = await documents.create({ data: data(name), ...at } as Answered);
        found.get(name)!.push(made.documentId as string);
        if (drafts && random.chance(0.5)) await documents.publish({ documentId: made.documentId, ...at } as Answered);
      } else if (random.chance(0.6)) await documents.update({ documentId, data: data(name), ...at } as Answered);
      else if (drafts && random.chance(0.8)) await documents.publish({ documentId, ...at } as Answered);
      else if (drafts && random.chance(0.5)) await documents.discardDraft({ documentId, ...at } as Answered);
      else if (random.chance(0.2)) {
        await documents.delete({ documentId, ...at } as Answered);
      }
    } catch (error) {
      if (!(error instanceof SheafError)) throw error;
    }
  }
}

/** Another project, one or two changes away. */
function changed(drawn: Drawn, random: Random): Drawn {
  const next: Drawn = { ...drawn, types: structuredClone(drawn.types), relations: [...drawn.relations] };
  for (let count = 1 + random.below(2); count > 0; count--) {
    const type = next.types[random.pick(TYPES)]!;
    const what = random.below(10);
    if (what < 4) type.drafts = !type.drafts;
    else if (what < 6) type.localized = !type.localized;
    else if (what < 7) type.scalar = random.pick(['string', 'boolean', 'biginteger', 'json']);
    else if (what < 8) type.many = !type.many;
    else {
      const index = random.below(next.relations.length);
      const old = next.relations[index]!;
      const kind = random.pick(KINDS);
      next.relations[index] = {
        ...old,
        kind,
        isTwoWay: random.chance(0.5),
        isKey: kind.endsWith('One') && random.chance(0.3),
      };
    }
  }
  return next;
}

/** Links and keys of types that lead from one status to the other, and keys that several documents have though one may. */
async function astray({ model, database }: Sheaf): Promise<string[]> {
  const wrong: string[] = [];
  for (const type of model.contentTypes.values()) {
    for (const attribute of type.uid.startsWith('api::') ? type.attributes.values() : []) {
      if (attribute.kind !== 'relation' || attribute.storage === 'none' || attribute.storage === 'morph') continue;
      if (!attribute.owning) continue;
      const other = model.contentTypes.get(attribute.target)!;
      const { table, from, to } = attribute.link;
      const pairs = `select h.id as own, h.document_id as owner, t.id as other, h.published_at as p, h.locale as locale, t.published_at as q from "${table}" l join "${type.table}" h on h.id = l."${from}" join "${other.table}" t on t.id = l."${to}"`;
      const questions = [
        ...(type.draftAndPublish && other.draftAndPublish
          ? [`select own, other from (${pairs}) x where (p is null) <> (q is null)`]
          : []),
        ...(attribute.storage === 'column' && attribute.exclusive
          ? [
              `select other, count(distinct owner) from (${pairs}) x group by other, p is null having count(distinct owner) > 1`,
            ]
          : []),
      ];
      for (const sql of questions) {
        const rows = await database.snapshot((session) => session.rows({ sql, bindings: [] }, []));
        if (rows.length > 0) wrong.push(`${type.uid}.${attribute.name}: ${JSON.stringify(rows)}`);
      }
    }
  }
  return wrong;
}

type Answers = ReadonlyMap<string, Answered[]>;

async function answersOf(sheaf: Sheaf): Promise<Answers> {
  const answers = new Map<string, Answered[]>();
  for (const type of sheaf.model.contentTypes.values()) {
    if (!type.uid.startsWith('api::')) continue;
    const name = type.singularName;
    const populate = Object.fromEntries(
      [...type.attributes.values()]
        .filter(({ kind, private: hidden }) => kind !== 'scalar' && !hidden)
        .filter(({ name: attribute }) => attribute !== 'localizations')
        .map(({ kind, name: attribute }) => [
          attribute,
          kind === 'component'
            ? { populate: { lead: true, inner: { populate: ['leads'] } } }
            : kind === 'dynamiczone'
              ? { on: { 'kit.inner': { populate: ['leads'] }, 'kit.other': { populate: ['lead'] } } }
              : true,
        ]),
    );
    if ('part' in populate && !sheaf.model.components.get('kit.outer')!.attributes.has('inner'))
      populate.part = { populate: { lead: true } } as Answered;
    for (const status of ['draft', 'published'] as const)
      for (const locale of type.localized ? LOCALES : [undefined])
        answers.set(
          `${name} ${status} ${locale ?? '-'}`,
          await sheaf.documents(type.uid).findMany({
            status,
            sort: 'documentId',
            populate,
            pagination: { limit: 100 },
            ...(locale !== undefined && { locale }),
          } as Answered),
        );
  }
  return answers;
}

/** Every row of every table but those that only this program has for changes. */
async function rowsOf(sheaf: Sheaf): Promise<Map<string, unknown>> {
  const present = await sheaf.database.describe();
  const rows = new Map<string, unknown>();
  for (const { name, columns: named } of tablesOf(sheaf.model)) {
    if (/^sheaf_(settings|model_changes|change)/.test(name) || !present.has(name)) continue;
    const columns = named.map((column) => `"${column.name}"`);
    const sql = `select ${columns.join(', ')} from "${name}" order by id`;
    rows.set(name, await sheaf.database.snapshot((session) => session.rows({ sql, bindings: [] }, [])));
  }
  return rows;
}

/** What people see: no ids of rows, and no moment of publication. */
const shown = (entries: readonly Answered[]): Answered =>
  JSON.parse(
    JSON.stringify(entries, (key, value) =>
      ['id', 'publishedAt', 'locale', 'createdAt', 'updatedAt'].includes(key) ? undefined : value,
    ),
  );

/** What one toggle by itself must leave as it was. */
function compare(before: Answers, after: Answers, drawn: Drawn, next: Drawn): void {
  const toggled = TYPES.filter((name) => JSON.stringify(drawn.types[name]) !== JSON.stringify(next.types[name]));
  if (toggled.length !== 1 || JSON.stringify(drawn.relations) !== JSON.stringify(next.relations)) return;
  const [name] = toggled as [string];
  // A key leads to one row only, a draft or a published one.
  if (drawn.relations.some(({ isKey, owner, target }) => isKey && [owner, target].includes(name))) return;
  const [old, now] = [drawn.types[name]!, next.types[name]!];
  const isOnly = (key: 'drafts' | 'localized'): boolean =>
    old[key] !== now[key] && JSON.stringify({ ...old, [key]: now[key] }) === JSON.stringify(now);
  if (isOnly('drafts'))
    for (const [key, entries] of before) {
      const [, status] = key.split(' ');
      if (now.drafts || status === 'published')
        expect(shown(after.get(key)!), `${key}, drafts ${now.drafts} of ${name}`).toEqual(shown(entries));
    }
  if (isOnly('localized') && now.localized)
    for (const [key, entries] of before) {
      const [type, status] = key.split(' ');
      const where = type === name ? `${type} ${status} en` : key;
      expect(shown(after.get(where)!), `${key}, locales of ${name}`).toEqual(shown(entries));
    }
  if (isOnly('localized') && !now.localized)
    for (const status of ['draft', 'published'])
      expect(
        after
          .get(`${name} ${status} -`)!
          .map(({ documentId, title, part, zone }) =>
            shown([documentId, title, part?.label, zone?.length] as Answered),
          ),
        `locales off of ${name}`,
      ).toEqual(
        before
          .get(`${name} ${status} en`)!
          .map(({ documentId, title, part, zone }) =>
            shown([documentId, title, part?.label, zone?.length] as Answered),
          ),
      );
}

const FIRST_SEED = GIVEN_SEED ?? 1;

describeOnEveryDatabase('A random model that is changed at random', (engine) => {
  // Other models on each database.
  const [first, models] = engine.name === 'SQLite' ? [0, scaled(2)] : [scaled(2), scaled(1)];
  const seeds = Array.from({ length: models }, (_, index) => FIRST_SEED + first + index);
  it.each(seeds)('keeps its data, and takes it back (seed %i)', async (seed) => {
    const random = randomness(seed);
    const project = mkdtempSync(path.join(os.tmpdir(), 'sheaf-random-'));
    const database = engine.bareDatabaseUrl(null);
    const config = { project, database, readOnly: false } as ServerConfig;
    const withSheaf = async <T>(work: (sheaf: Sheaf) => Promise<T>): Promise<T> => {
      const sheaf = await open({ project, database });
      try {
        return await work(sheaf);
      } finally {
        await sheaf.close();
      }
    };
    const check = async (sheaf: Sheaf, when: string) => {
      const ask = (sql: string) => sheaf.database.snapshot((session) => session.rows({ sql, bindings: [] }, []));
      const broken = [...(await violations(sheaf.model, ask)), ...(await componentOrphans(sheaf.model, ask))];
      const wrong = [...broken, ...(await astray(sheaf))];
      expect(wrong, when).toEqual([]);
      expect(engine.damage(database), when).toEqual([]);
    };
    try {
      const drawn = draw(random);
      writeProject(project, projectOf(drawn));
      const [before, rows] = await withSheaf(async (sheaf) => {
        await write(sheaf, drawn, random, 40);
        await check(sheaf, 'before');
        return [await answersOf(sheaf), await rowsOf(sheaf)] as const;
      });
      const next = changed(drawn, random);
      writeProject(project, projectOf(next));
      const apply = () => schemaApply(config, { all: true });
      await apply();
      await withSheaf(async (sheaf) => {
        await check(sheaf, 'after');
        compare(before, await answersOf(sheaf), drawn, next);
      });
      const undo = async () => {
        const { changes } = (await schemaHistory(config)).value as { changes: unknown[] };
        for (const _ of changes) await schemaUndo(config, false);
      };
      await undo();
      writeProject(project, projectOf(drawn));
      // What relations and components became without being asked, and nothing else, is taken back by the opposite change.
      const left = ((await schemaDiff(config)).value as Answered).changes.map(({ id }: Answered) => id);
      expect(left.filter((id: string) => !/^(?:relation|single):/.test(id))).toEqual([]);
      if (left.length > 0) await apply();
      await withSheaf(async (sheaf) => {
        if (left.length === 0) expect(await rowsOf(sheaf)).toEqual(rows);
        expect(await answersOf(sheaf)).toEqual(before);
      });
      writeProject(project, projectOf(next));
      await apply();
      await withSheaf(async (sheaf) => {
        await write(sheaf, next, random, 25);
        await check(sheaf, 'written to');
      });
    } finally {
      rmSync(project, { recursive: true, force: true });
    }
  });
});
