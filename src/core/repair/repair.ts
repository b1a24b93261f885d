/**
 * Makes any broken message list valid for its provider and reports each change. Content is never thrown away silently:
 * what cannot stand as it is becomes quoted text. A list that needs nothing comes back as the same object.
 */

import { withoutAnswerFields } from "../answer-fields.ts";
import { marksOutside } from "../cache-marks.ts";
import { formatRules } from "../format-rules.ts";
import { isObject, stringOf } from "../json.ts";
import type { Conversation, Message } from "../message.ts";
import { once } from "../once.ts";
import { findsItems, historyHolder, refersToItems } from "../server-history.ts";
import { pairCalls } from "../structure/pairing.ts";
import { repairCallFields, repairCallIds } from "./calls.ts";
import {
  fillEmptyResults,
  limitCacheMarks,
  removeEmptyParts,
  repairMalformedParts,
  repairMissingContent,
  repairReasoning,
  separateMisplacedParts,
  withoutBlankPrompts,
  writeOutShortForms,
} from "./content.ts";
import { removeDuplicateItems, replaceUnstoredItems } from "./items.ts";
import { contentsOf, mapMessages, type Pass } from "./pass.ts";
import { mergeSameRole, repairRoles } from "./roles.ts";
import { quoteLostServerCalls, repairRounds } from "./rounds.ts";

export interface Repair {
  /** The rule that was broken, as `validate` names it. */
  readonly rule: string;
  /** Index in the list that was given; -1 for what stands outside it. */
  readonly messageIndex: number;
  /** What was done about it. */
  readonly change: string;
}

export interface Repaired {
  readonly conversation: Conversation;
  readonly repairs: readonly Repair[];
}

export interface RepairOptions {
  /** Rules differ per model (Gemini thought signatures, Anthropic system messages); the one that the body names otherwise. */
  readonly model?: string;
}

const removeAnswerFields: Pass = (messages, { rules, report }) =>
  mapMessages(messages, (message) => {
    const cleaned = withoutAnswerFields(message, rules);
    if (cleaned !== message) report("unknown-field", message, "took out fields that only an answer may have");
    return cleaned;
  });

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
  // Results that were moved may answer another call now, and bear the id of the one they answered before.
  repairCallIds,
  quoteLostServerCalls,
  repairRounds,
  fillEmptyResults,
  repairRoles,
  repairReasoning,
  limitCacheMarks,
];

/** Makes any list valid for its provider, and says what was changed; the same messages where nothing had to be. */
export function repair(conversation: Conversation, options: RepairOptions = {}): Repaired {
  const repairs: Repair[] = [];
  const indexOf = once(() => indexById(conversation.messages));
  const model = options.model ?? modelOf(conversation);
  const rules = formatRules(conversation.format, model);
  const isStored = findsItems(conversation);
  const context = {
    format: conversation.format,
    rules,
    model,
    hasServerHistory: historyHolder(conversation) !== "list" || (isStored && refersToItems(conversation)),
    findsItems: isStored,
    isShortList: isObject(conversation.wire?.json) && typeof conversation.wire.json.input === "string",
    marksOutside: once(() => marksOutside(conversation)),
    contents: rememberLast(contentsOf),
    pairing: rememberLast(pairCalls),
    report: (rule: string, message: Message, change: string): void => {
      repairs.push({ rule, messageIndex: originIndex(indexOf(), message.id), change });
    },
  };
  const system = withoutBlankPrompts(conversation.system, rules);
  if (system !== conversation.system) {
    repairs.push({ rule: "empty-content", messageIndex: -1, change: "removed an empty text from the system prompt" });
  }
  const settled = new Map<Pass, readonly Message[]>();
  let { messages } = conversation;
  for (const pass of PASSES) {
    // A pass that stands there twice has nothing to do in a list that it left and nobody changed since.
    if (settled.get(pass) !== messages) messages = pass(messages, context);
    settled.set(pass, messages);
  }
  const isSame =
    system === conversation.system &&
    messages.length === conversation.messages.length &&
    messages.every((message, index) => message === conversation.messages[index]);
  return { conversation: isSame ? conversation : { ...conversation, system, messages }, repairs };
}

/** As the body says, so that what is mended is what `validate` finds in it. */
function modelOf({ wire }: Conversation): string | undefined {
  return isObject(wire?.json) ? stringOf(wire.json.model) : undefined;
}

/** The answer for the list that was asked about last. */
function rememberLast<List extends object, Answer>(answer: (list: List) => Answer): (list: List) => Answer {
  let last: { readonly list: List; readonly answer: Answer } | undefined;
  return (list) => {
    if (last?.list !== list) last = { list, answer: answer(list) };
    return last.answer;
  };
}

function indexById(messages: readonly Message[]): ReadonlyMap<string, number> {
  const indexOf = new Map<string, number>();
  messages.forEach(({ id }, index) => {
    indexOf.set(id, index);
  });
  return indexOf;
}

/** Messages that a pass made are named after the one they came from: `m3/results`. */
function originIndex(indexOf: ReadonlyMap<string, number>, id: string): number {
  for (let name = id; name !== ""; name = name.slice(0, Math.max(0, name.lastIndexOf("/")))) {
    const index = indexOf.get(name);
    if (index !== undefined) return index;
  }
  return -1;
}
