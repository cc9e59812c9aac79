// The title of the entry, its state, and what can be done with it.
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { typePath } from '../../../shell/paths.ts';
import { Button } from '../../../ui/button.tsx';
import { Confirm } from '../../../ui/confirm.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { Menu, type MenuItem } from '../../../ui/menu.tsx';
import { Badge, type Tone } from '../../../ui/notice.tsx';
import { PageHeader } from '../../../ui/page.tsx';
import type { EntryAddress, PublicationState } from '../load.ts';
import type { FormRights } from '../rights.ts';
import type { Saving } from '../use-save.ts';

interface EntryHeaderProps {
  readonly address: EntryAddress;
  readonly rights: FormRights;
  readonly title: string;
  /** Null for what is not stored. */
  readonly publication: PublicationState | null;
  readonly isStored: boolean;
  readonly maySave: boolean;
  readonly isDirty: boolean;
  readonly saving: Saving;
  readonly onCompare: () => void;
}

export const TONES: Readonly<Record<PublicationState, Tone>> = { draft: 'info', modified: 'warn', published: 'good' };

type Question = 'unpublish' | 'discard' | 'delete' | 'deleteAll';

export function EntryHeader(props: EntryHeaderProps): ReactNode {
  const { address, rights, title, publication, isStored, isDirty, saving } = props;
  const { type } = address;
  const [question, setQuestion] = useState<Question | null>(null);
  const items = menuItems(props, setQuestion);
  return (
    <>
      {type.kind === 'collectionType' && (
        <Link className="edit-back" href={typePath(type)}>
          <Icon name="back" />
          {type.displayName}
        </Link>
      )}
      <PageHeader title={title}>
        {type.draftAndPublish && publication && <Badge tone={TONES[publication]}>{publication}</Badge>}
        {isDirty && <Badge tone="warn">unsaved changes</Badge>}
        {!props.maySave && <Badge>read only</Badge>}
        <div className="row edit-actions">
          {props.maySave && (
            <Button
              kind={type.draftAndPublish ? 'normal' : 'primary'}
              disabled={saving.isBusy || (isStored && !isDirty)}
              onClick={saving.save}
            >
              {type.draftAndPublish ? 'Save draft' : 'Save'}
            </Button>
          )}
          {type.draftAndPublish && rights.may('publish') && (
            <Button
              kind="primary"
              disabled={saving.isBusy || (publication === 'published' && !isDirty)}
              onClick={saving.publish}
            >
              Publish
            </Button>
          )}
          {items.length > 0 && (
            <Menu
              trigger={
                <Button icon="more" aria-label="More to do">
                  More
                </Button>
              }
              items={items}
            />
          )}
        </div>
      </PageHeader>
      <Questions {...props} question={question} onClose={() => setQuestion(null)} />
    </>
  );
}

function menuItems(props: EntryHeaderProps, ask: (question: Question) => void): readonly MenuItem[] {
  const { address, rights, publication, isStored, isDirty, saving, onCompare } = props;
  const { type, locale } = address;
  if (!isStored) return [];
  const isPublished = publication === 'published' || publication === 'modified';
  const hasDrafts = type.draftAndPublish;
  const items: readonly (MenuItem | false)[] = [
    hasDrafts && isPublished && { label: 'Compare draft and published', onSelect: onCompare },
    hasDrafts && isPublished && rights.may('publish') && { label: 'Unpublish…', onSelect: () => ask('unpublish') },
    hasDrafts &&
      isPublished &&
      rights.may('update') && {
        label: 'Discard the draft…',
        onSelect: () => ask('discard'),
        disabled: publication === 'published' && !isDirty,
      },
    type.kind === 'collectionType' &&
      rights.may('create') && { label: 'Duplicate', onSelect: () => saving.duplicate() },
    rights.may('delete') && {
      label: locale === null ? 'Delete…' : `Delete ${locale}…`,
      onSelect: () => ask('delete'),
    },
    rights.may('delete') && locale !== null && { label: 'Delete all locales…', onSelect: () => ask('deleteAll') },
  ];
  return items.filter((item) => item !== false);
}

interface QuestionsProps extends EntryHeaderProps {
  readonly question: Question | null;
  readonly onClose: () => void;
}

function Questions({ address: { locale }, title, saving, question, onClose }: QuestionsProps): ReactNode {
  const confirmed = (work: () => Promise<void>) => (): void => {
    work().finally(onClose);
  };
  const common = { onClose, isPending: saving.isBusy };
  return (
    <>
      <Confirm
        {...common}
        title="Unpublish this entry?"
        isOpen={question === 'unpublish'}
        action="Unpublish"
        onConfirm={confirmed(() => saving.act('unpublish'))}
      >
        <p>Readers of the API do not see it any more. The draft stays.</p>
      </Confirm>
      <Confirm
        {...common}
        title="Discard the draft?"
        isOpen={question === 'discard'}
        action="Discard"
        onConfirm={confirmed(() => saving.act('discardDraft'))}
      >
        <p>The draft becomes what is published. Changes since then are lost, those in this form as well.</p>
      </Confirm>
      <Confirm
        {...common}
        title={question === 'deleteAll' ? `Delete ${title} in all locales?` : `Delete ${title}?`}
        isOpen={question === 'delete' || question === 'deleteAll'}
        action="Delete"
        onConfirm={confirmed(() => saving.remove(question === 'deleteAll' ? '*' : locale))}
      >
        <p>This cannot be undone.</p>
      </Confirm>
    </>
  );
}
