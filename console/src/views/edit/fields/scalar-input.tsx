// Controls for values that are one text, number, date or choice.
import { type ReactNode, useState } from 'react';
import type { ConsoleAttribute } from '../../../../../src/console/contract.ts';
import { type ControlProps, Select, TextArea, TextInput } from '../../../ui/field.tsx';
import { dateTimeText, parseDateTime, parseNumber, parseTime, parseTimestamp, timeText } from '../form/texts.ts';

export interface InputProps {
  readonly attribute: ConsoleAttribute;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly control: ControlProps;
  readonly readOnly: boolean;
}

export function ScalarInput(props: InputProps): ReactNode {
  const { attribute } = props;
  switch (attribute.type) {
    case 'integer':
    case 'biginteger':
    case 'decimal':
    case 'float':
      return <NumberInput {...props} />;
    case 'boolean':
      return <BooleanInput {...props} />;
    case 'enumeration':
      return <ChoiceInput {...props} />;
    case 'date':
      return <DateInput {...props} type="date" show={(value) => String(value ?? '')} parse={(text) => text} />;
    case 'time':
      return <DateInput {...props} type="time" show={timeText} parse={parseTime} />;
    case 'datetime':
      return <DateInput {...props} type="datetime-local" show={dateTimeText} parse={parseDateTime} />;
    case 'timestamp':
      return <DateInput {...props} type="datetime-local" show={dateTimeText} parse={parseTimestamp} />;
    case 'text':
      return <LongTextInput {...props} />;
    default:
      return <TextualInput {...props} />;
  }
}

const TYPES: Readonly<Record<string, string>> = { email: 'email', password: 'password' };

/** What a text means: an empty one is no value, unless it was one when the field was opened. */
function useTextValue(value: unknown): (text: string) => string | null {
  const [empty] = useState(value === '' ? '' : null);
  return (text) => (text === '' ? empty : text);
}

function TextualInput({ attribute, value, onChange, control, readOnly }: InputProps): ReactNode {
  const read = useTextValue(value);
  return (
    <TextInput
      {...control}
      type={TYPES[attribute.type] ?? 'text'}
      dir={attribute.type === 'string' ? 'auto' : undefined}
      autoComplete={attribute.type === 'password' ? 'new-password' : 'off'}
      spellCheck={attribute.type === 'string'}
      readOnly={readOnly}
      value={String(value ?? '')}
      onChange={(event) => onChange(read(event.target.value))}
    />
  );
}

function LongTextInput({ value, onChange, control, readOnly }: InputProps): ReactNode {
  const read = useTextValue(value);
  return (
    <TextArea
      {...control}
      dir="auto"
      readOnly={readOnly}
      value={String(value ?? '')}
      onChange={(event) => onChange(read(event.target.value))}
    />
  );
}

/** Keeps what is typed as long as it means the value, so that `1.` can become `1.5`. */
function NumberInput({ attribute, value, onChange, control, readOnly }: InputProps): ReactNode {
  const [typed, setTyped] = useState(String(value ?? ''));
  const shown = parseNumber(attribute.type, typed) === (value ?? null) ? typed : String(value ?? '');
  return (
    <TextInput
      {...control}
      inputMode={attribute.type === 'integer' || attribute.type === 'biginteger' ? 'numeric' : 'decimal'}
      readOnly={readOnly}
      value={shown}
      onChange={(event) => {
        setTyped(event.target.value);
        onChange(parseNumber(attribute.type, event.target.value));
      }}
    />
  );
}

function BooleanInput({ attribute, value, onChange, control, readOnly }: InputProps): ReactNode {
  const isNullPossible = !attribute.required || value === null;
  return (
    <Select
      {...control}
      disabled={readOnly}
      value={value === null || value === undefined ? '' : String(value)}
      options={[
        ...(isNullPossible ? [{ value: '', label: 'Not set' }] : []),
        { value: 'true', label: 'Yes' },
        { value: 'false', label: 'No' },
      ]}
      onChange={(choice) => onChange(choice === '' ? null : choice === 'true')}
    />
  );
}

function ChoiceInput({ attribute, value, onChange, control, readOnly }: InputProps): ReactNode {
  const known = attribute.values ?? [];
  const current = typeof value === 'string' && !known.includes(value) ? [value] : [];
  return (
    <Select
      {...control}
      disabled={readOnly}
      value={String(value ?? '')}
      options={[
        { value: '', label: 'Not set' },
        ...[...known, ...current].map((option) => ({ value: option, label: option })),
      ]}
      onChange={(choice) => onChange(choice === '' ? null : choice)}
    />
  );
}

/** Years have four digits: without this, browsers offer six. */
const LATEST: Readonly<Record<string, string>> = { date: '9999-12-31', 'datetime-local': '9999-12-31T23:59:59' };

interface DateInputProps extends InputProps {
  readonly type: string;
  readonly show: (value: unknown) => string;
  readonly parse: (text: string, before: unknown) => string | null;
}

const DateInput = ({ type, show, parse, value, onChange, control, readOnly }: DateInputProps): ReactNode => (
  <TextInput
    {...control}
    type={type}
    step={type === 'date' ? undefined : 1}
    max={LATEST[type]}
    readOnly={readOnly}
    value={show(value)}
    onChange={(event) => onChange(event.target.value === '' ? null : parse(event.target.value, value))}
  />
);
