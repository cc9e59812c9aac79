// What the conditions of a list say, in a sentence. Loaded where a list has any.
import type { ReactNode } from 'react';
import { readRequest } from '../../query/request-text.ts';
import { sentenceOf } from '../../query/sentence.ts';
import { useModel } from '../../shell/model.ts';
import { type Asked, apiUrl } from './requests.ts';

export default function FilterNote({ asked }: { readonly asked: Asked }): ReactNode {
  const model = useModel();
  return sentenceOf(readRequest(apiUrl(model, asked), model).draft, model);
}
