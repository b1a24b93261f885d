/**
 * Tells what a program printed from what a person wrote, where a client passes both on as user messages. Reads a bounded
 * beginning and end. Never judges by what the text is about, only by the marks that clients and shells put on it.
 */

import { isLabelledOutput, requestOf } from "../../core/plan/user-voice.ts";

const READ_CHARS = 600;

/** An output of a tool in the user's place. Before anybody answered, the state of a shell only surrounds the task. */
export function isObservation(said: string, isStarted: boolean): boolean {
  return isLabelledOutput(said) || (isStarted && hasShellState(said));
}

/** A user's own words in a text of theirs: nothing where it is an output, and without the state of a shell around them. */
export function askedIn(said: string, isStarted: boolean): string {
  return isObservation(said, isStarted) ? "" : requestOf(withoutShellState(said));
}

/** Whether it ends in the state of a shell, which some agents append to outputs and to the task alike. */
export function hasShellState(text: string): boolean {
  return stateStart(text) >= 0;
}

export function withoutShellState(text: string): string {
  const at = stateStart(text);
  return at < 0 ? text : text.slice(0, at).trimEnd();
}

/** Lines such as "(Current directory: /app)", then a prompt at the very end; -1 when there are none. */
function stateStart(text: string): number {
  const from = Math.max(0, text.length - READ_CHARS);
  const end = text.slice(from).trimEnd();
  // Nearly every text ends otherwise.
  if (!PROMPT_SIGNS.includes(end.charAt(end.length - 1)) || !PROMPT.test(end)) return -1;
  const at = end.search(SHELL_STATE);
  return at < 0 ? -1 : from + at;
}

const PROMPT_SIGNS = "$#%>";
const PROMPT = /\n[^\n]{0,80}[$#%>]$/;
const SHELL_STATE = /^\(?(?:Current directory|Open file)/m;

/** What a person wrote, and apart from it each output of a program that they pasted among it. */
export interface Words {
  readonly own: string;
  readonly pasted: readonly string[];
}

/** Marks of a line that a program printed: a time, a place in a file, a frame of a stack, a level, a drawn line, a prompt. */
const PRINTED =
  /\d{1,2}:\d{2}:\d{2}|\.\w{1,5}:\d+(?::\d+)?\b|^\s*at \S.*\d|^\s*File ".*", line \d|^\W{0,3}(?:ERROR|WARN|WARNING|INFO|DEBUG|FATAL|TRACE)\b|[\u2500-\u257f]|^\s*[>$%#] \S|^\s*\/\w+\/\S+ |[0-9a-f]{20}|^##\[/;
const PRINTED_MIN = 3;
/** Lines without such a mark between two that have one. */
const GAP_MAX = 10;
const LINE_CHARS = 400;

export function wordsIn(text: string): Words {
  const lines = text.split("\n");
  const own: string[] = [];
  const pasted: string[] = [];
  let done = 0;
  const close = (marks: readonly number[]): void => {
    const [first = 0] = marks;
    const last = marks.at(-1) ?? 0;
    if (marks.length < PRINTED_MIN) return;
    own.push(...lines.slice(done, first), "");
    pasted.push(lines.slice(first, last + 1).join("\n"));
    done = last + 1;
  };
  let open: number[] = [];
  lines.forEach((line, at) => {
    if (!PRINTED.test(line.slice(0, LINE_CHARS))) return;
    if (at - (open.at(-1) ?? at) > GAP_MAX) {
      close(open);
      open = [];
    }
    open.push(at);
  });
  close(open);
  return { own: [...own, ...lines.slice(done)].join("\n"), pasted };
}
