// What a view cannot do without: code that is loaded when it is first shown, and data. Both are states of a component and
// not suspended, since React shows what was suspended a third of a second after its placeholder at the earliest, and one
// after the other where a view needs the model and then an editor.
import { type QueryKey, useQuery } from '@tanstack/react-query';
import { type ComponentType, useEffect, useState } from 'react';

export type Load<Props> = () => Promise<{ readonly default: ComponentType<Props> }>;

const LOADED = new WeakMap<object, unknown>();

/** A component, or null while its code is loaded. What keeps it from being loaded is thrown for the ErrorBoundary. */
export function useLoaded<Props>(load: Load<Props>): ComponentType<Props> | null {
  // Once loaded, it is there when the next one is made.
  const [isLoaded, setLoaded] = useState(() => LOADED.has(load));
  const [problem, setProblem] = useState<Error | null>(null);
  useEffect(() => {
    if (isLoaded) return;
    load().then((module) => {
      LOADED.set(load, module.default);
      setLoaded(true);
    }, setProblem);
  }, [load, isLoaded]);
  if (problem) throw problem;
  return isLoaded ? (LOADED.get(load) as ComponentType<Props>) : null;
}

export interface Reading<Data> {
  readonly queryKey: QueryKey;
  readonly queryFn: () => Promise<Data>;
  readonly staleTime?: number;
}

/** Data, or undefined while it is read. What keeps it from being read at all is thrown for the ErrorBoundary. */
export const useRead = <Data>(reading: Reading<Data>): Data | undefined =>
  useQuery({ ...reading, throwOnError: (_error, { state }) => state.data === undefined }).data;
