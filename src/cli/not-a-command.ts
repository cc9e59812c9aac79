// What is said of a word that is no command, with the one that was probably meant.
import { editDistance, hintOn } from '../edit-distance.ts';
import { SetupError } from '../errors.ts';
import type { Command } from './command.ts';

export function notACommand(commands: readonly Command[], words: readonly string[]): SetupError {
  const given = words.join(' ');
  const below = commands.filter(({ name }) => name.startsWith(`${words[0]} `));
  const names = (below.length > 0 ? below : commands).map(({ name }) => name);
  const nearest = nearestName(given, names);
  return new SetupError(`"${given}" is not a command`, [
    ...hintOn(nearest && `sheaf ${nearest}`),
    ...(below.length > 0 ? [`there is ${below.map(({ name }) => `sheaf ${name}`).join(', ')}`] : []),
    'sheaf --help shows them all',
  ]);
}

/** At most this share of the letters may be wrong. */
const MAX_WRONG = 0.4;

function nearestName(given: string, names: readonly string[]): string | null {
  const distances = names.map((name) => {
    const sameLength = given.split(' ').slice(0, name.split(' ').length).join(' ');
    return [editDistance(sameLength, name) / name.length, name] as const;
  });
  const [wrong, name] = distances.toSorted(([one], [other]) => one - other)[0]!;
  return wrong <= MAX_WRONG ? name : null;
}
