// The plan of a change of the model: what would be done with the data, in words, with the number of rows, and what has
// to be allowed. Nothing is written.

import type { Database, Session, Tables } from '../db/database.ts';
import { readDefaultLocale } from '../db/stored-settings.ts';
import type { Definition, Model } from '../model/types.ts';
import { countBeyondFirst, countDrafts, countLinks, countOtherLocales } from '../sql/kept-link-statements.ts';
import { countHeld, countRows } from '../sql/migration-statements.ts';
import type { Statement } from '../sql/statement.ts';
import {
  type Change,
  changeId,
  changesBetween,
  renamesBetween,
  schemaOf,
  showsTheSame,
  underOldNames,
  without,
} from './change.ts';
import { relationChangeOf, reportRelation } from './change-relation.ts';
import { conversionOf, losesNothing, tryConversion } from './convert-attribute.ts';
import { readServed } from './served-model.ts';

export interface PlannedChange {
  readonly change: Change;
  /** What `--allow` takes. */
  readonly id: string;
  /** What it does, for people. */
  readonly text: string;
  readonly rows: number;
  /** What cannot be kept, one line each. */
  readonly details: readonly string[];
  /** Whether it is made at once, since nothing is lost by it and no answer changes. */
  readonly isSafe: boolean;
}

export interface ModelPlan {
  /** The tables of the database. */
  readonly present: Tables;
  /** The definitions that the database was last served with; null where there is nothing to compare with. */
  readonly served: readonly Definition[] | null;
  /** The same as the database keeps it. */
  readonly recorded: readonly Definition[];
  readonly changes: readonly PlannedChange[];
}

/** Makes a model of definitions, as that of the project is made. */
export type Rebuild = (definitions: readonly Definition[]) => Model;

export async function planChanges(database: Database, model: Model, rebuild: Rebuild): Promise<ModelPlan> {
  const present = await database.describe();
  const last = await readServed(database, present, model.definitions);
  if (last === null) return { present, served: null, recorded: [], changes: [] };
  const { definitions: served, recorded } = last;
  const before = rebuild(served);
  const renames = renamesBetween(served, model.definitions);
  const after = renames.length > 0 ? rebuild(underOldNames(model.definitions, renames)) : model;
  const changes = [...changesBetween(before, after), ...renames];
  if (changes.length === 0) return { present, served, recorded, changes: [] };
  const planned = await database.latest(async (session) => {
    const defaultLocale = await readDefaultLocale(session);
    const all: PlannedChange[] = [];
    for (const change of changes)
      all.push(await new Planner(session, database, { before, after, defaultLocale }).plan(change));
    return all;
  });
  return { present, served, recorded, changes: planned };
}

/** The model of the project without the changes of the plan: what a start brings the database to before them. */
export const baseModel = ({ served, changes }: ModelPlan, model: Model, rebuild: Rebuild): Model =>
  served === null || changes.length === 0
    ? model
    : rebuild(
        without(
          changes.map(({ change }) => change),
          model.definitions,
          served,
        ),
      );

const SHOWN_FAILURES = 5;
const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

interface Models {
  readonly before: Model;
  readonly after: Model;
  readonly defaultLocale: string;
}

class Planner {
  readonly #session: Session;
  readonly #database: Database;
  readonly #models: Models;

  constructor(session: Session, database: Database, models: Models) {
    this.#session = session;
    this.#database = database;
    this.#models = models;
  }

  async plan(change: Change): Promise<PlannedChange> {
    const found = await this.#describe(change);
    return { change, id: changeId(change), details: [], isSafe: found.rows === 0, ...found };
  }

