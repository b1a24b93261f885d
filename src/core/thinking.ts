/**
 * Thinking whose signature covers everything before it: after an edit, the newest Anthropic models refuse every such block
 * from there on. Either all of it is removed from the edit to the end, which is valid for every model, or the request lets
 * the provider drop the blocks that no longer match. Pure; removes nothing where nothing before it was edited.
 */

import { formatRules } from "./format-rules.ts";
import { isSameMessage } from "./identity.ts";
import { isObject } from "./json.ts";
import { type Conversation, type Message, type ToolCallPart, text } from "./message.ts";
import { isTurnStart } from "./structure/structure.ts";

/** The first version of each family that signs the prefix. A family that is not listed counts as signing. */
const BINDING_SINCE: SinceVersions = new Map([
  ["fable", [5, 1]],
  ["mythos", [5, 1]],
  ["opus", [5, 5]],
  ["sonnet", [5, 5]],
  ["haiku", [5, 5]],
]);

/**
 * True unless the model is known to accept thinking behind an edit: a request without thinking is valid for every
 * model. A model with a thinking budget is an older one, whatever its name here, and needs its thinking.
 */
export function bindsThinking(conversation: Conversation, model: string | undefined): boolean {
  const isSigned = formatRules(conversation.format).reasoning === "signed";
  if (!isSigned || isKnownBefore(BINDING_SINCE, model ?? "")) return false;
  return isKnownSince(BINDING_SINCE, model ?? "") || !thinksManually(conversation);
}

/** The edited conversation without thinking behind the first difference; the same object when there was none. */
export function stripBoundThinking(before: Conversation, after: Conversation): Conversation {
  const firstEdit = before.system === after.system ? firstDifference(before.messages, after.messages) : 0;
  const messages = after.messages.map((message, index) => (index < firstEdit ? message : withoutThinking(message)));
  const isSame = messages.every((message, index) => message === after.messages[index]);
  return isSame ? after : { ...after, messages };
}

/** The body with the mark that lets the provider drop such thinking; the same object where it is set, undefined where it has no place. */
export function withDroppableThinking(conversation: Conversation): Conversation | undefined {
  const { wire } = conversation;
  const body = wire !== undefined && isObject(wire.json) ? wire.json : undefined;
  const thinking = body?.thinking;
  if (wire === undefined || body === undefined || !isObject(thinking) || thinking.type === "disabled") return undefined;
  const binding = isObject(thinking.block_binding) ? thinking.block_binding : {};
  if (binding.prefix_mismatch_behavior === "drop_block") return conversation;
  const marked = { ...thinking, block_binding: { ...binding, prefix_mismatch_behavior: "drop_block" } };
  return { ...conversation, wire: { ...wire, json: { ...body, thinking: marked } } };
}

/** Keeps an empty message in place, so that a view of the same messages still matches it. */
export function withoutThinking(message: Message): Message {
  const parts = message.parts.filter(({ type }) => type !== "reasoning");
  if (parts.length === message.parts.length) return message;
  return { ...message, parts: parts.length === 0 ? [text("[Thinking that was not kept.]")] : parts };
}

/** Cache marks may move: no signature covers them. */
function isSame(message: Message, before: Message | undefined): boolean {
  return message === before || (before !== undefined && isSameMessage(message, before));
}

function firstDifference(before: readonly Message[], after: readonly Message[]): number {
  const index = after.findIndex((message, position) => !isSame(message, before[position]));
  return index < 0 ? after.length : index;
}

/** Whether thinking has a budget. Models with this mode are older than those that bind thinking to its prefix. */
export function thinksManually({ format, wire }: Conversation): boolean {
  if (formatRules(format).reasoning !== "signed" || !isObject(wire?.json)) return false;
  const { thinking } = wire.json;
  return isObject(thinking) && thinking.type === "enabled";
}

/** The first answer of a turn that waits for the model, where it does not begin with thinking; undefined otherwise. */
export function unthoughtStart(messages: readonly Message[]): number | undefined {
  const [first] = waitingSteps(messages);
  return first === undefined || beginsWithThinking(messages[first]) ? undefined : first;
}

/** An earlier answer of that turn to keep, so that its kept part begins with thinking; undefined where it does already. */
export function thoughtToKeep(messages: readonly Message[], isKept: (index: number) => boolean): number | undefined {
  const steps = waitingSteps(messages);
  const first = steps.find(isKept);
  if (first === undefined || beginsWithThinking(messages[first])) return undefined;
  return steps.findLast((step) => step < first && beginsWithThinking(messages[step]));
}

