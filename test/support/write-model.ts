// What writes mean, in plain lists and maps and without a word of SQL: documents with their rows, ordered links, and
// what each side vouched for when it was last published. Shares no code with src/. What the meaning of publishing
// leaves open (where a link stands that only its other side vouches for; whether a link that had to give way to
// another comes back) is not guessed: it is checked within those bounds, and then taken over from what was seen.

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
}

export interface Row {
  readonly type: string;
  readonly document: string;
  readonly locale: string | null;
  readonly version: Version;
  title: string | null;
  code: string | null;
}

/** A row, as text. */
export type Key = string;
/** A document in a locale, whatever the status, as text. */
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
const publishedAt = (place: Place): Key => `${place} published`;
const draftAt = (place: Place): Key => `${place} draft`;
const pairOf = (own: string, inverse: string): string => `${own} → ${inverse}`;
const without = <T>(list: readonly T[] | undefined, ...gone: readonly T[]): T[] =>
  (list ?? []).filter((one) => !gone.includes(one));

interface Vouched {
  readonly own: Map<Place, Place[]>;
  readonly inverse: Map<Place, Place[]>;
}

export class World {
  readonly types: ReadonlyMap<string, Type>;
  readonly relations: readonly Relation[];
  rows = new Map<Key, Row>();
  /** By name of the relation. */
  links = new Map<string, Links>();
  /** What stood in the list of a side when it was last published; for a row without drafts, last written. */
  #vouched = new Map<string, Vouched>();
  /** Links that had to give way to another one, because a side takes one only. */
  #displaced = new Map<string, Set<string>>();
  /** Links whose place is open in the list of a row: `relation side row member`. */
  #unplaced = new Set<string>();
  // What happened since the last comparison.
  #published = new Set<Place>();
  #removals = false;

  constructor(types: readonly Type[], relations: readonly Relation[]) {
    this.types = new Map(types.map((type) => [type.name, type]));
    this.relations = relations;
    for (const { name } of relations) {
      this.links.set(name, { own: new Map(), inverse: new Map() });
      this.#vouched.set(name, { own: new Map(), inverse: new Map() });
      this.#displaced.set(name, new Set());
    }
  }

  copy(): World {
    const copy = new World([...this.types.values()], this.relations);
    copy.rows = structuredClone(this.rows);
    copy.links = structuredClone(this.links);
    copy.#vouched = structuredClone(this.#vouched);
    copy.#displaced = structuredClone(this.#displaced);
    copy.#unplaced = new Set(this.#unplaced);
    return copy;
  }

  rowsOf(document: string): [Key, Row][] {
    return [...this.rows].filter(([, row]) => row.document === document);
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
    const sameVersion = () => this.rowsOf(document).filter(([, row]) => row.version === version);
    let row = this.rows.get(key);
    if (!row) {
      // A new locale starts with what the locales of a document share.
      const [sibling] = sameVersion();
      row = { type: type.name, document, locale, version, title: null, code: sibling?.[1].code ?? null };
      this.rows.set(key, row);
    }
    if (change.title !== undefined) row.title = change.title;
    if (change.code !== undefined) for (const [, one] of sameVersion()) one.code = change.code;
    if (change.relation) this.#relate(key, change.relation);
    if (!type.drafts || status === 'draft') return;
    this.#publishRow(key);
  }

  publish(document: string, locales: readonly string[] | null): void {
    const drafts = this.#chosen(document, locales).filter((key) => versionOf(key) === 'draft');
    for (const key of drafts) this.#publishRow(key);
  }

  unpublish(document: string, locales: readonly string[] | null): void {
    for (const key of this.#chosen(document, locales)) if (versionOf(key) === 'published') this.#drop(key);
  }

  /** Locales of a document; null for all. */
  delete(document: string, locales: readonly string[] | null): void {
    for (const [key, { locale }] of this.rowsOf(document))
      if (locales === null || locale === null || locales.includes(locale)) this.#drop(key);
  }

  #chosen(document: string, locales: readonly string[] | null): Key[] {
    const rows = this.rowsOf(document);
    if (rows.some(([, row]) => !this.types.get(row.type)!.drafts)) throw new Refused('it has no drafts');
    const chosen = rows.filter(([, { locale }]) => locales === null || locale === null || locales.includes(locale));
    if (chosen.length === 0) throw new Refused('there is no such document');
    return chosen.map(([key]) => key);
  }

