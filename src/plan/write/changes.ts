// What a write will change, as plain data: values to store, relations as references still to be found, components
// as entities of their own.
import type {
  ComponentAttribute,
  DynamicZoneAttribute,
  MediaAttribute,
  MorphAttribute,
  RelationAttribute,
  ScalarAttribute,
} from '../../model/types.ts';
import type { BodyPath, RelationInput } from '../../request/parse-relation.ts';
import type { StoredValue } from './values.ts';

export interface ScalarChange {
  readonly attribute: ScalarAttribute;
  readonly value: StoredValue;
  readonly path: BodyPath;
}

export interface RelationChange {
  readonly attribute: RelationAttribute | MediaAttribute | MorphAttribute;
  readonly input: RelationInput;
  readonly path: BodyPath;
}

/** An item of a component field or zone: with the id of a row, that row is changed; without, one is made. */
export interface ComponentItem {
  readonly uid: string;
  readonly id: number | null;
  readonly entity: EntityChange;
  readonly path: BodyPath;
}

export interface ComponentChange {
  readonly attribute: ComponentAttribute | DynamicZoneAttribute;
  readonly items: readonly ComponentItem[];
  readonly path: BodyPath;
}

export interface EntityChange {
  readonly scalars: readonly ScalarChange[];
  readonly relations: readonly RelationChange[];
  readonly components: readonly ComponentChange[];
}

/** One problem of a body, with the way to it. */
export interface BodyProblem {
  readonly path: BodyPath;
  readonly message: string;
}
