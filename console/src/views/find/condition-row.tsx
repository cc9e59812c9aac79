// One comparison: what is compared, how, and with what.
import type { ReactNode } from 'react';
import {
  namesOf,
  relationChoices,
  relationConditionOf,
  withOperator,
  withRelationChoice,
} from '../../query/conditions.ts';
import type { Count, FilterDraft, Test } from '../../query/draft.ts';
import type { Place } from '../../query/edit-filters.ts';
import { arityOf, COUNT_CHOICES, operatorsFor, valueKindOf } from '../../query/operators.ts';
import { attributesAlong, isThroughMany, type SchemaView, targetOf, viewAt } from '../../query/schema-view.ts';
import { Select, TextInput } from '../../ui/field.tsx';
import { useEditing } from './editing.ts';
import { EntryPicker } from './entry-picker.tsx';
import { nodeName } from './node-menu.tsx';
import { PathLabel } from './path-label.tsx';
import { ValuesInput } from './value-input.tsx';

interface RowProps<N extends FilterDraft> {
  readonly node: N;
  readonly place: Place;
  readonly view: SchemaView | null;
  readonly above: readonly string[];
  readonly error: string | null;
  readonly onChange: (node: FilterDraft) => void;
}

export function ConditionRow(props: RowProps<Test | Count>): ReactNode {
  const { node, view, onChange } = props;
  const relation = relationConditionOf(node, view);
  if (relation) return <RelationRow {...props} />;
  if (node.kind === 'count') return <CountValues {...props} node={node} onChange={onChange} />;
  return <ValueRow {...props} node={node} />;
}

function ValueRow({ node, view, error, onChange }: RowProps<Test>): ReactNode {
  const attribute = attributesAlong(view, namesOf(node.path)).at(-1);
  const name = nodeName(node);
  const inJson = node.at.length > 0;
  const kind = inJson || !attribute ? 'text' : valueKindOf(attribute);
  const choices = operatorsFor(attribute, { inJson, throughMany: isThroughMany(view, node.path), current: node.op });
  return (
    <div className="find-condition">
      <PathLabel path={node.path} view={view} onChange={(path) => onChange({ ...node, path })} />
      {(attribute?.type === 'json' || inJson) && <JsonKeys node={node} onChange={onChange} />}
      <Select
        small
        aria-label={`Operator of ${name}`}
        value={node.op}
        options={choices.map(({ op, label }) => ({ value: op, label }))}
        onChange={(op) => onChange(withOperator(node, op))}
      />
      <ValuesInput
        kind={kind}
        attribute={attribute}
        label={`Value of ${name}`}
        isInvalid={error !== null}
        arity={arityOf(node.op)}
        values={node.values}
        onChange={(values) => onChange({ ...node, values })}
      />
      {node.values.length === 0 && <span className="soft">needs a value</span>}
    </div>
  );
}

/** A key with brackets would be taken for several, and a whole number for a place in a list. */
const isKey = (text: string): boolean => text !== '' && !/[[\]]|^\d+$|^\$|__proto__/.test(text);

const JsonKeys = ({ node, onChange }: { readonly node: Test; readonly onChange: (node: Test) => void }): ReactNode => (
  <TextInput
    key={node.at.join('.')}
    small
    aria-label="Keys inside of the JSON, with dots between them"
    placeholder="key.key"
    defaultValue={node.at.join('.')}
    onBlur={({ target }) => {
      const at = target.value
        .split('.')
        .map((key) => key.trim())
        .filter(isKey);
      if (at.join('.') !== node.at.join('.')) onChange({ ...node, at });
    }}
  />
);

function RelationRow({ node, place, view, above, error, onChange }: RowProps<Test | Count>): ReactNode {
  const { titles } = useEditing();
  const condition = relationConditionOf(node, view)!;
  const { attribute, choice, path } = condition;
  const target = view && targetOf(view.model, attribute)?.schema;
  const type = view?.model.types.find(({ uid }) => uid === target?.uid);
  const name = nodeName(node);
  const isWhole = choice === 'count' || choice === 'empty' || choice === 'notEmpty' || choice === 'all';
  const hasEntries = choice !== 'count' && choice !== 'empty' && choice !== 'notEmpty';
  const tail = node.path.slice(path.length);
  return (
    <div className="find-condition">
      <PathLabel
        path={path}
        view={view}
        isWhole={isWhole}
        onChange={(next) => onChange({ ...node, path: [...next, ...tail] })}
      />
      <Select
        small
        aria-label={`Operator of ${name}`}
        value={choice}
        options={relationChoices(attribute)}
        onChange={(next) => onChange(withRelationChoice(node, condition, next))}
      />
      {hasEntries && type && (
        <EntryPicker
          type={type}
          label={`Entry of ${name}`}
          values={node.values}
          titles={titles}
          many={choice !== 'is' && choice !== 'isNot'}
          onChange={(values) => onChange({ ...node, values })}
        />
      )}
      {hasEntries && !type && (
        <ValuesInput
          kind="text"
          attribute={undefined}
          label={`documentId of ${name}`}
          isInvalid={error !== null}
          arity={choice === 'is' || choice === 'isNot' ? 'one' : 'many'}
          values={node.values}
          onChange={(values) => onChange({ ...node, values })}
        />
      )}
      {hasEntries && node.values.length === 0 && <span className="soft">needs an entry</span>}
      {node.kind === 'count' && (
        <CountValues node={node} place={place} view={view} above={above} error={error} onChange={onChange} />
      )}
    </div>
  );
}

function CountValues({ node, place, view, above, error, onChange }: RowProps<Count>): ReactNode {
  const { renderList } = useEditing();
  const name = nodeName(node);
  return (
    <>
      <Select
        small
        aria-label={`How the number of ${name} is compared`}
        value={node.op}
        options={COUNT_CHOICES.map(({ op, label }) => ({ value: op, label }))}
        onChange={(op) => onChange({ ...node, op })}
      />
      <ValuesInput
        kind="number"
        attribute={undefined}
        label={`Number of ${name}`}
        isInvalid={error !== null}
        arity={arityOf(node.op)}
        values={node.values}
        onChange={(values) => onChange({ ...node, values })}
      />
      <div className="find-nested find-counted">
        <span className="soft">{node.where.length > 0 ? 'of those that meet' : 'Count only some of them:'}</span>
        {renderList({
          nodes: node.where,
          at: place,
          view: viewAt(view, namesOf(node.path)),
          above: [...above.slice(0, -1), 'where'],
        })}
      </div>
    </>
  );
}
