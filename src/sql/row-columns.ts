// Columns of rows that the server itself makes in the tables of Strapi 5: roles, permissions, locales, accounts.

export const textColumns = (...names: string[]) => names.map((column) => ({ column, type: 'text' as const }));
export const instantColumns = (...names: string[]) => names.map((column) => ({ column, type: 'datetime' as const }));

/** When a row was made, changed and published. */
export const STAMPS = instantColumns('created_at', 'updated_at', 'published_at');