  #publishRow(draft: Key): void {
    const place = placeOf(draft);
    const key = publishedAt(place);
    if (!this.rows.has(key)) this.#vouchForFirst(draft);
    this.rows.set(key, { ...this.rows.get(draft)!, version: 'published' });
    // What locales share is the same in all that is published.
    const { document, code } = this.rows.get(key)!;
    for (const [, one] of this.rowsOf(document)) if (one.version === 'published') one.code = code;
    this.#published.add(place);
    for (const [relation, side] of this.#sidesOf(draft)) {
      const list = (this.#list(relation, side).get(draft) ?? []).map(placeOf);
      this.#vouched.get(relation.name)![side].set(place, list);
      for (const one of [...this.#unplaced])
        if (one.startsWith(`${relation.name} ${side} ${key} `)) this.#unplaced.delete(one);
    }
  }

  /** Whatever leads one way from a row without drafts to a draft leads to the published row as well, once there is one. */
  #vouchForFirst(draft: Key): void {
    for (const relation of this.relations) {
      if (relation.attributes.inverse !== null) continue;
      for (const [holder, list] of this.#list(relation, 'own')) {
        if (versionOf(holder) !== 'only' || !list.includes(draft)) continue;
        const { own } = this.#vouched.get(relation.name)!;
        own.set(placeOf(holder), [...without(own.get(placeOf(holder)), placeOf(draft)), placeOf(draft)]);
      }
    }
  }

  #drop(key: Key): void {
    this.#removals = true;
    this.rows.delete(key);
    const place = placeOf(key);
    for (const { name } of this.relations) {
      for (const side of SIDES) {
        const lists = this.links.get(name)![side];
        lists.delete(key);
        for (const [holder, list] of lists) lists.set(holder, without(list, key));
        if (versionOf(key) === 'published') continue;
        const vouched = this.#vouched.get(name)![side];
        vouched.delete(place);
        for (const [holder, list] of vouched) vouched.set(holder, without(list, place));
      }
    }
  }

  // --------------------------------------------------------------------------------------------- relation writes

