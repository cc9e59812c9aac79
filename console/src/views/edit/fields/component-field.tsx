// Components: one, a list of them, or a dynamic zone, whose items are of several kinds.
import { type ReactNode, useEffect, useState } from 'react';
import type { ConsoleAttribute } from '../../../../../src/console/contract.ts';
import { schemaOf } from '../../../shell/model.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { Menu } from '../../../ui/menu.tsx';
import { Badge } from '../../../ui/notice.tsx';
import { fieldId, hasProblemWithin, useForm } from '../context.ts';
import { initialValues, newKey, type Part } from '../form/values.ts';
import { Group } from './group.tsx';
import { PartFields } from './part-fields.tsx';
import { SortableList } from './sortable-list.tsx';

interface ComponentFieldProps<Value> {
  readonly id: string;
  readonly label: string;
  readonly required: boolean;
  readonly error: string | null;
  readonly attribute: ConsoleAttribute;
  readonly path: readonly string[];
  readonly onChange: (value: Value) => void;
  readonly readOnly: boolean;
}

/** Parts that were added on this page start open, those that were loaded are closed. */
const isNew = (part: Part): boolean => part.id === null;

function useNewPart(): (component: string) => Part {
  const { model } = useForm();
  return (component) => {
    const schema = schemaOf(model, component);
    return { key: newKey(), id: null, component, values: schema ? initialValues(schema) : {} };
  };
}

export function SinglePart(props: ComponentFieldProps<Part | null> & { readonly part: Part | null }): ReactNode {
  const { id, label, required, error, attribute, path, part, onChange, readOnly } = props;
  const newPart = useNewPart();
  const removeIt = (): void => {
    document.getElementById(id)?.focus();
    onChange(null);
  };
  const extra = !readOnly && part && <IconButton small icon="close" label={`Remove ${label}`} onClick={removeIt} />;
  return (
    <Group id={id} label={label} required={required} error={error} extra={extra}>
      {part ? (
        <div className="edit-part edit-part-body">
          <PartFields part={part} path={path} onChange={onChange} readOnly={readOnly} />
        </div>
      ) : (
        <EmptyPart readOnly={readOnly}>
          <Button small icon="add" onClick={() => onChange(newPart(attribute.component!))}>
            Add {label}
          </Button>
        </EmptyPart>
      )}
    </Group>
  );
}

const EmptyPart = ({ readOnly, children }: { readonly readOnly: boolean; readonly children: ReactNode }): ReactNode =>
  readOnly ? <span className="soft">Nothing</span> : <div>{children}</div>;

export function PartList(props: ComponentFieldProps<readonly Part[]> & { readonly parts: readonly Part[] }): ReactNode {
  const { id, label, required, error, attribute, path, parts, onChange, readOnly } = props;
  const { model } = useForm();
  const newPart = useNewPart();
  const titleAt = (part: Part, index: number): string => partTitle(model, part) ?? `${label} ${index + 1}`;
  const move = (from: number, to: number): void => {
    const next = [...parts];
    const [part] = next.splice(from, 1);
    if (part) onChange(next.toSpliced(to, 0, part));
  };
  return (
    <Group
      id={id}
      label={label}
      required={required}
      error={error}
      hint={attribute.max === undefined ? null : `At most ${attribute.max}.`}
      extra={parts.length > 0 && <Badge>{parts.length}</Badge>}
    >
      {parts.length > 0 && (
        <SortableList items={parts} keyOf={({ key }) => key} labelOf={titleAt} onMove={move} readOnly={readOnly}>
          {(part, index, controls) => (
            <PartItem
              part={part}
              path={[...path, String(index)]}
              title={titleAt(part, index)}
              kind={attribute.type === 'dynamiczone' ? (schemaOf(model, part.component)?.displayName ?? null) : null}
              controls={controls}
              readOnly={readOnly}
              onChange={(next) => onChange(parts.with(index, next))}
              onRemove={() => {
                document.getElementById(id)?.focus();
                onChange(parts.toSpliced(index, 1));
              }}
            />
          )}
        </SortableList>
      )}
      {parts.length === 0 && readOnly && <span className="soft">Nothing</span>}
      {!readOnly && (
        <AddPart
          label={label}
          components={attribute.components ?? [attribute.component!]}
          onAdd={(component) => onChange([...parts, newPart(component)])}
        />
      )}
    </Group>
  );
}

interface AddPartProps {
  readonly label: string;
  readonly components: readonly string[];
  readonly onAdd: (component: string) => void;
}

function AddPart({ label, components, onAdd }: AddPartProps): ReactNode {
  const { model } = useForm();
  const [only, ...others] = components;
  const button = (
    <Button small icon="add" onClick={others.length === 0 && only ? () => onAdd(only) : undefined}>
      Add to {label}
    </Button>
  );
  if (others.length === 0) return <div>{button}</div>;
  return (
    <div>
      <Menu
        trigger={button}
        items={components.map((uid) => ({
          label: schemaOf(model, uid)?.displayName ?? uid,
          onSelect: () => onAdd(uid),
        }))}
      />
    </div>
  );
}

/** The value of its main attribute, where that has one. */
function partTitle(model: Parameters<typeof schemaOf>[0], { component, values }: Part): string | null {
  const main = values[schemaOf(model, component)?.mainField ?? ''];
  return (typeof main === 'string' && main !== '') || typeof main === 'number' ? String(main) : null;
}

interface PartItemProps {
  readonly part: Part;
  readonly path: readonly string[];
  readonly title: string;
  /** What kind of component it is, in a zone. */
  readonly kind: string | null;
  readonly controls: ReactNode;
  readonly readOnly: boolean;
  readonly onChange: (part: Part) => void;
  readonly onRemove: () => void;
}

function PartItem({ part, path, title, kind, controls, readOnly, onChange, onRemove }: PartItemProps): ReactNode {
  const { problems, idPrefix } = useForm();
  const [isOpen, setOpen] = useState(isNew(part));
  const hasProblem = hasProblemWithin(problems, path);
  useEffect(() => {
    if (hasProblem) setOpen(true);
  }, [hasProblem]);
  const bodyId = `${fieldId(idPrefix, path)}-body`;
  return (
    <div className="edit-part" id={fieldId(idPrefix, path)}>
      <div className="edit-line">
        {controls}
        <button
          type="button"
          className="edit-toggle grow"
          aria-expanded={isOpen}
          aria-controls={bodyId}
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name={isOpen ? 'chevronDown' : 'chevronRight'} />
          <span className="edit-title">{title}</span>
          {kind && <Badge>{kind}</Badge>}
          {hasProblem && <Badge tone="bad">Problem</Badge>}
        </button>
        {!readOnly && <IconButton small icon="delete" label={`Remove ${title}`} onClick={onRemove} />}
      </div>
      <div id={bodyId} className="edit-part-body" hidden={!isOpen}>
        {isOpen && <PartFields part={part} path={path} onChange={onChange} readOnly={readOnly} />}
      </div>
    </div>
  );
}
