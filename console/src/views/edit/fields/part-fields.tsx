import { type ReactNode, useCallback, useRef } from 'react';
import { schemaOf } from '../../../shell/model.ts';
import { useForm } from '../context.ts';
import { formAttributes, isVisible, type Part } from '../form/values.ts';
import { AttributeField } from './attribute-field.tsx';

interface PartFieldsProps {
  readonly part: Part;
  readonly path: readonly string[];
  readonly onChange: (part: Part) => void;
  readonly readOnly: boolean;
}

/** The fields of one component. */
export function PartFields({ part, path, onChange, readOnly }: PartFieldsProps): ReactNode {
  const { model } = useForm();
  const latest = useRef({ part, onChange });
  latest.current = { part, onChange };
  const change = useCallback((name: string, value: unknown) => {
    const { part: now, onChange: tell } = latest.current;
    const next = { ...now, values: { ...now.values, [name]: value } };
    latest.current = { part: next, onChange: tell };
    tell(next);
  }, []);
  const schema = schemaOf(model, part.component);
  if (!schema) return <span className="soft">The component {part.component} is not known.</span>;
  const attributes = formAttributes(schema).filter((attribute) => isVisible(attribute, part.values));
  return attributes.map((attribute) => (
    <AttributeField
      key={attribute.name}
      schema={schema}
      attribute={attribute}
      within={path}
      value={part.values[attribute.name]}
      siblings={part.values}
      onChange={change}
      readOnly={readOnly || !attribute.writable}
    />
  ));
}
