// Lifecycles: events around the rows of a write, and around what code reads, as Strapi's database layer fires them. A
// document is written in place here, so where Strapi replaces a published row, that row is updated.
import { AsyncLocalStorage } from 'node:async_hooks';
import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '../../../access/caller.ts';
import { isWrite, type Operation, type WriteOperation } from '../../../access/operation.ts';
import type { Sheaf } from '../../../app.ts';
import { unavailableError } from '../../../errors.ts';
import { Deadline, DeadlineError } from '../../../extend/run-code.ts';
import { MAX_STRAPI_HOOK_DEPTH, MAX_STRAPI_HOOK_MS } from '../../../limits.ts';
import { USER } from '../../../model/builtin.ts';
import type { ContentType, Model } from '../../../model/types.ts';
import type { HookResult, OperationHooks, ShownChanges } from '../../../operations/hooks.ts';
import type { Entry } from '../../../operations/parameters.ts';
import { sanitizeOutput } from '../sanitize.ts';
import { knownData } from './known-data.ts';
import { isRowOf, localesOf, type RowEvent, type States, type Step, stepsOf } from './row-steps.ts';
import { type AroundRows, type ManyEvent, type ReadEvent, Rows } from './rows.ts';
import { viewOf } from './schema-views.ts';
import { asAsked, DATES, SETTABLE_DATES, toldData, toldPasswords } from './told-data.ts';

type EventName = RowEvent | ManyEvent | ReadEvent;
export type LifecycleAction = `before${EventName}` | `after${EventName}`;

export interface LifecycleEvent {
  readonly action: LifecycleAction;
  readonly model: Readonly<Record<string, unknown>>;
  readonly params: EventParameters;
  /** What a subscriber keeps from before to after. */
  state: Record<string, unknown>;
  /** A row, rows, or their number. */
  result?: unknown;
}

interface EventParameters {
  where?: unknown;
  data?: Record<string, unknown>;
  populate?: unknown;
}

type Handler = (event: LifecycleEvent) => unknown;

/** Functions by the name of their event, for the types that it names or for all. */
export type Subscriber = Handler | ({ readonly models?: readonly string[] } & { readonly [action: string]: unknown });

/** A value of an event and what code has left there. */
interface Fired {
  readonly data: Record<string, unknown>;
  readonly later: Step['later'];
}

export class Lifecycles implements OperationHooks, AroundRows {
  readonly #sheaf: Sheaf;
  readonly #subscribers: Subscriber[] = [];
  /** What was told before the write, until it is told after it. */
  readonly #steps = new WeakMap<Operation, readonly Step[]>();
  /** Types whose reads functions of the project may act on, by what is known of their code. */
  readonly #heard: ReadonlySet<string | null>;

  constructor(sheaf: Sheaf) {
    this.#sheaf = sheaf;
    const ofReads = sheaf.code.findings.filter(({ kind, closes }) => kind === 'lifecycles' && closes === 'all');
    this.#heard = new Set(ofReads.map(({ subject }) => subject));
  }

  /** Returns a function that ends the subscription. */
  subscribe(subscriber: Subscriber): () => void {
    this.#subscribers.push(subscriber);
    return () => {
      const index = this.#subscribers.indexOf(subscriber);
      if (index >= 0) this.#subscribers.splice(index, 1);
    };
  }

  hearsReads(uid: string): boolean {
    return this.#subscribers.some(
      (one) => isFor(one, uid) && (typeof one === 'function' ? this.#heard.has(uid) : readActionOf(one) !== undefined),
    );
  }

