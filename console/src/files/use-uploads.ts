// Uploads of a view, and what changes with them.
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef, useState, useSyncExternalStore } from 'react';
import { upload } from '../shell/api.ts';
import { toast } from '../ui/toast.tsx';
import { type AllowedKinds, isAllowed, kindsInWords, type StoredFile } from './file.ts';
import { type Send, type Upload, UploadQueue } from './upload-queue.ts';

/** What all queries about files begin with. */
export const FILES_KEY = ['files'] as const;

const formOf = (file: File): FormData => {
  const form = new FormData();
  form.append('files', file);
  return form;
};

const sendNew: Send = async (file, options) => {
  const [stored] = await upload<readonly StoredFile[]>('rest/upload', formOf(file), options);
  return stored!;
};

/** Gives a file of the library other bytes. */
export const sendInPlace =
  (id: number): Send =>
  (file, options) =>
    upload<StoredFile>(`rest/upload?id=${id}`, formOf(file), options);

export interface Uploads {
  readonly uploads: readonly Upload[];
  add(files: readonly File[], kinds?: AllowedKinds): void;
  remove(...keys: readonly number[]): void;
}

/** `onStored` is told of the files that the server has, in the order in which they were chosen. */
export function useUploads(onStored: (file: StoredFile) => void, send: Send = sendNew): Uploads {
  const client = useQueryClient();
  const told = useRef(onStored);
  useEffect(() => {
    told.current = onStored;
  });
  const [queue] = useState(
    () =>
      new UploadQueue(send, (file) => {
        void client.invalidateQueries({ queryKey: FILES_KEY });
        told.current(file);
      }),
  );
  const uploads = useSyncExternalStore(queue.subscribe, queue.snapshot);
  const done = uploads.filter(({ state }) => state === 'done');
  const isUnderWay = uploads.some(({ state }) => state === 'waiting' || state === 'sending');
  const finish = useEffectEvent(() => {
    if (done.length === 0) return;
    toast(done.length === 1 ? `${done[0]!.name} is uploaded` : `${done.length} files are uploaded`);
    queue.remove(...done.map(({ key }) => key));
  });
  useEffect(() => {
    if (!isUnderWay) finish();
  }, [isUnderWay]);
  return {
    uploads,
    remove: (...keys) => queue.remove(...keys),
    add: (files, kinds = null) =>
      queue.add(files, (file) =>
        isAllowed(file.type, kinds) ? null : `Only ${kindsInWords(kinds ?? [])} can be here`,
      ),
  };
}
