// Strings that hold lists and paths, read as the server reads them.

type Blank = ' ' | '\n' | '\t';
export type Trim<T extends string> = T extends `${Blank}${infer Rest}`
  ? Trim<Rest>
  : T extends `${infer Rest}${Blank}`
    ? Trim<Rest>
    : T;

/** The parts of a list in one string, as a union: `'name, stars'` is `'name' | 'stars'`. */
export type Parts<T extends string> = T extends `${infer First},${infer Rest}` ? Trim<First> | Parts<Rest> : Trim<T>;

/** Whether a string is known by its type alone. */
export type IsWide<T> = string extends T ? true : false;
