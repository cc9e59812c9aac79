// `fields`: a name, a list in one string, a list of names, or `*`.
import type { CallerKind, FieldName, IsUnknown, NameOf } from './attribute-names.ts';
import type { Problem } from './problem.ts';
import type { AnyRegistry, AttributesOf } from './registry.ts';
import type { IsWide, Parts } from './text-lists.ts';

/** Any other string, beside the names that are offered. */
export type OtherText = string & Readonly<Record<never, never>>;

/** Keys that are looked at one by one, so that each gets a message of its own. */
export interface OtherKeys {
  readonly [name: string]: unknown;
}

export type FieldsInput<R extends AnyRegistry, U, C extends CallerKind> =
  IsUnknown<R, U> extends true
    ? string | readonly string[]
    :
        | '*'
        | FieldName<AttributesOf<R, U>, C>
        | OtherText
        | readonly ('*' | FieldName<AttributesOf<R, U>, C> | OtherText)[];

/** What of the names is wrong, in the place where it stands. A list is looked at name by name where one is wrong. */
export type CheckFields<R extends AnyRegistry, U, C extends CallerKind, F> =
  IsUnknown<R, U> extends true
    ? unknown
    : F extends string
      ? CheckNames<AttributesOf<R, U>, U, C, F, Parts<F>>
      : F extends readonly (infer Name)[]
        ? [Exclude<Name, '*' | FieldName<AttributesOf<R, U>, C>>] extends [never]
          ? unknown
          : {
              readonly [I in keyof F]: F[I] extends string ? CheckNames<AttributesOf<R, U>, U, C, F[I], F[I]> : unknown;
            }
        : unknown;

type CheckNames<A, U, C extends CallerKind, Text, Names> =
  IsWide<Text> extends true ? unknown : FieldProblem<A, U, Exclude<Names, '*' | FieldName<A, C>>>;

type FieldProblem<A, U, Wrong> = [Wrong] extends [never]
  ? unknown
  : Wrong extends keyof A
    ? A[Wrong] extends { readonly private: true }
      ? Problem<`'${Wrong & string}' of ${NameOf<U>} is private`>
      : Problem<`'${Wrong & string}' of ${NameOf<U>} is no field; relations, components and media are populated`>
    : Problem<`'${Wrong & string}' is not a field of ${NameOf<U>}`>;

/** Names that a list of fields chooses; all of them where there is none. */
export type ChosenFields<A, C extends CallerKind, F> = [F] extends [undefined]
  ? FieldName<A, C>
  : F extends string
    ? WithAll<A, C, Parts<F>>
    : F extends readonly []
      ? FieldName<A, C>
      : F extends readonly (infer Name)[]
        ? WithAll<A, C, Name>
        : FieldName<A, C>;

type WithAll<A, C extends CallerKind, Names> = '*' extends Names
  ? FieldName<A, C>
  : (Names & FieldName<A, C>) | AlwaysShown<A>;

/** What every entry shows; a component has an id alone. */
export type AlwaysShown<A> = keyof A & ('id' | 'documentId');

/** Whether the names are known when the program runs, and no sooner. */
export type IsWideFields<F> = F extends string
  ? IsWide<F>
  : F extends readonly (infer Name)[]
    ? [Name] extends [never]
      ? false
      : IsWide<Name>
    : false;
