// The entries that show a file, as far as an account may read them; of the others, how many there are.
import type { Caller } from '../../access/caller.ts';
import type { Sheaf } from '../../app.ts';
import type { FileUses } from '../../console/contract.ts';
import { readMainFields } from '../../console/main-fields.ts';
import { mainFieldOf, readTypes } from '../../describe/console-model.ts';
import { View } from '../../describe/view.ts';
import { notFoundError } from '../../errors.ts';
import { type FileUse, usesOfFile } from '../../files/file-uses.ts';
import { MAX_LIST_ITEMS } from '../../limits.ts';
import { FILE } from '../../model/builtin.ts';
import { entriesOfPage } from '../../read/read-strategy.ts';
import { NO_LIMIT } from '../../request/parse-read.ts';

/** `file`: the id of its row, or its documentId. */
export async function fileUsesFor({ database, model, operations }: Sheaf, file: string, caller: Caller) {
  const uses = await usesOfFile(database, model, await fileId(operations, file, caller));
  const view = new View(model, caller.access);
  const mainFields = await readMainFields(database);
  const readable = new Set(readTypes(model, caller.access));
  const shown: FileUses['uses'][number][] = [];
  let hidden = 0;
  for (const [type, ofType] of Map.groupBy(uses, (use) => use.type)) {
    const names = new Set(view.populated(type).map(({ name }) => name));
    const field = mainFieldOf(type, view, mainFields);
    const titles = readable.has(type) ? await titlesOf(operations, field, ofType, caller) : new Map<number, string>();
    const isSeen = ({ row, attribute }: FileUse): boolean => titles.has(row) && names.has(attribute.split('.', 1)[0]!);
    for (const [documentId, rows] of Map.groupBy(ofType, (use) => use.documentId)) {
      const seen = rows.filter(isSeen);
      if (seen.length === 0) hidden++;
      for (const attribute of new Set(seen.map((use) => use.attribute)))
        shown.push({ uid: type.uid, documentId, title: titles.get(seen[0]!.row)!, attribute });
    }
  }
  return { uses: shown, hidden } satisfies FileUses;
}

/** The row of a file that the caller may read. */
async function fileId(operations: Sheaf['operations'], file: string, caller: Caller): Promise<number> {
  const type = operations.model.contentTypes.get(FILE)!;
  const isId = /^\d{1,9}$/.test(file);
  const filters = isId ? { id: Number(file) } : { documentId: file };
  const defaults = { status: 'published', pagination: NO_LIMIT } as const;
  const read = operations.find({ name: 'find', type, parameters: { filters, fields: ['id'] }, defaults }, caller);
  const [found] = entriesOfPage<{ readonly id: number }>(await read.run({ caller }));
  if (!found) throw notFoundError();
  return found.id;
}

/** What names the rows of a type that the caller may read, by id. */
async function titlesOf(
  operations: Sheaf['operations'],
  field: string,
  uses: readonly FileUse[],
  caller: Caller,
): Promise<ReadonlyMap<number, string>> {
  const { type } = uses[0]!;
  const ids = [...new Set(uses.map(({ row }) => row))];
  const titles = new Map<number, string>();
  const drafts = type.draftAndPublish && caller.access.mayReadDrafts(type.uid) ? (['draft'] as const) : [];
  for (const status of [...drafts, 'published'] as const)
    for (let at = 0; at < ids.length; at += MAX_LIST_ITEMS) {
      const filters = { id: { $in: ids.slice(at, at + MAX_LIST_ITEMS) } };
      const parameters = { filters, fields: [field], ...(type.localized && { locale: '*' }) };
      const defaults = { status, pagination: NO_LIMIT };
      const read = operations.find({ name: 'find', type, parameters, defaults }, caller);
      for (const entry of entriesOfPage<Record<string, unknown>>(await read.run({ caller })))
        titles.set(Number(entry.id), String(entry[field] ?? entry.documentId));
    }
  return titles;
}
