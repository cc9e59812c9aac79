// SQL in lines that can be read: what fits stays on one line; what does not is broken at its clauses, then at its lists
// and conditions, then at its parentheses. Nothing but line breaks is added, so the statement can be had back.

const CLAUSE =
  /^(?:from|where|order by|group by|union all|(?:left |cross )?join|limit|select|values|set|returning|on conflict|for no key update)\b/;
const MEMBER = /^(?:and|or|when|else|end)\b/;
const WIDTH = 116;

export const layoutSql = (sql: string): string => render(sql, '').join('\n');

/** The statement that was laid out. */
export const statementOf = (lines: string): string =>
  lines
    .replace(/\(\n */g, '(')
    .replace(/\n *\)/g, ')')
    .replace(/\n */g, ' ');

function render(sql: string, indent: string): string[] {
  if (indent.length + sql.length <= WIDTH) return [indent + sql];
  const clauses = splitAt(sql, (rest, before) => CLAUSE.test(rest) && !/\b(?:cross|left|distinct)$/.test(before));
  if (clauses.length > 1) return clauses.flatMap((clause) => render(clause, indent));
  const members = splitAt(sql, (rest, before) => before.endsWith(',') || MEMBER.test(rest));
  if (members.length > 1) return fill(members, indent);
  return openGroup(sql, indent);
}

/** As many members on a line as fit; those behind the first line stand further in, unless they are tables. */
function fill(members: readonly string[], indent: string): string[] {
  const lines: string[] = [];
  let line = '';
  const further = members[0]!.startsWith('with ') ? indent : `${indent}  `;
  const margin = (): string => (lines.length === 0 ? indent : further);
  const end = (): void => {
    if (line !== '') lines.push(...render(line, margin()));
    line = '';
  };
  for (const member of members) {
    if (line !== '' && margin().length + line.length + 1 + member.length > WIDTH) end();
    line = line === '' ? member : `${line} ${member}`;
  }
  end();
  return lines;
}

/** Opens the longest group in parentheses. */
function openGroup(sql: string, indent: string): string[] {
  const groups = outerGroups(sql);
  const longest = groups.toSorted((one, other) => other.end - other.start - (one.end - one.start))[0];
  if (!longest || longest.end - longest.start < 20) return [indent + sql];
  return [
    indent + sql.slice(0, longest.start + 1),
    ...render(sql.slice(longest.start + 1, longest.end), `${indent}  `),
    ...render(sql.slice(longest.end), indent),
  ];
}

/** Splits at spaces outside of parentheses and quotes before which, or behind which, a new part begins. */
function splitAt(sql: string, begins: (rest: string, before: string) => boolean): string[] {
  const parts: string[] = [];
  let start = 0;
  scan(sql, (at, depth) => {
    if (sql[at] !== ' ' || depth > 0 || !begins(sql.slice(at + 1, at + 20), sql.slice(start, at))) return;
    parts.push(sql.slice(start, at));
    start = at + 1;
  });
  return [...parts, sql.slice(start)];
}

function outerGroups(sql: string): { start: number; end: number }[] {
  const groups: { start: number; end: number }[] = [];
  let start = 0;
  scan(sql, (at, depth) => {
    if (sql[at] === '(' && depth === 0) start = at;
    if (sql[at] === ')' && depth === 1) groups.push({ start, end: at });
  });
  return groups;
}

/** Visits every character outside of quotes, with the number of parentheses that were open before it. */
function scan(sql: string, visit: (at: number, depth: number) => void): void {
  let depth = 0;
  let quote: string | null = null;
  for (let at = 0; at < sql.length; at++) {
    const character = sql[at]!;
    if (quote !== null) {
      if (character === quote) quote = null;
      continue;
    }
    if (character === '"' || character === "'") quote = character;
    visit(at, depth);
    if (character === '(') depth++;
    else if (character === ')') depth = Math.max(0, depth - 1);
  }
}
