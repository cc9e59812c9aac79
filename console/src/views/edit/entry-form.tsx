// The form of an entry that has been read, with everything around it.
import { type ReactNode, useCallback, useEffect, useId, useMemo, useReducer, useRef, useState } from 'react';
import { useRouter } from 'wouter';
import { type LeaveGuard, useLeaveGuard } from '../../shell/leave-guard.ts';
import { titleOf } from '../../shell/model.ts';
import { entryPath, newEntryPath } from '../../shell/paths.ts';
import { useSession } from '../../shell/session.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Notice } from '../../ui/notice.tsx';
import { FormContext, type FormContextValue, pathText } from './context.ts';
import { changesOf } from './form/changes.ts';
import type { Problem } from './form/checks.ts';
import type { Kept } from './form/kept.ts';
import { writeRequest } from './form/query.ts';
import { asRelation } from './form/values.ts';
import { type FormAction, type FormState, initialState, reduceForm } from './form-state.ts';
import type { Opened } from './index.tsx';
import type { EntryAddress, Loaded, Reader } from './load.ts';
import { CompareDialog } from './panels/compare-dialog.tsx';
import { ConflictDialog } from './panels/conflict-dialog.tsx';
import { EntryHeader } from './panels/entry-header.tsx';
import { FormRows } from './panels/form-rows.tsx';
import { LocaleBar } from './panels/locale-bar.tsx';
import { ProblemSummary } from './panels/problem-summary.tsx';
import { SentPanel } from './panels/sent-panel.tsx';
import { maySave } from './rights.ts';
import { useKept } from './use-kept.ts';
import { useSaving } from './use-save.ts';

interface EntryFormProps {
  readonly address: EntryAddress;
  readonly reader: Reader;
  readonly opened: Opened;
  readonly reopen: () => Promise<Loaded | null>;
  readonly beside: string | null;
}

/** The state of the form, and what is done with it. */
function useEditing({ address, reader, opened, reopen }: EntryFormProps) {
  const { type } = address;
  const { model, rights } = reader;
  const { account } = useSession();
  const isStored = opened.loaded !== null;
  const [state, dispatch] = useReducer(reduceForm, null, () =>
    initialState(opened.values, opened.loaded?.updatedAt ?? null),
  );
  const body = useMemo(
    () => changesOf(model, type, state.loaded, state.values),
    [model, type, state.loaded, state.values],
  );
  const isChanged = Object.keys(body).length > 0;
  const [unreadable, setUnreadable] = useState<ReadonlyMap<string, Problem>>(new Map());
  const isDirty = isChanged || unreadable.size > 0;
  const guard = useGuard(address, isDirty);
  const kept = useKept({ model, address, account: account.id, state, isDirty: isChanged });
  const onSaved = (): void => {
    kept.drop();
    guard.release();
  };
  const restore = ({ loaded, updatedAt, values }: Kept): void => {
    dispatch({ is: 'load', loaded, updatedAt, values });
    kept.endOffer(true);
  };
  const isSavable = maySave(rights, isStored, address.documentId === null && type.kind === 'collectionType');
  const saving = useSaving({ address, isStored, reader, state, dispatch, reopen, onSaved, unreadable });
  useSaveKey(isSavable && isDirty && !saving.isBusy ? saving.save : null);
  const form = useFormContext({ address, reader, state, dispatch, setUnreadable });
  /** What is sent; null where nothing is. */
  const request = isChanged || !isStored ? writeRequest(type, address, body) : null;
  return { state, dispatch, form, request, isStored, isSavable, isDirty, unreadable, guard, kept, restore, saving };
}

export function EntryForm(props: EntryFormProps): ReactNode {
  const { address, reader, opened, beside } = props;
  const { type, locale } = address;
  const { model, rights } = reader;
  const [isComparing, setComparing] = useState(false);
  const editing = useEditing(props);
  const { state, dispatch, form, isStored, isSavable, kept, saving } = editing;
  const title = titleOf(type, state.values) || (isStored ? type.displayName : `New ${type.displayName}`);
  return (
    <FormContext value={form}>
      <div className="edit">
        <EntryHeader
          address={address}
          rights={rights}
          title={title}
          publication={opened.versions.get(locale ?? '') ?? null}
          isStored={isStored}
          maySave={isSavable}
          isDirty={editing.isDirty}
          saving={saving}
          onCompare={() => setComparing(true)}
        />
        {opened.loaded && <LastChange {...opened.loaded} />}
        {locale !== null && (
          <LocaleBar
            address={address}
            reader={reader}
            versions={opened.versions}
            beside={beside}
            values={state.values}
            onFill={(values) => dispatch({ is: 'fill', values })}
          />
        )}
        {kept.offer && <KeptOffer kept={kept.offer} onRestore={editing.restore} onDrop={() => kept.endOffer(false)} />}
        <ProblemSummary problems={state.problems} message={state.message} idPrefix={form.idPrefix} />
        <FormRows
          address={address}
          reader={reader}
          state={state}
          dispatch={dispatch}
          isStored={isStored}
          isSavable={isSavable}
          beside={beside}
        />
        <SentPanel model={model} request={editing.request} />
      </div>
      {isComparing && <CompareDialog address={address} reader={reader} onClose={() => setComparing(false)} />}
      {saving.theirs && (
        <ConflictDialog
          model={model}
          type={type}
          versions={{ loaded: state.loaded, mine: state.values, theirs: saving.theirs.values }}
          stored={saving.theirs}
          saving={saving}
        />
      )}
      <LeaveDialog guard={editing.guard} isAnythingLost={editing.unreadable.size > 0} />
    </FormContext>
  );
}

