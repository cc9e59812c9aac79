// The documents that a planned write concerns, as data: what its body names, which of those documents it locks, and
// where links lead to documents that it does not name. So locks are known before anything is read.
import { memoize } from '../../memoize.ts';
import { linkAttributes, morphsTo, oneWayTo } from '../../model/links.ts';
import type {
  ContentType,
  LinkTable,
  MediaAttribute,
  Model,
  MorphAttribute,
  RelationAttribute,
  Schema,
} from '../../model/types.ts';
import type { Reference, RelationInput } from '../../request/parse-relation.ts';
import type { EntityChange, RelationChange, TargetReferences, WritePlan } from './changes.ts';

/** Documents of one table, by their ids and by ids of their rows. */
export interface TableDocuments {
  readonly table: string;
  readonly documentIds: readonly string[];
  readonly rowIds: readonly number[];
}

/**
 * A way from a document to others by links. `own`: the table of the document, whose id is bound.
 * `list`: its own rows with their links. `linked`: the targets of its rows. `changed`: those that only its draft or
 * only its published row is linked with. `remembered`: those in its recorded lists.
 * `owners`: documents of the same type that hold targets; `named`: those with the bound ids, `linked` and
 * `remembered`: its own.
 * `holders`: documents whose one-way lists hold it; `recorded`: those whose recorded lists do.
 */
export type AffectedPart =
  | {
      readonly find: 'list' | 'linked' | 'changed' | 'remembered';
      readonly own: string;
      readonly link: LinkTable;
      readonly target: string;
    }
  | {
      readonly find: 'owners';
      readonly of: 'named' | 'linked' | 'remembered';
      /** Whether targets are named by ids of their rows as well. */
      readonly byRow: boolean;
      readonly own: string;
      readonly link: LinkTable;
      readonly target: string;
    }
  | { readonly find: 'holders' | 'recorded'; readonly own: string; readonly link: LinkTable; readonly holder: string };

/** A part of the look-up, the table that it finds documents of, and its values. */
export interface LookUp {
  readonly part: AffectedPart;
  readonly table: string;
  readonly values: readonly string[];
}

export interface AffectedPlan {
  /** In the order in which tables are locked. */
  readonly locked: readonly TableDocuments[];
  /** Documents that others may change meanwhile, but not delete. */
  readonly held: readonly TableDocuments[];
  /** Documents that lose rows: nobody may link with them meanwhile. */
  readonly removed: readonly TableDocuments[];
  /** Documents that are published: while one gets its first published row, nobody may link with its draft. */
  readonly appearing: readonly TableDocuments[];
  readonly lookUps: readonly LookUp[];
  /** The locale that is written, which has to be one of the project's. */
  readonly locale: string | null;
}

type Linked = RelationAttribute | MediaAttribute | MorphAttribute;

/** Every relation of a change, those of its components included. */
export function relationsIn(change: EntityChange): RelationChange[] {
  return [
    ...change.relations,
    ...change.components.flatMap(({ items }) => items.flatMap(({ entity }) => relationsIn(entity))),
  ];
}

/** What a relation connects, sets or disconnects, without the anchors of positions. */
export function referencesIn(input: RelationInput): readonly Reference[] {
  switch (input.mode) {
    case 'keep':
      return [];
    case 'set':
      return input.references;
    case 'change':
      return [...input.connect.map(({ reference }) => reference), ...input.disconnect];
  }
}

const anchorsIn = (input: RelationInput): Reference[] =>
  input.mode === 'change'
    ? input.connect.flatMap(({ position }) => ('anchor' in position ? [position.anchor] : []))
    : [];

/** A reference, and the uid of what it leads to. */
export interface TargetReference {
  readonly target: string;
  readonly reference: Reference;
}

/** Everything that a relation refers to, anchors of positions included. */
export const targetsNamedIn = ({ attribute, input }: RelationChange): TargetReference[] =>
  [...referencesIn(input), ...anchorsIn(input)].map((reference) => ({
    target: targetOf(attribute, reference),
    reference,
  }));