  async #count(statement: Statement<readonly [count: number]>, ...values: string[]): Promise<number> {
    const [row] = await this.#session.rows(statement, values);
    return row![0];
  }

  #describe(change: Change): Promise<Pick<PlannedChange, 'text' | 'rows'> & Partial<PlannedChange>> {
    switch (change.kind) {
      case 'drafts-on':
      case 'locales-on':
        return this.#toggleOn(change.kind, change.uid);
      case 'drafts-off':
        return this.#draftsOff(change.uid);
      case 'locales-off':
        return this.#localesOff(change.uid);
      case 'convert':
        return this.#convert(change.uid, change.name);
      case 'relation':
        return this.#relation(change.uid, change.name);
      case 'single':
        return this.#single(change.uid, change.name);
      case 'replace':
        return this.#replace(change);
      case 'rename':
        return this.#rename(change);
    }
  }

  async #toggleOn(kind: 'drafts-on' | 'locales-on', uid: string) {
    const { dialect } = this.#database;
    const rows = await this.#count(countRows(dialect, this.#models.before.contentTypes.get(uid)!.table));
    const text =
      kind === 'drafts-on'
        ? `${uid} gets drafts: each of ${counted(rows, 'row')} stays published and gets a draft with the same content and links`
        : `${uid} gets locales: ${counted(rows, 'row')} put in ${this.#models.defaultLocale}, the default locale`;
    return { text, rows };
  }

  async #draftsOff(uid: string) {
    const { table } = this.#models.before.contentTypes.get(uid)!;
    const [row] = await this.#session.rows(countDrafts(this.#database.dialect, table), []);
    const [alone, all] = row!;
    const text = `${uid} loses its drafts: published rows stay, ${counted(all, 'draft')} set aside, ${alone} of which were never published`;
    return { text, rows: all };
  }

  async #localesOff(uid: string) {
    const { defaultLocale } = this.#models;
    const { table } = this.#models.before.contentTypes.get(uid)!;
    const rows = await this.#count(countOtherLocales(this.#database.dialect, table), defaultLocale);
    const text = `${uid} loses its locales: content in ${defaultLocale} stays, ${counted(rows, 'row')} in other locales set aside`;
    return { text, rows };
  }

  async #convert(uid: string, name: string) {
    const conversion = conversionOf(this.#models.before, this.#models.after, uid, name);
    const { from, to } = conversion;
    const what =
      from.type === to.type
        ? `${uid}.${name} allows fewer values`
        : `${uid}.${name} becomes ${to.type}, from ${from.type}`;
    if (losesNothing(conversion)) return { text: `${what}: every value stays as it is`, rows: 0, isSafe: true };
    const { values, failures } = await tryConversion(this.#session, this.#database.dialect, conversion);
    const text = `${what}: ${counted(values - failures.length, 'value')} converted, ${failures.length} set aside that cannot be`;
    const details = failures.slice(0, SHOWN_FAILURES).map(({ id, reason }) => `row ${id}: ${reason}`);
    const more = failures.length - details.length;
    // Fewer values allowed, and none of the others in use.
    const isSafe = values === 0 || (from.type === to.type && failures.length === 0);
    return { text, rows: values, details: [...details, ...(more > 0 ? [`and ${more} more`] : [])], isSafe };
  }

  async #relation(uid: string, name: string) {
    const change = relationChangeOf(this.#models.before, this.#models.after, uid, name);
    const { old, attribute } = change;
    const { links, kept, lost } = await reportRelation(this.#session, this.#database.dialect, change, SHOWN_FAILURES);
    const kinds =
      old.target !== attribute.target
        ? `leads to ${attribute.target}, no longer to ${old.target}`
        : old.name !== name
          ? `keeps the links of ${attribute.target}.${old.name}, as ${attribute.relation}`
          : old.relation === attribute.relation
            ? `stays ${attribute.relation} and is kept otherwise`
            : `becomes ${attribute.relation}, from ${old.relation}`;
    const text = `${uid}.${name} ${kinds}: ${counted(kept, 'link')} kept, ${links - kept} set aside`;
    const details = lost.map(([own, other]) => `row ${own} no longer leads to row ${other}`);
    const more = lost.length > 0 ? links - kept - lost.length : 0;
    const isSafe = links === 0 || (links === kept && showsTheSame(old, attribute));
    return { text, rows: links, details: [...details, ...(more > 0 ? [`and ${more} more`] : [])], isSafe };
  }

  async #single(uid: string, name: string) {
    const attribute = schemaOf(this.#models.before, uid)!.attributes.get(name)!;
    const rows =
      attribute.kind === 'component' || attribute.kind === 'media'
        ? await this.#count(countBeyondFirst(this.#database.dialect, attribute.link))
        : 0;
    return {
      text: `${uid}.${name} takes one only: the first of each list stays, ${counted(rows, 'other')} set aside`,
      rows,
    };
  }

  async #rename({ rename: { from, to } }: Change & { kind: 'rename' }) {
    const { table } = schemaOf(this.#models.before, from.uid)!;
    const rows = await this.#count(countRows(this.#database.dialect, table));
    const what =
      from.uid === to.uid
        ? `${from.uid} is kept in ${to.collectionName}, not in ${from.collectionName}`
        : `${from.uid} is called ${to.uid}`;
    return { text: `${what}: ${counted(rows, 'row')}, links and grants follow the new name`, rows, isSafe: false };
  }

  async #replace({ uid, name, by }: Change & { kind: 'replace' }) {
    const schema = schemaOf(this.#models.before, uid)!;
    const attribute = schema.attributes.get(name)!;
    const rows =
      attribute.kind === 'scalar'
        ? await this.#count(countHeld(this.#database.dialect, schema.table, attribute.column))
        : 'link' in attribute
          ? await this.#count(countLinks(this.#database.dialect, attribute.link))
          : 0;
    const stays = `what it holds (${counted(rows, 'row')}) stays in the database and is served no more`;
    if (by.includes(name)) return { text: `${uid}.${name} is another kind of attribute now: ${stays}`, rows };
    const renames = by.map((one) => `sheaf schema rename ${uid}.${name} ${one}`).join(' or ');
    const text = `${uid}.${name} is gone and ${by.join(', ')} ${by.length === 1 ? 'is' : 'are'} new: ${stays}. If it is the same attribute, ${renames} keeps its content`;
    return { text, rows };
  }
}
