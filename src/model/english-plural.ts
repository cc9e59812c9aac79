// Plurals of English names, for what a new type is served under. Who has another one in mind says so.

const IRREGULAR: ReadonlyMap<string, string> = new Map(
  'person:people child:children man:men woman:women mouse:mice goose:geese foot:feet tooth:teeth leaf:leaves knife:knives life:lives shelf:shelves half:halves wolf:wolves datum:data medium:media criterion:criteria index:indices hero:heroes'
    .split(' ')
    .map((pair): [string, string] => {
      const [one = '', many = ''] = pair.split(':');
      return [one, many];
    }),
);

/** Words that are the same in plural, or have none. */
const UNCOUNTABLE = new Set(
  'advice content data equipment feedback fish furniture information media metadata money music news series sheep software species staff traffic weather'.split(
    ' ',
  ),
);

/** The plural of a name with - between its words; null where it has none, or is one already. */
export function pluralOf(name: string): string | null {
  const [, before = '', word = ''] = /^(.*-)?([^-]+)$/.exec(name) ?? [];
  const plural = pluralWord(word);
  return plural === null ? null : `${before}${plural}`;
}

function pluralWord(word: string): string | null {
  const irregular = IRREGULAR.get(word);
  if (irregular !== undefined) return irregular;
  if (UNCOUNTABLE.has(word) || isPlural(word)) return null;
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`;
  if (/is$/.test(word)) return `${word.slice(0, -2)}es`;
  if (/(s|x|z|ch|sh)$/.test(word)) return `${word}es`;
  return `${word}s`;
}

const isPlural = (word: string): boolean =>
  (/s$/.test(word) && !/(ss|us|is|as)$/.test(word)) || [...IRREGULAR.values()].includes(word);
