// Which file of a project each part of its definition stands in, for lists and for the log: found when the part is made,
// by the file that is being run then.

const files = new WeakMap<object, string>();
let running: string | null = null;

/** Runs the code of a file: what it defines belongs to it. */
export function whileRunning<T>(file: string, work: () => T): T {
  const before = running;
  running = file;
  try {
    return work();
  } finally {
    running = before;
  }
}

/** Notes the file that makes a part of a definition. */
export function definedIn<T extends object>(part: T): T {
  if (running !== null) files.set(part, running);
  return part;
}

/** The file that a part stands in, below the project; `otherwise` where it was made without our functions. */
export const fileOf = (part: object, otherwise: string): string => files.get(part) ?? otherwise;
