/** Where log lines go: a logger taken by shape. Pino fits as it is; nothing is logged unless one is given. */

export interface Logger {
  debug(fields: LogFields, message: string): unknown;
  info(fields: LogFields, message: string): unknown;
  warn(fields: LogFields, message: string): unknown;
  error(fields: LogFields, message: string): unknown;
}

/** Every line also says what it says in named fields. Never the text of a message or a summary. */
export type LogFields = Readonly<Record<string, string | number | boolean>>;

export type LogLevel = keyof Logger;

export interface LogLine {
  readonly level: LogLevel;
  readonly message: string;
}
