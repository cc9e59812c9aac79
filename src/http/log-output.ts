// Where log lines go: to standard error, in few writes. A log that cannot be written never stops the server.
import { fstatSync, writeSync } from 'node:fs';
import { errorCode } from '../type-guards.ts';

/** Takes whole lines, each with its line break. */
export interface LogOutput {
  write(line: string): void;
}

const STDERR = 2;
/** Lines wait for this long, or until the next one does not fit, and are written together. */
const FLUSH_MS = 500;
/** Characters that are written at once. A pipe takes 4 KB in one piece, so that lines of several workers do not mix. */
const PIPE_PIECE = 4_096;
const FILE_PIECE = 65_536;
/** Bytes kept for a reader that is slow; lines beyond them are dropped. */
export const MAX_WAITING_BYTES = 1_048_576;
/** How long the exit of the process waits for a slow reader. */
const EXIT_TRIES = 100;
const EXIT_PAUSE_MS = 10;

/** Formats lines for people where standard error is a terminal. */
export async function openStandardError(): Promise<LogOutput> {
  if (process.stderr.isTTY) return terminalOutput();
  const pieceLength = fstatSync(STDERR).isFile() ? FILE_PIECE : PIPE_PIECE;
  const output = new BufferedOutput((bytes) => writeSync(STDERR, bytes), pieceLength);
  process.once('exit', () => output.finish());
  return output;
}

/** Writes each line at once. As always with `console`, a line that cannot be written is ignored. */
export const errorOutput: LogOutput = { write: (line) => console.error(line.trimEnd()) };

async function terminalOutput(): Promise<LogOutput> {
  const { prettyFactory } = await import('pino-pretty');
  const format = prettyFactory({
    translateTime: 'SYS:HH:MM:ss.l',
    ignore: 'requestId,method,route,status,milliseconds,caller',
    messageFormat: terminalMessage,
  });
  return { write: (line) => errorOutput.write(format(line)) };
}

/** What follows the time and the level of a line. */
function terminalMessage(line: Readonly<Record<string, unknown>>, messageKey: string): string {
  const { requestId, method, route, status, milliseconds, caller } = line;
  if (method === undefined) return [line[messageKey], requestId].filter((part) => part !== undefined).join(' ');
  return `${method} ${route ?? '(no route)'} ${status ?? 'aborted'} ${milliseconds} ms ${caller ?? '-'} ${requestId}`;
}

/** Gathers lines. They wait for a slow reader up to a limit, and are dropped where there is no reader or no space. */
export class BufferedOutput implements LogOutput {
  readonly #writeBytes: (bytes: Buffer) => number;
  readonly #pieceLength: number;
  #text = '';
  /** Pieces that are not written yet, the oldest first. */
  readonly #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #timer: NodeJS.Timeout | null = null;

  /** `writeBytes`: as `fs.writeSync`; `pieceLength`: characters that are written at once. */
  constructor(writeBytes: (bytes: Buffer) => number, pieceLength: number) {
    this.#writeBytes = writeBytes;
    this.#pieceLength = pieceLength;
  }

  write(line: string): void {
    if (this.#text.length + line.length > this.#pieceLength) this.flush();
    if (this.#waitingBytes + line.length > MAX_WAITING_BYTES) return;
    this.#text += line;
    this.#flushLater();
  }

  #flushLater(): void {
    this.#timer ??= setTimeout(() => this.flush(), FLUSH_MS).unref();
  }

  /** Whether nothing is left to write. */
  flush(): boolean {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#text !== '') {
      const piece = Buffer.from(this.#text);
      this.#text = '';
      this.#waiting.push(piece);
      this.#waitingBytes += piece.length;
    }
    try {
      while (this.#waiting.length > 0) this.#writeNext(this.#waiting[0]!);
    } catch (error) {
      if (errorCode(error) === 'EAGAIN') {
        this.#flushLater();
        return false;
      }
      this.#waiting.length = 0;
      this.#waitingBytes = 0;
    }
    return true;
  }

  #writeNext(piece: Buffer): void {
    const written = this.#writeBytes(piece);
    this.#waitingBytes -= written;
    if (written < piece.length) this.#waiting[0] = piece.subarray(written);
    else this.#waiting.shift();
  }

  /** Flushes for the last time, and waits a little for a slow reader. */
  finish(): void {
    const clock = new Int32Array(new SharedArrayBuffer(4));
    for (let tries = 0; !this.flush() && tries < EXIT_TRIES; tries++) Atomics.wait(clock, 0, 0, EXIT_PAUSE_MS);
  }
}