  #list(relation: Relation, side: Side): Lists {
    return this.links.get(relation.name)![side];
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
    return relation.attributes.inverse !== null && !relation.many[across(side)];
  }

  #relate(key: Key, { relation, side, input }: NonNullable<Change['relation']>): void {
    if (input.is === 'keep') return;
    const list = this.#list(relation, side).get(key) ?? [];
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

  #setList(relation: Relation, side: Side, key: Key, wanted: readonly Key[]): void {
    const lists = this.#list(relation, side);
    const others = this.#list(relation, across(side));
    const before = lists.get(key) ?? [];
    const removed = without(before, ...wanted);
    const added = without(wanted, ...before);
    for (const one of removed) others.set(one, without(others.get(one), key));
    for (const one of added) others.set(one, [...(others.get(one) ?? []), key]);
    lists.set(key, [...wanted]);
    const lost: [Key, Key][] = removed.map((one) => [key, one]);
    if (this.#takes(relation, side)) {
      for (const one of added) {
        for (const holder of others.get(one)!.filter((other) => this.#losesTo(other, key))) {
          others.set(one, without(others.get(one), holder));
          lists.set(holder, without(lists.get(holder), one));
          lost.push([holder, one]);
        }
      }
    }
    if (versionOf(key) === 'only') this.#vouchForAll(relation, side, key, lost);
  }

  /** Only rows of other documents lose what a row takes, and only those of its own status. */
  #losesTo(holder: Key, key: Key): boolean {
    if (documentOf(holder) === documentOf(key)) return false;
    return versionOf(key) === 'only' || versionOf(holder) === versionOf(key);
  }

  /** A row without drafts is published by every write: what it lists then is vouched for, what it lost no longer. */
  #vouchForAll(relation: Relation, side: Side, key: Key, lost: readonly [Key, Key][]): void {
    if (!this.types.get(relation.types[across(side)])!.drafts) return;
    const vouched = this.#vouched.get(relation.name)!;
    const list = this.#list(relation, side).get(key) ?? [];
    const oneWay = relation.attributes.inverse === null;
    const shown = list.filter(
      (one) => versionOf(one) === 'published' || (oneWay && !this.rows.has(publishedAt(placeOf(one)))),
    );
    for (const [holder, one] of lost) {
      const wholly = versionOf(one) === 'published' || !this.rows.has(publishedAt(placeOf(one)));
      if (holder !== key && wholly)
        vouched[side].set(placeOf(holder), without(vouched[side].get(placeOf(holder)), placeOf(one)));
      if (versionOf(one) === 'published')
        vouched[across(side)].set(placeOf(one), without(vouched[across(side)].get(placeOf(one)), placeOf(holder)));
    }
    vouched[side].set(placeOf(key), [...new Set(shown.map(placeOf))]);
  }

  // -------------------------------------------------------------------------------------- comparison with what is

  /** Checks the links of a relation as they are stored, and takes over what is left open. */
  reconcile(relation: Relation, actual: Links): void {
    const publications = this.#published.size > 0;
    for (const [own, list] of actual.own)
      for (const inverse of list)
        if (worldOf(own, inverse) === null)
          throw new Violation(`${relation.name} links ${pairOf(own, inverse)}, a draft with a published row`);
    for (const side of SIDES) this.#checkDrafts(relation, side, actual[side]);
    this.#checkPublished(relation, actual, publications);
    for (const side of SIDES) {
      if (relation.attributes[side] === null || !relation.many[side]) continue;
      for (const key of this.rows.keys()) {
        if (this.rows.get(key)!.type !== relation.types[side]) continue;
        if (versionOf(key) === 'published') this.#checkPublishedOrder(relation, side, key, actual[side].get(key) ?? []);
        if (versionOf(key) === 'only') this.#checkMixedOrder(relation, side, key, actual[side].get(key) ?? []);
      }
    }
    this.links.set(relation.name, structuredClone(actual));
  }

  /** To be called when all relations are compared. */
  settle(): void {
    this.#published.clear();
    this.#removals = false;
  }

  /** Between drafts, and rows without drafts, everything is known to the last place. */
  #checkDrafts(relation: Relation, side: Side, actual: Lists): void {
    const ordered = relation.attributes[side] !== null && relation.many[side];
    for (const key of new Set([...this.#list(relation, side).keys(), ...actual.keys()])) {
      const [expected, seen] = [this.#list(relation, side), actual].map((lists) => {
        const drafts = (lists.get(key) ?? []).filter((one) => worldOf(key, one) === 'draft');
        return ordered ? drafts : drafts.sort();
      });
      demand(expected, seen, `the list of ${key} at ${relation.name}, ${side} side`);
    }
  }

  #checkPublished(relation: Relation, actual: Links, publications: boolean): void {
    const seen = publishedPairs(actual);
    const before = publishedPairs(this.links.get(relation.name)!);
    const due = this.#duePairs(relation);
    const takes = SIDES.some((side) => this.#takes(relation, side));
    const showing = (pair: string) => `${relation.name} ${pair}`;
    for (const pair of seen.keys())
      if (!due.has(pair)) throw new Violation(`${showing(pair)} shows, but neither side vouches for it`);
    if (!takes) {
      for (const pair of due.keys())
        if (!seen.has(pair))
          throw new Violation(`${showing(pair)} does not show, though a side vouches for it and both are published`);
      return;
    }
    if (!publications && !this.#removals)
      demand([...before.keys()].sort(), [...seen.keys()].sort(), `what ${relation.name} shows between published rows`);
    const displaced = this.#displaced.get(relation.name)!;
    for (const side of SIDES) {
      if (relation.many[side] || relation.attributes[side] === null) continue;
      for (const [key, list] of actual[side]) {
        const published = list.filter((one) => worldOf(key, one) === 'published');
        // Locales of one document may share it, as drafts do.
        if (new Set(published.map(documentOf)).size > 1)
          throw new Violation(`${key} at ${relation.name} holds several: ${published}`);
      }
    }
    for (const [pair, [own, inverse]] of due) {
      if (seen.has(pair)) {
        displaced.delete(pair);
        continue;
      }
      const rivals = [...seen.values()].filter(
        ([a, b]) => (a === own && this.#takes(relation, 'inverse')) || (b === inverse && this.#takes(relation, 'own')),
      );
      if (rivals.length === 0 && !displaced.has(pair))
        throw new Violation(`${showing(pair)} does not show, though a side vouches for it and nothing took its place`);
      const justVouched = (one: Key, other: Key) => this.#vouchesNow(relation, one, other);
      if (justVouched(own, inverse) && !rivals.some(([a, b]) => justVouched(a, b)))
        throw new Violation(`${showing(pair)} was just published, but does not show`);
      displaced.add(pair);
      this.#unplaced.add(`${relation.name} own ${own} ${inverse}`);
      this.#unplaced.add(`${relation.name} inverse ${inverse} ${own}`);
    }
  }

  /** Whether one of two rows was published since the last comparison and had the link in its draft. */
  #vouchesNow(relation: Relation, own: Key, inverse: Key): boolean {
    const { own: byOwner, inverse: byTarget } = this.#vouched.get(relation.name)!;
    const [o, t] = [placeOf(own), placeOf(inverse)];
    return (
      (this.#published.has(o) && (byOwner.get(o) ?? []).includes(t)) ||
      (this.#published.has(t) && (byTarget.get(t) ?? []).includes(o))
    );
  }

  /** The links that are to show between published rows: one side vouches for them, and both are published now. */
  #duePairs(relation: Relation): Map<string, [Key, Key]> {
    const due = new Map<string, [Key, Key]>();
    const shownAt = (place: Place): Key | undefined =>
      [publishedAt(place), `${place} only`].find((key) => this.rows.has(key));
    const add = (own: Place, inverse: Place) => {
      const [a, b] = [shownAt(own), shownAt(inverse)];
      if (a && b && worldOf(a, b) === 'published') due.set(pairOf(a, b), [a, b]);
    };
    const { own, inverse } = this.#vouched.get(relation.name)!;
    for (const [place, list] of own) for (const one of list) add(place, one);
    for (const [place, list] of inverse) for (const one of list) add(one, place);
    return due;
  }

  #checkPublishedOrder(relation: Relation, side: Side, key: Key, seen: readonly Key[]): void {
    const name = `the order of ${key} at ${relation.name}, ${side} side`;
    const place = placeOf(key);
    const before = this.#list(relation, side).get(key) ?? [];
    if (!this.#published.has(place)) {
      const stayed = before.filter((one) => seen.includes(one));
      demand(
        stayed,
        seen.filter((one) => before.includes(one)),
        `${name}, which was not published`,
      );
    }
    const vouched = (this.#vouched.get(relation.name)![side].get(place) ?? []).filter(
      (one) => !this.#unplaced.has(`${relation.name} ${side} ${key} ${shownIn(seen, one)}`),
    );
    const inPlace = seen.map(placeOf).filter((one) => vouched.includes(one));
    demand(
      vouched.filter((one) => inPlace.includes(one)),
      inPlace,
      `${name}, against its last publication`,
    );
  }

  /** The list of a row without drafts holds drafts and published rows in one order. */
  #checkMixedOrder(relation: Relation, side: Side, key: Key, seen: readonly Key[]): void {
    const expected = (this.#list(relation, side).get(key) ?? []).filter((one) => seen.includes(one));
    const open: Key[] = [];
    for (const one of seen.filter((other) => !expected.includes(other))) {
      const draft = expected.indexOf(draftAt(placeOf(one)));
      if (draft < 0) open.push(one);
      else expected.splice(draft + 1, 0, one);
    }
    demand(expected, without(seen, ...open), `the list of ${key} at ${relation.name}, ${side} side`);
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
    const list = this.#list(relation, side).get(key) ?? [];
    return list.filter((one) => versionOf(one) === 'only' || versionOf(one) === status);
  }
}

