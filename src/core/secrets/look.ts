/** One look at a place of a text that may be a credential: what was found there, and where to go on. Shared by all that look. */

/** Where a credential begins and ends. */
export interface SecretSpan {
  readonly start: number;
  readonly end: number;
}

export type Look = (text: string, at: number) => Looked | undefined;

export interface Looked {
  /** Nothing when only a name was read. */
  readonly span?: SecretSpan;
  /** Where to go on. */
  readonly next: number;
}

/** What stands in the place of a credential begins so. */
export const MARK = "[secret";

/** What is no credential but stands for one: variables, stars, our own mark. */
export const PLACEHOLDER = /^(?:\[secret|\$[\w{(]|%\w+%|\{\{|<|[*x•.#-]+$)/i;

export function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}

export function spanned(start: number, end: number): Looked {
  return { span: { start, end }, next: end };
}
