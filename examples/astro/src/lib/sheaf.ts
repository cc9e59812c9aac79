import { createClient } from 'sheaf/client';

export const sheaf = createClient({
  url: import.meta.env.SHEAF_URL ?? 'http://127.0.0.1:1337',
  token: import.meta.env.SHEAF_TOKEN,
});
