// What every part of a description needs: what the caller may see, the names of schemas, and those that were made.
import type { Access } from '../access/access.ts';
import type { Model, Schema } from '../model/types.ts';
import type { Settings } from '../project/settings.ts';
import type { NamedSchemas } from './named-schemas.ts';
import { schemaNames } from './schema-names.ts';
import { View } from './view.ts';

/** The settings that the API follows. */
export type DescribedSettings = Pick<Settings, 'rest' | 'users' | 'auth' | 'files' | 'server' | 'openapi'>;

/** What is described, and to whom. */
export interface DescribedProject {
  readonly model: Model;
  readonly settings: DescribedSettings;
  readonly access: Access;
  /** The accesses of the roles that users have: what they see of their own accounts when they log in. */
  readonly roles?: readonly Access[];
}

export class Description {
  readonly view: View;
  readonly settings: DescribedSettings;
  readonly schemas: NamedSchemas;
  /** What the roles of users may see of them. */
  readonly ofRoles: readonly View[];
  readonly #names: ReadonlyMap<string, string>;

  constructor({ model, access, settings, roles = [access] }: DescribedProject, schemas: NamedSchemas) {
    this.view = new View(model, access);
    this.settings = settings;
    this.schemas = schemas;
    this.ofRoles = roles.map((role) => new View(model, role));
    this.#names = schemaNames(model);
  }

  /** The name of a type in names of schemas. */
  nameOf({ uid }: Pick<Schema, 'uid'>): string {
    return this.#names.get(uid)!;
  }
}