export const targetOf = (attribute: Linked, { type }: Pick<Reference, 'type'>): string =>
  attribute.kind === 'morph' ? (type ?? '') : attribute.target;

/** References by the uid or the table of what they lead to. */
class ReferenceSets {
  readonly #sets = new Map<string, { documentIds: Set<string>; rowIds: Set<number> }>();

  of(name: string): { documentIds: Set<string>; rowIds: Set<number> } {
    const set = this.#sets.get(name) ?? { documentIds: new Set(), rowIds: new Set() };
    this.#sets.set(name, set);
    return set;
  }

  add(name: string, { documentId, id }: Reference): void {
    const { documentIds, rowIds } = this.of(name);
    if (documentId !== null) documentIds.add(documentId);
    else rowIds.add(id!);
  }

  map<T>(make: (name: string, documentIds: readonly string[], rowIds: readonly number[]) => T): T[] {
    return [...this.#sets].map(([name, { documentIds, rowIds }]) => make(name, [...documentIds], [...rowIds]));
  }
}

/** Everything that relations refer to, by target type. */
export function targetReferences(relations: readonly RelationChange[]): TargetReferences[] {
  const targets = new ReferenceSets();
  for (const { target, reference } of relations.flatMap(targetsNamedIn)) targets.add(target, reference);
  return targets.map((target, documentIds, rowIds) => ({ target, documentIds, rowIds }));
}

/** `documentId`: of the document that is written; null for one that is made. */
export function affectedBy(model: Model, plan: WritePlan, documentId: string | null): AffectedPlan {
  const locked = new ReferenceSets();
  const held = new ReferenceSets();
  const removed = new ReferenceSets();
  const appearing = new ReferenceSets();
  if (documentId !== null) locked.of(plan.type.table).documentIds.add(documentId);
  if (documentId !== null && (plan.name === 'delete' || plan.name === 'unpublish'))
    removed.of(plan.type.table).documentIds.add(documentId);
  if (documentId !== null && plan.type.draftAndPublish && (plan.name === 'publish' || plan.publishes))
    appearing.of(plan.type.table).documentIds.add(documentId);
  for (const change of plan.relations) {
    const { attribute } = change;
    // Targets whose own list changes with the relation are locked; others are held, to be there when it is written.
    const documents = attribute.kind === 'relation' && attribute.inverse !== null ? locked : held;
    for (const { target, reference } of targetsNamedIn(change))
      documents.add(model.contentTypes.get(target)!.table, reference);
  }
  const tablesOf = (sets: ReferenceSets): TableDocuments[] =>
    sets
      .map((table, documentIds, rowIds) => ({ table, documentIds, rowIds }))
      .sort((a, b) => (a.table < b.table ? -1 : 1));
  return {
    locked: tablesOf(locked),
    held: tablesOf(held),
    removed: tablesOf(removed),
    appearing: tablesOf(appearing),
    lookUps: lookUpsOf(model, plan, documentId),
    locale: plan.locale,
  };
}

/** Where links lead to documents that the plan does not name, and the lists that it changes. */
function lookUpsOf(model: Model, plan: WritePlan, documentId: string | null): LookUp[] {
  const { type, name } = plan;
  const isWhole = name !== 'create' && name !== 'update';
  const publishes = type.draftAndPublish && (isWhole || plan.publishes);
  const ofBody = plan.change.relations.flatMap((relation) => bodyLookUps(model, type, relation, documentId));
  if (documentId === null || (!isWhole && !publishes)) return ofBody;
  const values = [documentId];
  const ways = waysFrom(type, model)[wayOf(name)];
  return [...ofBody, ...ways.map(({ part, table }) => ({ part, table, values }))];
}

/** A way that a write of a whole document takes, whatever the document. */
type Way = Omit<LookUp, 'values'>;

/**
 * Which ways a write takes: `compare` those to what differs between a draft and its published row, `keep` those to all
 * that is linked, `restore` also those to what was linked when the document was last published.
 */
type WayKind = 'compare' | 'keep' | 'restore';

function wayOf(name: WritePlan['name']): WayKind {
  // To discard a draft brings back what its published row was published with.
  if (name === 'discardDraft') return 'restore';
  return name === 'publish' || name === 'update' || name === 'create' ? 'compare' : 'keep';
}

/** The ways from a document of a type, found once for the type. */
const waysFrom = memoize((type: ContentType, model: Model): Readonly<Record<WayKind, readonly Way[]>> => {
  const leading = listsLeadingTo(model, type).flatMap(({ schema, link }): Way[] =>
    schema.kind === 'component'
      ? []
      : (['holders', 'recorded'] as const).map((find) => ({
          part: { find, own: type.table, link, holder: schema.table },
          table: schema.table,
        })),
  );
  const all = (kind: WayKind): Way[] => [
    ...linkAttributes(type).flatMap((attribute) => linkWays(model, type, attribute, kind)),
    ...leading,
  ];
  return { compare: all('compare'), keep: all('keep'), restore: all('restore') };
});

/** Lists that change when a document that they lead to is published. */
const listsLeadingTo = (
  model: Model,
  { uid, draftAndPublish }: ContentType,
): { readonly schema: Schema; readonly link: LinkTable }[] => [
  ...oneWayTo(model, uid).map(([schema, { link }]) => ({ schema, link })),
  ...(draftAndPublish ? morphsTo(model, uid).filter(({ many }) => many) : []),
];

/** The documents at the other end of a relation of the document, and those that may lose one of them to it. */
function linkWays(
  model: Model,
  { table: own }: ContentType,
  { link, target: uid, inverse, exclusive }: RelationAttribute,
  kind: WayKind,
): Way[] {
  const target = model.contentTypes.get(uid)!.table;
  const owned = kind === 'restore' ? (['linked', 'remembered'] as const) : (['linked'] as const);
  const finds = kind === 'compare' ? (['changed'] as const) : owned;
  return [
    ...(inverse === null ? [] : finds.map((find): Way => ({ part: { find, own, link, target }, table: target }))),
    ...(exclusive
      ? owned.map((of): Way => ({ part: { find: 'owners', of, byRow: false, own, link, target }, table: own }))
      : []),
  ];
}

/** The list of a relation of the body, and what it takes away: from targets that it drops, and from their owners. */
function bodyLookUps(
  model: Model,
  type: ContentType,
  { attribute, input }: RelationChange,
  documentId: string | null,
): LookUp[] {
  const own = type.table;
  const tableOf = (uid: string): string => model.contentTypes.get(uid)!.table;
  const lookUps: LookUp[] = [];
  if (documentId !== null)
    for (const { uid, link } of attribute.kind === 'morph'
      ? attribute.targets
      : [{ uid: attribute.target, link: attribute.link }]) {
      const target = tableOf(uid);
      lookUps.push({ part: { find: 'list', own, link, target }, table: target, values: [documentId] });
    }
  if (attribute.kind !== 'relation') return lookUps;
  const { link } = attribute;
  const target = tableOf(attribute.target);
  // A to-one relation drops what it held, whatever the form of the request.
  const drops = documentId !== null && attribute.inverse !== null && (input.mode === 'set' || !attribute.many);
  if (drops && attribute.storage !== 'column')
    lookUps.push({ part: { find: 'linked', own, link, target }, table: target, values: [documentId] });
  if (attribute.exclusive) {
    const references = referencesIn(input);
    const documentIds = references.flatMap((reference) => reference.documentId ?? []);
    const rowIds = references.flatMap(({ id }) => id ?? []);
    const byRow = rowIds.length > 0;
    lookUps.push({
      part: { find: 'owners', of: 'named', byRow, own, link, target },
      table: own,
      values: [documentIds, ...(byRow ? [rowIds] : [])].map((ids) =>
        JSON.stringify([...new Set<string | number>(ids)]),
      ),
    });
  }
  return lookUps;
}
