// What can be done with the entry of a form: saved, published and taken back, copied and deleted.
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { type Answer, api, request } from '../../shell/api.ts';
import type { Entry } from '../../shell/model.ts';
import { entryPath, typePath } from '../../shell/paths.ts';
import { toast, toastError } from '../../ui/toast.tsx';
import { changesOf } from './form/changes.ts';
import { checkForm, type Finding, type Problem } from './form/checks.ts';
import { entryUrl, writeRequest } from './form/query.ts';
import { type FormValues, withKeysOf } from './form/values.ts';
import type { FormAction, FormState } from './form-state.ts';
import { type EntryAddress, type Loaded, type Reader, readForm, readUpdatedAt } from './load.ts';
import { inWords, problemsOf } from './problems.ts';

interface SaveOptions {
  readonly address: EntryAddress;
  /** Whether the entry is stored in this locale. */
  readonly isStored: boolean;
  readonly reader: Reader;
  readonly state: FormState;
  readonly dispatch: (action: FormAction) => void;
  /** What is typed and is no value: it would be lost. */
  readonly unreadable: ReadonlyMap<string, Problem>;
  /** Reads the entry anew; null where it is gone. */
  readonly reopen: () => Promise<Loaded | null>;
  /** Nothing is unsaved any more, and the view may be left. */
  readonly onSaved: () => void;
}

export interface Saving {
  readonly isBusy: boolean;
  /** What someone else stored since the form was loaded. */
  readonly theirs: Loaded | null;
  save(): Promise<void>;
  publish(): Promise<void>;
  act(action: 'unpublish' | 'discardDraft'): Promise<void>;
  duplicate(): Promise<void>;
  remove(locale: string | null): Promise<void>;
  /** Goes on with values that were made of both, against what is stored now. */
  resolve(values: FormValues): Promise<void>;
  takeTheirs(): void;
  closeConflict(): void;
}

/** Which of what was found keeps from saving: in entries with drafts, only what is refused in a draft as well. */
function hinders(finding: Finding, isForPublishing: boolean, hasDrafts: boolean, sent: FormValues): boolean {
  if (isForPublishing) return true;
  return (finding.onDraft || !hasDrafts) && Object.hasOwn(sent, finding.path[0]!);
}

export function useSaving(options: SaveOptions): Saving {
  const { address, isStored, reader, state, dispatch, unreadable, reopen, onSaved } = options;
  const { type, documentId, locale } = address;
  const { model, rights } = reader;
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const [isBusy, setBusy] = useState(false);
  const [theirs, setTheirs] = useState<Loaded | null>(null);
  const localeQuery = locale === null ? '' : `?locale=${encodeURIComponent(locale)}`;

  const busy = async (work: () => Promise<void>): Promise<void> => {
    setBusy(true);
    try {
      await work();
    } catch (error) {
      const problems = problemsOf(error as Error);
      if (problems.length > 0) dispatch({ is: 'problems', problems, message: (error as Error).message });
      else toastError(inWords(error as Error));
    } finally {
      setBusy(false);
    }
  };

  const forgetLists = async (): Promise<void> => {
    await client.invalidateQueries({ predicate: ({ queryKey: [first] }) => first !== 'entry' && first !== 'session' });
  };

  /** The entry as it is stored now, in place of what the form holds. */
  const reload = async (): Promise<void> => {
    const fresh = await reopen();
    if (fresh) {
      const values = withKeysOf(model, type, fresh.values, state.values);
      dispatch({ is: 'load', loaded: values, updatedAt: fresh.updatedAt, values });
    }
    await forgetLists();
  };

  const isRefusedHere = (current: Pick<FormState, 'loaded' | 'values'>, isForPublishing: boolean): boolean => {
    const sent = isStored ? changesOf(model, type, current.loaded, current.values) : current.values;
    const found = checkForm(model, type, current.values, (attribute) => !rights.isWritable(attribute)).filter(
      (finding) => hinders(finding, isForPublishing, type.draftAndPublish, sent),
    );
    const problems = [...unreadable.values(), ...found];
    if (problems.length > 0) dispatch({ is: 'problems', problems, message: null });
    return problems.length > 0;
  };

  /** Whether it is stored now. The id of its document, if it is a new one. */
  const store = async (current: FormState): Promise<string | null | false> => {
    if (isStored && (await readUpdatedAt(address)) !== current.updatedAt) {
      const stored = await readForm(reader, address);
      if (!stored) throw new Error('This entry was deleted in the meantime.');
      setTheirs(stored);
      return false;
    }
    const data = changesOf(model, type, current.loaded, current.values);
    if (isStored && Object.keys(data).length === 0) return documentId;
    const { method, path, body } = writeRequest(type, address, data);
    const { body: answer }: Answer<{ data: Entry }> = await request(method, path, body);
    onSaved();
    return answer.data.documentId;
  };

  /** Shows what is stored now; a new entry has an address of its own. */
  const show = async (id: string | null): Promise<void> => {
    if (id === null || documentId !== null || type.kind === 'singleType') return reload();
    await forgetLists();
    navigate(entryPath(type, id, locale), { replace: true });
  };

  const save = (current: FormState = state): Promise<void> =>
    busy(async () => {
      if (isRefusedHere(current, false)) return;
      const id = await store(current);
      if (id === false) return;
      await show(id);
      toast(type.draftAndPublish ? 'Draft saved' : 'Saved');
    });

  const publish = (): Promise<void> =>
    busy(async () => {
      if (isRefusedHere(state, true)) return;
      const id = await store(state);
      if (id === false) return;
      try {
        await request('POST', `rest/${entryUrl(type, id)}/actions/publish${localeQuery}`);
        toast('Published');
      } finally {
        // The draft is stored, published or not.
        await show(id);
      }
    });

  return {
    isBusy,
    theirs,
    save: () => save(),
    publish,
    act: (action) =>
      busy(async () => {
        await request('POST', `rest/${entryUrl(type, documentId)}/actions/${action}${localeQuery}`);
        if (action === 'discardDraft') onSaved();
        await reload();
        toast(action === 'unpublish' ? 'Not published any more' : 'The draft is as it is published');
      }),
    duplicate: () =>
      busy(async () => {
        const query = type.localized ? '?locale=*' : '';
        const path = `rest/${entryUrl(type, documentId)}/actions/clone${query}`;
        const { body } = await request<{ data: Entry }>('POST', path);
        await forgetLists();
        navigate(entryPath(type, body.data.documentId, locale));
        toast('This is the copy');
      }),
    remove: (which) =>
      busy(async () => {
        await api.delete(
          `rest/${entryUrl(type, documentId)}${which === null ? '' : `?locale=${encodeURIComponent(which)}`}`,
        );
        onSaved();
        await forgetLists();
        navigate(type.kind === 'singleType' ? '/content' : typePath(type));
        toast('Deleted');
      }),
    resolve: (values) => {
      const stored = theirs!;
      const next = { ...state, loaded: stored.values, updatedAt: stored.updatedAt, values };
      dispatch({ is: 'load', loaded: stored.values, updatedAt: stored.updatedAt, values });
      setTheirs(null);
      return save(next);
    },
    takeTheirs: () => {
      const stored = theirs!;
      dispatch({ is: 'load', loaded: stored.values, updatedAt: stored.updatedAt, values: stored.values });
      onSaved();
      setTheirs(null);
    },
    closeConflict: () => setTheirs(null),
  };
}
