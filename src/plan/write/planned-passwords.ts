// The passwords of a planned write. They are hashed before a transaction opens, since that takes long.
import type { ComponentChange, ComponentItem, EntityChange, ScalarChange } from './changes.ts';

/** Whether a change writes passwords, which are hashed first. */
export const hasPasswords = ({ scalars, components }: EntityChange): boolean =>
  scalars.some(({ attribute, value }) => attribute.type === 'password' && value !== null) ||
  components.some(({ items }) => items.some(({ entity }) => hasPasswords(entity)));

/** The same change with another value for each password. */
export async function changePasswords(
  change: EntityChange,
  hash: (password: string, rounds: number) => Promise<string>,
): Promise<EntityChange> {
  const scalars: ScalarChange[] = [];
  for (const scalar of change.scalars) {
    const { attribute, value } = scalar;
    const isSecret = attribute.type === 'password' && typeof value === 'string';
    scalars.push(isSecret ? { ...scalar, value: await hash(value, attribute.rules.rounds) } : scalar);
  }
  const components: ComponentChange[] = [];
  for (const component of change.components) {
    const items: ComponentItem[] = [];
    for (const item of component.items) items.push({ ...item, entity: await changePasswords(item.entity, hash) });
    components.push({ ...component, items });
  }
  return { ...change, scalars, components };
}
