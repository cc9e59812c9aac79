// The form of one entry: at /content/:path/:documentId, of a new one at …/new, of a single type at /single/:path.
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useParams, useRoute, useSearch } from 'wouter';
import type { ConsoleType } from '../../../../src/console/contract.ts';
import { defaultLocale, useModel } from '../../shell/model.ts';
import { useSession } from '../../shell/session.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { EmptyState, ErrorNotice, Spinner } from '../../ui/notice.tsx';
import { PageHeader } from '../../ui/page.tsx';
import './edit.css';
import { EntryForm } from './entry-form.tsx';
import { type FormValues, initialValues } from './form/values.ts';
import { type EntryAddress, type Loaded, type Reader, readForm, readVersions, type Versions } from './load.ts';
import { formRights } from './rights.ts';

export default function Edit(): ReactNode {
  const { path = '', documentId } = useParams();
  const [isSingle] = useRoute('/single/:path');
  const model = useModel();
  const session = useSession();
  const search = new URLSearchParams(useSearch());
  const kind = isSingle ? 'singleType' : 'collectionType';
  const type = model.types.find((each) => each.path === path && each.kind === kind);
  const isNew = !isSingle && documentId === 'new';
  if (!type)
    return (
      <>
        <PageHeader title="Content" />
        <EmptyState title={`There is no content-type “${path}”`}>
          <ButtonLink href="/content">All content-types</ButtonLink>
        </EmptyState>
      </>
    );
  const locale = type.localized ? (search.get('locale') ?? defaultLocale(model)) : null;
  const rights = formRights(session.types[type.uid], type, isNew);
  if (!rights.may(isNew ? 'create' : 'read') || !rights.isLocaleOpen(locale))
    return (
      <>
        <PageHeader title={type.displayName} />
        <EmptyState title="Your role may not open this">
          <p>
            {rights.isLocaleOpen(locale)
              ? `It may not ${isNew ? 'create' : 'read'} entries of ${type.displayName}.`
              : `It may not work in the locale ${locale}.`}
          </p>
        </EmptyState>
      </>
    );
  const address: EntryAddress = { type, documentId: isSingle || isNew ? null : (documentId ?? null), locale };
  const reader: Reader = { model, rights };
  return (
    <EntryLoader
      key={`${type.uid} ${documentId} ${locale}`}
      address={address}
      isNew={isNew}
      reader={reader}
      beside={search.get('beside')}
    />
  );
}

interface EntryLoaderProps {
  readonly address: EntryAddress;
  readonly isNew: boolean;
  readonly reader: Reader;
  /** The locale that is shown beside the form. */
  readonly beside: string | null;
}

export interface Opened {
  readonly loaded: Loaded | null;
  readonly versions: Versions;
  /** What the form starts with. */
  readonly values: FormValues;
}

/** A locale that a document does not have starts with what is the same in all of them. */
async function openEntry(reader: Reader, address: EntryAddress): Promise<Opened> {
  const [loaded, versions] = await Promise.all([readForm(reader, address), readVersions(address)]);
  if (loaded) return { loaded, versions, values: loaded.values };
  const [other] = [...versions.keys()];
  const from = other === undefined ? null : await readForm(reader, { ...address, locale: other });
  return { loaded, versions, values: { ...initialValues(address.type), ...sharedValues(address.type, from?.values) } };
}

function sharedValues(type: ConsoleType, values: FormValues | undefined): FormValues {
  if (!values) return {};
  const isShared = (name: string): boolean => {
    const attribute = type.attributes.find((each) => each.name === name);
    return (
      attribute !== undefined && !attribute.localized && ['relation', 'morph', 'uid'].includes(attribute.type) === false
    );
  };
  return Object.fromEntries(Object.entries(values).filter(([name]) => isShared(name)));
}

function EntryLoader({ address, isNew, reader, beside }: EntryLoaderProps): ReactNode {
  const { type, documentId, locale } = address;
  const { data, error, refetch } = useQuery({
    queryKey: ['entry', type.uid, documentId, locale],
    queryFn: (): Promise<Opened> =>
      isNew
        ? Promise.resolve({ loaded: null, versions: new Map(), values: initialValues(type) })
        : openEntry(reader, address),
    // Every visit reads it anew; while it is open the form decides what it shows.
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (error) return <ErrorNotice error={error} />;
  if (!data) return <Spinner />;
  if (!isNew && type.kind === 'collectionType' && data.versions.size === 0)
    return (
      <>
        <PageHeader title={type.displayName} />
        <EmptyState title="There is no such entry">
          <p>It may have been deleted, or your role may not see it.</p>
        </EmptyState>
      </>
    );
  const reopen = async (): Promise<Loaded | null> => (await refetch({ throwOnError: true })).data?.loaded ?? null;
  return <EntryForm address={address} reader={reader} opened={data} reopen={reopen} beside={beside} />;
}
