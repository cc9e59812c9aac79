// The names of schemas in a description. They follow from the uid alone, so that a change of one type does not rename
// those of another.
import type { Model } from '../model/types.ts';

/** `opening-hours` → `OpeningHours`. */
export const pascal = (text: string): string =>
  text
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .map((word) => word[0]!.toUpperCase() + word.slice(1))
    .join('')
    // Names of schemas have ASCII letters only.
    .replace(/[^A-Za-z0-9]/g, (letter) => `u${letter.codePointAt(0)!.toString(16)}`);

/** `api::menu.menu` → `Menu`, `api::menu.dish` → `MenuDish`, `plugin::upload.file` → `UploadFile`. */
function baseName(uid: string): string {
  const [, origin = '', owner = '', name = ''] = /^(?:(\w+)::)?(?:([^.]+)\.)?(.*)$/.exec(uid) ?? [];
  if (origin === '') return `${pascal(owner)}${pascal(name)}Component`;
  if (owner === '') return `${pascal(origin)}${pascal(name)}`;
  return owner === name ? pascal(name) : `${pascal(owner)}${pascal(name)}`;
}

/** The name of each content-type and component, by uid. */
export function schemaNames({ contentTypes, components }: Model): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  for (const uid of [...contentTypes.keys(), ...components.keys()].sort()) {
    const base = baseName(uid);
    let name = base;
    for (let number = 2; taken.has(name); number++) name = `${base}${number}`;
    taken.add(name);
    names.set(uid, name);
  }
  return names;
}
