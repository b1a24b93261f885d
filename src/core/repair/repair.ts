/**
 * Makes any broken message list valid for its provider and reports each change. Content is never thrown away silently:
 * what cannot stand as it is becomes quoted text. A list that needs nothing comes back as the same object.
 */

import { withoutAnswerFields } from "../answer-fields.ts";
import { formatRules, modelIn } from "../format-rules.ts";
import { isSameMessage } from "../identity.ts";
import { findsItems, historyHolder, isItemReference, itemId, itemType, refersToItems, storedId } from "../items.ts";
import { isObject, type JsonObject } from "../json.ts";
import { marksOutside } from "../marks.ts";
import type { Conversation, Message } from "../message.ts";
import { once } from "../remember.ts";
import { pairCalls } from "../structure/pairing.ts";
import { isBlankPrompt } from "../text.ts";
import {
  fillEmptyResults,
  limitCacheMarks,
  quotedReasoning,
  removeEmptyParts,
  repairMalformedParts,
  repairMissingContent,
  repairReasoning,
  separateMisplacedParts,
  writeOutShortForms,
} from "./content.ts";
import { contentsOf, isSameList, mapMessages, messageBeside, type Pass, type RepairContext } from "./pass.ts";
import { mergeSameRole, placeSystemMessages, quoteMisplacedCompaction, startWithUser } from "./roles.ts";
import { quoteLostServerCalls, repairCallFields, repairCallIds, repairRounds } from "./rounds.ts";

export interface Repair {
  /** The rule that was broken, as `validate` names it. */
  readonly rule: string;
  /** Index in the list that was given; -1 for what stands outside it. */
  readonly messageIndex: number;
  readonly change: string;
}

export interface Repaired {
  readonly conversation: Conversation;
  readonly repairs: readonly Repair[];
}

export interface RepairOptions {
  /** Rules differ per model (Gemini thought signatures, Anthropic system messages). Default: the model in the body. */
  readonly model?: string;
}

const removeAnswerFields: Pass = (messages, { rules, report }) =>
  mapMessages(messages, (message) => {
    const cleaned = withoutAnswerFields(message, rules);
    if (cleaned !== message) report("unknown-field", message, "took out fields that only an answer may have");
    return cleaned;
  });

/** Makes any list valid for its provider, and says what was changed; returns the same conversation where nothing had to be. */
export function repair(conversation: Conversation, options: RepairOptions = {}): Repaired {
  const repairs: Repair[] = [];
  const body = isObject(conversation.wire?.json) ? conversation.wire.json : {};
  const model = options.model ?? modelIn(body);
  const rules = formatRules(conversation.format, model);
  const isStored = findsItems(conversation);
  const indexOf = once(() => new Map(conversation.messages.map(({ id }, index) => [id, index])));
  const context = {
    rules,
    model,
    hasServerHistory: historyHolder(conversation) !== "list" || (isStored && refersToItems(conversation)),
    findsItems: isStored,
    isShortList: typeof body.input === "string",
    marksOutside: once(() => marksOutside(conversation)),
    contents: rememberLast(contentsOf),
    pairing: rememberLast(pairCalls),
    report: (rule: string, { id }: Message, change: string): void => {
      repairs.push({ rule, messageIndex: originIndex(indexOf(), id), change });
    },
  };
  let { system } = conversation;
  if (rules.refusesBlank && system.some(isBlankPrompt)) {
    system = system.filter((part) => !isBlankPrompt(part));
    repairs.push({ rule: "empty-content", messageIndex: -1, change: "removed an empty text from the system prompt" });
  }
  const messages = PASSES.reduce((list, pass) => pass(list, context), conversation.messages);
  const isSame = system === conversation.system && isSameList(messages, conversation.messages);
  return { conversation: isSame ? conversation : { ...conversation, system, messages }, repairs };
}

/** Keeps the answer for the newest list: passes that change nothing share it. */
function rememberLast<List extends object, Answer>(answer: (list: List) => Answer): (list: List) => Answer {
  let last: { readonly list: List; readonly answer: Answer } | undefined;
  return (list) => {
    if (last?.list !== list) last = { list, answer: answer(list) };
    return last.answer;
  };
}

/** A message that a pass made is named after its origin: `m3/results`. */
function originIndex(indexOf: ReadonlyMap<string, number>, id: string): number {
  for (let name = id; name !== ""; name = name.slice(0, Math.max(0, name.lastIndexOf("/")))) {
    const index = indexOf.get(name);
    if (index !== undefined) return index;
  }
  return -1;
}

