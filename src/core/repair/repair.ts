/**
 * Makes any broken message list valid for its provider and reports each change. Content is never thrown away silently:
 * what cannot stand as it is becomes quoted text. A list that needs nothing comes back as the same object.
 */

import { withoutAnswerFields } from "../answer-fields.ts";
import { formatRules, modelIn } from "../format-rules.ts";
import { findsItems, historyHolder, refersToItems } from "../items.ts";
import { isObject } from "../json.ts";
import { marksOutside } from "../marks.ts";
import type { Conversation, Message } from "../message.ts";
import { once } from "../remember.ts";
import { pairCalls } from "../structure/pairing.ts";
import { isBlankPrompt } from "../text.ts";
import {
  fillEmptyResults,
  limitCacheMarks,
  removeEmptyParts,
  repairMalformedParts,
  repairMissingContent,
  repairReasoning,
  separateMisplacedParts,
  writeOutShortForms,
} from "./content.ts";
import { removeDuplicateItems, replaceUnstoredItems } from "./items.ts";
import { contentsOf, isSameList, mapMessages, type Pass } from "./pass.ts";
import { mergeSameRole, placeSystemMessages, quoteMisplacedCompaction, startWithUser } from "./roles.ts";
import { quoteLostServerCalls, repairCallFields, repairCallIds, repairRounds } from "./rounds.ts";

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
  /** Rules differ per model (Gemini thought signatures, Anthropic system messages). Default: the model in the body. */
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
