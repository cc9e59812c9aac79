import type { ReactNode } from 'react';

interface GroupProps {
  readonly id: string;
  readonly label: string;
  readonly required?: boolean;
  readonly hint?: ReactNode;
  readonly error?: string | null;
  readonly extra?: ReactNode;
  readonly children: ReactNode;
}

/** Several controls that make one value, with its name. */
export const Group = ({ id, label, required = false, hint, error, extra, children }: GroupProps): ReactNode => (
  // biome-ignore lint/a11y/useSemanticElements: a legend cannot stand in a row with buttons
  <div
    className="edit-group"
    role="group"
    id={id}
    tabIndex={-1}
    aria-labelledby={`${id}-label`}
    aria-describedby={error ? `${id}-error` : undefined}
  >
    <div className="row">
      <span className="field-label" id={`${id}-label`}>
        {label}
        {required && (
          <span className="field-required" aria-hidden="true">
            {' '}
            *
          </span>
        )}
      </span>
      {extra}
    </div>
    {children}
    {hint && <div className="field-hint">{hint}</div>}
    {error && (
      <div className="field-error" id={`${id}-error`}>
        {error}
      </div>
    )}
  </div>
);
