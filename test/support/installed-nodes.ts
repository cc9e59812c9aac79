// The Node programs that this machine has, apart from those that npm installed.
import { existsSync } from 'node:fs';
import path from 'node:path';

export const nodesOfThisMachine = (): string[] =>
  (process.env.PATH ?? '')
    .split(path.delimiter)
    .filter((place) => !place.includes('node_modules'))
    .map((place) => path.join(place, 'node'))
    .filter((file) => existsSync(file));
