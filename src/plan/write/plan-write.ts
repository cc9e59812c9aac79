// Body + model → what the write changes. A key that may not be written stops at once; problems of values are
// collected, so that a client hears of all of them in one answer.

import type { Access } from '../../access/access.ts';
import { limitExceeded, SheafError } from '../../errors.ts';
import { MAX_COMPONENTS, MAX_REFERENCES } from '../../limits.ts';
import { USER } from '../../model/builtin.ts';
import type { Attribute, ComponentAttribute, DynamicZoneAttribute, Model, Schema } from '../../model/types.ts';
import { type BodyPath, bodyKeyError, bodyValueError, parseRelation } from '../../request/parse-relation.ts';
import type {
  BodyProblem,
  ComponentChange,
  ComponentItem,
  EntityChange,
  RelationChange,
  ScalarChange,
} from './changes.ts';
import { readValue, ruleProblem } from './values.ts';
import { holds } from './visible-when.ts';

/** How strictly a body is judged: drafts may be incomplete, and an update may leave attributes out. */
export interface WriteMode {
  readonly draft: boolean;
  readonly create: boolean;
  /** A further locale of a document: what locales share comes from the ones it has, not from defaults. */
  readonly inherits?: boolean;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Digits that the column of a decimal keeps, by `table.column`; columns that keep all of them are not named. */
export type DecimalColumns = ReadonlyMap<string, { readonly precision: number; readonly scale: number }>;

export function planWrite(
  model: Model,
  schema: Schema,
  data: Record<string, unknown>,
  mode: WriteMode,
  access: Access,
  decimals: DecimalColumns,
): EntityChange {
  const planner = new WritePlanner(model, access, decimals);
  const change = planner.entity(schema, data, mode, []);
  if (planner.problems.length > 0) throw problemsError(planner.problems);
  return change;
}

/** The change that a body asks for, whatever may be wrong with it; for what must be done before it is judged. */
export const sketchWrite = (
  model: Model,
  schema: Schema,
  data: Record<string, unknown>,
  access: Access,
): EntityChange => new WritePlanner(model, access, new Map()).entity(schema, data, { draft: true, create: false }, []);

/** All problems of a body in one error. */
export function problemsError(problems: readonly BodyProblem[]): SheafError {
  const errors = problems.map(({ path, message }) => ({
    path: path.map(String),
    message: `${readable(path)} ${message}`.trim(),
    name: 'ValidationError',
  }));
  const message = errors.length === 1 ? errors[0]!.message : `${errors.length} errors occurred`;
  return new SheafError(400, 'ValidationError', message, { errors });
}

const readable = (path: BodyPath): string =>
  path.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : text ? `${text}.${part}` : part),
    '',
  );

/** Whether a column with a fixed number of digits keeps a value as it is. */
function keepsDigits(value: number, { precision, scale }: { precision: number; scale: number }): boolean {
  return Number(value.toFixed(scale)) === value && Math.abs(value) < 10 ** (precision - scale);
}

/** Whoever may write users gives them their roles, which otherwise nobody sees. */
const isRoleOfUser = (schema: Schema, attribute: Attribute): boolean =>
  schema.kind !== 'component' && schema.uid === USER && attribute.name === 'role';

class WritePlanner {
  readonly problems: BodyProblem[] = [];
  readonly #model: Model;
  readonly #access: Access;
  readonly #decimals: DecimalColumns;
  #components = 0;
  #references = 0;

  constructor(model: Model, access: Access, decimals: DecimalColumns) {
    this.#model = model;
    this.#access = access;
    this.#decimals = decimals;
  }

