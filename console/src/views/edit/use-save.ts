// What can be done with the entry of a form: saved, published and taken back, copied and deleted.
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { errorMessage } from '../../../../src/type-guards.ts';
import { type Answer, api, request } from '../../shell/api.ts';
import type { Entry } from '../../shell/model.ts';
import { entryPath, typePath } from '../../shell/paths.ts';
import { toast } from '../../ui/toast.tsx';
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

/** What keeps from saving or publishing, before the server is asked. */
function hindrances(
  { address: { type }, isStored, reader: { model, rights }, unreadable }: SaveOptions,
  { loaded, values }: FormState,
  isForPublishing: boolean,
): readonly Problem[] {
  const sent = isStored ? changesOf(model, type, loaded, values) : values;
  const found = checkForm(model, type, values, (attribute) => !rights.isWritable(attribute)).filter((finding) =>
    hinders(finding, isForPublishing, type.draftAndPublish, sent),
  );
  return [...unreadable.values(), ...found];
}

/** The entry as someone else stored it since the form was loaded; null where nobody did. */
async function readTheirs(
  { address, isStored, reader }: SaveOptions,
  { updatedAt }: FormState,
): Promise<Loaded | null> {
  if (!isStored || (await readUpdatedAt(address)) === updatedAt) return null;
  const stored = await readForm(reader, address);
  if (!stored) throw new Error('This entry was deleted in the meantime.');
  return stored;
}

/** Sends what changed. The id of the document, which a new one has from now on. */
async function storeChanges(
  { address, isStored, reader, onSaved }: SaveOptions,
  { loaded, values }: FormState,
): Promise<string | null> {
  const data = changesOf(reader.model, address.type, loaded, values);
  if (isStored && Object.keys(data).length === 0) return address.documentId;
  const { method, path, body } = writeRequest(address.type, address, data);
  const { body: answer }: Answer<{ data: Entry }> = await request(method, path, body);
  onSaved();
  return answer.data.documentId;
}

type Busy = (work: () => Promise<void>) => Promise<void>;

/** Whether something is under way, and what does it and says what went wrong. */
function useBusy(dispatch: SaveOptions['dispatch']): readonly [boolean, Busy] {
  const [isBusy, setBusy] = useState(false);
  const busy: Busy = async (work) => {
    setBusy(true);
    try {
      await work();
    } catch (error) {
      const problems = problemsOf(error);
      if (problems.length > 0) dispatch({ is: 'problems', problems, message: errorMessage(error) });
      else toast(inWords(error), true);
    } finally {
      setBusy(false);
    }
  };
  return [isBusy, busy];
}

/** What is shown once the server has done something. */
interface Shown {
  /** The entry as it is stored now, in place of what the form holds. */
  reload(): Promise<void>;
  /** As `reload`; a new entry has an address of its own. */
  show(id: string | null): Promise<void>;
  /** Another page, with lists that are read anew. */
  goTo(path: string, options?: { readonly replace: boolean }): Promise<void>;
}

function useShown({ address, reader, state, dispatch, reopen }: SaveOptions): Shown {
  const { type, documentId, locale } = address;
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const forgetLists = async (): Promise<void> => {
    await client.invalidateQueries({ predicate: ({ queryKey: [first] }) => first !== 'entry' && first !== 'session' });
  };
  const reload = async (): Promise<void> => {
    const fresh = await reopen();
    if (fresh) {
      const values = withKeysOf(reader.model, type, fresh.values, state.values);
      dispatch({ is: 'load', loaded: values, updatedAt: fresh.updatedAt, values });
    }
    await forgetLists();
  };
  const goTo: Shown['goTo'] = async (path, options) => {
    await forgetLists();
    navigate(path, options);
  };
  return {
    reload,
    goTo,
    show: (id) =>
      id === null || documentId !== null || type.kind === 'singleType'
        ? reload()
        : goTo(entryPath(type, id, locale), { replace: true }),
  };
}

const localeQuery = (locale: string | null): string => (locale === null ? '' : `?locale=${encodeURIComponent(locale)}`);

/** What is done with a stored entry as a whole. */
function entryActions(
  { address: { type, documentId, locale }, onSaved }: SaveOptions,
  busy: Busy,
  { reload, goTo }: Shown,
): Pick<Saving, 'act' | 'duplicate' | 'remove'> {
  const url = `rest/${entryUrl(type, documentId)}`;
  return {
    act: (action) =>
      busy(async () => {
        await request('POST', `${url}/actions/${action}${localeQuery(locale)}`);
        if (action === 'discardDraft') onSaved();
        await reload();
        toast(action === 'unpublish' ? 'Not published any more' : 'The draft is as it is published');
      }),
    duplicate: () =>
      busy(async () => {
        const query = type.localized ? '?locale=*' : '';
        const { body } = await request<{ data: Entry }>('POST', `${url}/actions/clone${query}`);
        await goTo(entryPath(type, body.data.documentId, locale));
        toast('This is the copy');
      }),
    remove: (which) =>
      busy(async () => {
        await api.delete(`${url}${localeQuery(which)}`);
        onSaved();
        await goTo(type.kind === 'singleType' ? '/content' : typePath(type));
        toast('Deleted');
      }),
  };
}

export function useSaving(options: SaveOptions): Saving {
  const { address, state, dispatch, onSaved } = options;
  const { type, locale } = address;
  const [isBusy, busy] = useBusy(dispatch);
  const shown = useShown(options);
  const [theirs, setTheirs] = useState<Loaded | null>(null);

  /** Stores it, unless something keeps from that; then `next` goes on with the id of its document. */
  const store = (
    current: FormState,
    isForPublishing: boolean,
    next: (id: string | null) => Promise<void>,
  ): Promise<void> =>
    busy(async () => {
      const problems = hindrances(options, current, isForPublishing);
      if (problems.length > 0) return dispatch({ is: 'problems', problems, message: null });
      const found = await readTheirs(options, current);
      if (found) return setTheirs(found);
      await next(await storeChanges(options, current));
    });

  const save = (current: FormState): Promise<void> =>
    store(current, false, async (id) => {
      await shown.show(id);
      toast(type.draftAndPublish ? 'Draft saved' : 'Saved');
    });

  const publish = (): Promise<void> =>
    store(state, true, async (id) => {
      try {
        await request('POST', `rest/${entryUrl(type, id)}/actions/publish${localeQuery(locale)}`);
        toast('Published');
      } finally {
        // The draft is stored, published or not.
        await shown.show(id);
      }
    });

  return {
    isBusy,
    theirs,
    save: () => save(state),
    publish,
    ...entryActions(options, busy, shown),
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
