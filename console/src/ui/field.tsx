// A control with its name, what helps to fill it in, and what is wrong with it.
import {
  type ComponentProps,
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useId,
} from 'react';

/** What a control needs to be read with its label. */
export interface ControlProps {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': boolean;
  readonly 'aria-required': boolean | undefined;
}

interface FieldProps {
  readonly label: string;
  /** Instead of the label alone, where more is shown beside it. */
  readonly labelExtra?: ReactNode;
  readonly hint?: ReactNode;
  readonly error?: string | null;
  readonly required?: boolean;
  readonly children: (control: ControlProps) => ReactNode;
}

export function Field({ label, labelExtra, hint, error, required, children }: FieldProps): ReactNode {
  const id = useId();
  const hintId = `${id}-hint`;
  const errorId = `${id}-error`;
  const describedBy = [hint && hintId, error && errorId].filter(Boolean).join(' ') || undefined;
  return (
    <div className="field">
      <div className="row">
        <label className="field-label" id={`${id}-label`} htmlFor={id}>
          {label}
          {required && (
            <span className="field-required" aria-hidden="true">
              {' '}
              *
            </span>
          )}
        </label>
        {labelExtra}
      </div>
      {children({
        id,
        'aria-describedby': describedBy,
        'aria-invalid': Boolean(error),
        'aria-required': required || undefined,
      })}
      {hint && (
        <div className="field-hint" id={hintId}>
          {hint}
        </div>
      )}
      {error && (
        <div className="field-error" id={errorId}>
          {error}
        </div>
      )}
    </div>
  );
}

type Small = { readonly small?: boolean };
const inputClass = (small?: boolean): string => (small ? 'input input-small' : 'input');

export const TextInput = ({ small, ...rest }: ComponentProps<'input'> & Small): ReactNode => (
  <input className={inputClass(small)} autoComplete="off" {...rest} />
);

export const TextArea = (props: TextareaHTMLAttributes<HTMLTextAreaElement>): ReactNode => (
  <textarea className="input" {...props} />
);

export interface Option<Value extends string = string> {
  readonly value: Value;
  readonly label: string;
}

type SelectProps<Value extends string> = Omit<SelectHTMLAttributes<HTMLSelectElement>, 'onChange'> &
  Small & {
    readonly options: readonly Option<Value>[];
    readonly onChange: (value: Value) => void;
  };

export const Select = <Value extends string>({ small, options, onChange, ...rest }: SelectProps<Value>): ReactNode => (
  <select
    className={inputClass(small)}
    {...rest}
    onChange={({ target }) => {
      const chosen = options.find(({ value }) => value === target.value);
      if (chosen) onChange(chosen.value);
    }}
  >
    {options.map(({ value, label }) => (
      <option key={value} value={value}>
        {label}
      </option>
    ))}
  </select>
);

export const Checkbox = ({
  label,
  ...rest
}: Omit<InputHTMLAttributes<HTMLInputElement>, 'type'> & { readonly label: ReactNode }): ReactNode => (
  <label className="check">
    <input type="checkbox" {...rest} />
    <span>{label}</span>
  </label>
);
