// The state of a form: what was loaded, what it holds now, and what the server said.
import type { Problem } from './form/checks.ts';
import { withPage } from './form/relations.ts';
import { asRelation, type FormValues, type Related } from './form/values.ts';

export interface FormState {
  /** As it was loaded: what is sent is what differs from it. */
  readonly loaded: FormValues;
  /** When the stored entry was last changed; null for one that is not stored. */
  readonly updatedAt: string | null;
  readonly values: FormValues;
  readonly problems: readonly Problem[];
  /** What the server said of the whole. */
  readonly message: string | null;
  readonly isChecked: boolean;
}

export type FormAction =
  | { readonly is: 'change'; readonly name: string; readonly value: unknown }
  | { readonly is: 'fill'; readonly values: FormValues }
  | { readonly is: 'load'; readonly loaded: FormValues; readonly updatedAt: string | null; readonly values: FormValues }
  | { readonly is: 'page'; readonly name: string; readonly page: readonly Related[]; readonly total: number }
  | { readonly is: 'problems'; readonly problems: readonly Problem[]; readonly message: string | null };

export const initialState = (loaded: FormValues, updatedAt: string | null): FormState => ({
  loaded,
  updatedAt,
  values: loaded,
  problems: [],
  message: null,
  isChecked: false,
});

export function reduceForm(state: FormState, action: FormAction): FormState {
  switch (action.is) {
    case 'change':
      return {
        ...state,
        values: { ...state.values, [action.name]: action.value },
        // What was said of a value that is another now is not said any more.
        problems: state.problems.filter(({ path }) => path[0] !== action.name),
      };
    case 'fill':
      return { ...state, values: action.values, problems: [], message: null };
    case 'load':
      return { ...initialState(action.loaded, action.updatedAt), values: action.values };
    case 'page':
      return withRelationPage(state, action);
    case 'problems':
      return { ...state, problems: action.problems, message: action.message, isChecked: true };
  }
}

function withRelationPage(state: FormState, { name, page, total }: Extract<FormAction, { is: 'page' }>): FormState {
  const stored = asRelation(state.loaded[name]);
  const added = (values: FormValues): FormValues => ({
    ...values,
    [name]: withPage(asRelation(values[name]), page, total, stored.head.length),
  });
  return { ...state, loaded: added(state.loaded), values: added(state.values) };
}
