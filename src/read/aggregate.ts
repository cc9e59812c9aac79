// Groups of entries and facets → JSON text. A row is a group: its keys, then its values.
import type { AggregatePlan, FacetPlan } from '../plan/read/nodes.ts';
import type { Row } from '../sql/statement.ts';
import { bindStatement } from './bind.ts';
import type { CompiledRead } from './compiled-read.ts';
import { type Encode, encoderOf } from './encode.ts';
import { type PreparedPage, runBound } from './read-strategy.ts';

/** Columns before those of a group: its number, and how many there are. */
const BEFORE_GROUP = 2;

export function prepareAggregate(read: CompiledRead, slots: readonly unknown[], withCount: boolean): PreparedPage {
  const groups = bindStatement(read.aggregate(withCount), slots);
  const write = groupWriter(read.plan.aggregate!);
  return {
    single: true,
    answer: groups,
    async run(session, context) {
      const rows = await runBound(session, groups, context);
      const [, total] = rows[0]!;
      // Of an empty page there is one row, for the total.
      const shown = rows.filter(([number]) => number !== null);
      return { text: () => shown.map((row) => write(row)).join(','), total: total === null ? null : Number(total) };
    },
  };
}

/** Writes `{"group":{…},"count":…,"avg":{…}}`; without `group` where everything is one group. */
function groupWriter({ keys, values }: AggregatePlan): (row: Row) => string {
  interface Member {
    readonly opening: string;
    readonly encode: Encode;
    readonly at: number;
  }
  const member = (name: string, type: AggregatePlan['keys'][number]['type'], at: number): Member => ({
    opening: `${JSON.stringify(name)}:`,
    encode: encoderOf(type, false),
    at: BEFORE_GROUP + at,
  });
  const write = (members: readonly Member[], row: Row): string =>
    members.map(({ opening, encode, at }) => opening + encode(row[at])).join(',');
  const group = keys.map(({ name, type }, index) => member(name, type, index));
  const computed = values.map(({ name, type }, index) => member(name, type, keys.length + index));
  const byFunction = [...Map.groupBy(computed, (_, index) => values[index]!.function)];
  return (row) => {
    const parts = byFunction.map(([name, members]) =>
      name === 'count' ? write(members, row) : `"${name}":{${write(members, row)}}`,
    );
    return `{${[...(group.length > 0 ? [`"group":{${write(group, row)}}`] : []), ...parts].join(',')}}`;
  };
}

/** `[{"value":…,"count":…}]` */
export function facetJson({ aggregate }: FacetPlan, rows: readonly Row[]): string {
  const encode = encoderOf(aggregate.keys[0]!.type, false);
  return `[${rows.map(([value, count]) => `{"value":${encode(value)},"count":${count}}`).join(',')}]`;
}

/** The facets of a list by their names. */
export const facetsJson = (facets: readonly FacetPlan[], lists: readonly string[]): string =>
  `{${facets.map(({ name }, index) => `${JSON.stringify(name)}:${lists[index]}`).join(',')}}`;
