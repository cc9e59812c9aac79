// The request that is built, and its place in the URL of the page.
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import type { ConsoleModel } from '../../../../src/console/contract.ts';
import { errorMessage } from '../../../../src/type-guards.ts';
import { emptyDraft, type ReadDraft } from '../../query/draft.ts';
import { urlOf } from '../../query/draft-text.ts';
import { readRequest } from '../../query/request-text.ts';
import { findPath } from '../../shell/paths.ts';

/** How long a person pauses before what was changed is asked for, in milliseconds. */
const PAUSE = 300;

interface Built {
  readonly draft: ReadDraft;
  /** What was left out of a paste, in words. */
  readonly notes: readonly string[];
}

export interface FindState extends Built {
  /** The path of the API with its query. */
  readonly url: string;
  /** The same, once nothing has changed for a moment. */
  readonly settledUrl: string;
  readonly change: (draft: ReadDraft) => void;
  /** Takes over what was pasted; throws in words where it cannot be read. */
  readonly paste: (text: string) => void;
}

function firstDraft(model: ConsoleModel): ReadDraft {
  const type = model.types.find(({ source, kind }) => source === 'own' && kind === 'collectionType') ?? model.types[0];
  return emptyDraft(type?.path ?? '');
}

function read(text: string | null, model: ConsoleModel): Built {
  if (text === null) return { draft: firstDraft(model), notes: [] };
  try {
    return readRequest(text, model);
  } catch (error) {
    return {
      draft: firstDraft(model),
      notes: [`The request in the address cannot be read: ${errorMessage(error)}`],
    };
  }
}

/** What the address says, which is not decoded twice. */
const givenUrl = (): string | null => new URLSearchParams(window.location.search).get('url');

export function useFind(model: ConsoleModel): FindState {
  useSearch();
  const [, navigate] = useLocation();
  const given = givenUrl();
  const [built, setBuilt] = useState(() => read(given, model));
  const told = useRef(given);
  const url = urlOf(built.draft, model.prefix);
  const [settledUrl, setSettled] = useState(url);
  const tell = useEffectEvent((next: string) => {
    setSettled(next);
    if (told.current === next) return;
    told.current = next;
    navigate(findPath(next), { replace: true });
  });
  const follow = useEffectEvent((next: string | null) => {
    if (told.current === next) return;
    told.current = next;
    setBuilt(read(next, model));
  });
  useEffect(() => follow(given), [given]);
  useEffect(() => {
    const timer = setTimeout(() => tell(url), PAUSE);
    return () => clearTimeout(timer);
  }, [url]);
  return {
    ...built,
    url,
    settledUrl,
    change: (draft) => setBuilt({ draft, notes: draft.type === built.draft.type ? built.notes : [] }),
    paste: (text) => {
      const next = readRequest(text, model);
      // A step of its own, so that the browser can go back to what was there before.
      told.current = urlOf(next.draft, model.prefix);
      navigate(findPath(told.current));
      setBuilt(next);
    },
  };
}
