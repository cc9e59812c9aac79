// The words of a command line, as a shell of Unix takes them apart.

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '\\': '\\', "'": "'", '"': '"' };

/** Words with quotes and backslashes taken off. A line that ends in a backslash goes on in the next. */
export function shellWords(line: string): string[] {
  const words: string[] = [];
  let word: string | null = null;
  const add = (text: string): void => {
    word = (word ?? '') + text;
  };
  for (let i = 0; i < line.length; i++) {
    const letter = line[i]!;
    if (/\s/.test(letter)) {
      if (word !== null) words.push(word);
      word = null;
    } else if (letter === "'" || letter === '"' || (letter === '$' && line[i + 1] === "'")) {
      const kind = letter === '$' ? '$' : letter;
      const { text, end } = quoted(line, letter === '$' ? i + 2 : i + 1, kind);
      add(text);
      i = end;
    } else if (letter === '\\') {
      i++;
      const next = line[i] === '\r' && line[i + 1] === '\n' ? line[++i] : line[i];
      if (next !== undefined && next !== '\n') add(next);
    } else add(letter);
  }
  if (word !== null) words.push(word);
  return words;
}

/** What stands in quotes from `start` on, and where it ends. `$` is the kind of `$'…'`. */
function quoted(line: string, start: number, kind: string): { text: string; end: number } {
  const mark = kind === '"' ? '"' : "'";
  let text = '';
  for (let i = start; i < line.length; i++) {
    const letter = line[i]!;
    if (letter === mark) return { text, end: i };
    if (letter !== '\\' || kind === "'") text += letter;
    else {
      i++;
      const next = line[i] ?? '';
      if (kind === '$') text += ESCAPES[next] ?? `\\${next}`;
      else if (next !== '\n') text += '"\\$`'.includes(next) ? next : `\\${next}`;
    }
  }
  throw new SyntaxError(`A quote ${mark} is not closed`);
}

/** A word as a shell takes it for itself. */
export const shellQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
