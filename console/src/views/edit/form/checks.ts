// What can be said of a value before the server is asked. The rules and when they hold are those of the API: a draft may
// be incomplete, what is published may not.
import type { ConsoleAttribute, ConsoleModel, ConsoleSchema } from '../../../../../src/console/contract.ts';
import { schemaOf } from '../../../shell/model.ts';
import { isNumber, keepsDigits } from './texts.ts';
import { asParts, type FormValues, formAttributes, isList, isVisible, type Part, partsIn } from './values.ts';

export interface Problem {
  readonly path: readonly string[];
  readonly message: string;
}
/** `onDraft`: even a draft is refused with it. */
export interface Finding extends Problem {
  readonly onDraft: boolean;
}
type Found = Omit<Finding, 'path'> | null;

const always = (message: string): Found => ({ message, onDraft: true });
const published = (message: string): Found => ({ message, onDraft: false });

const MAX_STRING_LENGTH = 255;
const SHORT = new Set(['string', 'email', 'uid', 'enumeration']);
const TEXTS = new Set([...SHORT, 'text', 'richtext', 'password']);
const WHOLE = new Set(['integer', 'biginteger']);
const NUMBERS = new Set([...WHOLE, 'decimal', 'float']);
const ADDRESS = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;
const UID = /^[A-Za-z0-9-_.~]*$/;

/** What is wrong with the value of one attribute, components aside. */
export function checkValue(attribute: ConsoleAttribute, value: unknown): Found {
  if (isList(attribute)) return checkCount(attribute, asParts(value).length);
  if (attribute.type === 'relation' || attribute.type === 'media') return null;
  if (value === null || value === undefined)
    // A password that is stored stays unless another is given.
    return attribute.required && attribute.type !== 'password' ? published('This is needed.') : null;
  if (NUMBERS.has(attribute.type)) return checkNumber(attribute, value);
  if (TEXTS.has(attribute.type)) return checkText(attribute, String(value));
  return null;
}

function checkCount({ required, min, max }: ConsoleAttribute, count: number): Found {
  if (required && count === 0) return published('At least one is needed.');
  if (min !== undefined && count < min && (count > 0 || required)) return published(`At least ${min} are needed.`);
  return max !== undefined && count > max ? published(`At most ${max} are possible.`) : null;
}

function checkNumber({ type, min, max }: ConsoleAttribute, value: unknown): Found {
  const text = String(value).trim();
  if (!isNumber(text)) return always('This is no number.');
  const number = Number(text);
  if (WHOLE.has(type) && !/^[+-]?\d+$/.test(text)) return always('This is no whole number.');
  if (type === 'integer' && Math.abs(number) > 2 ** 31 - 1) return always('This is beyond 32 bits.');
  if (type === 'decimal' && !keepsDigits(text)) return always('This has more digits than can be stored.');
  if (max !== undefined && number > max) return always(`At most ${max}.`);
  return min !== undefined && number < min ? published(`At least ${min}.`) : null;
}

function checkText({ type, minLength, maxLength, regex, values }: ConsoleAttribute, text: string): Found {
  const most = Math.min(
    maxLength ?? Number.POSITIVE_INFINITY,
    SHORT.has(type) ? MAX_STRING_LENGTH : Number.POSITIVE_INFINITY,
  );
  if (text.length > most) return always(`At most ${most} characters, this has ${text.length}.`);
  if (type === 'enumeration') return values?.includes(text) ? null : always('This is none of the values.');
  if (minLength !== undefined && text.length < minLength)
    return published(`At least ${minLength} ${minLength === 1 ? 'character' : 'characters'}.`);
  if (type === 'email' && text !== '' && !ADDRESS.test(text)) return published('This is no address.');
  if (regex !== undefined && text !== '' && !matches(regex, text)) return published(`This must match ${regex}.`);
  if (type === 'uid' && regex === undefined && !UID.test(text))
    return published('Only letters, digits and - _ . ~ are possible.');
  return null;
}

/** What a browser cannot read as a pattern is left to the server. */
function matches(regex: string, text: string): boolean {
  try {
    return new RegExp(regex).test(text);
  } catch {
    return true;
  }
}

/** Everything that is wrong in a form, components included. */
export function checkForm(
  model: ConsoleModel,
  schema: ConsoleSchema,
  values: FormValues,
  isLeftOut: (attribute: ConsoleAttribute) => boolean = () => false,
): readonly Finding[] {
  return formAttributes(schema)
    .filter((attribute) => attribute.writable && !isLeftOut(attribute))
    .flatMap((attribute) => {
      const value = values[attribute.name];
      const own = checkValue(attribute, value);
      const found = own ? [{ path: [attribute.name], ...own }] : [];
      const all = [...found, ...partsOf(attribute, value).flatMap(([path, part]) => checkPart(model, part, path))];
      // What the form does not show is held to no stricter rules than a draft.
      return isVisible(attribute, values) ? all : all.filter(({ onDraft }) => onDraft);
    });
}

const partsOf = (attribute: ConsoleAttribute, value: unknown): readonly (readonly [readonly string[], Part])[] =>
  partsIn(attribute, value).map((part, index) => {
    const path = isList(attribute) ? [attribute.name, String(index)] : [attribute.name];
    return [path, part];
  });

function checkPart(model: ConsoleModel, part: Part, path: readonly string[]): readonly Finding[] {
  const schema = schemaOf(model, part.component);
  if (!schema) return [];
  return checkForm(model, schema, part.values).map((found) => ({ ...found, path: [...path, ...found.path] }));
}