  entity(schema: Schema, data: Record<string, unknown>, mode: WriteMode, path: BodyPath): EntityChange {
    for (const key of Object.keys(data)) {
      if (!this.#isWritable(schema, key, path) || !this.#isAllowed(schema, key)) throw bodyKeyError(key, path);
    }
    const scalars: ScalarChange[] = [];
    const relations: RelationChange[] = [];
    const components: ComponentChange[] = [];
    // An update is about what it names; a new entity is also about what it leaves out.
    const names = mode.create ? schema.attributes.keys() : Object.keys(data);
    for (const name of names) {
      const attribute = schema.attributes.get(name)!;
      if (!this.#isWritable(schema, name, path) || name === 'id') continue;
      const given = data[attribute.name];
      const here = [...path, attribute.name];
      if (given === undefined && mode.inherits && !attribute.localized) continue;
      // What a form does not show is judged no more strictly than a draft.
      const shown = attribute.visibleWhen === null || holds(attribute.visibleWhen, data);
      const judged: WriteMode = shown ? mode : { ...mode, draft: true };
      switch (attribute.kind) {
        case 'scalar': {
          const value = given === undefined && mode.create ? attribute.rules.default : given;
          if (value !== undefined) this.#scalar(schema, attribute, value, judged, here, scalars);
          else if (mode.create) this.#judge(attribute, null, judged, here);
          break;
        }
        case 'relation':
        case 'media':
        case 'morph':
          if (given !== undefined)
            relations.push({ attribute, input: this.#relation(attribute, given, here), path: here });
          break;
        case 'component':
        case 'dynamiczone':
          if (given !== undefined) this.#componentField(attribute, given, judged, here, components);
          else if (mode.create && attribute.required && !judged.draft) this.#problem(here, 'must be defined');
          break;
      }
    }
    return { scalars, relations, components };
  }

  #isWritable(schema: Schema, key: string, path: BodyPath): boolean {
    const attribute = schema.attributes.get(key);
    if (schema.kind === 'component' && key === 'id') return true;
    if (key === 'publishedAt' || key === 'locale' || !attribute) return false;
    if (attribute.kind === 'morph' && !attribute.many) return false;
    if (attribute.kind === 'relation' && this.#model.contentTypes.get(attribute.target)?.exposure === 'hidden')
      return path.length === 0 && isRoleOfUser(schema, attribute);
    return attribute.writable;
  }

  /** Whether the caller may write an attribute, and may find what it would lead to. */
  #isAllowed(schema: Schema, key: string): boolean {
    const attribute = schema.attributes.get(key);
    if (!attribute || schema.kind === 'component') return this.#leadsToSeen(attribute);
    if (!this.#access.mayUse(schema.uid, key, 'write')) return false;
    return isRoleOfUser(schema, attribute) || this.#leadsToSeen(attribute);
  }

  #leadsToSeen(attribute: Attribute | undefined): boolean {
    return attribute?.kind !== 'relation' || this.#access.mayFind(attribute.target);
  }

  #problem(path: BodyPath, message: string): false {
    this.problems.push({ path, message });
    return false;
  }

  /** Whether a value passes the rules for what is published; drafts are not asked. */
  #judge(
    attribute: Attribute & { kind: 'scalar' },
    value: ScalarChange['value'],
    mode: WriteMode,
    path: BodyPath,
  ): boolean {
    // A password is hashed when it is stored, so this is the only time it can be judged.
    const later = mode.draft && (attribute.type !== 'password' || value === null);
    const wrong = later ? null : ruleProblem(attribute, value);
    return wrong ? this.#problem(path, wrong) : true;
  }

  #scalar(
    schema: Schema,
    attribute: Attribute & { kind: 'scalar' },
    given: unknown,
    mode: WriteMode,
    path: BodyPath,
    into: ScalarChange[],
  ): void {
    const checked = readValue(attribute, given);
    if ('problem' in checked) {
      this.#problem(path, checked.problem);
      return;
    }
    const kept = attribute.type === 'decimal' ? this.#decimals.get(`${schema.table}.${attribute.column}`) : undefined;
    if (kept && typeof checked.value === 'number' && !keepsDigits(checked.value, kept))
      this.#problem(
        path,
        `must have at most ${kept.precision - kept.scale} digits before and ${kept.scale} after the point`,
      );
    else if (this.#judge(attribute, checked.value, mode, path)) into.push({ attribute, value: checked.value, path });
  }

