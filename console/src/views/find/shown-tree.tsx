// What is shown of each entry: its fields, and what is related to it, as a tree of the model to any depth.
import { type ReactNode, useState } from 'react';
import type { ConsoleAttribute } from '../../../../src/console/contract.ts';
import type { Titles } from '../../query/clauses.ts';
import {
  NO_POPULATE,
  PLAIN_POPULATE,
  type PopulateDraft,
  type PopulateItem,
  type PopulateNode,
} from '../../query/draft.ts';
import { isToMany, leadsOn, namesIn, type SchemaView, schemaView, targetOf } from '../../query/schema-view.ts';
import { IconButton } from '../../ui/button.tsx';
import { Checkbox, Field, TextInput } from '../../ui/field.tsx';
import { FilterEditor } from './filter-editor.tsx';
import { SortList } from './sort-list.tsx';

interface Shown {
  readonly fields: readonly string[] | null;
  readonly populate: PopulateDraft;
}

interface ShownTreeProps extends Shown {
  readonly view: SchemaView;
  /** What it is of, for the names of its controls. */
  readonly of: string;
  readonly titles: Titles;
  readonly onChange: (shown: Shown) => void;
}

export function ShownTree({ fields, populate, view, of, titles, onChange }: ShownTreeProps): ReactNode {
  const related = namesIn(view).filter((one) => leadsOn(one) && !one.private);
  return (
    <div className="find-shown">
      <Fields fields={fields} view={view} of={of} onChange={(next) => onChange({ fields: next, populate })} />
      {related.length > 0 && (
        <>
          <Checkbox
            label="Everything related, one level"
            aria-label={`Everything related of ${of}, one level`}
            checked={populate.all}
            onChange={({ target }) => onChange({ fields, populate: { all: target.checked, at: [] } })}
          />
          {!populate.all && (
            <ul className="find-branches">
              {related.map((attribute) => (
                <Branch
                  key={attribute.name}
                  attribute={attribute}
                  view={view}
                  of={of}
                  titles={titles}
                  items={populate.at}
                  onChange={(at) => onChange({ fields, populate: { all: false, at } })}
                />
              ))}
            </ul>
          )}
        </>
      )}
    </div>
  );
}

function Fields({
  fields,
  view,
  of,
  onChange,
}: {
  readonly fields: readonly string[] | null;
  readonly view: SchemaView;
  readonly of: string;
  readonly onChange: (fields: readonly string[] | null) => void;
}): ReactNode {
  const names = namesIn(view)
    .filter((one) => !leadsOn(one) && !one.private && one.name !== 'id' && one.name !== 'documentId')
    .map(({ name }) => name);
  const toggle = (name: string, isOn: boolean): void => {
    const next = isOn ? [...(fields ?? []), name] : (fields ?? names).filter((one) => one !== name);
    onChange(next.length === 0 || names.every((one) => next.includes(one)) ? null : next);
  };
  return (
    <details className="find-fields">
      <summary>{fields ? `Fields of ${of}: ${fields.join(', ')}` : `Fields of ${of}: all`}</summary>
      <div className="find-choices">
        {names.map((name) => (
          <Checkbox
            key={name}
            label={name}
            checked={fields === null || fields.includes(name)}
            onChange={({ target }) => toggle(name, target.checked)}
          />
        ))}
      </div>
    </details>
  );
}

interface BranchProps {
  readonly attribute: ConsoleAttribute;
  readonly view: SchemaView;
  readonly of: string;
  readonly titles: Titles;
  readonly items: readonly PopulateItem[];
  readonly onChange: (items: readonly PopulateItem[]) => void;
}

