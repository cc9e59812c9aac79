// The passwords of a planned write. They are hashed before a transaction opens, since that takes long.
import type { ComponentChange, ComponentItem, EntityChange, ScalarChange } from './changes.ts';

/** Whether a change writes passwords, which are hashed first. One that a new row gets as its default is one of them. */
export const hasPasswords = ({ scalars, components, absent }: EntityChange): boolean =>
  [...scalars, ...(absent?.scalars ?? [])].some(
    ({ attribute, value }) => attribute.type === 'password' && value !== null,
  ) || components.some(({ items }) => items.some(({ entity }) => hasPasswords(entity)));

type Hash = (password: string, rounds: number) => Promise<string>;

/** The same change with another value for each password. */
export async function changePasswords(change: EntityChange, hash: Hash): Promise<EntityChange> {
  const components: ComponentChange[] = [];
  for (const component of change.components) {
    const items: ComponentItem[] = [];
    for (const item of component.items) items.push({ ...item, entity: await changePasswords(item.entity, hash) });
    components.push({ ...component, items });
  }
  const scalars = await hashedAmong(change.scalars, hash);
  const absent = change.absent && { ...change.absent, scalars: await hashedAmong(change.absent.scalars, hash) };
  return { ...change, scalars, components, absent };
}

async function hashedAmong(scalars: readonly ScalarChange[], hash: Hash): Promise<ScalarChange[]> {
  const hashed: ScalarChange[] = [];
  for (const scalar of scalars) {
    const { attribute, value } = scalar;
    const isSecret = attribute.type === 'password' && typeof value === 'string';
    hashed.push(isSecret ? { ...scalar, value: await hash(value, attribute.rules.rounds) } : scalar);
  }
  return hashed;
}
