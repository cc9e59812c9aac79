// What lists and single entries populate where a request does not say: the setting `populate` of config/sheaf.json, by
// content-type and route.
import type { Caller } from '../access/caller.ts';
import type { ReadName, ReadOperation } from '../access/operation.ts';
import { SetupError, SheafError } from '../errors.ts';
import { ROLE } from '../model/builtin.ts';
import type { ContentType } from '../model/types.ts';
import { isPlainObject } from '../request/grammar.ts';
import { NO_LIMIT } from '../request/parse-read.ts';
import type { Operations } from './operations.ts';

/** By the uid of the content-type: one populate for its reads, or one for each route. */
export type DefaultPopulate = Readonly<Record<string, unknown>>;

type PopulatedRoute = Extract<ReadName, 'find' | 'findOne' | 'me'>;
const ROUTES: readonly PopulatedRoute[] = ['find', 'findOne', 'me'];

/** What a route populates; undefined where the project says nothing. */
export function defaultPopulateOf(setting: DefaultPopulate, { uid, kind }: ContentType, route: ReadName): unknown {
  if (!Object.hasOwn(setting, uid)) return undefined;
  const value = setting[uid];
  if (!isByRoute(value)) return value;
  // Strapi 5 calls the one route of a single type `find`.
  return value[route] ?? (kind === 'singleType' ? value.find : undefined);
}

const isByRoute = (value: unknown): value is Readonly<Record<string, unknown>> => {
  const keys = isPlainObject(value) ? Object.keys(value) : [];
  return keys.length > 0 && keys.every((key) => ROUTES.some((route) => route === key));
};

/** Plans each default for one who may populate everything that some caller may: what the system may, and roles. */
export function checkDefaultPopulate(operations: Operations, setting: DefaultPopulate, system: Caller): void {
  const { access } = system;
  const mayFind = (uid: string): boolean => uid === ROLE || access.mayFind(uid);
  const caller = { ...system, access: { ...access, key: 'default populate', mayFind } };
  const problems = Object.keys(setting).flatMap((uid) => {
    const type = operations.model.contentTypes.get(uid);
    if (type?.exposure !== 'routes')
      return [
        `populate.${uid}: there is no content-type "${uid}" with routes; expected the uid of one of this project`,
      ];
    return [...placesOf(setting, type)].flatMap(([place, populate]) => {
      const wrong = problemOf(operations, { type, parameters: { populate } }, caller);
      return wrong === null ? [] : [`${place}: ${wrong}`];
    });
  });
  if (problems.length > 0)
    throw new SetupError('config/sheaf.json: what is populated by default is not there', problems);
}

function placesOf(setting: DefaultPopulate, { uid }: ContentType): [place: string, populate: unknown][] {
  const value = setting[uid];
  return isByRoute(value)
    ? Object.entries(value).map(([route, populate]) => [`populate.${uid}.${route}`, populate])
    : [[`populate.${uid}`, value]];
}

function problemOf(
  operations: Operations,
  read: Pick<ReadOperation, 'type' | 'parameters'>,
  caller: Caller,
): string | null {
  const name = read.type.kind === 'singleType' ? 'findOne' : 'find';
  try {
    operations.explain({ ...read, name, defaults: { status: 'published', pagination: NO_LIMIT } }, caller);
    return null;
  } catch (error) {
    if (error instanceof SheafError) return error.message;
    throw error;
  }
}
