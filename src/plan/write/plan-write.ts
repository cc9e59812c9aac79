// An authorized write → its plan. A key that may not be written is refused at once; problems with values are
// collected, so that a client learns of all of them in one answer. This is the one door from a name in a body to an
// attribute that is written.
import { type Access, isDisclosed, mayFollow, type WriteUse } from '../../access/access.ts';
import { type Authorized, authorizePlace } from '../../access/authorize.ts';
import type { WriteOperation } from '../../access/operation.ts';
import { limitExceeded } from '../../errors.ts';
import { DEFAULT_LIMITS, type Limits } from '../../limits.ts';
import { memoize } from '../../memoize.ts';
import { USER } from '../../model/builtin.ts';
import type {
  Attribute,
  ComponentAttribute,
  DynamicZoneAttribute,
  Model,
  ScalarAttribute,
  Schema,
} from '../../model/types.ts';
import {
  type BodyPath,
  bodyKeyError,
  bodyValueError,
  parseRelation,
  type RelationInput,
} from '../../request/parse-relation.ts';
import { readRowId } from '../../request/scalars.ts';
import { isObject } from '../../type-guards.ts';
import { referencesIn, relationsIn, targetReferences } from './affected-documents.ts';
import { countProblems, problemsError, refuseImpossibleRows } from './body-problems.ts';
import {
  type AbsentValues,
  type BodyProblem,
  type ComponentChange,
  type ComponentItem,
  type EntityChange,
  isIgnoredKey,
  type LocaleChoice,
  NO_DATES,
  type RelationChange,
  type RowDates,
  type ScalarChange,
  type WritePlan,
} from './changes.ts';
import { PatternTime } from './match-pattern.ts';
import { changePasswords } from './planned-passwords.ts';
import { MISSING, readValue, ruleProblem, type StoredValue, shownValue, wrongKind } from './values.ts';
import { isShown } from './visible-when.ts';

declare const planned: unique symbol;

/** The only thing that the store accepts. Only planWrite makes one, from an authorized operation. */
export interface AuthorizedWritePlan extends WritePlan {
  readonly [planned]: true;
}

/** Digits that the column of a decimal keeps, by `table.column`; columns that keep all of them are not named. */
export type DecimalColumns = ReadonlyMap<string, { readonly precision: number; readonly scale: number }>;

export interface WritePlanning {
  readonly model: Model;
  readonly decimals: DecimalColumns;
  readonly limits?: Limits;
}

/** Where a write goes, as its parameters say. */
export interface WriteTarget {
  readonly locale: string | null;
  readonly locales: LocaleChoice;
  readonly publishes: boolean;
}

/**
 * Whether the row of an entity exists before the write: `either` where only the database can tell. `copied`: it is one
 * of a clone, whose components are changed by their position, if there are as many.
 */
type RowState = 'new' | 'existing' | 'either' | 'copied';

interface Mode {
  readonly row: RowState;
  /** Drafts may be incomplete. */
  readonly draft: boolean;
}

export function planWrite(
  planning: WritePlanning,
  authorized: Authorized<WriteOperation>,
  target: WriteTarget,
): AuthorizedWritePlan {
  authorizePlace(authorized, target);
  const { operation, caller } = authorized;
  const { locale, locales, publishes } = target;
  const { name, type, documentId, data, supplied = {}, row = null } = operation;
  const use = name === 'create' || name === 'clone' ? 'create' : 'write';
  const planner = new WritePlanner(planning, { access: caller.access, use }, type.draftAndPublish);
  planner.checkNames(type, data, []);
  const draft = row !== null || (type.draftAndPublish && (name !== 'create' || !publishes));
  const change = planner.entity(type, { ...supplied, ...data }, { row: rowState(operation), draft }, []);
  if (name === 'create' && documentId !== null) planner.ownValue(type, 'documentId', documentId);
  const dates = operation.dates ? planner.dates(type, operation.dates) : NO_DATES;
  if (planner.problems.length > 0) throw problemsError(planner.problems);
  const relations = relationsIn(change);
  refuseImpossibleRows(relations);
  const references = targetReferences(relations);
  const { ignored } = planner;
  const plan: WritePlan = {
    name,
    type,
    documentId,
    locale,
    locales,
    publishes,
    change,
    relations,
    references,
    dates,
    row,
    isRaw: caller.access.shows === 'everything',
    ignored,
  };
  return plan as AuthorizedWritePlan;
}

