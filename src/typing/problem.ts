// How a mistake is told: where the compiler's own words would be a wall of types, an argument is required to have a type
// that nothing has, and whose name is the message.

declare const problem: unique symbol;

/** A message to who reads the compiler's output. No value has this type. */
export interface Problem<Message extends string> {
  readonly [problem]: Message;
}

declare const expected: unique symbol;

/** What the keys of an object are, in words for a message. */
export interface Described<Words extends string> {
  readonly [expected]?: Words;
}

type WordsOf<Shape> = Shape extends { readonly [expected]?: infer Words extends string } ? Words : 'expected here';

type Plain = string | number | bigint | boolean | symbol | null | undefined | Date;

/** The members of a union that are objects, but no lists. */
type Objects<T> = T extends Plain | readonly unknown[] ? never : T;
type Items<T> = T extends readonly (infer Item)[] ? Item : never;
type KeysOf<T> = T extends unknown ? keyof T : never;
type At<T, K> = T extends unknown
  ? K extends keyof T
    ? T[K]
    : string extends keyof T
      ? T[keyof T & string]
      : never
  : never;

/**
 * The value itself, with a problem in the place of every key that the shape does not have. The compiler finds such keys
 * in an object that is written in the call, but not in one whose type it infers.
 */
export type Exact<T, Shape> = T extends Plain
  ? unknown
  : T extends readonly (infer Item)[]
    ? readonly Exact<Item, Items<Shape>>[]
    : {
        readonly [K in keyof T]: K extends KeysOf<Objects<Shape>>
          ? Exact<T[K], At<Objects<Shape>, K>>
          : Problem<`'${K & string}' is not ${WordsOf<Objects<Shape>>}`>;
      };
