// A list of components or files that takes one only keeps its first; the others are set aside.
import { beyondFirst, deleteBeyondFirst } from '../sql/kept-link-statements.ts';
import { deleteItems } from '../store/components.ts';
import type { UndoAction } from './aside.ts';
import { schemaOf } from './change.ts';
import { tablesAround } from './link-ends.ts';
import { run, type Step } from './step.ts';

export function keepFirst(step: Step, uid: string, name: string): Promise<UndoAction[]> {
  const schema = schemaOf(step.before, uid)!;
  const attribute = schema.attributes.get(name);
  if (attribute?.kind !== 'component' && attribute?.kind !== 'media') throw new Error(`${uid}.${name} is no list`);
  const { link } = attribute;
  return step.aside.around([...tablesAround(step.before, schema), link.table], async () => {
    const gone = await run(step, beyondFirst(step.dialect, link));
    await run(step, deleteBeyondFirst(step.dialect, link));
    if (attribute.kind !== 'component') return;
    const write = step.write(step.before);
    await deleteItems(
      write,
      gone.map(([id]) => ({ id, uid: attribute.component })),
      { table: link.table, rows: [] },
    );
    await write.run.flush();
  });
}