/** An update makes a row where a document gets another locale, or a single type its document. */
function rowState({ name, type }: WriteOperation): RowState {
  if (name === 'create') return 'new';
  if (name === 'clone') return 'copied';
  return name === 'update' && (type.localized || type.kind === 'singleType') ? 'either' : 'existing';
}

/** Whether a column with a fixed number of digits keeps a value as it is. */
function keepsDigits(value: number, { precision, scale }: { precision: number; scale: number }): boolean {
  return Number(value.toFixed(scale)) === value && Math.abs(value) < 10 ** (precision - scale);
}

/** Who may write users gives them their roles, which otherwise nobody sees. */
const isRoleOfUser = (schema: Schema, attribute: Attribute): boolean =>
  schema.kind !== 'component' && schema.uid === USER && attribute.name === 'role';

/** What names in a body are looked up in. */
interface Planned {
  readonly model: Model;
  readonly access: Access;
  /** For a new row or for one that is there; the latter where it is not said. */
  readonly use?: WriteUse;
}

/** Whether an attribute is one that bodies hold. */
function isWritable({ model, access }: Planned, schema: Schema, key: string, path: BodyPath): boolean {
  const attribute = schema.attributes.get(key);
  if (schema.kind === 'component' && key === 'id') return true;
  if (!attribute || isIgnoredKey(schema, key)) return false;
  // A key that leads to one entry of any type is written where it is kept, not from its other side.
  if (attribute.kind === 'relation' && attribute.storage === 'column' && attribute.link.constants.length > 0)
    return false;
  if (attribute.kind === 'relation' && attribute.storage === 'none') return false;
  if (attribute.kind === 'relation' && model.contentTypes.get(attribute.target)?.exposure === 'hidden')
    return path.length === 0 && (isRoleOfUser(schema, attribute) || access.shows === 'everything');
  return attribute.writable;
}

const targetIsReadable = (access: Access, attribute: Attribute | undefined): boolean =>
  attribute?.kind !== 'relation' || mayFollow(access, attribute);

/** Whether the caller may write an attribute, and may find what it would lead to. */
function isAllowed({ access, use = 'write' }: Planned, schema: Schema, key: string): boolean {
  const attribute = schema.attributes.get(key);
  if (!attribute || schema.kind === 'component') return targetIsReadable(access, attribute);
  if (!access.mayUse(schema.uid, key, use)) return false;
  return isRoleOfUser(schema, attribute) || targetIsReadable(access, attribute);
}

/** Whether a name exists for the caller in a body. */
export const mayBeWritten = (planned: Planned, schema: Schema, key: string, path: BodyPath): boolean =>
  isWritable(planned, schema, key, path) && isAllowed(planned, schema, key);

/** What a new row will hold, as the API shows it. A value that cannot be stored is a problem of its own. */
function valueInNewRow(attribute: ScalarAttribute, data: Readonly<Record<string, unknown>>): unknown {
  const given = data[attribute.name];
  const checked = readValue(attribute, given === undefined ? (attribute.rules.default ?? null) : given);
  return 'problem' in checked ? null : shownValue(attribute.type, checked.value);
}

/** Where in the body the planner stands. */
interface Point {
  readonly schema: Schema;
  readonly mode: Mode;
  readonly path: BodyPath;
}

/** An entity change while it is being planned. */
interface Draft {
  readonly scalars: ScalarChange[];
  readonly relations: RelationChange[];
  readonly components: ComponentChange[];
  readonly absent: { scalars: ScalarChange[]; problems: AbsentValues['problems'][number][] };
}

