// Requests that show what can be asked of a content-type.
import type { ConsoleAttribute, ConsoleModel, ConsoleType } from '../../../../src/console/contract.ts';
import { typeOf } from '../../shell/model.ts';

export interface Example {
  readonly title: string;
  /** A path of the API with its query, readable. */
  readonly url: string;
}

interface Step {
  readonly attribute: ConsoleAttribute;
  readonly target: ConsoleType;
}

/** Relations to types that the account knows. */
const steps = (model: ConsoleModel, type: ConsoleType): readonly Step[] =>
  type.attributes.flatMap((attribute) => {
    const target = attribute.relation?.target && typeOf(model, attribute.relation.target);
    return target && target.source === 'own' && attribute.name !== 'localizations' ? [{ attribute, target }] : [];
  });

/** `documentId`: of an entry that there is. */
export function examplesOf(model: ConsoleModel, type: ConsoleType, documentId: string | null): readonly Example[] {
  const path = `${model.prefix}/${type.path}`;
  const isList = type.kind === 'collectionType';
  const [step] = steps(model, type);
  return [
    isList
      ? { title: 'The first ten', url: `${path}?sort=${type.mainField}&pagination[pageSize]=10` }
      : { title: 'The entry', url: path },
    ...(isList && documentId !== null ? [{ title: 'One of them', url: `${path}/${documentId}` }] : []),
    ...(isList && step ? [throughRelation(model, type, path, step)] : []),
    ...(step ? [{ title: `With ${step.attribute.name}`, url: `${path}?${populate(step)}` }] : []),
    { title: 'With everything that hangs on it', url: `${path}?populate=*` },
    ...(type.draftAndPublish ? [{ title: 'Drafts', url: `${path}?status=draft` }] : []),
    ...(type.localized ? localeExample(model, path) : []),
  ];
}

const populate = ({ attribute, target }: Step): string => `populate[${attribute.name}][fields][0]=${target.mainField}`;

/** Two relations deep where the model has a way that does not lead back. */
function throughRelation(model: ConsoleModel, type: ConsoleType, path: string, first: Step): Example {
  const second = steps(model, first.target).find(({ target }) => target !== type && target !== first.target);
  const names = [first, ...(second ? [second] : [])].map(({ attribute }) => attribute.name);
  const { mainField } = (second ?? first).target;
  return {
    title: `Filtered through ${names.join(' and ')}`,
    url: `${path}?filters${[...names, mainField, '$notNull'].map((name) => `[${name}]`).join('')}=true`,
  };
}

function localeExample(model: ConsoleModel, path: string): readonly Example[] {
  const other = model.locales.find(({ isDefault }) => !isDefault);
  return other ? [{ title: `In ${other.name}`, url: `${path}?locale=${other.code}` }] : [];
}

/** Brackets in a URL mean something to curl, unless it is told otherwise. */
export const curlOf = (origin: string, url: string): string => `curl -g '${origin}${url}'`;
