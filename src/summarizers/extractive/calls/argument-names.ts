/**
 * The names that tools give their arguments. They are no facts of the work: a summary shows them where they belong, in the form
 * of a call, and never by themselves. Reads the arguments of calls to a bounded depth.
 */

import type { RankedFact } from "../../../core/facts/facts.ts";
import { isArray, isObject, type JsonValue } from "../../../core/json.ts";
import type { Message } from "../../../core/message.ts";
import { knownByName } from "./known-names.ts";

const NAMES_MAX = 400;
const DEPTH_MAX = 2;
const ITEMS_READ = 2;

export interface ArgumentNames {
  /** The tool that was last called with it; undefined for any other name, and for one that anybody spoke of. */
  toolOf(name: string): string | undefined;
}

/** `facts` are those that somebody may ask about. */
export function argumentNamesOf(messages: readonly Message[], facts: readonly RankedFact[]): ArgumentNames {
  const tools = new Map<string, string>();
  for (const { parts } of messages) {
    for (const part of parts) if (part.type === "tool-call") addNames(part.input, { tool: part.name, tools }, 0);
    if (tools.size >= NAMES_MAX) break;
  }
  for (const { text, isTold } of facts) if (isTold) tools.delete(text);
  return { toolOf: (name) => tools.get(name) };
}

/** A plain word is never taken for an identifier, so that nobody asks about it. */
const isPlainWord = knownByName((name) => !/[_A-Z0-9-]/.test(name));

interface Names {
  readonly tool: string;
  readonly tools: Map<string, string>;
}

function addNames(value: JsonValue, names: Names, depth: number): void {
  if (depth > DEPTH_MAX) return;
  if (isArray(value)) for (const item of value.slice(0, ITEMS_READ)) addNames(item, names, depth + 1);
  if (!isObject(value)) return;
  for (const [name, inner] of Object.entries(value)) {
    if (names.tools.size >= NAMES_MAX) return;
    if (!isPlainWord(name)) names.tools.set(name, names.tool);
    if (inner !== undefined) addNames(inner, names, depth + 1);
  }
}

/** "send_mail(reply_to,thread_id)": one for each tool, without blanks, as it stands among identifiers. */
export function callForms(names: readonly string[], { toolOf }: ArgumentNames): readonly string[] {
  const forms = new Map<string, string[]>();
  for (const name of names) {
    const tool = toolOf(name) ?? "";
    const form = forms.get(tool);
    if (form === undefined) forms.set(tool, [name]);
    else form.push(name);
  }
  return [...forms].map(([tool, list]) => `${tool}(${list.join(",")})`);
}

/** A line or an identifier of an earlier summary that shows such a form. */
export function isCallForm(text: string): boolean {
  return /^[\w.:-]{1,80}\([\w, -]{1,2000}\)$/.test(text);
}
