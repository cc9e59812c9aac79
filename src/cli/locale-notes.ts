// What the start says where config/locales.json and the database do not have the same locales. What only adds was done.
import type { Sheaf } from '../app.ts';

/** `listed`: what the file lists, the default first; null where there is no file. */
export async function localeNotes(sheaf: Sheaf, listed: readonly string[] | null): Promise<string[]> {
  if (!listed) return [];
  const locales = await sheaf.locales();
  const has = (code: string): boolean => locales.some((locale) => locale.code === code);
  const standard = locales.find(({ isDefault }) => isDefault)?.code;
  const [first] = listed;
  return [
    ...sheaf.addedLocales.map((code) => `Added the locale ${code}, which config/locales.json lists.`),
    ...listed
      .filter((code) => !has(code))
      .map((code) => `config/locales.json lists the locale ${code}, which is missing: sheaf locale add ${code}`),
    ...(has(first!) && standard !== first
      ? [
          `config/locales.json begins with ${first}, and the default locale is ${standard}: sheaf locale default ${first}`,
        ]
      : []),
    ...locales
      .filter(({ code }) => !listed.includes(code))
      .map(
        ({ code }) => `config/locales.json does not list the locale ${code}: list it, or sheaf locale remove ${code}`,
      ),
  ];
}
