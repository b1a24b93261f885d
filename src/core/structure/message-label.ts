/** What is said of a message in a list: who speaks, with which tools, and how it begins. Pure. */

import { type Message, type Part, textsOf } from "../message.ts";

/** For a result that no call in the conversation explains. */
export const UNKNOWN_TOOL = "(unknown tool)";

/** `user`, `assistant, calls bash ×2`, `results of read_file, bash`. */
export function labelOf(message: Message, resultNames: ReadonlyMap<Part, string>): string {
  const results = message.parts.flatMap((part) =>
    part.type === "tool-result" && !part.server ? [resultNames.get(part) ?? part.name ?? UNKNOWN_TOOL] : [],
  );
  if (results.length > 0) return `${results.length === 1 ? "result" : "results"} of ${counted(results)}`;
  const calls = message.parts.flatMap((part) => (part.type === "tool-call" ? [part.name] : []));
  if (calls.length > 0) return `${message.role}, calls ${counted(calls)}`;
  const isReasoning = message.parts.length > 0 && message.parts.every((part) => part.type === "reasoning");
  return isReasoning ? "reasoning" : message.role;
}

/** Its first text; for a message without text, its calls or media. */
export function beginningOf({ parts }: Message): string {
  const said = parts.filter((part) => part.type !== "reasoning");
  const text = textsOf(said).find((words) => words.trim() !== "");
  return text ?? said.map(wordlessPart).find((words) => words !== "") ?? textsOf(parts)[0] ?? "";
}

function wordlessPart(part: Part): string {
  switch (part.type) {
    case "tool-call":
      return typeof part.input === "string" ? part.input : JSON.stringify(part.input);
    case "tool-result":
      return part.content.map(wordlessPart).join(" ");
    case "media":
      return `[${part.kind}${part.mediaType === undefined ? "" : ` ${part.mediaType}`}]`;
    case "opaque":
      return `[${part.kind}]`;
    case "text":
    case "reasoning":
      return "";
    default:
      return part satisfies never;
  }
}

function counted(names: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, count]) => (count === 1 ? name : `${name} x${count}`)).join(", ");
}
