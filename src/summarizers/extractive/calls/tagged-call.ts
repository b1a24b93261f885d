/**
 * The call that a message ends with, where an agent writes its calls between tags into the text: `<function=run>`, `<invoke name="run">`,
 * `<tool_call>{"name": "run"}`, `<run_command>`. Whoever ends so waits for a result, and has not answered. Reads the end of a text and one
 * piece behind the tag that opens. Never takes tags of a page or a document for a call.
 */

import { isObject, type JsonObject, type JsonValue } from "../../../core/json.ts";
import type { Message, ToolCallPart } from "../../../core/message.ts";

const END_CHARS = 100;
const READ_CHARS = 8_000;

export function taggedCall(said: string): ToolCallPart | undefined {
  const end = said.slice(-END_CHARS).trimEnd();
  // Nearly every message ends otherwise.
  if (!end.endsWith(">") && !end.endsWith("```")) return undefined;
  const closing = CLOSING.exec(end)?.[1];
  if (closing === undefined) return undefined;
  const opened = OPENINGS.map((opening) => lastMatch(said, opening)).filter((match) => match !== undefined);
  const own = TOOL_TAG.test(closing) ? opensWith(said, closing) : undefined;
  const call = [...opened, ...(own === undefined ? [] : [own])].sort((one, other) => other.at - one.at)[0];
  if (call === undefined) return undefined;
  const given = said.slice(call.end, call.end + READ_CHARS);
  return call.name === "" ? callInJson(given) : { type: "tool-call", name: call.name, input: inputIn(given) };
}

/** Whether a message ends no turn: the result of a call is to come, wherever that call stands. */
export function callsForResult({ parts }: Message): boolean {
  return parts.some(
    (part) => part.type === "tool-call" || (part.type === "text" && taggedCall(part.text) !== undefined),
  );
}

/** The last tag of a text, perhaps before the end of a block of code. */
const CLOSING = /<\/([a-z][\w:-]*)>\s*(?:```\s*)?$/i;
/** Tags that name a tool have several words; one that hands over what was made ends the work. */
const TOOL_TAG = /^(?!attempt_completion$)[a-z]+(?:_[a-z]+)+$/;
const OPENINGS: readonly string[] = ["<function=", '<invoke name="', "<tool_call>"];

interface Opened {
  readonly at: number;
  readonly end: number;
  /** Empty where what follows tells it. */
  readonly name: string;
}

function lastMatch(said: string, opening: string): Opened | undefined {
  const at = said.lastIndexOf(opening);
  if (at < 0) return undefined;
  if (opening.endsWith(">")) return { at, end: at + opening.length, name: "" };
  const [whole = "", name = ""] =
    /^([\w.:-]{1,80})"?>/.exec(said.slice(at + opening.length, at + opening.length + 90)) ?? [];
  return name === "" ? undefined : { at, end: at + opening.length + whole.length, name };
}

function opensWith(said: string, name: string): Opened | undefined {
  const opening = `<${name}>`;
  const at = said.lastIndexOf(opening);
  return at < 0 ? undefined : { at, end: at + opening.length, name };
}

/** Arguments between tags of their own. */
const ARGUMENT = /<(?:parameter(?:=| name=")([\w-]{1,60})"?|([a-z][\w-]{0,60}))>([^<]{1,2000})/gi;

function inputIn(given: string): JsonObject {
  const values = [...given.matchAll(ARGUMENT)].map(([, name, tag, value = ""]) => [name ?? tag ?? "", value.trim()]);
  return Object.fromEntries(values);
}

function callInJson(given: string): ToolCallPart | undefined {
  const [text = ""] = /^\s*\{[\s\S]*?\}(?=\s*<\/tool_call>)/.exec(given) ?? [];
  try {
    const call: JsonValue = JSON.parse(text);
    if (!isObject(call) || typeof call.name !== "string") return undefined;
    return { type: "tool-call", name: call.name, input: call.arguments ?? {} };
  } catch {
    return undefined;
  }
}
