// Asks before a view is left that holds what would be lost. Navigation within the console goes through `guardedNavigation`;
// going back or forward is undone as soon as it has happened; what closes or reloads the page the browser asks about.
import { useCallback, useEffect, useRef, useState } from 'react';
import type { AroundNavHandler } from 'wouter';

type Leave = () => void;
interface Guard {
  /** The address of the view. */
  readonly here: () => string;
  /** Whether an address may be gone to without asking. */
  readonly isHarmless: (to: string) => boolean;
  readonly ask: (leave: Leave) => void;
}

let guard: Guard | null = null;

/** For the router: how every link and every call of `navigate` goes. */
export const guardedNavigation: AroundNavHandler = (navigate, to, options) => {
  const leave = (): void => navigate(to, options);
  if (guard && !guard.isHarmless(to)) guard.ask(leave);
  else leave();
};

/** Before the router listens to it: listeners of a window are called in the order in which they came. */
export function guardHistory(): void {
  window.addEventListener('popstate', (event) => {
    const to = window.location.pathname + window.location.search;
    if (!guard || guard.isHarmless(to)) return;
    event.stopImmediatePropagation();
    window.history.pushState(null, '', guard.here());
    guard.ask(() => window.history.back());
  });
}

export interface LeaveGuard {
  /** Whether someone is about to leave, and must say whether they mean it. */
  readonly isAsking: boolean;
  leave(): void;
  stay(): void;
  /** Ends the watch, for a view that leaves by itself. */
  release(): void;
}

/** While `isActive`, the view is only left after asking. `isHarmless` says of an address whether it is the same view. */
export function useLeaveGuard(isActive: boolean, isHarmless: (to: string) => boolean): LeaveGuard {
  const [pending, setPending] = useState<Leave | null>(null);
  const harmless = useRef(isHarmless);
  harmless.current = isHarmless;
  const release = useCallback(() => {
    guard = null;
  }, []);
  useEffect(() => {
    if (!isActive) return;
    let here = window.location.href;
    const own: Guard = {
      here: () => here,
      isHarmless: (to) => {
        const isHarmless = harmless.current(to);
        if (isHarmless) here = new URL(to, here).href;
        return isHarmless;
      },
      ask: (leave) => setPending(() => leave),
    };
    guard = own;
    const onUnload = (event: BeforeUnloadEvent): void => {
      if (guard === own) event.preventDefault();
    };
    window.addEventListener('beforeunload', onUnload);
    return () => {
      if (guard === own) release();
      window.removeEventListener('beforeunload', onUnload);
    };
  }, [isActive, release]);
  return {
    isAsking: pending !== null,
    leave: () => {
      release();
      setPending(null);
      pending?.();
    },
    stay: () => setPending(null),
    release,
  };
}
