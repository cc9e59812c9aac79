// The service `locales` of the plugin i18n: the locales of the project, which code reads and adds when it begins.
import type { Sheaf } from '../../../app.ts';
import { Locales } from '../../../db/stored-locales.ts';
import { LOCALE } from '../../../model/builtin.ts';
import type { Entry } from '../../../operations/parameters.ts';
import { Rows } from './rows.ts';

type Values = Readonly<Record<string, unknown>>;

export function localeService(sheaf: Sheaf) {
  const rows = new Rows(sheaf, LOCALE);
  const locales = new Locales(sheaf.database, sheaf.model);
  const getDefaultLocale = async (): Promise<string | null> =>
    (await locales.list()).find(({ isDefault }) => isDefault)?.code ?? null;
  const find = async (where: Values = {}): Promise<Entry[]> => {
    const standard = await getDefaultLocale();
    const found = await rows.findMany({ where });
    return found.map((locale) => ({ ...locale, isDefault: locale.code === standard }));
  };
  const findOne = async (where: Values): Promise<Entry | null> => (await find(where))[0] ?? null;
  return {
    find,
    findById: (id: unknown): Promise<Entry | null> => findOne({ id }),
    findByCode: (code: unknown): Promise<Entry | null> => findOne({ code }),
    count: (where: Values = {}): Promise<number> => rows.count({ where }),
    async create({ code, name }: { readonly code: string; readonly name?: string }): Promise<Entry | null> {
      await locales.add(code, name);
      return findOne({ code });
    },
    update: (where: Values, { name }: Values): Promise<Entry | null> => rows.update({ where, data: { name } }),
    async delete(where: Values): Promise<Entry | null> {
      const locale = await findOne(where);
      if (locale) await locales.remove(String(locale.code));
      return locale;
    },
    getDefaultLocale,
    setDefaultLocale: ({ code }: { readonly code: string }): Promise<void> => locales.setDefault(code),
  };
}
