// What a caller may know and use of each type. Asked of the same functions that requests are planned with.
import type { Access } from '../access/access.ts';
import type { Attribute, Model, ScalarAttribute, Schema } from '../model/types.ts';
import { PlanContext } from '../plan/read/context.ts';
import { isUsable, readableScalars } from '../plan/read/resolve.ts';
import { mayBeWritten } from '../plan/write/plan-write.ts';

export type PopulatedAttribute = Exclude<Attribute, ScalarAttribute>;

const FILTERED: ReadonlySet<Attribute['kind']> = new Set(['scalar', 'relation', 'component', 'localizations']);

export class View {
  readonly model: Model;
  readonly access: Access;
  readonly #context: PlanContext;

  constructor(model: Model, access: Access) {
    this.model = model;
    this.access = access;
    this.#context = new PlanContext(model, { status: 'published', publication: null }, access);
  }

  /** What an entry shows unless a request says otherwise. */
  scalars(schema: Schema): readonly ScalarAttribute[] {
    return readableScalars(this.#context, schema);
  }

  /** What an entry shows where it is populated. */
  populated(schema: Schema): readonly PopulatedAttribute[] {
    return [...schema.attributes.values()].filter(
      (attribute): attribute is PopulatedAttribute =>
        attribute.kind !== 'scalar' && isUsable(this.#context, schema, attribute, 'read'),
    );
  }

  /** What entries can be filtered or sorted by. */
  conditions(schema: Schema, use: 'filter' | 'sort'): readonly Attribute[] {
    return [...schema.attributes.values()].filter(
      (attribute) => FILTERED.has(attribute.kind) && isUsable(this.#context, schema, attribute, use),
    );
  }

  /** What a body may hold. */
  written(schema: Schema): readonly Attribute[] {
    const path = schema.kind === 'component' ? [schema.uid] : [];
    return [...schema.attributes.values()].filter(
      ({ name }) => name !== 'id' && mayBeWritten(this, schema, name, path),
    );
  }

  /** The types that a relation to several types may show. */
  found(uids: readonly string[]): readonly string[] {
    return uids.filter((uid) => this.access.mayFind(uid));
  }

  schemaOf(uid: string): Schema {
    const schema = this.model.contentTypes.get(uid) ?? this.model.components.get(uid);
    if (!schema) throw new Error(`there is no ${uid}`);
    return schema;
  }
}
