// What a caller may do, as planning asks it. Rights come as answers to four questions, never as lists to be searched,
// so that a plan is the same for everyone who shares the key. Where they come from is a matter of access/.
import type { Model } from '../model/types.ts';
import type { FilterNode } from '../request/read-request.ts';

/** What an attribute is used for; each may be allowed by itself. */
export type FieldUse = 'read' | 'filter' | 'sort' | 'write';
export type RowUse = 'find' | 'update' | 'delete';

/** A value of a rule: as it stands in the project, or an attribute of the user who asks. */
export type RuleValue = { readonly constant: unknown } | { readonly user: string };

/** Which rows a caller may reach, in the language of filters. */
export interface RowRule {
  readonly filter: FilterNode;
  readonly values: readonly RuleValue[];
}

export interface Access {
  /** Plans made under one key serve everyone who has it. */
  readonly key: string;
  may(action: string): boolean;
  /** Whether rows of a type may be seen through relations. */
  mayFind(uid: string): boolean;
  mayUse(uid: string, name: string, use: FieldUse): boolean;
  /** Null where every row may be reached. */
  rowsOf(uid: string, use: RowUse): RowRule | null;
}

const made = new WeakMap<Model, Access>();

/** The access of whoever calls in process: all that is served. */
export function everything(model: Model): Access {
  let access = made.get(model);
  if (!access) {
    access = {
      key: '',
      may: () => true,
      mayFind: (uid) => model.contentTypes.get(uid)?.exposure !== 'hidden',
      mayUse: () => true,
      rowsOf: () => null,
    };
    made.set(model, access);
  }
  return access;
}
