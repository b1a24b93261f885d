/**
 * Thinking that is signed together with everything before it: after an edit, the newest Anthropic models refuse every block
 * from there on. Either all of it goes, from the edit to the end, which stays valid for every model; or the request says that
 * the provider may drop what no longer matches. Pure, and nothing is taken out where nothing before it was edited.
 */

import { isKnownBefore, isKnownSince, type SinceVersions } from "../claude-models.ts";
import { formatRules } from "../format-rules.ts";
import { isObject } from "../json.ts";
import { isSameMessage } from "../ledger/same-message.ts";
import { thinksManually } from "../manual-thinking.ts";
import { type Conversation, type Message, text } from "../message.ts";

/** The first version of each family that signs the prefix. A family that is not named here is taken to do so. */
const BINDING_SINCE: SinceVersions = new Map([
  ["fable", [5, 1]],
  ["mythos", [5, 1]],
  ["opus", [5, 5]],
  ["sonnet", [5, 5]],
  ["haiku", [5, 5]],
]);

/**
 * True unless the model is known to accept thinking behind an edit: without thinking a request is valid for all of them. One that
 * thinks by a budget is an older one, whatever it is called here, and needs its thinking.
 */
export function bindsThinking(conversation: Conversation, model: string | undefined): boolean {
  const isSigned = formatRules(conversation.format).reasoning === "signed";
  if (!isSigned || isKnownBefore(BINDING_SINCE, model ?? "")) return false;
  return isKnownSince(BINDING_SINCE, model ?? "") || !thinksManually(conversation);
}

/** The edited conversation without thinking behind the first difference; the same one when there was none. */
export function stripBoundThinking(before: Conversation, after: Conversation): Conversation {
  const firstEdit = before.system === after.system ? firstDifference(before.messages, after.messages) : 0;
  const messages = after.messages.map((message, index) => (index < firstEdit ? message : withoutThinking(message)));
  const isSame = messages.every((message, index) => message === after.messages[index]);
  return isSame ? after : { ...after, messages };
}

/**
 * The body with the mark that lets the provider drop thinking whose prefix was edited; the very same conversation where the
 * mark stands already, undefined where there is no place for it: a bare list, or a request that does not ask for thinking.
 */
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

/** A message that was nothing but thinking keeps its place, so that a view of the same messages can be laid over it. */
function withoutThinking(message: Message): Message {
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