/** Removes an item that repeats another one under the same id. An item with other content stays, without an id or under a new one. */
const removeDuplicateItems: Pass = (messages, { rules, report }) => {
  const owners = rules.uniqueItemIds ? ownersOf(messages) : undefined;
  if (owners === undefined) return messages;
  const taken = new Set(owners.keys());
  /** True behind reasoning that lost its id: items that keep their ids would be refused because they lack their reasoning. */
  let isOrphan = false;
  return mapMessages(messages, (message, index) => {
    const id = itemId(message);
    const isReasoning = message.parts[0]?.type === "reasoning";
    isOrphan &&= message.role === "assistant" && !isReasoning;
    const owner = id === undefined ? undefined : owners.get(id);
    const first = owner === undefined ? undefined : messages[owner];
    if (id === undefined || first === undefined || owner === index)
      return isOrphan ? withItemId(message, undefined) : message;
    if (isItemReference(message) || isSameMessage(first, message)) {
      report("duplicate-item", message, `removed item ${id}, which stands in the list already`);
      return [];
    }
    // An approval is paired by its id, and a call that has another one's id is given its own later.
    if (itemType(message) === "mcp_approval_request") return message;
    isOrphan ||= isReasoning;
    report("duplicate-item", message, `took the id ${id} from an item that says something else than the other one`);
    return withItemId(message, mayLackId(message) ? undefined : freeId(id, taken));
  });
};

/** For each id the index of the item that keeps it; undefined where all ids differ. Reasoning that nothing follows keeps it last. */
function ownersOf(messages: readonly Message[]): ReadonlyMap<string, number> | undefined {
  const owners = new Map<string, number>();
  let hasTwice = false;
  const isLonely = (index: number): boolean =>
    messages[index]?.parts[0]?.type === "reasoning" && messages[index + 1]?.role !== "assistant";
  messages.forEach((message, index) => {
    const id = itemId(message);
    if (id === undefined) return;
    const owner = owners.get(id);
    hasTwice ||= owner !== undefined;
    if (owner === undefined || (isLonely(owner) && !isLonely(index))) owners.set(id, index);
  });
  return hasTwice ? owners : undefined;
}

/** Items of the provider's own tools need an id; messages, calls of the client's tools and their results do not. */
function mayLackId(message: Message): boolean {
  const type = itemType(message);
  return LACK_ID.has(type) || type.endsWith("_output");
}

const LACK_ID: ReadonlySet<string> = new Set(["message", "function_call", "custom_tool_call", "reasoning"]);

function freeId(id: string, taken: Set<string>): string {
  for (let copy = 2; ; copy++) {
    const free = `${id}_${copy}`;
    if (taken.has(free)) continue;
    taken.add(free);
    return free;
  }
}

/** The item under another id, or without one where it may lack it. */
function withItemId(message: Message, id: string | undefined): Message {
  const { wire } = message;
  if (wire === undefined || !isObject(wire.json) || wire.json.id === undefined) return message;
  if (id === undefined && !mayLackId(message)) return message;
  const { id: _, ...rest }: JsonObject = wire.json;
  const json = id === undefined ? rest : { ...wire.json, id };
  const own = (parts: Message["parts"]): Message["parts"] =>
    parts.map((part) => (part.wire === wire.json ? { ...part, wire: json } : part));
  const parts = own(message.parts);
  return { ...message, parts, wire: { ...wire, json, parts: wire.parts === message.parts ? parts : own(wire.parts) } };
}

/**
 * Replaces items that stand in the list under their id alone, in a request that says that nothing is stored: the provider would not
 * find them. Readable reasoning becomes text. A mere reference is removed and reported, because its content is not in the request.
 */
const replaceUnstoredItems: Pass = (messages, context) => {
  if (context.findsItems || !messages.some((message) => storedId(message) !== undefined)) return messages;
  let isOrphan = false;
  return mapMessages(messages, (message) => {
    const id = storedId(message);
    const isReasoning = message.parts[0]?.type === "reasoning";
    if (id === undefined) {
      // What reasoning led to stands behind it, up to the next speaker or the next reasoning.
      isOrphan &&= message.role === "assistant" && !isReasoning;
      return isOrphan ? withItemId(message, undefined) : message;
    }
    isOrphan = isReasoning;
    return replaced(message, id, context);
  });
};

function replaced(message: Message, id: string, { report }: RepairContext): Message | readonly Message[] {
  const parts = quotedReasoning(message);
  if (parts.length > 0) {
    report("item-not-found", message, `turned reasoning ${id} into text, for nothing is stored under its id`);
    return messageBeside(message, "text", { role: "assistant", parts, ...(message.pinned && { pinned: true }) });
  }
  const change = `removed item ${id}: nothing is stored under its id, and the request has no more of it`;
  report("item-not-found", message, change);
  return [];
}

/** Each pass may rely on what the ones before it made true. */
const PASSES: readonly Pass[] = [
  writeOutShortForms,
  removeAnswerFields,
  removeDuplicateItems,
  replaceUnstoredItems,
  repairMalformedParts,
  removeEmptyParts,
  repairMissingContent,
  mergeSameRole,
  repairCallIds,
  repairCallFields,
  separateMisplacedParts,
  quoteLostServerCalls,
  repairRounds,
  fillEmptyResults,
  quoteMisplacedCompaction,
  placeSystemMessages,
  startWithUser,
  mergeSameRole,
  repairReasoning,
  limitCacheMarks,
];
