// What writes mean, in plain lists and maps and without a word of SQL: documents with their rows, and ordered links
// between rows. Shares no code with src/. Every list is known exactly, drafts and published rows alike: the latest
// publication of either end decides what links show between published rows.

export type Status = 'draft' | 'published';
/** `only`: the one row of a locale of a type without drafts. */
export type Version = Status | 'only';
export type Side = 'own' | 'inverse';

export interface Type {
  readonly name: string;
  readonly drafts: boolean;
  readonly localized: boolean;
}

export interface Relation {
  /** `owner.attribute`, and the name of the attribute on each side; null where there is none. */
  readonly name: string;
  readonly types: Readonly<Record<Side, string>>;
  readonly attributes: Readonly<{ own: string; inverse: string | null }>;
  /** Whether a row of that side lists many of the other. */
  readonly many: Readonly<Record<Side, boolean>>;
  /** Kept in a foreign key of the owner, without an order at the other side. */
  readonly isKey: boolean;
}

/** Whether a side lists the other in order. */
export const isOrdered = ({ attributes, many, isKey }: Relation, side: Side): boolean =>
  attributes[side] !== null && many[side] && !isKey;

export interface Row {
  readonly type: string;
  readonly document: string;
  readonly locale: string | null;
  readonly version: Version;
  title: string | null;
  code: string | null;
}

/** A row, as a string. */
export type Key = string;
/** A document in a locale, whatever the status, as a string. */
export type Place = string;
export type Lists = Map<Key, Key[]>;
export type Links = Record<Side, Lists>;

export interface Reference {
  readonly document: string;
  readonly locale: string | null;
  readonly status: Status | null;
  /** Whether it names the row itself rather than the document. */
  readonly row: Key | null;
}

export type Position =
  | { readonly at: 'start' | 'end' }
  | { readonly at: 'before' | 'after'; readonly anchor: Reference };

export type Input =
  | { readonly is: 'keep' }
  | { readonly is: 'set'; readonly references: readonly Reference[] }
  | {
      readonly is: 'change';
      readonly connect: readonly { readonly reference: Reference; readonly position: Position }[];
      readonly disconnect: readonly Reference[];
      readonly strict: boolean;
    };

export interface Change {
  readonly title?: string;
  readonly code?: string;
  readonly relation?: { readonly relation: Relation; readonly side: Side; readonly input: Input };
}

/** The request is to be refused, and nothing of it may remain. */
export class Refused extends Error {}
/** The world is not as it must be. */
export class Violation extends Error {}

export const DEFAULT_LOCALE = 'en';
export const LOCALES = ['en', 'fr'] as const;
const SIDES = ['own', 'inverse'] as const;
const across = (side: Side): Side => (side === 'own' ? 'inverse' : 'own');

export const keyOf = (document: string, locale: string | null, version: Version): Key =>
  `${document} ${locale ?? '-'} ${version}`;
export const placeOf = (key: Key): Place => key.slice(0, key.lastIndexOf(' '));
export const versionOf = (key: Key): Version => key.slice(key.lastIndexOf(' ') + 1) as Version;
export const localeIn = (key: Key): string | null => (key.split(' ')[1] === '-' ? null : key.split(' ')[1]!);
export const documentOf = (key: Key): string => key.slice(0, key.indexOf(' '));
/** The row that stands for another among published content: of a draft its published row, there or not. */
const shownAs = (key: Key): Key => (versionOf(key) === 'draft' ? `${placeOf(key)} published` : key);
const draftOf = (key: Key): Key => (versionOf(key) === 'published' ? `${placeOf(key)} draft` : key);
const isOneWay = ({ attributes }: Relation): boolean => attributes.inverse === null;
const without = <T>(list: readonly T[] | undefined, ...gone: readonly T[]): T[] =>
  (list ?? []).filter((one) => !gone.includes(one));

const noLinks = (): Links => ({ own: new Map(), inverse: new Map() });

export class World {
  readonly types: ReadonlyMap<string, Type>;
  readonly relations: readonly Relation[];
  rows = new Map<Key, Row>();
  /**
   * By name of the relation. A one-way list has its own side only, and keeps the place of a published row that is not
   * there, or not there now.
   */
  #links = new Map<string, Links>();
  /** The drafts that the list of a published row was made of when it was last published. */
  #recorded = new Map<string, Links>();

