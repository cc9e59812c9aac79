import { expect, it } from 'vitest';
import { parseJson } from './parse-json.ts';

it('gives the value of JSON, and null for no text', () => {
  expect(parseJson('{"a": [1]}')).toEqual({ value: { a: [1] }, problem: null });
  expect(parseJson(' \n')).toEqual({ value: null, problem: null });
});

it.each([
  ['{"a": 1,\n "b" 2}', "Line 2, column 6: Expected ':' after property name", 14],
  ['[1, 2', "Line 1, column 6: Expected ',' or ']' after array element", 5],
  ['{\n"a": nope}', 'Line 2, column 6: Unexpected nope', 7],
  ['[1,', 'Line 1, column 4: Unexpected end of JSON input', 3],
  ['{"a": "b', 'Line 1, column 9: Unterminated string', 8],
])('says where %j is wrong', (text, message, at) => {
  expect(parseJson(text)).toEqual({ problem: { message, at } });
});
