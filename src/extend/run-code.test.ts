import { afterEach, describe, expect, it, vi } from 'vitest';
import { originOf, SheafError } from '../errors.ts';
import { SLOW_CODE_MS } from '../limits.ts';
import type { Log } from './define-project.ts';
import { CodeRunner, Deadline, type Piece } from './run-code.ts';

const PIECE: Piece = { kind: 'route', code: 'route GET /api/x', file: 'src/sheaf.ts', limit: 1 };

describe('Code of a project', () => {
  const lines: unknown[][] = [];
  const note = (...values: unknown[]): void => void lines.push(values);
  const log: Log = { debug: note, info: note, warn: note, error: note };
  afterEach(() => {
    lines.length = 0;
    vi.restoreAllMocks();
  });

  const runner = (): CodeRunner => {
    const made = new CodeRunner((stack) => stack.replace('compiled', 'written'));
    made.log = log;
    return made;
  };

  it('is given up at its deadline: a 503, its signal is aborted, and the log names it', async () => {
    const code = runner();
    const deadline = new Deadline(1);
    const failed = await code.run(PIECE, deadline, () => new Promise<void>(() => undefined)).catch((error) => error);
    expect([failed instanceof SheafError, failed.status]).toEqual([true, 503]);
    expect(deadline.signal.aborted).toBe(true);
    expect(lines).toEqual([[{ file: 'src/sheaf.ts', code: 'route GET /api/x' }, expect.stringContaining('given up')]]);
    expect(code.failures.route).toBe(1);
  });

  it('that ends in time has time left, and nobody who leaves afterwards is told', async () => {
    const deadline = new Deadline(60_000);
    expect(await runner().run(PIECE, deadline, () => 'done')).toBe('done');
    deadline.leave(() => new Error('gone'));
    expect(deadline.signal.aborted).toBe(false);
  });

  it('throws errors of ours as they are; others are known to be its own, by the lines as they were written', async () => {
    const code = runner();
    const run = (thrown: unknown): Promise<Error> =>
      code
        .run(PIECE, new Deadline(60_000), () => Promise.reject(thrown))
        .catch((error: Error) => error) as Promise<Error>;
    const ours = new SheafError(418, 'TeapotError', 'short');
    expect(await run(ours)).toBe(ours);
    expect([originOf(ours), code.failures.route]).toEqual([null, 0]);
    const defect = Object.assign(new Error('x'), { stack: 'at compiled.ts' });
    expect(await run(defect)).toBe(defect);
    expect([originOf(defect), defect.stack]).toEqual([
      { file: 'src/sheaf.ts', code: 'route GET /api/x' },
      'at written.ts',
    ]);
    // Where it passes through other code on its way, it stays the defect of the first.
    await code
      .run({ ...PIECE, code: 'outer' }, new Deadline(60_000), () => Promise.reject(defect))
      .catch(() => undefined);
    expect([originOf(defect)?.code, code.failures.route]).toEqual([PIECE.code, 1]);
    expect(await run('text')).toMatchObject({ message: 'text' });
  });

  it('that is slow is named in the log', async () => {
    const times = [0, SLOW_CODE_MS + 1];
    vi.spyOn(performance, 'now').mockImplementation(() => times.shift() ?? 0);
    await runner().run(PIECE, new Deadline(60_000), () => undefined);
    const fields = { file: 'src/sheaf.ts', code: 'route GET /api/x', milliseconds: SLOW_CODE_MS + 1 };
    expect(lines).toEqual([[fields, 'code of the project is slow']]);
  });
});
