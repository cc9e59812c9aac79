import { useEffect, useRef, useState } from 'react';
import type { ConsoleModel } from '../../../../src/console/contract.ts';
import { dropKept, type Kept, type KeptAddress, keep, readKept, withoutPasswords } from './form/kept.ts';
import type { FormState } from './form-state.ts';
import type { EntryAddress } from './load.ts';

/** How long nothing is typed before it is kept, in milliseconds. */
const QUIET = 250;

export interface KeptChanges {
  /** What an earlier visit left unsaved. */
  readonly offer: Kept | null;
  /** The offer was taken up, or is not wanted. */
  endOffer(isWanted: boolean): void;
  drop(): void;
}

interface KeptOptions {
  readonly model: ConsoleModel;
  readonly address: EntryAddress;
  /** The id of the account. */
  readonly account: number;
  readonly state: FormState;
  readonly isDirty: boolean;
}

/** Keeps the changes of a form in this browser, over a reload, until they are saved. */
export function useKept({ model, address: entry, account, state, isDirty }: KeptOptions): KeptChanges {
  const { type, documentId, locale } = entry;
  const address: KeptAddress = { account, uid: type.uid, documentId, locale };
  const [offer, setOffer] = useState(() => readKept(localStorage, address));
  const write = useRef(() => {});
  write.current = () => {
    if (!isDirty) return;
    const { loaded, updatedAt } = state;
    const values = withoutPasswords(model, type, state.values);
    keep(localStorage, address, { at: Date.now(), loaded, updatedAt, values });
  };
  const wasDirty = useRef(false);
  useEffect(() => {
    // What was changed back by hand is not offered later.
    if (!isDirty && wasDirty.current) dropKept(localStorage, address);
    wasDirty.current = isDirty;
    if (!isDirty) return;
    const timer = setTimeout(() => write.current(), QUIET);
    return () => clearTimeout(timer);
  }, [isDirty, state.values]);
  useEffect(() => {
    const onHide = (): void => write.current();
    window.addEventListener('pagehide', onHide);
    return () => {
      window.removeEventListener('pagehide', onHide);
      write.current();
    };
  }, []);
  const drop = (): void => {
    dropKept(localStorage, address);
    write.current = () => {};
  };
  return {
    offer,
    drop,
    endOffer: (isWanted) => {
      setOffer(null);
      if (!isWanted) drop();
    },
  };
}
