// Where code of a project writes to: the log of the server.

type Write = (values: object, message: string) => void;

/** As pino and the logger of the server have it. */
export interface CodeLog {
  readonly info: Write;
  readonly warn: Write;
  readonly error: Write;
  readonly debug: Write;
}
