// In whose eyes the request is read, in the URL of the page: `as=role:public`, `as=token:read-only`, nothing for oneself.
import { useEffect, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import type { AskAs } from '../../../../src/console/contract.ts';
import { ME } from './use-answer.ts';

export const asText = (as: AskAs): string | null => (as.kind === 'account' ? null : `${as.kind}:${as.type}`);

/** Whatever is no such text is oneself. */
export function readAs(text: string | null): AskAs {
  const [, kind, type] = /^(role|token):(.+)$/.exec(text ?? '') ?? [];
  if (kind === 'role') return { kind, type: type! };
  if (kind === 'token' && (type === 'read-only' || type === 'full-access')) return { kind, type };
  return ME;
}

export function useAskAs(): readonly [AskAs, (as: AskAs) => void] {
  useSearch();
  const [location, navigate] = useLocation();
  // Not decoded twice.
  const { search } = window.location;
  const given = new URLSearchParams(search).get('as');
  const [as, setAs] = useState(() => readAs(given));
  const show = (next: AskAs): void => {
    const parameters = new URLSearchParams(window.location.search);
    const text = asText(next);
    if (text === null) parameters.delete('as');
    else parameters.set('as', text);
    navigate(`${location}${parameters.size > 0 ? `?${parameters}` : ''}`, { replace: true });
  };
  useEffect(() => {
    if (given !== null) setAs(readAs(given));
    // Another request is asked for in the same eyes.
    else if (as.kind !== 'account') show(as);
  }, [search]);
  return [
    as,
    (next) => {
      setAs(next);
      show(next);
    },
  ];
}