/** The attributes that a new row has to hold: what a body leaves out of others is of no account. */
const namesToComplete = memoize((schema: Schema): readonly string[] =>
  [...schema.attributes.values()]
    .filter((attribute) => {
      if (attribute.kind === 'scalar') return attribute.required || attribute.rules.default !== undefined;
      return (attribute.kind === 'component' || attribute.kind === 'dynamiczone') && attribute.required;
    })
    .map(({ name }) => name),
);

class WritePlanner {
  readonly problems: BodyProblem[] = [];
  /** Paths of what is sent without a meaning. */
  readonly ignored: string[] = [];
  readonly #model: Model;
  readonly #access: Access;
  readonly #use: WriteUse;
  readonly #decimals: DecimalColumns;
  readonly #limits: Limits;
  /** Whether what is published is a stored draft, which holds null where a body said nothing. */
  readonly #viaDraft: boolean;
  readonly #patternTime = new PatternTime();
  #components = 0;
  #references = 0;

  constructor(
    { model, decimals, limits = DEFAULT_LIMITS }: WritePlanning,
    { access, use }: Required<Pick<Planned, 'access' | 'use'>>,
    viaDraft: boolean,
  ) {
    this.#viaDraft = viaDraft;
    this.#model = model;
    this.#access = access;
    this.#use = use;
    this.#decimals = decimals;
    this.#limits = limits;
  }

