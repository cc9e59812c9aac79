// What every field of a form knows, however deep it stands.
import { createContext, useContext } from 'react';
import type { ConsoleModel, ConsoleType } from '../../../../src/console/contract.ts';
import type { Problem } from './form/checks.ts';
import type { Related } from './form/values.ts';

export interface FormContextValue {
  readonly model: ConsoleModel;
  readonly type: ConsoleType;
  readonly documentId: string | null;
  /** Null where the type has no locales. */
  readonly locale: string | null;
  /** What the server said of the last request, by the place that it is about. */
  readonly problems: readonly Problem[];
  /** Whether all that is wrong is shown, and not only where something was changed. */
  readonly isChecked: boolean;
  /** How many entries of a relation of the entry itself have been read of those that are stored. */
  readonly readCount: (attribute: string) => number;
  /** More of them were read. */
  readonly onPage: (attribute: string, page: readonly Related[], total: number) => void;
  /** What is typed at a place is no value, and why; null: it is one again. */
  readonly onUnreadable: (path: readonly string[], message: string | null) => void;
  /** Unlike those of another form on the same page. */
  readonly idPrefix: string;
}

export const FormContext = createContext<FormContextValue | null>(null);

export function useForm(): FormContextValue {
  const form = useContext(FormContext);
  if (!form) throw new Error('a field stands outside a form');
  return form;
}

export const pathText = (path: readonly (string | number)[]): string => path.join('.');

/** The id of what shows the value at a path. */
export const fieldId = (prefix: string, path: readonly (string | number)[]): string => `${prefix}${pathText(path)}`;

/** What the server said about one place. */
export const problemAt = (problems: readonly Problem[], path: readonly string[]): string | null =>
  problems.find((problem) => pathText(problem.path) === pathText(path))?.message ?? null;

/** The first thing that it said about a place, or about something in it. */
export const problemWithin = (problems: readonly Problem[], path: readonly string[]): string | null =>
  problems.find((problem) => `${pathText(problem.path)}.`.startsWith(`${pathText(path)}.`))?.message ?? null;

export const hasProblemWithin = (problems: readonly Problem[], path: readonly string[]): boolean =>
  problemWithin(problems, path) !== null;
