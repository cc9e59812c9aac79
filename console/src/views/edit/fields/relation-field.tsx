// The entries that a relation leads to, in their order: found and added, moved, removed, opened.
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import type { ConsoleAttribute, ConsoleSchema, ConsoleType } from '../../../../../src/console/contract.ts';
import { api } from '../../../shell/api.ts';
import { defaultLocale, type Entry, typeOf } from '../../../shell/model.ts';
import { entryPath } from '../../../shell/paths.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { Badge } from '../../../ui/notice.tsx';
import { toastError } from '../../../ui/toast.tsx';
import { useForm } from '../context.ts';
import { relationPageUrl } from '../form/query.ts';
import { moved, withAdded, without } from '../form/relations.ts';
import { NO_RELATION, type Related, type RelationValue, relatedKey, relatedOf, shownOf } from '../form/values.ts';
import type { RelatedPage } from '../load.ts';
import { Group } from './group.tsx';
import { RelationSearch } from './relation-search.tsx';
import { SortableList } from './sortable-list.tsx';

interface RelationFieldProps {
  readonly id: string;
  readonly label: string;
  readonly required: boolean;
  readonly error: string | null;
  readonly schema: ConsoleSchema;
  readonly attribute: ConsoleAttribute;
  /** Whether more of it can be read than has been. */
  readonly isPaged: boolean;
  readonly value: RelationValue;
  readonly onChange: (value: RelationValue) => void;
  readonly readOnly: boolean;
}

export function RelationField(props: RelationFieldProps): ReactNode {
  const { id, label, required, error, schema, attribute, value, onChange, readOnly } = props;
  const { model, locale } = useForm();
  const { target = null, toMany = true } = attribute.relation ?? {};
  const shown = shownOf(value);
  const isReadable = target === null || typeOf(model, target) !== undefined;
  const add = (type: ConsoleType, entry: Entry): void => {
    const related = relatedOf(model, schema, attribute, { ...entry, ...(target === null && { __type: type.uid }) });
    onChange(toMany ? withAdded(value, related) : { ...NO_RELATION, head: [related] });
  };
  const count = shown.length + value.unread;
  if (!isReadable)
    return (
      <Group id={id} label={label} hint="What this leads to cannot be read here.">
        {null}
      </Group>
    );
  return (
    <Group
      id={id}
      label={label}
      required={required}
      error={error}
      extra={toMany && count > 0 && <Badge>{count}</Badge>}
    >
      {shown.length > 0 && <RelatedList {...props} />}
      {shown.length === 0 && readOnly && <span className="soft">Nothing</span>}
      {value.unread > 0 && props.isPaged && <MoreButton attribute={attribute} schema={schema} unread={value.unread} />}
      {!readOnly && (
        <RelationSearch
          label={toMany ? `Add to ${label}` : `Choose ${label}`}
          targets={target === null ? (attribute.relation?.targets ?? []) : [target]}
          locale={locale ?? defaultLocale(model)}
          isTaken={(entry) => shown.some(({ documentId }) => documentId === entry.documentId)}
          onSelect={add}
        />
      )}
    </Group>
  );
}

/** What is shown of the list, in its order. */
function RelatedList({ id, attribute, value, onChange, readOnly }: RelationFieldProps): ReactNode {
  const { model, locale } = useForm();
  const { target = null, toMany = true } = attribute.relation ?? {};
  const remove = (related: Related): void => {
    document.getElementById(id)?.focus();
    onChange(without(value, related));
  };
  return (
    <SortableList
      items={shownOf(value)}
      keyOf={relatedKey}
      labelOf={({ title }) => title}
      onMove={(from, to) => onChange(moved(value, from, to))}
      readOnly={readOnly || !toMany}
    >
      {(related, index, controls) => (
        <>
          {value.unread > 0 && index === value.head.length && (
            <span className="edit-gap soft">behind {value.unread} more</span>
          )}
          <span className="edit-line">
            {controls}
            <RelatedTitle
              related={related}
              type={typeOf(model, related.type ?? target ?? '')}
              locale={related.locale ?? locale}
            />
            {!readOnly && (
              <IconButton small icon="close" label={`Remove ${related.title}`} onClick={() => remove(related)} />
            )}
          </span>
        </>
      )}
    </SortableList>
  );
}

interface RelatedTitleProps {
  readonly related: Related;
  readonly type: ConsoleType | undefined;
  readonly locale: string | null;
}

function RelatedTitle({ related, type, locale }: RelatedTitleProps): ReactNode {
  const isOpenable = type !== undefined && type.source === 'own';
  return (
    <span className="grow edit-title">
      {isOpenable ? (
        <Link href={entryPath(type, related.documentId, type.localized ? locale : null)}>{related.title}</Link>
      ) : (
        related.title
      )}
      {related.type && type && <Badge>{type.displayName}</Badge>}
      {related.locale && <Badge>{related.locale}</Badge>}
    </span>
  );
}

interface MoreButtonProps {
  readonly attribute: ConsoleAttribute;
  readonly schema: ConsoleSchema;
  readonly unread: number;
}

/** Reads the next entries of the list, in their stored order. */
function MoreButton({ attribute, schema, unread }: MoreButtonProps): ReactNode {
  const { model, type, documentId, locale, onPage, readCount } = useForm();
  const [isReading, setReading] = useState(false);
  const target = typeOf(model, attribute.relation?.target ?? '');
  if (!target || (documentId === null && type.kind === 'collectionType')) return null;
  const read = (): void => {
    setReading(true);
    const url = relationPageUrl(type, documentId ?? '', {
      attribute: attribute.name,
      target,
      start: readCount(attribute.name),
      locale,
    });
    api
      .get<RelatedPage>(url)
      .then(({ data, meta }) => {
        const page = data.map((entry) => relatedOf(model, schema, attribute, entry));
        onPage(attribute.name, page, meta.pagination.total);
      }, toastError)
      .finally(() => setReading(false));
  };
  return (
    <Button small icon="chevronDown" disabled={isReading} onClick={read}>
      Show more of {unread}
    </Button>
  );
}
