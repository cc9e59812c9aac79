// Where a file is shown: the rows of content-types whose media attributes hold it, their components at any depth included.
import type { Database, Session } from '../db/database.ts';
import { limitExceeded } from '../errors.ts';
import { MAX_FILE_USES } from '../limits.ts';
import type { ContentType, Model, Schema } from '../model/types.ts';
import { FileStatements } from '../sql/file-statements.ts';
import { WriteStatements } from '../sql/write-statements.ts';
import { mayHold } from '../store/components.ts';

export interface FileUse {
  readonly type: ContentType;
  /** The id of the row: of a draft, of what is published, of one locale. */
  readonly row: number;
  readonly documentId: string;
  /** Such as `cover`, or `seo.image` in a component. */
  readonly attribute: string;
}

/** A row that shows the file, by itself or through what it holds. */
interface Place {
  readonly row: number;
  readonly attribute: string;
}

export function usesOfFile(database: Database, model: Model, file: number): Promise<readonly FileUse[]> {
  return database.snapshot(async (session) => {
    const statements = new FileStatements(database.dialect);
    const rows = await session.rows(statements.uses(), [file, MAX_FILE_USES + 1]);
    if (rows.length > MAX_FILE_USES) throw limitExceeded('MAX_FILE_USES', MAX_FILE_USES, 'places that show the file');
    const reader = new UseReader(session, model, new WriteStatements(database.dialect));
    for (const [uid, places] of Map.groupBy(rows, ([type]) => type)) {
      const schema = model.contentTypes.get(uid) ?? model.components.get(uid);
      // What is left of types that are gone shows nothing.
      const shown = places.filter(([, , field]) => schema?.attributes.get(field)?.kind === 'media');
      if (schema)
        await reader.follow(
          schema,
          shown.map(([, row, attribute]) => ({ row, attribute })),
        );
    }
    return reader.uses;
  });
}

class UseReader {
  readonly uses: FileUse[] = [];
  readonly #session: Session;
  readonly #model: Model;
  readonly #statements: WriteStatements;

  constructor(session: Session, model: Model, statements: WriteStatements) {
    this.#session = session;
    this.#model = model;
    this.#statements = statements;
  }

  /** From rows to the entries that hold them. */
  async follow(schema: Schema, places: readonly Place[]): Promise<void> {
    if (places.length === 0) return;
    const ids = JSON.stringify([...new Set(places.map(({ row }) => row))]);
    if (schema.kind !== 'component') return this.#add(schema, places, ids);
    for (const holder of [...this.#model.contentTypes.values(), ...this.#model.components.values()]) {
      if (!mayHold(holder, schema)) continue;
      const parents = await this.#session.rows(this.#statements.parentsOf(holder.componentTable), [schema.uid, ids]);
      const held = Map.groupBy(parents, ([, component]) => component);
      const above = places.flatMap(({ row, attribute }) =>
        (held.get(row) ?? []).map(([parent, , field]) => ({ row: parent, attribute: `${field}.${attribute}` })),
      );
      await this.follow(holder, above);
    }
  }

  async #add(type: ContentType, places: readonly Place[], ids: string): Promise<void> {
    const rows = await this.#session.rows(this.#statements.versionsByRow(type.table), [ids]);
    const documents = new Map(rows.map(([id, documentId]) => [id, documentId]));
    for (const { row, attribute } of places) {
      const documentId = documents.get(row);
      if (documentId) this.uses.push({ type, row, documentId, attribute });
    }
  }
}
