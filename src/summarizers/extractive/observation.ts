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
