/**
 * The messages of one format as another could hold them, and a list of what could not be carried. Wire forms stay behind:
 * nothing of a provider's own survives a change of provider by accident.
 */

import { type FormatRules, formatRules } from "../format-rules.ts";
import { type Conversation, type FormatName, type Message, type Part, text, textsOf } from "../message.ts";
import { FOREIGN_CALL_SIGNATURE } from "../repair/reasoning.ts";
import { pairCalls } from "../structure/pairing.ts";
import { adoptParts } from "./adopt-parts.ts";

export interface Loss {
  /** Index in the list that was given; -1 when it is about the system prompt, the tools or a parameter. */
  readonly messageIndex: number;
  /** What was not carried as it was, e.g. `reasoning`, `image-in-tool-result`, `opaque:web_search_call`. */
  readonly what: string;
  readonly became: "dropped" | "text" | "changed";
}

export interface Adopted {
  /** System parts and messages only: tool definitions are the formats' own business. */
  readonly system: readonly Part[];
  readonly messages: readonly Message[];
  readonly losses: readonly Loss[];
}

export function adopt(conversation: Conversation, to: FormatName): Adopted {
  const rules = formatRules(to);
  const losses: Loss[] = [];
  const names = resultNames(conversation.messages);
  const lead = leadingSystem(conversation.messages);
  const system = [...conversation.system, ...conversation.messages.slice(0, lead).flatMap(({ parts }) => parts)];
  const systemText = textsOf(system).join("\n\n");

  const adopted = conversation.messages.slice(lead).flatMap((message, offset) => {
    const report = (what: string, became: Loss["became"]): void => {
      losses.push({ messageIndex: lead + offset, what, became });
    };
    const parts = adoptParts(message.parts, { to, rules, names, report });
    const role = adoptRole(message.role, rules, report);
    return splitResults({ id: message.id, role, parts }, rules);
  });
  const merged = mergeSteps(adopted, rules).map((message) => sign(message, rules));
  if (systemText === "") return { system: [], messages: merged, losses };
  if (rules.systemPrompt === "separate") return { system: [text(systemText)], messages: merged, losses };
  return { system: [], messages: [{ id: "system", role: "system", parts: [text(systemText)] }, ...merged], losses };
}

/** Gemini repeats the tool's name in the result; the others leave it to the id. */
function resultNames(messages: readonly Message[]): ReadonlyMap<Part, string> {
  return new Map(pairCalls(messages).calls.flatMap((call) => call.results.map(({ part }) => [part, call.part.name])));
}

function leadingSystem(messages: readonly Message[]): number {
  const first = messages.findIndex(({ role }) => role !== "system");
  return first < 0 ? messages.length : first;
}

/** A system message inside the list keeps its role only where it may stand anywhere. */
function adoptRole(
  role: Message["role"],
  rules: FormatRules,
  report: (what: string, became: Loss["became"]) => void,
): Message["role"] {
  if (role === "tool") return rules.resultRole;
  if (role !== "system" || rules.systemInList === "anywhere") return role;
  report("system-message", "changed");
  return "user";
}

/** Results get a message of their own, before what else was said. */
function splitResults(message: Message, { resultRole }: FormatRules): readonly Message[] {
  const results = message.parts.filter((part) => part.type === "tool-result");
  const rest = message.parts.filter((part) => part.type !== "tool-result");
  const carrier: Message = { id: `${message.id}/results`, role: resultRole, parts: results };
  const role = message.role === "tool" ? "user" : message.role;
  const spoken: Message = { ...message, role, parts: rest };
  return [...(results.length > 0 ? [carrier] : []), ...(rest.length > 0 ? [spoken] : [])];
}

/** What one format keeps as neighbouring items is one message where a message holds many parts. */
function mergeSteps(messages: readonly Message[], { granularity }: FormatRules): readonly Message[] {
  if (granularity === "one") return messages;
  const merged: Message[] = [];
  for (const message of messages) {
    const last = merged.at(-1);
    const isStep = last?.role === "assistant" && message.role === "assistant";
    const isAnswers =
      granularity === "many" && last !== undefined && holdsOnlyResults(last) && holdsOnlyResults(message);
    if (last !== undefined && (isStep || isAnswers))
      merged[merged.length - 1] = { ...last, parts: [...last.parts, ...message.parts] };
    else merged.push(message);
  }
  return merged;
}

function holdsOnlyResults({ parts }: Message): boolean {
  return parts.every(({ type }) => type === "tool-result");
}

/** Calls of another provider's model carry no thought signature: the documented stand-in says so. */
function sign(message: Message, { reasoning }: FormatRules): Message {
  const position = message.parts.findIndex(({ type }) => type === "tool-call");
  const call = message.parts[position];
  if (reasoning !== "current-turn-signatures" || call?.type !== "tool-call") return message;
  return { ...message, parts: message.parts.with(position, { ...call, signature: FOREIGN_CALL_SIGNATURE }) };
}
