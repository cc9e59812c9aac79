// Short messages that say what was done, and go away.
import { type ReactNode, useSyncExternalStore } from 'react';
import { errorMessage } from '../../../src/type-guards.ts';

interface Message {
  readonly id: number;
  readonly text: string;
  readonly isBad: boolean;
}

/** How long a message stays, in milliseconds. What went wrong stays longer. */
const STAYS = { good: 4_000, bad: 10_000 };

let messages: readonly Message[] = [];
let last = 0;
const listeners = new Set<() => void>();

function show(next: readonly Message[]): void {
  messages = next;
  for (const listener of listeners) listener();
}

export function toast(text: string, isBad = false): void {
  last += 1;
  const message: Message = { id: last, text, isBad };
  show([...messages, message]);
  setTimeout(() => show(messages.filter(({ id }) => id !== message.id)), isBad ? STAYS.bad : STAYS.good);
}

export const toastError = (error: unknown): void => toast(errorMessage(error), true);

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export function Toasts(): ReactNode {
  const shown = useSyncExternalStore(subscribe, () => messages);
  return (
    <div className="toasts" role="status" aria-live="polite">
      {shown.map(({ id, text, isBad }) => (
        <div key={id} className={isBad ? 'toast toast-bad' : 'toast'}>
          {text}
        </div>
      ))}
    </div>
  );
}