  constructor(types: readonly Type[], relations: readonly Relation[]) {
    this.types = new Map(types.map((type) => [type.name, type]));
    this.relations = relations;
    for (const { name } of relations) {
      this.#links.set(name, noLinks());
      this.#recorded.set(name, noLinks());
    }
  }

  copy(): World {
    const copy = new World([...this.types.values()], this.relations);
    copy.rows = structuredClone(this.rows);
    copy.#links = structuredClone(this.#links);
    copy.#recorded = structuredClone(this.#recorded);
    return copy;
  }

  rowsOf(document: string): [Key, Row][] {
    return [...this.rows].filter(([, row]) => row.document === document);
  }

  /** What a row is linked with, in order. */
  linked(relation: Relation, side: Side, key: Key): Key[] {
    return (this.#list(relation, side).get(key) ?? []).filter((one) => this.rows.has(one));
  }

  // ------------------------------------------------------------------------------------------------- operations

  create(typeName: string, document: string, locale: string, status: Status, change: Change): void {
    const type = this.types.get(typeName)!;
    this.#write(type, document, type.localized ? locale : null, status, change);
  }

  /** False where there is no such document. */
  update(document: string, locale: string, status: Status, change: Change): boolean {
    const [first] = this.rowsOf(document);
    if (!first) return false;
    const type = this.types.get(first[1].type)!;
    this.#write(type, document, type.localized ? locale : null, status, change);
    return true;
  }

  #write(type: Type, document: string, locale: string | null, status: Status, change: Change): void {
    const version: Version = type.drafts ? 'draft' : 'only';
    const key = keyOf(document, locale, version);
    let row = this.rows.get(key);
    if (!row) {
      // A new locale starts with what the locales of a document share.
      const sibling = this.rowsOf(document).find(([, one]) => one.version === version);
      row = { type: type.name, document, locale, version, title: null, code: sibling?.[1].code ?? null };
      this.rows.set(key, row);
    }
    if (change.title !== undefined) row.title = change.title;
    if (change.code !== undefined) this.#share(key, change.code);
    if (change.relation) this.#relate(key, change.relation);
    if (type.drafts && status === 'published') this.#publishRow(key);
  }

