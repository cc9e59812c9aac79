// What the content is made of: a drawing of all types, and a page for each.
import type { ReactNode } from 'react';
import { useParams } from 'wouter';
import { COUNTS, schemaOf, useModel } from '../../shell/model.ts';
import { useRead } from '../../shell/ready.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { EmptyState, Spinner } from '../../ui/notice.tsx';
import { PageHeader } from '../../ui/page.tsx';
import './model.css';
import { Overview } from './overview.tsx';
import { SchemaPage } from './schema-page.tsx';

export default function Model(): ReactNode {
  const { uid } = useParams<{ uid?: string }>();
  const model = useModel();
  const counts = useRead(COUNTS);
  if (!counts) return <Spinner />;
  if (uid === undefined) return <Overview model={model} counts={counts} />;
  const schema = schemaOf(model, decodeURIComponent(uid));
  if (schema) return <SchemaPage model={model} schema={schema} count={counts[schema.uid]} />;
  return (
    <>
      <PageHeader title="Model" />
      <EmptyState title={`There is no type ${uid} that your account may see`}>
        <ButtonLink href="/model">All types</ButtonLink>
      </EmptyState>
    </>
  );
}