function Branch({ attribute, view, of, titles, items, onChange }: BranchProps): ReactNode {
  const { name } = attribute;
  const index = items.findIndex((item) => item.name === name);
  const node = items[index]?.node;
  const [isOpen, setOpen] = useState(false);
  const replace = (next: PopulateNode): void => onChange(items.with(index, { name, node: next }));
  const path = `${of} › ${name}`;
  return (
    <li>
      <span className="row">
        <Checkbox
          label={name}
          aria-label={`Show ${path}`}
          checked={node !== undefined}
          onChange={({ target }) =>
            onChange(target.checked ? [...items, { name, node: PLAIN_POPULATE }] : items.toSpliced(index, 1))
          }
        />
        <span className="soft">{isToMany(attribute) ? `${attribute.type}, to many` : attribute.type}</span>
        {node && (
          <IconButton
            small
            icon={isOpen ? 'chevronUp' : 'chevronDown'}
            label={`What is shown of ${path}`}
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          />
        )}
      </span>
      {node && isOpen && (
        <div className="find-nested">
          <NodeOptions node={node} attribute={attribute} view={view} of={path} titles={titles} onChange={replace} />
        </div>
      )}
    </li>
  );
}

interface OptionsProps {
  readonly node: PopulateNode;
  readonly attribute: ConsoleAttribute;
  readonly view: SchemaView;
  readonly of: string;
  readonly titles: Titles;
  readonly onChange: (node: PopulateNode) => void;
}

function NodeOptions({ node, attribute, view, of, titles, onChange }: OptionsProps): ReactNode {
  const target = targetOf(view.model, attribute);
  const isMany = isToMany(attribute);
  return (
    <div className="find-options">
      {attribute.components?.map((uid) => (
        <Fragment key={uid} uid={uid} node={node} view={view} of={of} titles={titles} onChange={onChange} />
      ))}
      {isMany && !attribute.components && (
        <Checkbox
          label="Only their number"
          aria-label={`Only the number of ${of}`}
          checked={node.count}
          onChange={({ target: { checked } }) => onChange({ ...PLAIN_POPULATE, count: checked })}
        />
      )}
      {target && !node.count && (
        <ShownTree
          fields={node.fields}
          populate={node.populate}
          view={target}
          of={of}
          titles={titles}
          onChange={(shown) => onChange({ ...node, ...shown })}
        />
      )}
      {target && isMany && !node.count && (
        <>
          <div className="field-label">Only those that meet</div>
          <FilterEditor
            label={`Conditions on ${of}`}
            filters={node.filters}
            view={target}
            titles={titles}
            problem={null}
            onChange={(filters) => onChange({ ...node, filters })}
          />
          <SortList sort={node.sort} view={target} onChange={(sort) => onChange({ ...node, sort })} />
          <Field label={`At most, of ${of}`}>
            {(control) => (
              <TextInput
                small
                {...control}
                inputMode="numeric"
                value={node.page.limit ?? ''}
                onChange={({ target: { value } }) => {
                  const { limit: _, ...rest } = node.page;
                  onChange({ ...node, page: /^\d+$/.test(value) ? { ...rest, limit: value } : rest });
                }}
              />
            )}
          </Field>
        </>
      )}
      {Object.keys(node.other).length > 0 && <code>{`${JSON.stringify(node.other)} (kept as it was written)`}</code>}
    </div>
  );
}

/** A component of a dynamic zone. Once one is chosen, the others are not shown. */
function Fragment({
  uid,
  node,
  view,
  of,
  titles,
  onChange,
}: Omit<OptionsProps, 'attribute'> & { readonly uid: string }): ReactNode {
  const inner = schemaView(view.model, uid);
  const index = node.on.findIndex((item) => item.name === uid);
  const item = node.on[index];
  return (
    <div>
      <Checkbox
        label={`Only ${uid}`}
        aria-label={`Only ${uid} of ${of}`}
        checked={item !== undefined}
        onChange={({ target }) =>
          onChange({
            ...node,
            populate: NO_POPULATE,
            on: target.checked ? [...node.on, { name: uid, node: PLAIN_POPULATE }] : node.on.toSpliced(index, 1),
          })
        }
      />
      {item && inner && (
        <div className="find-nested">
          <ShownTree
            fields={item.node.fields}
            populate={item.node.populate}
            view={inner}
            of={`${of} › ${uid}`}
            titles={titles}
            onChange={(shown) =>
              onChange({ ...node, on: node.on.with(index, { name: uid, node: { ...item.node, ...shown } }) })
            }
          />
        </div>
      )}
    </div>
  );
}
