// JSON as a person types it: its value, or what is wrong and where.
import { jsonLanguage } from '@codemirror/lang-json';
import { errorMessage } from '../../../../src/type-guards.ts';

export type ParsedJson =
  | { readonly value: unknown; readonly problem: null }
  | { readonly problem: { readonly message: string; readonly at: number } };

/** No text at all is null. */
export function parseJson(text: string): ParsedJson {
  if (text.trim() === '') return { value: null, problem: null };
  try {
    return { value: JSON.parse(text), problem: null };
  } catch (error) {
    const message = errorMessage(error);
    const told = placeOf(message, text);
    const at = told ?? firstError(text);
    const before = text.slice(0, at).split('\n');
    const where = `Line ${before.length}, column ${before.at(-1)!.length + 1}`;
    return {
      problem: { message: `${where}: ${told === null ? `Unexpected ${wordAt(text, at)}` : wordsOf(message)}`, at },
    };
  }
}

/** Browsers tell the place by its position, by line and column, or not at all: then it is null. */
function placeOf(message: string, text: string): number | null {
  const position = /at position (\d+)/.exec(message);
  if (position) return Math.min(Number(position[1]), text.length);
  const place = /line (\d+) column (\d+)/.exec(message);
  if (!place) return /\bend\b/.test(message) ? text.length : null;
  const lines = text.split('\n').slice(0, Number(place[1]) - 1);
  return Math.min(lines.join('\n').length + (lines.length > 0 ? 1 : 0) + Number(place[2]) - 1, text.length);
}

function firstError(text: string): number {
  let first = text.length;
  jsonLanguage.parser.parse(text).iterate({
    enter: ({ type, from }) => {
      if (type.isError) first = Math.min(first, from);
    },
  });
  return first;
}

const wordAt = (text: string, at: number): string => /^[\w.+-]+|^[\s\S]?/.exec(text.slice(at))![0] || 'end';

const wordsOf = (message: string): string =>
  message
    .replace(/^JSON\.parse: /, '')
    .replace(/^JSON Parse error: /, '')
    .replace(/ (?:in JSON )?at position.*$/, '')
    .replace(/ at line \d+ column \d+ of the JSON data$/, '')
    .replace(/, (?:"|\.\.\.).* is not valid JSON$/s, '');