/** Where that turn begins; a later user message begins another turn. Undefined where no turn waits for the model. */
export function waitingTurn(messages: readonly Message[]): number | undefined {
  return waitingSteps(messages).length === 0 ? undefined : Math.max(messages.findLastIndex(isTurnStart), 0);
}

/** The indexes at which the model begins to speak in the newest turn, while that turn waits for the model. */
function waitingSteps(messages: readonly Message[]): readonly number[] {
  const isWaiting = messages.findLast(({ role }) => role !== "system")?.role === "user";
  if (!isWaiting) return [];
  const start = messages.findLastIndex(isTurnStart);
  const steps: number[] = [];
  for (let index = start + 1; index < messages.length; index++) {
    const isStep = messages[index]?.role === "assistant" && messages[index - 1]?.role !== "assistant";
    if (isStep) steps.push(index);
  }
  return steps;
}

function beginsWithThinking(message: Message | undefined): boolean {
  return message?.parts[0]?.type === "reasoning";
}

/** Both orders of a name: `claude-opus-5-5` and the older `claude-3-7-sonnet`; dots or dashes, within any text. */
const FAMILY_FIRST = /claude-(?<family>[a-z]+)-(?<major>\d{1,2})(?:[-.](?<minor>\d{1,2}))?(?!\d|-latest)/;
const VERSION_FIRST = /claude-(?:instant|v?[1-4](?!\d))/;

/** The first version of each family for which a fact holds. It holds for every family that is not listed. */
export type SinceVersions = ReadonlyMap<string, readonly [major: number, minor: number]>;

/** Opus 4.7 brought a tokenizer that makes more tokens of the same text, and images of a higher resolution. */
export const SINCE_OPUS_4_7: SinceVersions = new Map([
  ["opus", [4, 7]],
  ["sonnet", [4, 7]],
  ["haiku", [4, 7]],
]);

export function isClaude(model: string): boolean {
  return model.toLowerCase().includes("claude");
}

/** True only where the name says so. */
export function isKnownBefore(since: SinceVersions, model: string): boolean {
  return isBefore(since, model) === true;
}

/** True only where the name says that the model is of a listed family and not older than its first version. */
export function isKnownSince(since: SinceVersions, model: string): boolean {
  return isBefore(since, model) === false;
}

function isBefore(since: SinceVersions, model: string): boolean | undefined {
  const name = model.toLowerCase();
  if (VERSION_FIRST.test(name)) return true;
  const { family = "", major, minor } = FAMILY_FIRST.exec(name)?.groups ?? {};
  const from = since.get(family);
  if (from === undefined || major === undefined) return undefined;
  return Number(major) < from[0] || (Number(major) === from[0] && Number(minor ?? 0) < from[1]);
}

/** Where the name has no version (`gemini-flash-latest`), the conversation itself shows whether its model signs. */
const GEMINI_VERSION = /gemini-(?<version>\d+)/;
const FIRST_SIGNING_VERSION = 3;

function signsCalls(messages: readonly Message[], model = ""): boolean {
  const version = GEMINI_VERSION.exec(model)?.groups?.version;
  if (version !== undefined) return Number(version) >= FIRST_SIGNING_VERSION;
  return messages.some(({ parts }) => parts.some((part) => "signature" in part && Boolean(part.signature)));
}

interface CallPlace {
  readonly index: number;
  readonly position: number;
  readonly call: ToolCallPart;
}

/** The calls of the current turn whose signature Gemini wants and does not find: the first of each step, others never have one. */
export function unsignedCalls(messages: readonly Message[], model: string | undefined): readonly CallPlace[] {
  if (!signsCalls(messages, model)) return [];
  // Results alone continue a turn; text beside them begins a new one.
  const turnStart = messages.findLastIndex(
    ({ role, parts }) => role !== "assistant" && parts.some(({ type }) => type !== "tool-result"),
  );
  return messages.flatMap(({ role, parts }, index): readonly CallPlace[] => {
    const position = parts.findIndex(({ type }) => type === "tool-call");
    const call = parts[position];
    const isAsked = index > turnStart && role === "assistant" && call?.type === "tool-call" && !call.signature;
    return isAsked ? [{ index, position, call }] : [];
  });
}
