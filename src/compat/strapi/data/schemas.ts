// The model by uid, as the parts of the layer that read data ask for it.
import { SetupError } from '../../../errors.ts';
import type { ContentType, Model } from '../../../model/types.ts';

export type Schemas = Pick<Model, 'contentTypes' | 'components'>;

export function contentTypeOf(schemas: Schemas, uid: string): ContentType {
  const type = schemas.contentTypes.get(uid);
  if (type) return type;
  throw new SetupError(`There is no content-type "${uid}"`, [
    `the project has ${[...schemas.contentTypes.keys()].join(', ')}`,
  ]);
}