  #relation(attribute: Attribute, given: unknown, path: BodyPath) {
    const input = parseRelation(given, path);
    if (input.mode === 'set') this.#references += input.references.length;
    if (input.mode === 'change') this.#references += input.connect.length + input.disconnect.length;
    if (this.#references > MAX_REFERENCES)
      throw limitExceeded('MAX_REFERENCES', MAX_REFERENCES, 'references', { path: path.join('.'), source: 'body' });
    if (attribute.kind === 'media' && input.mode === 'change' && input.connect.length > 0)
      throw bodyValueError(path, 'the files themselves; connect is not for media');
    if (attribute.kind === 'morph') {
      const references =
        input.mode === 'set'
          ? input.references
          : input.mode === 'change'
            ? [...input.connect.map(({ reference }) => reference), ...input.disconnect]
            : [];
      if (
        references.some(
          ({ type }) =>
            type === null || !attribute.targets.some(({ uid }) => uid === type && this.#access.mayFind(uid)),
        )
      )
        throw bodyKeyError(attribute.name, path);
    }
    return input;
  }

  #componentField(
    attribute: ComponentAttribute | DynamicZoneAttribute,
    given: unknown,
    mode: WriteMode,
    path: BodyPath,
    into: ComponentChange[],
  ): void {
    const many = attribute.kind === 'dynamiczone' || attribute.many;
    if (!many) {
      if (given === null) {
        if (attribute.required && !mode.draft) this.#problem(path, 'must be defined');
        into.push({ attribute, items: [], path });
      } else if (!isObject(given)) this.#problem(path, 'must be an object');
      else {
        const item = this.#item(attribute, given, mode, path);
        if (item) into.push({ attribute, items: [item], path });
      }
      return;
    }
    if (!Array.isArray(given)) {
      this.#problem(path, 'must be a list');
      return;
    }
    if (!mode.draft) {
      const { min, max, required } = attribute;
      if (min !== null && given.length < min && (required || given.length > 0))
        this.#problem(path, `must have at least ${min} items`);
      if (max !== null && given.length > max) this.#problem(path, `must have at most ${max} items`);
    }
    const items = given.map((item, index) => {
      if (isObject(item)) return this.#item(attribute, item, mode, [...path, index]);
      this.#problem([...path, index], 'must be an object');
      return null;
    });
    into.push({ attribute, items: items.filter((item) => item !== null), path });
  }

  #item(
    attribute: ComponentAttribute | DynamicZoneAttribute,
    given: Record<string, unknown>,
    mode: WriteMode,
    path: BodyPath,
  ): ComponentItem | null {
    if (++this.#components > MAX_COMPONENTS)
      throw limitExceeded('MAX_COMPONENTS', MAX_COMPONENTS, 'components', { source: 'body' });
    const { __component, ...data } = given;
    let uid: string;
    if (attribute.kind === 'component') {
      if (__component !== undefined) throw bodyKeyError('__component', path);
      uid = attribute.component;
    } else {
      const uids = attribute.components.map((one) => one.uid);
      if (typeof __component !== 'string' || !uids.includes(__component)) {
        this.#problem([...path, '__component'], `must be one of the following values: ${uids.join(', ')}`);
        return null;
      }
      uid = __component;
    }
    const { id, ...values } = data;
    if (id !== undefined && id !== null && !/^\d+$/.test(String(id))) {
      this.#problem([...path, 'id'], 'must be the id of a component');
      return null;
    }
    const known = id !== undefined && id !== null && !mode.create;
    const entity = this.entity(this.#model.components.get(uid)!, values, { draft: mode.draft, create: !known }, path);
    return { uid, id: known ? Number(id) : null, entity, path };
  }
}