/** Ctrl+S, or its like on a Mac, saves. */
function useSaveKey(save: (() => void) | null): void {
  const latest = useRef(save);
  latest.current = save;
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== 's' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      latest.current?.();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
}

/** The same entry in the same locale, whatever is shown beside it, is not left. */
function useGuard({ type, documentId, locale }: EntryAddress, isDirty: boolean) {
  const { base } = useRouter();
  return useLeaveGuard(isDirty, (to) => {
    const here =
      documentId === null && type.kind === 'collectionType' ? newEntryPath(type) : entryPath(type, documentId ?? '');
    const url = new URL(to, window.location.href);
    const other = url.searchParams.get('locale');
    const isSameLocale = other === new URLSearchParams(window.location.search).get('locale') || other === locale;
    return url.pathname === `${base}${here}` && isSameLocale;
  });
}

interface FormContextOptions {
  readonly address: EntryAddress;
  readonly reader: Reader;
  readonly state: FormState;
  readonly dispatch: (action: FormAction) => void;
  readonly setUnreadable: (change: (before: ReadonlyMap<string, Problem>) => ReadonlyMap<string, Problem>) => void;
}

function useFormContext({ address, reader, state, dispatch, setUnreadable }: FormContextOptions): FormContextValue {
  const { type, documentId, locale } = address;
  const idPrefix = `${useId()}-`;
  const onPage = useCallback<FormContextValue['onPage']>(
    (name, page, total) => dispatch({ is: 'page', name, page, total }),
    [dispatch],
  );
  const onUnreadable = useCallback<FormContextValue['onUnreadable']>(
    (path, message) =>
      setUnreadable((before) => {
        const others = [...before].filter(([place]) => place !== pathText(path));
        return new Map(message === null ? others : [...others, [pathText(path), { path, message }]]);
      }),
    [setUnreadable],
  );
  const { loaded, problems, isChecked } = state;
  return {
    model: reader.model,
    type,
    documentId,
    locale,
    problems,
    isChecked,
    readCount: (name) => asRelation(loaded[name]).head.length,
    onPage,
    onUnreadable,
    idPrefix,
  };
}

const LastChange = ({ updatedAt, updatedBy }: Pick<Loaded, 'updatedAt' | 'updatedBy'>): ReactNode =>
  updatedAt && (
    <p className="soft edit-changed">
      Changed <time dateTime={updatedAt}>{new Date(updatedAt).toLocaleString()}</time>
      {updatedBy && `, in the console last by ${updatedBy}`}
    </p>
  );

interface KeptOfferProps {
  readonly kept: Kept;
  readonly onRestore: (kept: Kept) => void;
  readonly onDrop: () => void;
}

const KeptOffer = ({ kept, onRestore, onDrop }: KeptOfferProps): ReactNode => (
  <Notice tone="warn">
    <p>You left changes unsaved here on {new Date(kept.at).toLocaleString()}.</p>
    <div className="row">
      <Button small onClick={() => onRestore(kept)}>
        Restore them
      </Button>
      <Button small kind="plain" onClick={onDrop}>
        Drop them
      </Button>
    </div>
  </Notice>
);

interface LeaveDialogProps {
  readonly guard: LeaveGuard;
  /** Whether something was typed that is no value, and so cannot be kept. */
  readonly isAnythingLost: boolean;
}

const LeaveDialog = ({ guard, isAnythingLost }: LeaveDialogProps): ReactNode => (
  <Dialog
    title="Leave without saving?"
    isOpen={guard.isAsking}
    onClose={guard.stay}
    actions={
      <Button kind="primary" onClick={guard.leave}>
        Leave
      </Button>
    }
  >
    <p>Your changes are not saved. They stay in this browser, and are offered when you come back.</p>
    {isAnythingLost && <p>What is not valid JSON is lost.</p>}
  </Dialog>
);
