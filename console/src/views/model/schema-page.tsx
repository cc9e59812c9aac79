// The page of a content-type or component: its attributes, indexes, what leads to it and how it is asked for.
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { ConsoleModel, ConsoleSchema, ConsoleType } from '../../../../src/console/contract.ts';
import { typeOf } from '../../shell/model.ts';
import { modelPath, typePath } from '../../shell/paths.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Badge } from '../../ui/notice.tsx';
import { PageHeader } from '../../ui/page.tsx';
import { AttributeTable } from './attribute-table.tsx';
import { Examples } from './examples-section.tsx';
import { kindOf, usesOf } from './graph.ts';

interface SchemaPageProps {
  readonly model: ConsoleModel;
  readonly schema: ConsoleSchema;
}

interface CountedProps extends SchemaPageProps {
  /** Undefined: the account may not read it. */
  readonly count: number | undefined;
}

export function SchemaPage({ model, schema, count }: CountedProps): ReactNode {
  const type = typeOf(model, schema.uid);
  return (
    <>
      <PageHeader title={schema.displayName}>
        <ButtonLink icon="back" href={modelPath()}>
          All types
        </ButtonLink>
        {type?.source === 'own' && (
          <ButtonLink icon="list" href={typePath(type)}>
            {type.kind === 'singleType' ? 'The entry' : 'Entries'}
          </ButtonLink>
        )}
      </PageHeader>
      <div className="stack">
        <Facts model={model} schema={schema} type={type} count={count} />
        <section className="stack" aria-label="Attributes">
          <h2>Attributes</h2>
          <AttributeTable model={model} schema={schema} />
        </section>
        <Uses model={model} schema={schema} />
        {type && <Indexes type={type} />}
        {type && <Examples model={model} type={type} />}
      </div>
    </>
  );
}

function Facts({ model, schema, type, count }: CountedProps & { readonly type: ConsoleType | undefined }): ReactNode {
  return (
    <div className="stack">
      {schema.description && <p>{schema.description}</p>}
      <div className="row">
        <code>{schema.uid}</code>
        <Badge>{kindOf(model, schema.uid)}</Badge>
        {type?.draftAndPublish && <Badge tone="info">drafts</Badge>}
        {type?.localized && <Badge tone="info">localized</Badge>}
        {count !== undefined && (
          <Badge tone="good">{`${count.toLocaleString()} ${count === 1 ? 'entry' : 'entries'}`}</Badge>
        )}
      </div>
    </div>
  );
}

function Uses({ model, schema }: SchemaPageProps): ReactNode {
  const uses = usesOf(model, schema.uid);
  return (
    <section className="stack" aria-label="What leads here">
      <h2>What leads here</h2>
      {uses.length === 0 ? (
        <p className="soft">Nothing.</p>
      ) : (
        <ul className="model-uses">
          {uses.map(({ schema: from, attribute }) => (
            <li key={`${from.uid}.${attribute.name}`}>
              <Link href={modelPath(from.uid)}>{from.displayName}</Link>, by <code>{attribute.name}</code>
              {attribute.relation && ` (${attribute.relation.kind})`}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Indexes({ type }: { readonly type: ConsoleType }): ReactNode {
  const indexed = type.attributes.filter(({ hasIndex }) => hasIndex).map(({ name }) => name);
  return (
    <section className="stack" aria-label="Indexes">
      <h2>Indexes</h2>
      {type.indexes.length > 0 && (
        <ul className="model-uses">
          {type.indexes.map((names) => (
            <li key={names.join()}>
              <code>{names.join(', ')}</code> <Badge>declared by the project</Badge>
            </li>
          ))}
        </ul>
      )}
      <p className="soft">
        {indexed.length === 0 ? 'No attribute has an index.' : `An index serves ${indexed.join(', ')}.`}
      </p>
    </section>
  );
}
