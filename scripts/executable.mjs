// Lets the built command be run by its name, as `npx sheaf` in a checkout does.
import { chmodSync } from 'node:fs';

chmodSync(new URL('../dist/main.js', import.meta.url), 0o755);
