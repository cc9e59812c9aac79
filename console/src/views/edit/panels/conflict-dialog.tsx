import { type ReactNode, useState } from 'react';
import type { ConsoleModel, ConsoleType } from '../../../../../src/console/contract.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Select } from '../../../ui/field.tsx';
import { type Conflict, conflictsOf, merged } from '../form/merge.ts';
import type { FormValues } from '../form/values.ts';
import type { Loaded } from '../load.ts';
import type { Saving } from '../use-save.ts';
import { Lines } from './lines.tsx';

interface ConflictDialogProps {
  readonly model: ConsoleModel;
  readonly type: ConsoleType;
  readonly versions: { readonly loaded: FormValues; readonly mine: FormValues; readonly theirs: FormValues };
  readonly stored: Loaded;
  readonly saving: Saving;
}

/** Someone else stored the entry since it was loaded: what they changed, before anything of it is overwritten. */
export function ConflictDialog({ model, type, versions, stored, saving }: ConflictDialogProps): ReactNode {
  const [theirs, setTheirs] = useState<ReadonlySet<string>>(new Set());
  const conflicts = conflictsOf(model, type, versions);
  const choose = (name: string, isTheirs: boolean): void => {
    const next = new Set(theirs);
    if (isTheirs) next.add(name);
    else next.delete(name);
    setTheirs(next);
  };
  const isTheirs = (name: string): boolean => theirs.has(name);
  return (
    <Dialog
      title="Someone else changed this entry"
      isOpen
      wide
      onClose={saving.closeConflict}
      actions={
        <>
          <Button
            kind="primary"
            disabled={saving.isBusy}
            onClick={() => saving.resolve(merged(conflicts, versions, isTheirs))}
          >
            Save as chosen
          </Button>
          <Button disabled={saving.isBusy} onClick={saving.takeTheirs}>
            Drop mine and take theirs
          </Button>
        </>
      }
    >
      <p>
        It was stored {stored.updatedAt && `on ${new Date(stored.updatedAt).toLocaleString()}`}, after you opened it.
        {stored.updatedBy && ` In the console, ${stored.updatedBy} changed it last.`} Nothing of yours is saved yet.
      </p>
      <div className="table-scroll">
        <table className="table">
          <thead>
            <tr>
              <th scope="col">Attribute</th>
              <th scope="col">Mine</th>
              <th scope="col">Stored now</th>
              <th scope="col">Keep</th>
            </tr>
          </thead>
          <tbody>
            {conflicts.map((conflict) => (
              <ConflictRow
                key={conflict.attribute.name}
                conflict={conflict}
                isTheirs={conflict.by === 'them' || isTheirs(conflict.attribute.name)}
                onChoose={(next) => choose(conflict.attribute.name, next)}
              />
            ))}
          </tbody>
        </table>
      </div>
    </Dialog>
  );
}

interface ConflictRowProps {
  readonly conflict: Conflict;
  readonly isTheirs: boolean;
  readonly onChoose: (isTheirs: boolean) => void;
}

const WHO = { me: 'changed by you', them: 'changed by someone else', both: 'changed by both' } as const;

const ConflictRow = ({ conflict, isTheirs, onChoose }: ConflictRowProps): ReactNode => (
  <tr>
    <th scope="row">
      {conflict.attribute.name}
      <div className="field-hint">{WHO[conflict.by]}</div>
    </th>
    <td>
      <Lines lines={conflict.mine} against={conflict.theirs} />
    </td>
    <td>
      <Lines lines={conflict.theirs} against={conflict.mine} />
    </td>
    <td>
      {conflict.by === 'them' ? (
        'Stored now'
      ) : (
        <Select
          small
          aria-label={`Keep of ${conflict.attribute.name}`}
          value={isTheirs ? 'theirs' : 'mine'}
          options={[
            { value: 'mine', label: 'Mine' },
            { value: 'theirs', label: 'Stored now' },
          ]}
          onChange={(version) => onChoose(version === 'theirs')}
        />
      )}
    </td>
  </tr>
);
