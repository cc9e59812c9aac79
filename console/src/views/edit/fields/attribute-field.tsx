// The field of one attribute: its label, its control by type, what helps, and what is wrong.
import { memo, type ReactNode, useCallback, useState } from 'react';
import type { ConsoleAttribute, ConsoleSchema } from '../../../../../src/console/contract.ts';
import { Field } from '../../../ui/field.tsx';
import { fieldId, problemAt, problemWithin, useForm } from '../context.ts';
import { checkValue } from '../form/checks.ts';
import { asFiles, asPart, asParts, asRelation, type FileValue, type FormValues, isList } from '../form/values.ts';
import { PartList, SinglePart } from './component-field.tsx';
import { BlocksEditor, JsonEditor, MarkdownEditor, MediaInput } from './editors.tsx';
import { Group } from './group.tsx';
import { RelationField } from './relation-field.tsx';
import { type InputProps, ScalarInput } from './scalar-input.tsx';
import { UidMaker } from './uid-maker.tsx';

export interface AttributeFieldProps {
  readonly schema: ConsoleSchema;
  readonly attribute: ConsoleAttribute;
  /** Where the component stands whose attribute it is; empty for the entry itself. */
  readonly within: readonly string[];
  readonly value: unknown;
  /** The values beside it, where one is made from another. */
  readonly siblings: FormValues;
  readonly onChange: (name: string, value: unknown) => void;
  readonly readOnly: boolean;
}

export const AttributeField = memo(function AttributeField(props: AttributeFieldProps): ReactNode {
  const { schema, attribute, within, value, siblings, readOnly } = props;
  const { idPrefix } = useForm();
  const [isTouched, setTouched] = useState(false);
  const path = [...within, attribute.name];
  const id = fieldId(idPrefix, path);
  const change = useCallback(
    (next: unknown) => {
      setTouched(true);
      props.onChange(attribute.name, next);
    },
    [props.onChange, attribute.name],
  );
  const error = useProblem(props, path, isTouched);
  const common = { id, label: attribute.name, required: attribute.required, error, readOnly };
  switch (attribute.type) {
    case 'relation':
    case 'morph':
      return (
        <RelationField
          {...common}
          schema={schema}
          attribute={attribute}
          isPaged={within.length === 0}
          value={asRelation(value)}
          onChange={change}
        />
      );
    case 'component':
    case 'dynamiczone': {
      const parts = { ...common, attribute, path, onChange: change };
      return isList(attribute) ? (
        <PartList {...parts} parts={asParts(value)} />
      ) : (
        <SinglePart {...parts} part={asPart(value)} />
      );
    }
    case 'media':
      return <MediaField {...common} attribute={attribute} within={within} value={asFiles(value)} onChange={change} />;
    default:
      return (
        <ScalarField
          {...common}
          attribute={attribute}
          within={within}
          value={value}
          targetValue={attribute.targetField === undefined ? null : siblings[attribute.targetField]}
          onChange={change}
        />
      );
  }
});

/** What is wrong with a value: what the server said of it, or what can be said once it was touched. */
function useProblem(
  { attribute, value, readOnly }: AttributeFieldProps,
  path: readonly string[],
  isTouched: boolean,
): string | null {
  const { problems, isChecked, type } = useForm();
  const found = !readOnly && (isTouched || isChecked) ? checkValue(attribute, value) : null;
  const own = found && (type.draftAndPublish && !found.onDraft ? `To publish: ${found.message}` : found.message);
  // Of what is wrong inside of blocks, no field of its own tells.
  const said = attribute.type === 'blocks' ? problemWithin(problems, path) : problemAt(problems, path);
  return said ?? own;
}

interface InnerFieldProps<Value> {
  readonly id: string;
  readonly label: string;
  readonly required: boolean;
  readonly error: string | null;
  readonly readOnly: boolean;
  readonly attribute: ConsoleAttribute;
  readonly within: readonly string[];
  readonly value: Value;
  readonly onChange: (value: unknown) => void;
}

function MediaField(props: InnerFieldProps<readonly FileValue[]>): ReactNode {
  const { id, label, required, error, readOnly, attribute, within, value, onChange } = props;
  return (
    <Group id={id} label={label} required={required} error={error} hint={useHint(attribute, within)}>
      <MediaInput
        label={label}
        value={value}
        onChange={onChange}
        multiple={attribute.multiple ?? false}
        allowedTypes={attribute.allowedTypes ?? null}
        readOnly={readOnly}
      />
    </Group>
  );
}

/** `targetValue`: the value that a uid is made from. */
function ScalarField(props: InnerFieldProps<unknown> & { readonly targetValue: unknown }): ReactNode {
  const { id, label, required, error, readOnly, attribute, within, value, targetValue, onChange } = props;
  const { onUnreadable } = useForm();
  const isMade = attribute.type === 'uid' && attribute.targetField !== undefined && !readOnly;
  return (
    <div id={id}>
      <Field
        label={label}
        required={required}
        error={error}
        hint={useHint(attribute, within)}
        labelExtra={isMade && <UidMaker attribute={attribute} from={targetValue} onMade={onChange} />}
      >
        {(control) => (
          <Control
            attribute={attribute}
            value={value}
            onChange={onChange}
            control={control}
            readOnly={readOnly}
            onUnreadable={(message) => onUnreadable([...within, attribute.name], message)}
          />
        )}
      </Field>
    </div>
  );
}

/** `onUnreadable`: told what keeps a text from being a value; null where nothing does. */
function Control(props: InputProps & { readonly onUnreadable: (message: string | null) => void }): ReactNode {
  const { onUnreadable, attribute, value, onChange, control, readOnly } = props;
  const editor = { onChange, control, readOnly };
  switch (attribute.type) {
    case 'json':
      return <JsonEditor {...editor} value={value} onProblem={onUnreadable} />;
    case 'blocks':
      return <BlocksEditor {...editor} value={value} />;
    case 'richtext':
      return <MarkdownEditor {...editor} value={typeof value === 'string' ? value : null} />;
    default:
      return <ScalarInput {...props} />;
  }
}

function useHint(attribute: ConsoleAttribute, within: readonly string[]): string | null {
  const { type, model } = useForm();
  return hintOf(attribute, type.localized && within.length === 0 && model.locales.length > 1);
}

/** What helps to fill it in: the rules that can be said in a few words. */
function hintOf(attribute: ConsoleAttribute, hasLocales: boolean): string | null {
  const { type, min, max, minLength, maxLength, unique } = attribute;
  const hints = [
    type === 'password' && 'Stored as a hash. Left empty, it stays as it is.',
    (type === 'datetime' || type === 'timestamp') && 'In your time zone.',
    min !== undefined && max !== undefined && `${min} to ${max}.`,
    min !== undefined && max === undefined && `At least ${min}.`,
    max !== undefined && min === undefined && `At most ${max}.`,
    minLength !== undefined && maxLength !== undefined && `${minLength} to ${maxLength} characters.`,
    maxLength !== undefined && minLength === undefined && `At most ${maxLength} characters.`,
    unique && 'No two entries can have the same.',
    hasLocales && !attribute.localized && 'The same in all locales.',
  ].filter((hint): hint is string => typeof hint === 'string');
  return hints.length > 0 ? hints.join(' ') : null;
}
