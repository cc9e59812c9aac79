// Requests to try a project with, made from its model: write an entry, list the entries, find it.
import type { ContentType, Model, ScalarAttribute } from '../../model/types.ts';

/** A value that an attribute takes; undefined where that is not known. */
function sampleValue({ type, rules }: ScalarAttribute): unknown {
  switch (type) {
    case 'string':
    case 'text':
    case 'richtext':
      return rules.regex === null &&
        (rules.minLength ?? 0) <= HELLO.length &&
        (rules.maxLength ?? HELLO.length) >= HELLO.length
        ? HELLO
        : undefined;
    case 'email':
      return 'ann@example.com';
    case 'uid':
      return 'hello';
    case 'enumeration':
      return rules.enum![0];
    case 'integer':
    case 'float':
    case 'decimal':
      return Number(rules.min ?? rules.max ?? 1);
    case 'biginteger':
      return String(rules.min ?? rules.max ?? 1);
    case 'boolean':
      return true;
    case 'date':
      return '2026-01-31';
    case 'time':
      return '12:00:00';
    case 'datetime':
    case 'timestamp':
      return '2026-01-31T12:00:00.000Z';
    case 'json':
      return {};
    default:
      return undefined;
  }
}

const HELLO = 'Hello';

interface Sample {
  readonly type: ContentType;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The first text and whatever is required; null where something required cannot be made up. */
function sampleOf(type: ContentType): Sample | null {
  const data: Record<string, unknown> = {};
  for (const attribute of type.attributes.values()) {
    const isText = attribute.kind === 'scalar' && attribute.type === 'string' && Object.keys(data).length === 0;
    if (!attribute.writable || attribute.private || !(attribute.required || isText)) continue;
    const value = attribute.kind === 'scalar' ? sampleValue(attribute) : undefined;
    if (value !== undefined) data[attribute.name] = value;
    else if (attribute.required) return null;
  }
  return { type, data };
}

/** Up to three commands for a shell in which TOKEN is set; none where the project has no type that they can write. */
export function sampleRequests(model: Model, root: string): string[] {
  const own = [...model.contentTypes.values()].filter(({ uid }) => uid.startsWith('api::'));
  const samples = own.map(sampleOf).filter((sample) => sample !== null);
  const sample = samples.find(({ type }) => type.kind === 'collectionType') ?? samples[0];
  if (!sample) return [];
  const { type, data } = sample;
  const isSingle = type.kind === 'singleType';
  const url = `${root}/${isSingle ? type.singularName : type.pluralName}`;
  const [name, value] = Object.entries(data).find(([, one]) => typeof one === 'string') ?? [];
  const read = (query: string) => `curl -g '${url}${query}' -H "authorization: Bearer $TOKEN"`;
  return [
    `curl -X ${isSingle ? 'PUT' : 'POST'} '${url}' -H "authorization: Bearer $TOKEN" -H 'content-type: application/json' -d '${JSON.stringify({ data })}'`,
    read(''),
    isSingle || name === undefined
      ? read('?populate=*')
      : read(`?filters[${name}][$eq]=${encodeURIComponent(String(value))}&sort=createdAt:desc`),
  ];
}
