import { createClient } from 'sheaf/client';

/** For server components and actions. Responses are kept for a minute, unless a request says otherwise. */
export const sheaf = createClient({
  url: process.env.SHEAF_URL ?? 'http://127.0.0.1:1337',
  token: process.env.SHEAF_TOKEN,
  next: { revalidate: 60 },
});
