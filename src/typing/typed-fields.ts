// `fields`: a name, a list in one string, a list of names, or `*`.
import type { CallerKind, DefaultField, FieldName, IsUnknown, NameOf } from './attribute-names.ts';
import type { Problem } from './problem.ts';
import type { AnyRegistry, AttributesOf } from './registry.ts';
import type { IsWide, Parts } from './text-lists.ts';

/** Any other string, beside the names that are offered. */
export type OtherText = string & Readonly<Record<never, never>>;

export type FieldsInput<R extends AnyRegistry, U, C extends CallerKind> =
  IsUnknown<R, U> extends true
    ? string | readonly string[]
    : '*' | FieldName<AttributesOf<R, U>, C> | OtherText | readonly ('*' | FieldName<AttributesOf<R, U>, C>)[];

/** The names of a list are checked by its type; those in a string here. */
export type CheckFields<R extends AnyRegistry, U, C extends CallerKind, F> = F extends string
  ? IsUnknown<R, U> extends true
    ? unknown
    : FieldProblem<Exclude<Parts<F>, '*' | FieldName<AttributesOf<R, U>, C>>, U, IsWide<F>>
  : unknown;

type FieldProblem<Wrong, U, Wide> = Wide extends true
  ? unknown
  : [Wrong] extends [never]
    ? unknown
    : Problem<`"${Wrong & string}" is not a field of ${NameOf<U>}`>;

/** Names that a list of fields chooses; all of them where there is none. */
export type ChosenFields<A, F> = [F] extends [undefined]
  ? DefaultField<A>
  : F extends string
    ? WithAll<A, Parts<F>>
    : F extends readonly []
      ? DefaultField<A>
      : F extends readonly (infer Name)[]
        ? WithAll<A, Name>
        : DefaultField<A>;

type WithAll<A, Names> = '*' extends Names ? DefaultField<A> | Exclude<Names, '*'> : Names | AlwaysShown<A>;

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
