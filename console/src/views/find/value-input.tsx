// Values of a condition, each with the input that fits its type.
import { type ReactNode, useId } from 'react';
import type { ConsoleAttribute } from '../../../../src/console/contract.ts';
import type { Arity, ValueKind } from '../../query/operators.ts';
import { relativeDateWords } from '../../query/words.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Checkbox, Select, TextInput } from '../../ui/field.tsx';

interface ValueProps {
  readonly kind: ValueKind;
  readonly attribute: ConsoleAttribute | undefined;
  readonly label: string;
  readonly isInvalid: boolean;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

export function ValueInput(props: ValueProps): ReactNode {
  const { kind, attribute, label, isInvalid, value, onChange } = props;
  switch (kind) {
    case 'boolean':
      return <Choice {...props} values={['true', 'false']} />;
    case 'enumeration':
      return <Choice {...props} values={attribute?.values ?? []} />;
    case 'date':
    case 'datetime':
      return <DateInput {...props} />;
    case 'time':
      return (
        <TextInput
          small
          type="time"
          step={1}
          aria-label={label}
          aria-invalid={isInvalid}
          value={value.slice(0, 8)}
          onChange={({ target }) => onChange(target.value.length === 5 ? `${target.value}:00` : target.value)}
        />
      );
    default:
      return (
        <TextInput
          small
          {...(kind === 'number' && { inputMode: 'decimal' as const })}
          aria-label={label}
          aria-invalid={isInvalid}
          value={value}
          onChange={({ target }) => onChange(target.value)}
        />
      );
  }
}

/** One of a few; what is none of them is kept. */
function Choice({
  label,
  isInvalid,
  value,
  onChange,
  values,
}: ValueProps & { readonly values: readonly string[] }): ReactNode {
  const known = value === '' || values.includes(value) ? values : [...values, value];
  return (
    <Select
      small
      aria-label={label}
      aria-invalid={isInvalid}
      value={value}
      options={[
        ...(value === '' ? [{ value: '', label: 'Choose…' }] : []),
        ...known.map((one) => ({ value: one, label: one })),
      ]}
      onChange={onChange}
    />
  );
}

const RELATIVE = [
  'now',
  'now-1h',
  'now/d',
  'now-1d/d',
  'now-7d',
  'now/w',
  'now-30d',
  'now/M',
  'now-1M/M',
  'now/y',
  'now-1y',
];
const DAY = /^\d{4}-\d\d-\d\d$/;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?Z?$/;

/** How a date is written: as one, from now, or in another form that is kept as it is. */
type DateForm = 'fixed' | 'now' | 'text';

function formOf(value: string, kind: ValueKind): DateForm {
  if (value.startsWith('now')) return 'now';
  return value === '' || (kind === 'date' ? DAY : INSTANT).test(value) ? 'fixed' : 'text';
}

function DateInput({ kind, label, isInvalid, value, onChange }: ValueProps): ReactNode {
  const form = formOf(value, kind);
  const list = useId();
  const shared = { small: true, 'aria-label': label, 'aria-invalid': isInvalid };
  return (
    <span className="find-date">
      <Select
        small
        aria-label={`Form of: ${label}`}
        value={form}
        options={[
          { value: 'fixed', label: kind === 'date' ? 'On a day' : 'At a time (UTC)' },
          { value: 'now', label: 'From now' },
          ...(form === 'text' ? [{ value: 'text', label: 'As text' }] : []),
        ]}
        onChange={(next) => onChange(next === 'now' ? 'now-7d' : '')}
      />
      {form === 'fixed' && kind === 'date' && (
        <TextInput {...shared} type="date" value={value} onChange={({ target }) => onChange(target.value)} />
      )}
      {form === 'fixed' && kind === 'datetime' && (
        <TextInput
          {...shared}
          type="datetime-local"
          step={1}
          value={value.replace(/(\.\d+)?Z?$/, '')}
          onChange={({ target }) => onChange(target.value === '' ? '' : `${target.value}Z`)}
        />
      )}
      {form !== 'fixed' && (
        <>
          <TextInput {...shared} list={list} value={value} onChange={({ target }) => onChange(target.value)} />
          <datalist id={list}>
            {RELATIVE.map((one) => (
              <option key={one} value={one}>
                {relativeDateWords(one)}
              </option>
            ))}
          </datalist>
          <span className="soft">{relativeDateWords(value)}</span>
        </>
      )}
    </span>
  );
}

interface ValuesProps extends Omit<ValueProps, 'value' | 'onChange'> {
  readonly arity: Arity;
  readonly values: readonly string[];
  readonly onChange: (values: readonly string[]) => void;
}

/** All values of a condition: one, two, or as many as one likes. */
export function ValuesInput({ arity, values, onChange, ...rest }: ValuesProps): ReactNode {
  const { kind, attribute, label } = rest;
  const set = (index: number, value: string): void => onChange(values.with(index, value));
  if (arity === 'flag') return null;
  if (arity === 'many' && kind === 'enumeration' && attribute?.values)
    return <Choices all={attribute.values} label={label} values={values} onChange={onChange} />;
  if (arity === 'two')
    return (
      <span className="row">
        <ValueInput
          {...rest}
          label={`${label}, from`}
          value={values[0] ?? ''}
          onChange={(value) => onChange([value, values[1] ?? ''])}
        />
        and
        <ValueInput
          {...rest}
          label={`${label}, to`}
          value={values[1] ?? ''}
          onChange={(value) => onChange([values[0] ?? '', value])}
        />
      </span>
    );
  if (arity === 'one' && values.length <= 1)
    return <ValueInput {...rest} value={values[0] ?? ''} onChange={(value) => onChange(value === '' ? [] : [value])} />;
  return (
    <span className="find-values">
      {(values.length === 0 ? [''] : values).map((value, index) => (
        <span key={index} className="row find-value">
          <ValueInput
            {...rest}
            label={`${label}, ${index + 1}`}
            value={value}
            onChange={(next) => (values.length === 0 ? onChange([next]) : set(index, next))}
          />
          {values.length > 1 && (
            <IconButton
              small
              icon="close"
              label={`Remove value ${index + 1}`}
              onClick={() => onChange(values.toSpliced(index, 1))}
            />
          )}
        </span>
      ))}
      <Button small kind="plain" icon="add" onClick={() => onChange([...(values.length === 0 ? [''] : values), ''])}>
        Value
      </Button>
    </span>
  );
}

const Choices = ({
  all,
  label,
  values,
  onChange,
}: {
  readonly all: readonly string[];
  readonly label: string;
  readonly values: readonly string[];
  readonly onChange: (values: readonly string[]) => void;
}): ReactNode => (
  <fieldset className="find-choices">
    <legend className="visually-hidden">{label}</legend>
    {all.map((one) => (
      <Checkbox
        key={one}
        label={one}
        checked={values.includes(one)}
        onChange={({ target }) => onChange(target.checked ? [...values, one] : values.filter((other) => other !== one))}
      />
    ))}
  </fieldset>
);
