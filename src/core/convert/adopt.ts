/** Converts messages to what another format can hold, without their wire forms, and lists what could not be carried. */

import { type FormatRules, formatRules, type NameRule } from "../format-rules.ts";
import { isObject, stringOf } from "../json.ts";
import {
  type Conversation,
  type FormatName,
  type Message,
  type Part,
  type ToolCallPart,
  type ToolResultPart,
  text,
  textsOf,
} from "../message.ts";
import { FOREIGN_CALL_SIGNATURE } from "../repair/content.ts";
import { pairCalls, resultNames } from "../structure/pairing.ts";
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
  /** Tools whose names the format would refuse, and what they are called now. */
  readonly tools: Renamed;
}

/** `toolNames` are those of the tool definitions. */
export function adopt(conversation: Conversation, to: FormatName, toolNames: readonly string[]): Adopted {
  const { messages } = conversation;
  const rules = formatRules(to);
  const losses: Loss[] = [];
  const reportAt =
    (messageIndex: number) =>
    (what: string, became: Loss["became"]): void => {
      losses.push({ messageIndex, what, became });
    };
  const paired = pairedParts(messages);
  const tools = renamed([...toolNames, ...paired.flatMap(({ name }) => name ?? [])], rules.toolNames);
  for (const name of tools.keys()) reportAt(-1)(`tool-name:${name}`, "changed");
  // Gemini repeats the tool's name in the result; the others only give the call id.
  const names = resultNames(pairCalls(messages));
  const callIds = renamed(
    paired.flatMap(({ callId }) => callId ?? []),
    rules.callIdNames,
  );
  const shared = { names, callIds, tools };
  const lead = leadingSystem(messages);
  // A system prompt is text everywhere: what else stood in it is described.
  const inSystem = (parts: readonly Part[], messageIndex: number): readonly string[] =>
    textsOf(adoptParts(parts, { ...shared, rules: { ...rules, media: [] }, report: reportAt(messageIndex) }));
  const system = [
    ...inSystem(conversation.system, -1),
    ...messages.slice(0, lead).flatMap(({ parts }, index) => inSystem(parts, index)),
  ];
  const systemText = system.join("\n\n");

  const adopted = messages.slice(lead).flatMap((message, offset) => {
    const report = reportAt(lead + offset);
    if (speakerOf(message) !== undefined) report("name", "dropped");
    const parts = adoptParts(message.parts, { ...shared, rules, report });
    const role = adoptRole(message.role, rules, report);
    return splitResults({ id: message.id, role, parts }, rules);
  });
  const merged = mergeSteps(adopted, rules).map((message) => sign(message, rules));
  if (systemText === "") return { system: [], messages: merged, losses, tools };
  if (rules.systemPrompt === "separate") return { system: [text(systemText)], messages: merged, losses, tools };
  const prompt: Message = { id: "system", role: "system", parts: [text(systemText)] };
  return { system: [], messages: [prompt, ...merged], losses, tools };
}

/** Chat messages may name their speaker. */
function speakerOf({ role, wire }: Message): string | undefined {
  return role !== "tool" && isObject(wire?.json) && wire.json.role !== undefined ? stringOf(wire.json.name) : undefined;
}

/** Calls and results that remain calls and results, unlike those of server tools. */
function pairedParts(messages: readonly Message[]): readonly (ToolCallPart | ToolResultPart)[] {
  return messages.flatMap(({ parts }) =>
    parts.flatMap((part) => ((part.type === "tool-call" || part.type === "tool-result") && !part.server ? [part] : [])),
  );
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

/** Joins neighbouring messages into one where the format's messages hold many parts. */
function mergeSteps(messages: readonly Message[], { granularity }: FormatRules): readonly Message[] {
  if (granularity === "one") return messages;
  const groups: { readonly messages: Message[]; isAnswers: boolean }[] = [];
  for (const message of messages) {
    const last = groups.at(-1);
    const isAnswers = granularity === "many" && holdsOnlyResults(message);
    const isStep = last?.messages[0]?.role === "assistant" && message.role === "assistant";
    if (last === undefined || !(isStep || (isAnswers && last.isAnswers))) {
      groups.push({ messages: [message], isAnswers });
      continue;
    }
    last.messages.push(message);
    last.isAnswers &&= isAnswers;
  }
  return groups.flatMap(({ messages: [first, ...more] }) => {
    if (first === undefined || more.length === 0) return first ?? [];
    return { ...first, parts: [...first.parts, ...more.flatMap(({ parts }) => parts)] };
  });
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

/** Old names to new ones, for names that the other provider would refuse. */
export type Renamed = ReadonlyMap<string, string>;

/** Names that fit stay. Others get only allowed characters, the allowed length, and a name that no other has. */
function renamed(names: readonly string[], rule: NameRule): Renamed {
  const distinct = [...new Set(names)].filter((name) => name !== "");
  const taken = new Set(distinct.filter((name) => fitted(name, rule) === name));
  const result = new Map<string, string>();
  for (const name of distinct) {
    if (taken.has(name)) continue;
    const free = freeName(fitted(name, rule), taken, rule.lengthMax);
    taken.add(free);
    result.set(name, free);
  }
  return result;
}

function fitted(name: string, { refused, lengthMax, begins }: NameRule): string {
  const plain = name.replaceAll(refused, "_");
  return (begins.test(plain) ? plain : `_${plain}`).slice(0, lengthMax);
}

/** The first of `name`, `name_2`, `name_3` … that is free. */
function freeName(name: string, taken: ReadonlySet<string>, lengthMax: number): string {
  for (let number = 2; taken.has(name) && number <= taken.size + 2; number += 1) {
    const ending = `_${number}`;
    const candidate = `${name.slice(0, lengthMax - ending.length)}${ending}`;
    if (!taken.has(candidate)) return candidate;
  }
  return name;
}
