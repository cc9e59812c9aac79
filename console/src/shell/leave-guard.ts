// Asks before a view is left that holds what would be lost. Navigation within the console goes through `guardedNavigation`;
// going back is stopped once it has happened; what closes or reloads the page is asked about by the browser itself.
import { useCallback, useEffect, useRef, useState } from 'react';
import type { AroundNavHandler } from 'wouter';

type Leave = () => void;
interface Guard {
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
    const own: Guard = { isHarmless: (to) => harmless.current(to), ask: (leave) => setPending(() => leave) };
    guard = own;
    const here = window.location.href;
    const onUnload = (event: BeforeUnloadEvent): void => {
      if (guard === own) event.preventDefault();
    };
    const onBack = (event: PopStateEvent): void => {
      const to = window.location.pathname + window.location.search;
      if (guard !== own || harmless.current(to)) return;
      event.stopImmediatePropagation();
      window.history.pushState(null, '', here);
      setPending(() => () => window.history.back());
    };
    window.addEventListener('beforeunload', onUnload);
    window.addEventListener('popstate', onBack, { capture: true });
    return () => {
      if (guard === own) release();
      window.removeEventListener('beforeunload', onUnload);
      window.removeEventListener('popstate', onBack, { capture: true });
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
