// The locales of an entry: which there are, one to edit, one to look at beside it, one to copy from.
import { type ReactNode, useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { entryPath, newEntryPath } from '../../../shell/paths.ts';
import { Button } from '../../../ui/button.tsx';
import { Select } from '../../../ui/field.tsx';
import { Menu } from '../../../ui/menu.tsx';
import { Badge } from '../../../ui/notice.tsx';
import { toast, toastError } from '../../../ui/toast.tsx';
import { copiedInto, type IsLinkable, localizedLinks } from '../form/copy.ts';
import type { FormValues } from '../form/values.ts';
import { type EntryAddress, type Reader, readLinkable, readWholeForm, type Versions } from '../load.ts';
import { TONES } from './entry-header.tsx';

interface LocaleBarProps {
  readonly address: EntryAddress;
  readonly reader: Reader;
  readonly versions: Versions;
  readonly beside: string | null;
  readonly values: FormValues;
  readonly onFill: (values: FormValues) => void;
}

export function LocaleBar({ address, reader, versions, beside, values, onFill }: LocaleBarProps): ReactNode {
  const { type, documentId, locale } = address;
  const { model, rights } = reader;
  const [isCopying, setCopying] = useState(false);
  const isNew = documentId === null && type.kind === 'collectionType';
  const others = [...versions.keys()].filter((code) => code !== locale);
  const copy = (code: string): void => {
    setCopying(true);
    readCopy(reader, { ...address, locale: code }, locale!)
      .then((other) => {
        if (!other) return;
        const copied = copiedInto(model, type, { own: values, other: other.values }, other.isLinkable);
        const isWritable = (name: string): boolean =>
          type.attributes.some((each) => each.name === name && rights.isWritable(each));
        onFill({ ...values, ...Object.fromEntries(Object.entries(copied).filter(([name]) => isWritable(name))) });
        const left =
          other.missing === 0
            ? ''
            : ` Left out: links to ${other.missing} ${other.missing === 1 ? 'entry' : 'entries'} without ${locale}.`;
        toast(`Copied from ${code}. It is not saved yet.${left}`);
      }, toastError)
      .finally(() => setCopying(false));
  };
  return (
    <div className="row edit-locales">
      <nav className="tabs grow" aria-label="Locales">
        {model.locales
          .filter(({ code }) => rights.isLocaleOpen(code))
          .map(({ code, name }) => (
            <Link
              key={code}
              className="tab"
              href={isNew ? newEntryPath(type, code) : entryPath(type, documentId ?? '', code)}
              aria-current={code === locale ? 'page' : undefined}
            >
              {name} <LocaleState state={versions.get(code)} hasDrafts={type.draftAndPublish} isNew={isNew} />
            </Link>
          ))}
      </nav>
      {others.length > 0 && (
        <>
          <Beside others={others} beside={beside} />
          {rights.may('update') && (
            <Menu
              trigger={
                <Button small icon="copy" disabled={isCopying}>
                  Copy from…
                </Button>
              }
              items={others.map((code) => ({ label: code, onSelect: () => copy(code) }))}
            />
          )}
        </>
      )}
    </div>
  );
}

interface Copy {
  readonly values: FormValues;
  readonly isLinkable: IsLinkable;
  /** How many of the entries that it leads to the other locale does not have. */
  readonly missing: number;
}

/** An entry in one locale, with what of it can be linked in another. */
async function readCopy(reader: Reader, from: EntryAddress, locale: string): Promise<Copy | null> {
  const loaded = await readWholeForm(reader, from);
  if (!loaded) return null;
  const { values } = loaded;
  const isLinkable = await readLinkable(reader, from.type, values, locale);
  const links = [...localizedLinks(reader.model, from.type, values)];
  const missing = links.flatMap(([uid, ids]) => [...ids].filter((id) => !isLinkable(uid, id))).length;
  return { values, isLinkable, missing };
}

interface LocaleStateProps {
  readonly state: ReturnType<Versions['get']>;
  readonly hasDrafts: boolean;
  readonly isNew: boolean;
}

function LocaleState({ state, hasDrafts, isNew }: LocaleStateProps): ReactNode {
  if (isNew) return null;
  if (!state) return <Badge>missing</Badge>;
  return hasDrafts ? <Badge tone={TONES[state]}>{state}</Badge> : null;
}

/** Which locale stands beside the form. It is in the address, so that it can be shared. */
function Beside({ others, beside }: { readonly others: readonly string[]; readonly beside: string | null }): ReactNode {
  const [location, navigate] = useLocation();
  const search = useSearch();
  const choose = (code: string): void => {
    const next = new URLSearchParams(search);
    if (code === '') next.delete('beside');
    else next.set('beside', code);
    navigate(`${location}?${next}`, { replace: true });
  };
  return (
    <Select
      small
      aria-label="Locale beside the form"
      value={beside ?? ''}
      options={[
        { value: '', label: 'Nothing beside' },
        ...others.map((code) => ({ value: code, label: `Beside: ${code}` })),
      ]}
      onChange={choose}
    />
  );
}