const shownIn = (list: readonly Key[], place: Place): Key | undefined => list.find((one) => placeOf(one) === place);

/** The anchor of a position means the version that the connected entry is asked for in, where it says none itself. */
const inheriting = (anchor: Reference, reference: Reference): Reference => ({
  ...anchor,
  locale: anchor.locale ?? reference.locale,
  status: anchor.status ?? reference.status,
});

/** A link between drafts, between published rows, or null for one that may not be. */
function worldOf(one: Key, other: Key): 'draft' | 'published' | null {
  const versions = new Set([versionOf(one), versionOf(other)]);
  if (versions.has('draft')) return versions.has('published') ? null : 'draft';
  return versions.has('published') ? 'published' : 'draft';
}

function publishedPairs(links: Links): Map<string, [Key, Key]> {
  const pairs = new Map<string, [Key, Key]>();
  for (const [own, list] of links.own)
    for (const inverse of list)
      if (worldOf(own, inverse) === 'published') pairs.set(pairOf(own, inverse), [own, inverse]);
  return pairs;
}

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

function demand<T>(expected: readonly T[] | undefined, seen: readonly T[] | undefined, what: string): void {
  if (JSON.stringify(expected) !== JSON.stringify(seen))
    throw new Violation(`${what}: expected ${JSON.stringify(expected)}, found ${JSON.stringify(seen)}`);
}
