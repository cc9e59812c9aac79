// Two people changed an entry: what each of them did, and both together.
import type { ConsoleAttribute, ConsoleModel, ConsoleSchema } from '../../../../../src/console/contract.ts';
import { isSame } from './changes.ts';
import { linesOf } from './compare.ts';
import { type FormValues, formAttributes } from './values.ts';

export interface Conflict {
  readonly attribute: ConsoleAttribute;
  readonly mine: readonly string[];
  readonly theirs: readonly string[];
  /** Who changed it since it was loaded. */
  readonly by: 'me' | 'them' | 'both';
}

interface Versions {
  readonly loaded: FormValues;
  readonly mine: FormValues;
  readonly theirs: FormValues;
}

/** The attributes that are not in the end as they were loaded, and not the same for both. */
export const conflictsOf = (
  model: ConsoleModel,
  schema: ConsoleSchema,
  { loaded, mine, theirs }: Versions,
): readonly Conflict[] =>
  formAttributes(schema).flatMap((attribute) => {
    const [was, my, their] = [loaded, mine, theirs].map((values) => linesOf(model, attribute, values[attribute.name]));
    if (isSame(my, their)) return [];
    const byMe = !isSame(was, my);
    const byThem = !isSame(was, their);
    return [{ attribute, mine: my!, theirs: their!, by: byMe && byThem ? 'both' : byMe ? 'me' : 'them' } as const];
  });

/** Their values, with mine where I changed something, unless theirs were chosen there. */
export const merged = (
  conflicts: readonly Conflict[],
  { mine, theirs }: Versions,
  isTheirs: (name: string) => boolean,
): FormValues => ({
  ...theirs,
  ...Object.fromEntries(
    conflicts
      .filter(({ attribute: { name }, by }) => by !== 'them' && !isTheirs(name))
      .map(({ attribute: { name } }) => [name, mine[name]]),
  ),
});
