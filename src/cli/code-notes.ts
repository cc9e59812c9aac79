// What the start says about a project's own code: in one screen, whether it runs, which of it does not, what is closed because of it,
// what Sheaf has instead, and how to open what does without it.
import { type CodeSettings, isNamed, notRun } from '../access/withheld.ts';
import { APPLICATION, type Closes, type CodeFinding } from '../project/code/code-finding.ts';
import { counted } from '../project/code/code-purpose.ts';

/** Entries of two lines each, so that everything fits on a screen. */
const MAX_CLOSING = 6;
const MAX_OTHERS = 4;
/** Types in the setting that opens them, a few lines in all. */
const MAX_NAMED = 8;
const WIDTH = 160;

export function codeNotes(found: readonly CodeFinding[], settings: CodeSettings): string[] {
  const findings = notRun(found, settings);
  return [...runningNotes(found.filter((finding) => !findings.includes(finding))), ...otherNotes(findings, settings)];
}

function runningNotes(findings: readonly CodeFinding[]): string[] {
  const { size } = new Set(findings.map(({ file }) => file));
  return size === 0 ? [] : [`The project's own code runs: ${counted(size, 'file')}. sheaf doctor tells of each.`];
}

function otherNotes(findings: readonly CodeFinding[], { servedWithout }: CodeSettings): string[] {
  if (findings.length === 0) return [];
  const named = findings.filter((finding) => isNamed(finding, servedWithout));
  const closing = findings.filter((finding) => finding.closes !== 'nothing' && !named.includes(finding));
  const others = findings.filter((finding) => finding.closes === 'nothing' && !named.includes(finding));
  return [
    'The project has code of its own, which Sheaf does not run.',
    ...closingNotes(closing),
    ...(others.length > 0 ? [closing.length > 0 ? 'It also does without:' : 'It does without:'] : []),
    ...cutOff(sameCode(others), MAX_OTHERS).map(({ title, does, instead }) => `  ${cut(joined(title, does, instead))}`),
    ...more(sameCode(others).length, MAX_OTHERS),
    ...(named.length > 0 ? [cut(`Served without, as config/sheaf.json says: ${settingOf(named)}`)] : []),
  ];
}

function closingNotes(closing: readonly CodeFinding[]): string[] {
  if (closing.length === 0) return [];
  const entries = sameCode(closing);
  return [
    'What may pass through it is closed to everyone, whatever is granted:',
    ...cutOff(entries, MAX_CLOSING).flatMap(({ title, subjects, does, instead, closes }) => [
      `  ${cut(`${subjects.map(nameOf).join(', ')}: ${closedWords(closes)} (${title})`)}`,
      `    ${cut(joined(null, does, instead))}`,
    ]),
    ...more(entries.length, MAX_CLOSING),
    'Once nothing depends on that code, or rules take its place, open it in config/sheaf.json:',
    `  "servedWithout": ${settingOf(closing)}`,
  ];
}

interface Entry extends Pick<CodeFinding, 'does' | 'instead' | 'closes'> {
  readonly title: string;
  readonly subjects: readonly string[];
}

/** Code that acts on several types is told once. */
function sameCode(findings: readonly CodeFinding[]): Entry[] {
  const entries = new Map<string, Entry & { readonly subjects: string[] }>();
  for (const { file, kind, subject, does, instead, closes } of findings) {
    const key = `${file} ${kind} ${does} ${closes}`;
    const entry = entries.get(key) ?? { title: `${kind}, ${file}`, subjects: [], does, instead, closes };
    if (subject !== null) entry.subjects.push(subject);
    entries.set(key, entry);
  }
  return [...entries.values()];
}

const nameOf = (subject: string): string => (subject === APPLICATION ? 'everything' : subject);

function closedWords(closes: Closes): string {
  if (closes === 'all') return 'reads and writes';
  return typeof closes === 'string' ? closes : closes.join(', ');
}

const joined = (title: string | null, does: string, instead: string | null): string =>
  `${title === null ? '' : `${title}: `}${does}${instead === null ? '' : `. Instead: ${instead}`}`;

const cut = (line: string): string => (line.length > WIDTH ? `${line.slice(0, WIDTH - 1)}…` : line);

const cutOff = <T>(entries: readonly T[], max: number): readonly T[] => entries.slice(0, max);

const more = (count: number, max: number): string[] => (count > max ? [`  and ${count - max} more`] : []);

/** As it stands in config/sheaf.json, to be copied. */
function settingOf(findings: readonly CodeFinding[]): string {
  const kinds = Map.groupBy(findings, ({ subject }) => subject);
  const members = [...kinds].map(
    ([subject, found]) => `"${subject}": [${[...new Set(found.map(({ kind }) => `"${kind}"`))].join(', ')}]`,
  );
  const shown = members.slice(0, MAX_NAMED);
  return `{${[...shown, ...(members.length > MAX_NAMED ? ['…'] : [])].join(', ')}}`;
}
