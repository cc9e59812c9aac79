import { type ReactNode, useState } from 'react';
import type { ConsoleAttribute, ConsoleType } from '../../../../../src/console/contract.ts';
import { api } from '../../../shell/api.ts';
import type { Entry } from '../../../shell/model.ts';
import { Button } from '../../../ui/button.tsx';
import { toastError } from '../../../ui/toast.tsx';
import { useForm } from '../context.ts';

interface UidMakerProps {
  readonly attribute: ConsoleAttribute;
  /** The value that it is made from. */
  readonly from: unknown;
  readonly onMade: (value: string) => void;
}

/** Makes a uid from another attribute, unlike those that there are. */
export function UidMaker({ attribute, from, onMade }: UidMakerProps): ReactNode {
  const { type, documentId, locale } = useForm();
  const [isMaking, setMaking] = useState(false);
  const make = async (): Promise<void> => {
    setMaking(true);
    try {
      // Its tables of letters are only needed here.
      const { default: slugify } = await import('@sindresorhus/slugify');
      onMade(await freeUid(type, attribute.name, slugify(String(from)), { documentId, locale }));
    } catch (error) {
      toastError(error);
    } finally {
      setMaking(false);
    }
  };
  return (
    <Button small kind="plain" icon="refresh" disabled={isMaking || !from} onClick={make}>
      Make from {attribute.targetField}
    </Button>
  );
}

async function freeUid(
  type: ConsoleType,
  name: string,
  wanted: string,
  { documentId, locale }: { documentId: string | null; locale: string | null },
): Promise<string> {
  const query = new URLSearchParams({
    status: 'draft',
    [`filters[${name}][$startsWith]`]: wanted,
    'fields[0]': name,
    'pagination[pageSize]': '100',
    ...(locale !== null && { locale }),
    ...(documentId !== null && { 'filters[documentId][$ne]': documentId }),
  });
  // A component has no list of its own, and a single type no other entries.
  if (type.kind === 'singleType' || !type.attributes.some((attribute) => attribute.name === name)) return wanted;
  const { data } = await api.get<{ data: Entry[] }>(`rest/${type.path}?${query}`);
  const taken = new Set(data.map((entry) => entry[name]));
  let free = wanted;
  for (let number = 1; taken.has(free); number += 1) free = `${wanted}-${number}`;
  return free;
}
