import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { ConsoleAttribute, ConsoleModel, ConsoleSchema } from '../../../../src/console/contract.ts';
import { schemaOf } from '../../shell/model.ts';
import { modelPath } from '../../shell/paths.ts';
import { Badge } from '../../ui/notice.tsx';
import { ScrollBox } from '../../ui/scroll.tsx';
import { constraintsOf, typeInWords } from './constraints.ts';

export const AttributeTable = ({
  model,
  schema,
}: {
  readonly model: ConsoleModel;
  readonly schema: ConsoleSchema;
}): ReactNode => (
  <ScrollBox label={`Attributes of ${schema.displayName}`} tall>
    <table className="table">
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Type</th>
          <th scope="col">Leads to</th>
          <th scope="col">What holds</th>
          <th scope="col">Index</th>
        </tr>
      </thead>
      <tbody>
        {schema.attributes.map((attribute) => (
          <tr key={attribute.name}>
            <th scope="row">
              <code>{attribute.name}</code>{' '}
              {attribute.name === schema.mainField && <Badge tone="info">names entries</Badge>}
            </th>
            <td>{typeInWords(model, attribute)}</td>
            <td>
              <Targets model={model} attribute={attribute} />
            </td>
            <td>{constraintsOf(attribute).join(', ')}</td>
            <td>{attribute.hasIndex ? 'yes' : ''}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </ScrollBox>
);

/** The types and components that an attribute leads to. */
function Targets({
  model,
  attribute: { relation, component, components, type },
}: {
  readonly model: ConsoleModel;
  readonly attribute: ConsoleAttribute;
}): ReactNode {
  const files = type === 'media' && model.types.find(({ source }) => source === 'files')?.uid;
  const targets = [relation?.target, ...(relation?.targets ?? []), component, ...(components ?? []), files].filter(
    (uid) => typeof uid === 'string',
  );
  return targets.map((uid, index) => (
    <span key={uid}>
      {index > 0 && ', '}
      <Target uid={uid} schema={schemaOf(model, uid)} />
      {relation?.inverse && ` (${relation.inverse})`}
    </span>
  ));
}

/** What the account may not read has no page. */
const Target = ({ uid, schema }: { readonly uid: string; readonly schema: ConsoleSchema | undefined }): ReactNode =>
  schema ? <Link href={modelPath(uid)}>{schema.displayName}</Link> : <code>{uid}</code>;
