/**
 * The names that tools give their arguments. They are no facts of the work: a summary shows them where they belong, as the form
 * of a call, and never among its identifiers. Reads the arguments of calls to a bounded depth.
 */

import { isArray, isObject, type JsonValue } from "../../core/json.ts";
import type { Message } from "../../core/message.ts";
import type { Prose } from "./reading.ts";

const NAMES_MAX = 400;
const DEPTH_MAX = 2;
const ITEMS_READ = 2;

/** Each name with the tool that was last called with it, without those that anybody spoke of. */
export function argumentNamesOf(messages: readonly Message[], prose: readonly Prose[]): ReadonlyMap<string, string> {
  const tools = new Map<string, string>();
  for (const { parts } of messages) {
    for (const part of parts) if (part.type === "tool-call") addNames(part.input, { tool: part.name, tools }, 0);
    if (tools.size >= NAMES_MAX) break;
  }
  for (const name of [...tools.keys()]) {
    // A plain word is never taken for an identifier, so that it need not be looked for.
    if (!/[_A-Z0-9-]/.test(name) || prose.some(({ text }) => text.includes(name))) tools.delete(name);
  }
  return tools;
}

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
    names.tools.set(name, names.tool);
    if (inner !== undefined) addNames(inner, names, depth + 1);
  }
}

/** "send_mail(reply_to, thread_id)": one line for each tool. */
export function callForms(names: readonly string[], tools: ReadonlyMap<string, string>): readonly string[] {
  const forms = new Map<string, string[]>();
  for (const name of names) {
    const tool = tools.get(name) ?? "";
    const form = forms.get(tool);
    if (form === undefined) forms.set(tool, [name]);
    else form.push(name);
  }
  return [...forms].map(([tool, list]) => `${tool}(${list.join(", ")})`);
}

/** A line of an earlier summary that shows such a form. */
export function isCallForm(line: string): boolean {
  return /^[\w.:-]{1,80}\([\w, -]{1,2000}\)$/.test(line);
}