  /** The code of a row is that of all locales in its status. */
  #share(key: Key, code: string | null): void {
    for (const [one, row] of this.rowsOf(documentOf(key))) if (versionOf(one) === versionOf(key)) row.code = code;
  }

  publish(document: string, locales: readonly string[] | null): void {
    for (const draft of this.#chosen(document, locales, 'draft')) this.#publishRow(draft);
  }

  unpublish(document: string, locales: readonly string[] | null): void {
    for (const key of this.#chosen(document, locales, 'published')) this.#drop(key);
  }

  discardDraft(document: string, locales: readonly string[] | null): void {
    for (const draft of this.#chosen(document, locales, 'draft'))
      if (this.rows.has(shownAs(draft))) this.#discardRow(draft);
  }

  /** Locales of a document; null for all. */
  delete(document: string, locales: readonly string[] | null): void {
    for (const key of this.#inLocales(document, locales)) this.#drop(key);
  }

  /** Copies drafts, or rows without drafts, with the keys that they hold and all links that can belong to several. */
  clone(document: string, copy: string, locales: readonly string[] | null, change: Change): void {
    const sources = this.#inLocales(document, locales).filter((key) => versionOf(key) !== 'published');
    if (sources.length === 0) throw new Refused('there is no such document');
    for (const source of sources) {
      const row = { ...this.rows.get(source)!, document: copy };
      const key = keyOf(copy, row.locale, row.version);
      const shared = this.#sidesOf(source).filter(
        ([relation, side]) => !this.#takes(relation, side) || (relation.isKey && side === 'own'),
      );
      const lists = shared.map(([relation, side]) => this.linked(relation, side, source));
      this.rows.set(key, { ...row, title: change.title ?? row.title, code: change.code ?? row.code });
      for (const [index, [relation, side]] of shared.entries())
        if (this.#takes(relation, side)) this.#shareKey(relation, key, lists[index]!);
        else this.#setList(relation, side, key, lists[index]!);
    }
  }

  /** A key that is copied leads where the original does, and takes nothing. */
  #shareKey(relation: Relation, key: Key, targets: readonly Key[]): void {
    this.#list(relation, 'own').set(key, [...targets]);
    const others = this.#list(relation, 'inverse');
    for (const target of targets) others.set(target, [...(others.get(target) ?? []), key]);
  }

  #inLocales(document: string, locales: readonly string[] | null): Key[] {
    return this.rowsOf(document)
      .filter(([, { locale }]) => locales === null || locale === null || locales.includes(locale))
      .map(([key]) => key);
  }

  #chosen(document: string, locales: readonly string[] | null, version: Version): Key[] {
    const chosen = this.#inLocales(document, locales);
    if (chosen.length === 0) throw new Refused('there is no such document');
    if (chosen.some((key) => versionOf(key) === 'only')) throw new Refused('it has no drafts');
    return chosen.filter((key) => versionOf(key) === version);
  }

  #drop(key: Key): void {
    this.rows.delete(key);
    const isPublished = versionOf(key) === 'published';
    for (const relation of this.relations) {
      for (const side of SIDES) {
        const lists = this.#list(relation, side);
        lists.delete(key);
        for (const [holder, list] of lists) {
          const keepsPlace = isPublished && isOneWay(relation) && !list.includes(draftOf(key));
          if (!keepsPlace) lists.set(holder, without(list, key, shownAs(key)));
        }
        const recorded = this.#recorded.get(relation.name)![side];
        recorded.delete(key);
        for (const [holder, list] of recorded) recorded.set(holder, without(list, key));
      }
    }
  }

  // ------------------------------------------------------------------------------------------------ publication

  #publishRow(draft: Key): void {
    const key = shownAs(draft);
    const isNew = !this.rows.has(key);
    this.rows.set(key, { ...this.rows.get(draft)!, version: 'published' });
    // What locales share is the same in all that is published.
    this.#share(key, this.rows.get(draft)!.code);
    for (const [relation, side] of this.#sidesOf(draft)) this.#publishList(relation, side, draft);
    if (isNew) this.#followDraft(draft);
  }

  #publishList(relation: Relation, side: Side, draft: Key): void {
    const inDraft = this.#list(relation, side).get(draft) ?? [];
    this.#recorded.get(relation.name)![side].set(shownAs(draft), inDraft);
    const wanted = inDraft.map(shownAs).filter((one) => isOneWay(relation) || this.rows.has(one));
    this.#setList(relation, side, shownAs(draft), wanted, (list, holder) =>
      this.#placeAmong(list, draft, this.#list(relation, across(side)).get(draftOf(holder))!),
    );
  }

  /** The list at the other end with the published row in it; `order`: of the drafts, or of drafts and published rows. */
  #placeAmong(list: readonly Key[], draft: Key, order: readonly Key[]): Key[] {
    const besideDraft = list.indexOf(draft) + 1;
    const later = order.slice(order.indexOf(draft) + 1).map(shownAs);
    const before = list.findIndex((one) => later.includes(one));
    return list.toSpliced(besideDraft || (before < 0 ? list.length : before), 0, shownAs(draft));
  }

  /** In the one-way lists of rows without drafts a new published row stands behind its draft. */
  #followDraft(draft: Key): void {
    for (const relation of this.relations.filter(isOneWay))
      for (const [holder, list] of this.#list(relation, 'own'))
        if (versionOf(holder) === 'only' && list.includes(draft))
          this.#list(relation, 'own').set(holder, list.toSpliced(list.indexOf(draft) + 1, 0, shownAs(draft)));
  }

  #discardRow(draft: Key): void {
    const { title, code } = this.rows.get(shownAs(draft))!;
    this.rows.get(draft)!.title = title;
    this.#share(draft, code);
    for (const [relation, side] of this.#sidesOf(draft))
      this.#setList(relation, side, draft, this.#lastPublished(relation, side, shownAs(draft)));
  }

  /** The list of a published row in terms of drafts: what shows, and what was linked and is not published now. */
  #lastPublished(relation: Relation, side: Side, key: Key): Key[] {
    const shown = this.linked(relation, side, key).map(draftOf);
    if (!this.types.get(relation.types[across(side)])!.drafts) return shown;
    const recorded = this.#recorded.get(relation.name)![side].get(key) ?? [];
    const hidden = recorded.filter((one) => !this.rows.has(shownAs(one)));
    // A side that takes one keeps to the document that shows, in whatever locales.
    if (!relation.many[side] && shown.length > 0)
      return [...shown, ...hidden.filter((one) => documentOf(one) === documentOf(shown[0]!))];
    // In the recorded order; what is not on record stands behind its neighbour.
    const list = recorded.filter((one) => hidden.includes(one) || shown.includes(one));
    for (const [index, one] of shown.entries())
      if (!list.includes(one)) list.splice(index === 0 ? 0 : list.indexOf(shown[index - 1]!) + 1, 0, one);
    return list;
  }

  // --------------------------------------------------------------------------------------------- relation writes

  #list(relation: Relation, side: Side): Lists {
    return this.#links.get(relation.name)![side];
  }

  /** The sides on which a row shows relations. */
  #sidesOf(key: Key): [Relation, Side][] {
    const { type } = this.rows.get(key)!;
    return this.relations.flatMap((relation) =>
      SIDES.filter((side) => relation.types[side] === type && relation.attributes[side] !== null).map(
        (side): [Relation, Side] => [relation, side],
      ),
    );
  }

  /** Whether what one row takes, another of the same side loses. */
  #takes(relation: Relation, side: Side): boolean {
    return !isOneWay(relation) && !relation.many[across(side)];
  }

  #relate(key: Key, { relation, side, input }: NonNullable<Change['relation']>): void {
    if (input.is === 'keep') return;
    const list = this.linked(relation, side, key);
    const resolve = (reference: Reference) => this.#resolve(key, relation.types[across(side)], reference);
    let wanted: Key[];
    if (input.is === 'set') {
      const found = input.references.map(resolve);
      wanted = relation.many[side] ? [...new Set(found.flat())] : (found.at(-1) ?? []);
    } else {
      const connect = input.connect.map(({ reference, position }) => ({
        rows: resolve(reference),
        position: position as { at: string },
        anchor: 'anchor' in position ? resolve(inheriting(position.anchor, reference)) : null,
      }));
      const disconnect = input.disconnect.flatMap(resolve);
      const moved = rearranged(list, connect, disconnect, input.strict);
      wanted = relation.many[side] ? moved : (connect.at(-1)?.rows ?? moved);
    }
    this.#setList(relation, side, key, wanted);
  }

  /** The rows of a document that a reference from a row means. */
  #resolve(from: Key, typeName: string, { document, locale, status, row }: Reference): Key[] {
    const source = this.types.get(this.rows.get(from)!.type)!;
    const target = this.types.get(typeName)!;
    const named = row === null ? undefined : this.rows.get(row);
    const inLocale = source.localized ? this.rows.get(from)!.locale : (named?.locale ?? locale ?? DEFAULT_LOCALE);
    const asked = named && named.version !== 'only' ? named.version : status;
    const versions: Version[] = !target.drafts
      ? ['only']
      : source.drafts
        ? ['draft']
        : asked === null
          ? ['draft', 'published']
          : [asked];
    const keys = versions.map((version) => keyOf(document, target.localized ? inLocale : null, version));
    const found = keys.filter((key) => this.rows.has(key));
    if (found.length === 0) throw new Refused(`${document} is not there in that version`);
    return found;
  }

  /** Makes a row's list; `place` says where the row goes in the lists at the other ends of new links. */
  #setList(
    relation: Relation,
    side: Side,
    key: Key,
    wanted: readonly Key[],
    place: (list: readonly Key[], holder: Key) => Key[] = (list) => [...list, key],
  ): void {
    const lists = this.#list(relation, side);
    const before = lists.get(key) ?? [];
    lists.set(key, [...wanted]);
    if (isOneWay(relation)) return;
    const others = this.#list(relation, across(side));
    for (const one of without(before, ...wanted)) others.set(one, without(others.get(one), key));
    for (const one of without(wanted, ...before)) {
      others.set(one, place(others.get(one) ?? [], one));
      if (!this.#takes(relation, side)) continue;
      for (const loser of others.get(one)!.filter((other) => this.#losesTo(other, key))) {
        others.set(one, without(others.get(one), loser));
        lists.set(loser, without(lists.get(loser), one));
      }
    }
  }

  /** Only rows of other documents lose what a row takes, and only those of its own status. */
  #losesTo(holder: Key, key: Key): boolean {
    if (documentOf(holder) === documentOf(key)) return false;
    return versionOf(key) === 'only' || versionOf(holder) === versionOf(key);
  }

  // -------------------------------------------------------------------------------------- comparison with what is

  /** Checks the links of a relation as they are stored, in order where a side has one. */
  check(relation: Relation, actual: Links): void {
    for (const side of SIDES) {
      if (relation.attributes[side] === null) continue;
      for (const key of new Set([...this.#list(relation, side).keys(), ...actual[side].keys()])) {
        const lists = [this.linked(relation, side, key), actual[side].get(key) ?? []];
        const [due, seen] = isOrdered(relation, side) ? lists : lists.map((list) => list.toSorted());
        if (JSON.stringify(due) !== JSON.stringify(seen))
          throw new Violation(`${relation.name}, ${side} side of ${key}: expected ${due}, found ${seen}`);
      }
    }
  }

  // ------------------------------------------------------------------------------------------------ what reads show

  /** The rows of a type that a read shows. */
  visible(typeName: string, status: Status, locale: string): Key[] {
    const type = this.types.get(typeName)!;
    const version: Version = type.drafts ? status : 'only';
    return [...this.rows]
      .filter(
        ([, row]) => row.type === typeName && row.version === version && (!type.localized || row.locale === locale),
      )
      .map(([key]) => key);
  }

  related(key: Key, relation: Relation, side: Side, status: Status): Key[] {
    return this.linked(relation, side, key).filter((one) => versionOf(one) === 'only' || versionOf(one) === status);
  }
}

/** The anchor of a position means the version that the connected entry is asked for in, where it says none itself. */
const inheriting = (anchor: Reference, reference: Reference): Reference => ({
  ...anchor,
  locale: anchor.locale ?? reference.locale,
  status: anchor.status ?? reference.status,
});

interface Placement {
  readonly rows: readonly Key[];
  readonly position: { readonly at: string };
  readonly anchor: readonly Key[] | null;
}

/** A list after connecting and disconnecting, one entry after the other. */
function rearranged(
  list: readonly Key[],
  connect: readonly Placement[],
  disconnect: readonly Key[],
  strict: boolean,
): Key[] {
  const all = connect.flatMap(({ rows }) => rows);
  if (new Set(all).size < all.length) throw new Refused('connected twice');
  if (connect.some(({ rows, anchor }) => anchor?.some((one) => rows.includes(one)))) throw new Refused('beside itself');
  let result = [...list];
  const waiting = [...connect];
  const insert = (placement: Placement, above: readonly Placement[]): void => {
    const { rows, anchor, position } = placement;
    const chain = [...above, placement];
    if (anchor && !anchor.some((one) => result.includes(one))) {
      // The anchor may come later in the same request; then it goes first.
      const holder = [...waiting, ...chain].find((other) => other.rows.some((one) => anchor.includes(one)));
      if (holder && chain.includes(holder)) throw new Refused('in a circle');
      if (holder) {
        waiting.splice(waiting.indexOf(holder), 1);
        insert(holder, chain);
      }
    }
    result = without(result, ...rows);
    let at = position.at === 'start' ? 0 : result.length;
    if (anchor) {
      const places = anchor.filter((one) => result.includes(one)).map((one) => result.indexOf(one));
      if (places.length === 0 && strict) throw new Refused('beside what is not there');
      if (places.length > 0) at = position.at === 'before' ? Math.min(...places) : Math.max(...places) + 1;
    }
    result.splice(at, 0, ...rows);
  };
  for (let next = waiting.shift(); next; next = waiting.shift()) insert(next, []);
  return without(result, ...disconnect.filter((one) => !all.includes(one)));
}
