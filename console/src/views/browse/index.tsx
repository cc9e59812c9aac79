// Content-types, and the entries of one.
import type { ReactNode } from 'react';
import { Redirect, useParams } from 'wouter';
import { useModel } from '../../shell/model.ts';
import { typePath } from '../../shell/paths.ts';
import { useSession } from '../../shell/session.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/notice.tsx';
import { PageHeader } from '../../ui/page.tsx';
import './browse.css';
import { Entries } from './entries.tsx';
import { Types } from './types.tsx';

export default function Browse(): ReactNode {
  const { path } = useParams<{ path?: string }>();
  return path === undefined ? <Types /> : <OfType path={path} />;
}

function OfType({ path }: { readonly path: string }): ReactNode {
  const { types } = useModel();
  const { mayEdit } = useSession();
  const type = types.find((one) => one.path === path && one.source === 'own');
  if (type?.kind === 'singleType') return <Redirect to={typePath(type)} replace />;
  if (type && mayEdit(type.uid, 'read')) return <Entries key={type.uid} type={type} />;
  return (
    <>
      <PageHeader title="Content" />
      <EmptyState
        title={type ? `You may not read entries of ${type.displayName}` : `There is no content-type “${path}”`}
      >
        <ButtonLink href="/content">All content-types</ButtonLink>
      </EmptyState>
    </>
  );
}