  /** Refuses a name that does not exist for the caller. */
  checkNames(schema: Schema, data: Readonly<Record<string, unknown>>, path: BodyPath): void {
    for (const key of Object.keys(data))
      if (isIgnoredKey(schema, key)) this.ignored.push(key);
      else if (!mayBeWritten({ model: this.#model, access: this.#access, use: this.#use }, schema, key, path))
        throw bodyKeyError(key, path);
  }

  entity(schema: Schema, data: Readonly<Record<string, unknown>>, mode: Mode, path: BodyPath): EntityChange {
    const into: Draft = { scalars: [], relations: [], components: [], absent: { scalars: [], problems: [] } };
    // An update is about what it names; a new row is also about what it leaves out.
    const named = Object.keys(data);
    const names =
      mode.row === 'existing'
        ? named
        : mode.row === 'new'
          ? schema.attributes.keys()
          : [...named, ...namesToComplete(schema).filter((name) => !Object.hasOwn(data, name))];
    for (const name of names) {
      const attribute = schema.attributes.get(name)!;
      if (!isWritable({ model: this.#model, access: this.#access }, schema, name, path) || name === 'id') continue;
      // What a form does not show is held to no stricter rules than a draft. Where the condition depends on a stored
      // row, validateConditional judges what was written.
      const shown =
        attribute.visibleWhen === null ||
        (mode.row === 'new' && isShown(schema, attribute, (one) => valueInNewRow(one, data)));
      const applied: Mode = shown ? mode : { ...mode, draft: true };
      const here = [...path, name];
      const given = data[name];
      const point = { schema, mode: applied, path: here };
      if (given === undefined) this.#absent(attribute, point, into);
      else this.#given(attribute, given, point, into);
    }
    return { ...into, absent: mode.row === 'either' || mode.row === 'copied' ? into.absent : null };
  }

  #given(attribute: Attribute, given: unknown, point: Point, into: Draft): void {
    const { mode, path } = point;
    switch (attribute.kind) {
      case 'scalar': {
        const value = this.#scalar(attribute, given, point);
        if (value) into.scalars.push(value);
        break;
      }
      case 'relation':
      case 'media':
      case 'morph': {
        const input = this.#relation(attribute, given, path);
        if (input.mode !== 'keep') into.relations.push({ attribute, input, path });
        break;
      }
      case 'component':
      case 'dynamiczone': {
        const items = this.#items(attribute, given, mode, path);
        if (items) into.components.push({ attribute, items, path });
        break;
      }
    }
  }

  /** An attribute that the body leaves out: what a new row gets instead, or lacks. */
  #absent(attribute: Attribute, point: Point, into: Draft): void {
    const { mode, path } = point;
    const { row, draft } = mode;
    if (row === 'existing') return;
    const before = this.problems.length;
    let value: ScalarChange | null = null;
    if (attribute.kind === 'scalar' && attribute.rules.default !== undefined)
      value = this.#scalar(attribute, attribute.rules.default, point);
    else if (attribute.kind === 'scalar') {
      if (!this.#viaDraft && attribute.required && !draft) this.#problem(path, MISSING);
      else this.#checkRules(attribute, null, mode, path);
    } else if ((attribute.kind === 'component' || attribute.kind === 'dynamiczone') && attribute.required && !draft) {
      const isSingle = attribute.kind === 'component' && !attribute.many;
      this.#problem(path, this.#viaDraft && isSingle ? wrongKind('object', null) : MISSING);
    }
    if (row === 'new') {
      if (value) into.scalars.push(value);
      return;
    }
    if (value) into.absent.scalars.push(value);
    // Whether this is a problem depends on the row, so it is kept for later.
    for (const problem of this.problems.splice(before))
      into.absent.problems.push({ ...problem, localized: attribute.localized });
  }

  /** What code says of a new row that bodies cannot hold, such as its documentId. It has to be what can be stored. */
  ownValue(type: WriteOperation['type'], name: string, given: unknown): StoredValue {
    const attribute = type.attributes.get(name);
    if (attribute?.kind !== 'scalar') throw new Error(`${name} is no column`);
    const checked = readValue(attribute, given);
    if ('value' in checked) return checked.value;
    this.#problem([name], checked.problem);
    return null;
  }

  /** Code that leaves `publishedAt` empty says that a row is a draft. */
  dates(type: WriteOperation['type'], given: NonNullable<WriteOperation['dates']>): RowDates {
    const said = Object.entries(given).filter(
      ([name, value]) => value !== undefined && (value !== null || name === 'publishedAt'),
    );
    return Object.fromEntries(
      said.map(([name, value]) => [
        name,
        value === null ? null : this.ownValue(type, name, value instanceof Date ? value.toISOString() : value),
      ]),
    );
  }

  #problem(path: BodyPath, message: string): false {
    this.problems.push({ path, message });
    return false;
  }

  /** Whether a value passes the rules for published values; drafts need not. */
  #checkRules(attribute: ScalarAttribute, value: ScalarChange['value'], mode: Mode, path: BodyPath): boolean {
    // A password is hashed when it is stored, so this is the only time it can be checked.
    const later = mode.draft && (attribute.type !== 'password' || value === null);
    const wrong = later ? null : ruleProblem(attribute, value, this.#patternTime);
    return wrong ? this.#problem(path, wrong) : true;
  }

  #scalar(attribute: ScalarAttribute, given: unknown, { schema, mode, path }: Point): ScalarChange | null {
    const checked = readValue(attribute, given);
    if ('problem' in checked) {
      this.#problem([...path, ...(checked.within ?? [])], checked.problem);
      return null;
    }
    const kept = attribute.type === 'decimal' ? this.#decimals.get(`${schema.table}.${attribute.column}`) : undefined;
    if (kept && typeof checked.value === 'number' && !keepsDigits(checked.value, kept)) {
      const whole = kept.precision - kept.scale;
      this.#problem(path, `must have at most ${whole} digits before and ${kept.scale} after the point`);
      return null;
    }
    return this.#checkRules(attribute, checked.value, mode, path) ? { attribute, value: checked.value, path } : null;
  }

  #relation(attribute: RelationChange['attribute'], given: unknown, path: BodyPath): RelationInput {
    const most = this.#limits.references;
    const isTargetKey = (key: string): boolean => this.#isShown(attribute, key);
    const input = parseRelation(given, path, { most, isTargetKey, digitsAreRows: attribute.kind === 'media' });
    const references = referencesIn(input);
    this.#references += references.length;
    if (this.#references > most)
      throw limitExceeded('MAX_REFERENCES', most, 'references', { path: path.join('.'), source: 'body' });
    if (attribute.kind === 'media' && input.mode === 'change' && input.connect.length > 0)
      throw bodyValueError(path, 'the files themselves; connect is not for media');
    if (attribute.kind === 'morph') {
      const uids = new Set(attribute.targets.map(({ uid }) => uid).filter((uid) => this.#access.mayFind(uid)));
      if (references.some(({ type }) => type === null || !uids.has(type))) throw bodyKeyError(attribute.name, path);
    }
    return input;
  }

  /** Whether an entry that a relation leads to can show the caller an attribute; others are as good as unknown. */
  #isShown(relation: RelationChange['attribute'], key: string): boolean {
    const uids = relation.kind === 'morph' ? relation.targets.map(({ uid }) => uid) : [relation.target];
    return uids.some((uid) => {
      const type = this.#model.contentTypes.get(uid);
      const attribute = type?.attributes.get(key);
      if (!type || !attribute || !isDisclosed(this.#access, type, attribute)) return false;
      return this.#access.mayUse(uid, key, 'read') && targetIsReadable(this.#access, attribute);
    });
  }

  /** Null where the value is no list of components, or no component. */
  #items(
    attribute: ComponentAttribute | DynamicZoneAttribute,
    given: unknown,
    mode: Mode,
    path: BodyPath,
  ): ComponentItem[] | null {
    if (attribute.kind === 'component' && !attribute.many) {
      if (given === null) {
        if (attribute.required && !mode.draft) this.#problem(path, wrongKind('object', null));
        return [];
      }
      const item = this.#item(attribute, given, mode, path);
      return item && [item];
    }
    if (!Array.isArray(given)) {
      this.#problem(path, wrongKind('array', given));
      return null;
    }
    // Of a clone they are counted with those that were copied, by validateForPublish.
    if (!mode.draft && mode.row !== 'copied')
      for (const problem of countProblems(attribute, given.length)) this.#problem(path, problem);
    return given
      .map((item, index) => this.#item(attribute, item, mode, [...path, index]))
      .filter((item) => item !== null);
  }

  #item(
    attribute: ComponentAttribute | DynamicZoneAttribute,
    value: unknown,
    mode: Mode,
    path: BodyPath,
  ): ComponentItem | null {
    if (!isObject(value)) {
      this.#problem(path, wrongKind('object', value));
      return null;
    }
    if (++this.#components > this.#limits.components)
      throw limitExceeded('MAX_COMPONENTS', this.#limits.components, 'components', { source: 'body' });
    const { __component, id, documentId, ...values } = value;
    if (documentId !== undefined) this.ignored.push([...path, 'documentId'].join('.'));
    const uid = this.#componentUid(attribute, __component, path);
    if (uid === null) return null;
    const given = readRowId(id);
    if (id !== undefined && id !== null && (given === null || given < 0)) {
      this.#problem([...path, 'id'], 'must be the id of a component');
      return null;
    }
    const isCopied = mode.row === 'copied';
    const isKnown = given !== null && mode.row !== 'new' && !isCopied;
    const row: RowState = isKnown || isCopied ? mode.row : 'new';
    const component = this.#model.components.get(uid)!;
    this.checkNames(component, values, path);
    const entity = this.entity(component, values, { draft: mode.draft, row }, path);
    return { uid, id: isKnown ? given : null, entity, path };
  }

  #componentUid(attribute: ComponentAttribute | DynamicZoneAttribute, given: unknown, path: BodyPath): string | null {
    if (attribute.kind === 'component') {
      if (given !== undefined) throw bodyKeyError('__component', path);
      return attribute.component;
    }
    const uid = attribute.components.find((one) => one.uid === given)?.uid;
    if (uid !== undefined) return uid;
    const uids = attribute.components.map((one) => one.uid).join(', ');
    const expected = given === undefined ? 'is a required field' : `must be one of the following values: ${uids}`;
    this.#problem([...path, '__component'], expected);
    return null;
  }
}

/** The same plan with another value for each password; for hashing them before a transaction opens. */
export async function mapPasswords(
  plan: AuthorizedWritePlan,
  hash: (password: string, rounds: number) => Promise<string>,
): Promise<AuthorizedWritePlan> {
  return { ...plan, change: await changePasswords(plan.change, hash) };
}