  /** The events of reading that are not told, as they are not of a content-type of the project alone. */
  get untold(): readonly string[] {
    return this.#subscribers.flatMap((one) => {
      if (typeof one === 'function' || one.models?.every((uid) => uid.startsWith('api::'))) return [];
      return readActionOf(one) ?? [];
    });
  }

  async around<P extends object, R>(
    type: ContentType,
    event: ReadEvent,
    given: P,
    read: (params: P) => Promise<R>,
  ): Promise<R> {
    return this.hearsReads(type.uid) ? this.#toldAround(type, event, given, read) : read(given);
  }

  aroundMany<P extends object, R>(
    type: ContentType,
    event: ManyEvent,
    given: P,
    write: (params: P) => Promise<R>,
  ): Promise<R> {
    return this.#toldAround(type, event, given, (asked) => untold.run(true, () => write(asked)));
  }

  async #toldAround<P extends object, R>(
    type: ContentType,
    event: ReadEvent | ManyEvent,
    given: P,
    work: (params: P) => Promise<R>,
  ): Promise<R> {
    const asked = { ...given };
    const params: EventParameters = asked;
    const states: States = new Map();
    await this.#tell(type, states, { action: `before${event}`, params });
    const result = await work(asked);
    await this.#tell(type, states, { action: `after${event}`, params, result });
    return result;
  }

  concerns(uid: string, name: Operation['name']): boolean {
    if (untold.getStore()) return false;
    return isWrite(name) && this.#subscribers.some((one) => isFor(one, uid));
  }

  async before<O extends Operation>(operation: O): Promise<O> {
    if (!('data' in operation)) return operation;
    const steps = await stepsOf(this.#sheaf, operation);
    let data: Record<string, unknown> = { ...operation.data, ...operation.supplied };
    for (const step of steps) {
      const fired = await this.#fire(operation, step, { action: `before${step.event}`, data });
      data = fired.data;
      step.later = fired.later;
    }
    const changed = { ...operation, ...this.#writtenBy(operation, data) };
    this.#steps.set(changed, steps);
    return changed;
  }

  /** What lifecycles change in the row that is the answer is shown to the caller, as far as they may see it. */
  async after(operation: Operation, { written }: HookResult, { access }: Caller): Promise<ShownChanges | null> {
    const steps = this.#steps.get(operation) ?? [];
    if (!('data' in operation) || written === null || steps.length === 0) return null;
    const { model } = this.#sheaf;
    let changes: ShownChanges | null = null;
    const rows = new Rows(this.#sheaf, operation.type.uid);
    // Accounts are told with their role, as in Strapi.
    const { populate = operation.type.uid === USER ? ['role'] : undefined } = operation.parameters;
    const data = { ...operation.data, ...operation.supplied };
    for (const step of steps) {
      const version = written.versions.find((one) => isRowOf(step, one)) ?? written.versions[0];
      const id = step.id ?? version?.id;
      if (id !== undefined) await this.#writeLater(rows, id, step);
      const result = step.removed ?? (id === undefined ? null : await rows.findOne({ where: { id }, populate }));
      // What was written later is no part of the answer yet.
      const before = result && withoutNames(structuredClone(result), Object.keys(step.later));
      await this.#fire(operation, { ...step, id: id ?? null }, { action: `after${step.event}`, data, result });
      const isRaw = access.shows === 'everything';
      const shown = isRaw || !result ? result : sanitizeOutput(model, operation.type, result, access);
      changes = changesOf(before, result, shown);
      if (id !== undefined && changes) shownRows.getStore()?.set(id, changes);
    }
    return changes;
  }

  /** Runs a write, and tells what of its rows is shown otherwise than it is stored, by their ids. */
  async shownBy<T>(write: () => Promise<T>): Promise<{ result: T; changes: ReadonlyMap<number, ShownChanges> }> {
    const changes = new Map<number, ShownChanges>();
    return { result: await shownRows.run(changes, write), changes };
  }

  async #writeLater(rows: Rows, id: number, { later }: Step): Promise<void> {
    if (Object.keys(later).length === 0) return;
    await untold.run(true, () => rows.update({ where: { id }, data: later }));
  }

  async #fire(
    operation: WriteOperation,
    step: Step,
    told: { action: LifecycleAction; data: WriteOperation['data']; result?: Entry | null },
  ): Promise<Fired> {
    const { type, parameters } = operation;
    const { action, data, result } = told;
    const { populate } = parameters;
    if (!this.#hears(type, action)) return { data, later: {} };
    const isDelete = step.event === 'Delete';
    const shown = isDelete ? null : await this.#toldOf(operation, step, data, result ?? null);
    const params: EventParameters = {
      where: step.event === 'Create' ? {} : { id: step.id },
      ...(shown && { data: ownCopy(shown, data) }),
      ...(populate !== undefined && { populate }),
    };
    await this.#tell(type, step.states, { action, params, ...(result !== undefined && { result }) });
    if (!shown) return { data, later: {} };
    const left = asAsked({ ...data }, shown, params.data ?? {});
    const isAsked = ([name, value]: [string, unknown]): boolean =>
      Object.hasOwn(data, name) || !isDeepStrictEqual(value, shown[name]);
    return divided(Object.fromEntries(Object.entries(left).filter(isAsked)), step);
  }

  /** What a row will hold, or holds, as lifecycles are told it. */
  async #toldOf(
    { type, row, parameters }: WriteOperation,
    step: Step,
    data: WriteOperation['data'],
    result: Entry | null,
  ): Promise<Record<string, unknown>> {
    // Code that writes rows is told what it wrote, and whether that is published.
    if (row !== undefined)
      return { ...data, ...(type.draftAndPublish && datesOf(type, step, result, ['publishedAt'])) };
    const asked = localesOf(this.#sheaf, type, parameters.locale);
    const locale = step.locale ?? (typeof asked === 'string' ? asked : null);
    const place = { type, isPublished: step.isPublished, locale };
    return {
      ...step.known,
      ...(locale !== null && { locale }),
      ...(await toldData(this.#sheaf, place, { ...data })),
      ...(await toldPasswords(type, data, result)),
      ...datesOf(type, step, result, DATES),
    };
  }

  /** Whether code has a function for an event of a type. */
  #hears({ uid }: ContentType, action: LifecycleAction): boolean {
    return this.#subscribers.some(
      (one) => isFor(one, uid) && (typeof one === 'function' || typeof one[action] === 'function'),
    );
  }

  async #tell(
    type: ContentType,
    states: States,
    told: Pick<LifecycleEvent, 'action' | 'params' | 'result'>,
  ): Promise<void> {
    for (const subscriber of this.#subscribers) {
      if (!isFor(subscriber, type.uid)) continue;
      const handler = typeof subscriber === 'function' ? subscriber : subscriber[told.action];
      if (typeof handler !== 'function') continue;
      const event: LifecycleEvent = {
        ...told,
        model: modelOf(this.#sheaf.model, type),
        state: states.get(subscriber) ?? {},
      };
      await inTime(event, () => handler.call(subscriber, event));
      states.set(subscriber, event.state);
    }
  }

  /** What lifecycles set is not the caller's, so no right of theirs to write it is needed. */
  #writtenBy(operation: WriteOperation, data: Record<string, unknown>): Pick<WriteOperation, 'data' | 'supplied'> {
    // Code that writes rows has every right, and what it writes is checked as one.
    if (operation.row !== undefined) return { data: knownData(this.#sheaf.model, operation.type, data, 'id') };
    const asked = Object.entries(operation.data).filter(([key, value]) => data[key] === value);
    const kept = new Set(asked.map(([key]) => key));
    const supplied = Object.entries(data).filter(([key]) => !kept.has(key));
    const known = knownData(this.#sheaf.model, operation.type, Object.fromEntries(supplied), 'id');
    return { data: Object.fromEntries(asked), supplied: known };
  }
}

/** What code may change without changing what it was told; what was asked for is handed over as it is. */
const ownCopy = (told: Record<string, unknown>, asked: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(told).map(([name, value]) => [name, value === asked[name] ? value : structuredClone(value)]),
  );

const withoutNames = (values: object, names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name)));

/** Of the dates of a row, those that a write sets; as they are stored, where they are. */
function datesOf(
  type: ContentType,
  step: Step,
  result: Entry | null,
  names: readonly string[],
): Record<string, unknown> {
  const now = new Date();
  const dates: Record<string, unknown> = {
    ...(step.event === 'Create' && { createdAt: now }),
    updatedAt: now,
    publishedAt: step.isPublished || !type.draftAndPublish ? now : null,
  };
  const set = names.filter((name) => Object.hasOwn(dates, name));
  return Object.fromEntries(set.map((name) => [name, result ? result[name] : dates[name]]));
}

/** What code says of a row that is written with it, and what is written when the row is there. */
function divided(asked: Record<string, unknown>, { isCopy, isPublished }: Step): Fired {
  const isLater = ([name, value]: [string, unknown]): boolean => {
    if (!DATES.includes(name)) return isCopy;
    // Whether a row is published is not for its data to say.
    const isSet = value !== null && value !== undefined && (name !== 'publishedAt' || isPublished);
    return isSet && SETTABLE_DATES.includes(name);
  };
  const later = Object.fromEntries(Object.entries(asked).filter(isLater));
  return { data: withoutNames(asked, [...Object.keys(later), ...DATES]), later };
}

type Values = Readonly<Record<string, unknown>>;

/** What of a row is another than before: as `shown` has it, and undefined where it is gone. Null where nothing is. */
function changesOf(before: Values | null, after: Values | null, shown: Values | null): ShownChanges | null {
  if (!before || !after || !shown || isDeepStrictEqual(before, after)) return null;
  const names = Object.keys({ ...before, ...after }).filter((name) => !isDeepStrictEqual(before[name], after[name]));
  return Object.fromEntries(
    names.filter((name) => name in shown || !(name in after)).map((name) => [name, shown[name]]),
  );
}

const READ_ACTIONS = (['FindMany', 'FindOne', 'Count'] as const).flatMap(
  (event) => [`before${event}`, `after${event}`] as const,
);

/** The first event of reading that a subscriber has a function for. */
const readActionOf = (subscriber: Exclude<Subscriber, Handler>): LifecycleAction | undefined =>
  READ_ACTIONS.find((action) => typeof subscriber[action] === 'function');

/** Set while rows are written of which nobody is told one by one. */
const untold = new AsyncLocalStorage<true>();

/** Of a write, what of its rows is shown otherwise than it is stored. */
const shownRows = new AsyncLocalStorage<Map<number, ShownChanges>>();

/** How many lifecycles have led to one another. */
const depths = new AsyncLocalStorage<number>();

/** A write holds its locks for as long as a lifecycle takes. */
async function inTime({ action, model }: LifecycleEvent, work: () => unknown): Promise<void> {
  const depth = (depths.getStore() ?? 0) + 1;
  if (depth > MAX_STRAPI_HOOK_DEPTH)
    throw new Error(`lifecycles lead to one another ${depth} times (MAX_STRAPI_HOOK_DEPTH): ${action} of ${model.uid}`);
  try {
    await depths.run(depth, () => new Deadline(MAX_STRAPI_HOOK_MS).within(work));
  } catch (error) {
    if (!(error instanceof DeadlineError)) throw error;
    const cause = new Error(`${action} of ${model.uid} was given up: ${error.message} (MAX_STRAPI_HOOK_MS)`);
    throw unavailableError('The request takes too long', cause);
  }
}

const isFor = (subscriber: Subscriber, uid: string): boolean =>
  typeof subscriber === 'function' || !subscriber.models || subscriber.models.includes(uid);

const modelOf = (model: Model, type: ContentType): LifecycleEvent['model'] => {
  const { singularName, pluralName } = type;
  return { ...viewOf(model, type), singularName, pluralName };
};
