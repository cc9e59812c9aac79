// Write plans in words, as indented trees.
import { json, node, type Tree, textOf } from '../../src/describe/print-read-plan.ts';
import type {
  ComponentItem,
  EntityChange,
  RelationChange,
  ScalarChange,
  WritePlan,
} from '../../src/plan/write/changes.ts';
import type { PositionInput, Reference } from '../../src/request/parse-relation.ts';

export function printWritePlan({ name, type, documentId, locale, locales, publishes, change, references }: WritePlan) {
  const which = locales === 'all' ? 'all locales' : locales.map((one) => one ?? 'no locale').join(', ');
  const target = documentId ?? (type.kind === 'singleType' ? 'the one document' : 'a new document');
  return textOf([
    `${name} ${target} of ${type.uid}`,
    `for ${which}${locale === null ? '' : `; writes ${locale}`}; ${publishes ? 'publishes' : 'does not publish'}`,
    ...entityChange(change),
    ...(references.length > 0
      ? [
          node(
            'refers to',
            references.map(
              ({ target: uid, documentIds, rowIds }) =>
                `${uid}: ${[...documentIds, ...rowIds.map((id) => `row ${id}`)].join(', ')}`,
            ),
          ),
        ]
      : []),
  ]);
}

const scalar = ({ attribute, value }: ScalarChange): string =>
  `${attribute.name} = ${json(value)} as ${attribute.type}`;

const entityChange = ({ scalars, relations, components, absent }: EntityChange): Tree[] => [
  ...(scalars.length > 0 ? [node('set', scalars.map(scalar))] : []),
  ...relations.map(relationChange),
  ...components.map(({ attribute, items }) =>
    node(items.length > 0 ? `items of ${attribute.name}` : `no items of ${attribute.name}`, items.map(item)),
  ),
  ...(absent && absent.scalars.length + absent.problems.length > 0
    ? [
        node('where the row is new', [
          ...absent.scalars.map((one) => `${scalar(one)}${unlessShared(one.attribute.localized)}`),
          ...absent.problems.map(
            ({ path, message, localized }) => `refused: ${path.join('.')} ${message}${unlessShared(localized)}`,
          ),
        ]),
      ]
    : []),
];

const unlessShared = (localized: boolean): string => (localized ? '' : ', unless other locales share theirs');

const item = ({ uid, id, entity: change }: ComponentItem): Tree =>
  node(id === null ? `a new ${uid}` : `row ${id} of ${uid}`, entityChange(change));

function reference({ documentId, id, locale, status, type }: Reference): string {
  const version = [status, locale, type].filter((part) => part !== null).join(', ');
  return `${documentId ?? `row ${id}`}${version && ` (${version})`}`;
}

const position = (place: PositionInput): string =>
  'anchor' in place ? `${place.at} ${reference(place.anchor)}` : `at the ${place.at}`;

function relationChange({ attribute: { name }, input }: RelationChange): Tree {
  if (input.mode === 'set')
    return node(
      input.references.length > 0 ? `${name} becomes` : `${name} becomes empty`,
      input.references.map(reference),
    );
  return node(`${name} changes${input.strict ? '' : ', lenient about anchors'}`, [
    ...input.disconnect.map((one) => `disconnect ${reference(one)}`),
    ...input.connect.map((one) => `connect ${reference(one.reference)} ${position(one.position)}`),
  ]);
}
