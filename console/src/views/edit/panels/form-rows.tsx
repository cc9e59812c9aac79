// The fields of the form, one below the other, and beside them those of another locale.
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useCallback } from 'react';
import { ErrorNotice, Notice, Spinner } from '../../../ui/notice.tsx';
import { FormContext, useForm } from '../context.ts';
import { AttributeField } from '../fields/attribute-field.tsx';
import { type FormValues, formAttributes, isVisible } from '../form/values.ts';
import type { FormAction, FormState } from '../form-state.ts';
import { type EntryAddress, type Reader, readForm } from '../load.ts';

interface FormRowsProps {
  readonly address: EntryAddress;
  readonly reader: Reader;
  readonly state: FormState;
  readonly dispatch: (action: FormAction) => void;
  readonly isStored: boolean;
  readonly isSavable: boolean;
  /** The locale to show beside. */
  readonly beside: string | null;
}

export function FormRows({ address, reader, state, dispatch, isStored, isSavable, beside }: FormRowsProps): ReactNode {
  const { type, documentId, locale } = address;
  const { rights, model } = reader;
  const isBeside = beside !== null && beside !== locale && model.locales.some(({ code }) => code === beside);
  const other = useQuery({
    queryKey: ['beside', type.uid, documentId, beside],
    queryFn: () => readForm(reader, { ...address, locale: beside }),
    enabled: isBeside,
  });
  const change = useCallback((name: string, value: unknown) => dispatch({ is: 'change', name, value }), [dispatch]);
  const attributes = formAttributes(type).filter(
    (attribute) => rights.isShown(attribute) && isVisible(attribute, state.values),
  );
  // Its components belong to another locale until this one is stored.
  const isBorrowed = !isStored && documentId !== null && type.localized;
  return (
    <>
      {isBorrowed && <Notice>This locale does not exist yet. Saving makes it.</Notice>}
      {isBeside && other.isPending && <Spinner />}
      {isBeside && other.error && <ErrorNotice error={other.error} />}
      {isBeside && other.data === null && <Notice>There is nothing in {beside} yet.</Notice>}
      <div className={isBeside && other.data ? 'edit-rows edit-rows-two' : 'edit-rows'}>
        {attributes.map((attribute) => (
          <div className={isNarrow(attribute) ? 'edit-row edit-row-narrow' : 'edit-row'} key={attribute.name}>
            <AttributeField
              schema={type}
              attribute={attribute}
              within={[]}
              value={state.values[attribute.name]}
              siblings={state.values}
              onChange={change}
              readOnly={!isSavable || !rights.isWritable(attribute) || (isBorrowed && !isOwn(attribute))}
            />
            {isBeside && other.data && <BesideField name={attribute.name} locale={beside} values={other.data.values} />}
          </div>
        ))}
      </div>
    </>
  );
}

/** What each locale has for itself. */
const isOwn = ({ type, localized }: { readonly type: string; readonly localized: boolean }): boolean =>
  localized || type === 'relation' || type === 'morph' || type === 'uid';

/** Two of these stand beside each other where there is room. */
const NARROW = new Set([
  ...['integer', 'biginteger', 'decimal', 'float', 'boolean', 'enumeration'],
  ...['date', 'time', 'datetime', 'timestamp'],
]);
const isNarrow = ({ type }: { readonly type: string }): boolean => NARROW.has(type);

interface BesideFieldProps {
  readonly name: string;
  readonly locale: string;
  readonly values: FormValues;
}

/** The same attribute in another locale, to be read. */
function BesideField({ name, locale, values }: BesideFieldProps): ReactNode {
  const form = useForm();
  const attribute = form.type.attributes.find((each) => each.name === name)!;
  return (
    <FormContext value={{ ...form, locale, problems: [], isChecked: false, idPrefix: `${form.idPrefix}${locale}-` }}>
      <section className="edit-beside" aria-label={`${name} in ${locale}`} lang={locale}>
        <AttributeField
          schema={form.type}
          attribute={attribute}
          within={[]}
          value={values[name]}
          siblings={values}
          onChange={ignore}
          readOnly
        />
      </section>
    </FormContext>
  );
}

const ignore = (): void => {};
