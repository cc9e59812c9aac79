// What the account may do with the entry of a form.
import type { ConsoleAttribute, ConsoleType, EditAction, TypeRights } from '../../../../src/console/contract.ts';

export interface FormRights {
  readonly may: (action: EditAction) => boolean;
  /** Whether it has a field. */
  readonly isShown: (attribute: ConsoleAttribute) => boolean;
  readonly isReadable: (attribute: ConsoleAttribute) => boolean;
  readonly isWritable: (attribute: ConsoleAttribute) => boolean;
  readonly isLocaleOpen: (locale: string | null) => boolean;
}

/** A right on a part of a component is one on the component. */
const names = (list: readonly string[] | null, name: string): boolean =>
  list === null || list.some((each) => each === name || each.startsWith(`${name}.`));

export function formRights(rights: TypeRights | undefined, type: ConsoleType, isNew: boolean): FormRights {
  const may = (action: EditAction): boolean => rights?.actions.includes(action) ?? false;
  const mayWrite = may(isNew ? 'create' : 'update');
  const isReadable = ({ name }: ConsoleAttribute): boolean => may('read') && names(rights?.readable ?? null, name);
  const isWritable = ({ name, writable }: ConsoleAttribute): boolean =>
    mayWrite && writable && names(rights?.writable ?? null, name);
  return {
    may,
    isReadable,
    isWritable,
    isShown: (attribute) => isReadable(attribute) || isWritable(attribute),
    isLocaleOpen: (locale) => locale === null || !type.localized || (rights?.locales?.includes(locale) ?? true),
  };
}

/** Whether a form may be saved: to add a locale to a document, or the entry of a single type, takes both rights. */
export function maySave({ may }: FormRights, isStored: boolean, isNewDocument: boolean): boolean {
  if (isStored) return may('update');
  return may('create') && (isNewDocument || may('update'));
}
