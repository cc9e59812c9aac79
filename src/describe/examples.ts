// Examples that follow from the model: the same for the same model, and valid by its rules.
import type { ContentType, ScalarAttribute } from '../model/types.ts';
import type { Description } from './description.ts';
import { pascal } from './schema-names.ts';

const DOCUMENT_ID = 'a1b2c3d4e5f6g7h8i9j0k1l2';
const INSTANT = '2026-01-31T12:00:00.000Z';
const PARAGRAPH = [{ type: 'paragraph', children: [{ type: 'text', text: 'A paragraph.' }] }];

/** `openedOn` → `Opened on`. */
const words = (name: string): string => {
  const text = name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replaceAll('_', ' ');
  return (text[0] ?? '').toUpperCase() + text.slice(1).toLowerCase();
};

const fitted = (text: string, { rules }: ScalarAttribute): string =>
  text.padEnd(rules.minLength ?? 0, '.').slice(0, rules.maxLength ?? undefined);

function exampleNumber({ rules, type }: ScalarAttribute): number {
  const [least, most] = [Number(rules.min ?? 1), Number(rules.max ?? 1)];
  const number = rules.min === null ? Math.min(1, most) : least;
  return type === 'integer' || type === 'biginteger' ? Math.ceil(number) : number;
}

/** Undefined where no value can be made up: the rules of the attribute are a pattern. */
function exampleValue(attribute: ScalarAttribute): unknown {
  const { name, type, rules } = attribute;
  if (rules.regex !== null) return undefined;
  switch (type) {
    case 'enumeration':
      return rules.enum?.[0];
    case 'email':
      return 'ann@example.com';
    case 'uid':
      return fitted(name.toLowerCase(), attribute);
    case 'password':
      return fitted('correct horse battery staple', attribute);
    case 'integer':
    case 'float':
    case 'decimal':
      return exampleNumber(attribute);
    case 'biginteger':
      return String(exampleNumber(attribute));
    case 'boolean':
      return true;
    case 'date':
      return '2026-01-31';
    case 'time':
      return '12:30:00.000';
    case 'datetime':
      return INSTANT;
    case 'timestamp':
      return '1769860800000';
    case 'json':
      return { key: 'value' };
    case 'blocks':
      return PARAGRAPH;
    default:
      return fitted(words(name), attribute);
  }
}

/** An entry as a response shows it; undefined where a value cannot be made up. */
export function exampleEntry(description: Description, type: ContentType): Record<string, unknown> | undefined {
  const entry: Record<string, unknown> = {};
  for (const attribute of description.view.scalars(type)) {
    const { name, required } = attribute;
    const value = name === 'id' ? 1 : name === 'documentId' ? DOCUMENT_ID : exampleValue(attribute);
    if (value === undefined && required && !type.draftAndPublish) return undefined;
    entry[name] = name === 'locale' && !type.localized ? null : name === 'locale' ? 'en' : (value ?? null);
  }
  return entry;
}

/** The `data` of a body; undefined where something that is required cannot be made up. */
export function exampleData(description: Description, type: ContentType): Record<string, unknown> | undefined {
  const data: Record<string, unknown> = {};
  for (const attribute of description.view.written(type)) {
    if (attribute.kind !== 'scalar') {
      if (attribute.required && (attribute.kind === 'component' || attribute.kind === 'dynamiczone')) return undefined;
      if (attribute.kind === 'relation' && Object.keys(data).length > 0)
        data[attribute.name] = attribute.many ? { connect: [DOCUMENT_ID] } : DOCUMENT_ID;
      continue;
    }
    const value = exampleValue(attribute);
    if (value !== undefined) data[attribute.name] = value;
    else if (attribute.required) return undefined;
  }
  return data;
}

export const examplePage = (entry: Record<string, unknown>): Record<string, unknown> => ({
  data: [entry],
  meta: { pagination: { page: 1, pageSize: 25, pageCount: 1, total: 1 } },
});

/** The name of a type for people. */
export const titleOf = ({ singularName }: ContentType): string => pascal(singularName);
