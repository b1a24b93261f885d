/**
 * Asks the provider to compact the zone. Its answer is checked like any edit: where the validator, the repair or the count
 * objects, it is refused with a reason, and a summary is made instead. The conversation is not touched before that.
 */

import { errorText } from "../core/error-text.ts";
import { modelIn } from "../core/format-rules.ts";
import { isCompactionPart, isNativeItem, readableText } from "../core/items.ts";
import { isArray, isObject, type JsonObject } from "../core/json.ts";
import type { Conversation, Message } from "../core/message.ts";
import { applyPlan, removedIds } from "../core/plan/apply-plan.ts";
import type { NativeStep, SummarizeStep } from "../core/plan/plan.ts";
import { sumTokens } from "../core/plan/plan-input.ts";
import type { Format, NativeWire, Usage } from "../core/ports.ts";
import { redactSecrets } from "../core/secrets/secrets.ts";
import { totalUsage } from "../core/usage.ts";
import { timerMs, untilAborted } from "../core/waiting.ts";
import { markedForSending, type SettledView, settle } from "./apply.ts";
import type { Decision } from "./decide.ts";
import { nativeStartEvent, type Observer } from "./events.ts";
import { throwIfAborted } from "./options.ts";

/** The provider's own compaction: a function that posts a request and returns the response body. */
export interface NativeCompaction {
  /** `anthropic-compact` or `responses-compact`; where the format does not support it, a summary is made. */
  readonly kind: string;
  compact(request: unknown, signal: AbortSignal): Promise<NativeAnswer>;
}

/** The provider's response body, unchanged. */
export interface NativeAnswer {
  readonly output?: readonly unknown[];
  readonly content?: readonly unknown[];
  readonly stop_reason?: string | null;
  readonly usage?: unknown;
}

export interface NativeDemand {
  readonly decision: Decision;
  /** The view as the provider saw it last, before this pass shortened anything. */
  readonly seen: Conversation;
  readonly native: NativeCompaction | undefined;
  readonly format: Format;
  readonly model: string | undefined;
  readonly instructions: string | undefined;
  readonly signal: AbortSignal;
  readonly observer: Observer;
}

export interface NativeAttempt {
  readonly outcome: NativeOutcome;
  /** Present only where the answer replaced the zone. */
  readonly settled?: SettledView;
}

/** Undefined where the plan has no `native` step. */
export async function compactNatively(given: NativeDemand): Promise<NativeAttempt | undefined> {
  const { input, rest } = given.decision;
  const step = rest.steps.find((candidate) => candidate.type === "native");
  if (step === undefined || given.native === undefined) return undefined;
  const { conversation, settings } = input;
  const { timeoutMs } = settings.summary;
  const asked = forAsking(given, conversation);
  const outcome = await askNative({ ...given, native: given.native, conversation: asked, step, timeoutMs });
  if (outcome.type === "refused") return { outcome };
  const applied = applyPlan({
    conversation,
    plan: rest,
    summary: undefined,
    native: outcome.messages,
    render: settings.render,
  });
  // Kept thinking was signed over the prefix as it was before it was shortened.
  const keepsThinking = conversation === given.seen && standsForPrefix(conversation, step);
  const settled = settle(given.seen, applied, { settings, model: given.model, keepsThinking });
  const because = objection(given, outcome.messages, settled.conversation);
  if (because === undefined) return { outcome, settled };
  const { kind, usage } = outcome;
  return { outcome: { type: "refused", kind, because, ...(usage !== undefined && { usage }) } };
}

/** The messages that leave for an item that only the provider can read. Undefined where it is readable, or the plan replaces them otherwise. */
export function unreadableStep(
  { input, rest, strategy }: Decision,
  outcome: NativeOutcome | undefined,
): SummarizeStep | undefined {
  const step = rest.steps.find(({ type }) => type === "native" || (type === "drop" && strategy === "native"));
  if (step === undefined || (step.type === "native" && outcome === undefined)) return undefined;
  const newest = outcome?.type === "replaced" ? outcome.messages : input.conversation.messages;
  const items = newest.findLast(isNativeItem)?.parts.filter(isCompactionPart) ?? [];
  if (items.length === 0 || items.some(({ wire }) => readableText(wire) !== undefined)) return undefined;
  const { maxTokens: budgetTokens } = input.settings.summary.budget;
  const replacesIds = step.type === "native" ? step.replacesIds : [];
  const messageIds = removedIds(step).filter((id) => !replacesIds.includes(id));
  return { type: "summarize", messageIds, turnPrefixIds: [], replacesIds, budgetTokens };
}

interface NativeInput extends Omit<NativeDemand, "decision" | "seen"> {
  readonly native: NativeCompaction;
  readonly conversation: Conversation;
  readonly step: NativeStep;
  readonly timeoutMs: number;
}

export type NativeOutcome =
  | {
      readonly type: "replaced";
      readonly kind: string;
      readonly messages: readonly Message[];
      /** The item's readable text, for the record; without credentials, which the item may hold. */
      readonly text?: string;
      readonly usage?: Usage;
      readonly notes: readonly string[];
    }
  | NativeRefusal;

export interface NativeRefusal {
  readonly type: "refused";
  readonly kind: string;
  readonly because: string;
  readonly usage?: Usage;
}

async function askNative(input: NativeInput): Promise<NativeOutcome> {
  const { native, format, step, instructions, signal } = input;
  const { kind } = step;
  const wire = format.nativeWire(kind);
  if (wire === undefined) return { type: "refused", kind, because: `nothing is known of ${kind}` };
  try {
    const request = wire.request(bodyOf(input, wire), instructions);
    const answer = await withDeadline(input, (ending) => observed(input, () => native.compact(request, ending)));
    const usage = usageOf(format, answer);
    const used = usage === undefined ? {} : { usage };
    const reading = wire.read(answer);
    if (reading.type === "unusable") return { type: "refused", kind, because: reading.because, ...used };
    const messages = named(format.decode(reading.list).messages, input.conversation);
    const { text } = reading;
    const isLost = instructions !== undefined && !wire.takesInstructions;
    const notes = isLost ? ["The provider's own compaction takes no instructions; they were left out."] : [];
    return {
      type: "replaced",
      kind,
      messages,
      ...(text !== undefined && { text: redactSecrets(text) }),
      ...used,
      notes,
    };
  } catch (error) {
    throwIfAborted(signal);
    return { type: "refused", kind, because: errorText(error) };
  }
}

function observed({ step, observer }: NativeInput, ask: () => Promise<NativeAnswer>): Promise<NativeAnswer> {
  const event = nativeStartEvent(step);
  observer.tell(event);
  const attributes = {
    "palimpsest.summarizer": `native ${step.kind}`,
    "palimpsest.messages": step.messageIds.length,
  };
  return observer.span("palimpsest.summarize", attributes, async (note) => {
    note({ "palimpsest.calls": 1 });
    return ask();
  });
}

/** A request with only the messages to compact. */
function bodyOf({ conversation, format, step, model }: NativeInput, wire: NativeWire): JsonObject {
  const encoded = format.encode({ ...conversation, messages: sentMessages(conversation, step, wire) });
  const body = isObject(encoded) ? encoded : { [format.listKey]: isArray(encoded) ? encoded : [] };
  return model === undefined || modelIn(body) !== undefined ? body : { [format.rules().modelKey]: model, ...body };
}

/** The cached prefix, kept messages included; or only what leaves, where the answer repeats what is sent. */
function sentMessages({ messages }: Conversation, step: NativeStep, wire: NativeWire): readonly Message[] {
  const leaving = new Set(removedIds(step));
  if (!wire.sendsPrefix) return messages.filter(({ id }) => leaving.has(id));
  return messages.slice(0, messages.findLastIndex(({ id }) => leaving.has(id)) + 1);
}

/** Returns at the deadline even when the function never does. */
async function withDeadline<Result>(
  { timeoutMs, signal }: NativeInput,
  call: (ending: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new Error(`no answer in ${timeoutMs} ms`)), timerMs(timeoutMs));
  const ending = AbortSignal.any([signal, late.signal]);
  try {
    return await untilAborted(call(ending), ending);
  } finally {
    clearTimeout(timer);
  }
}

/** The whole usage of the call: where the provider lists its passes, their sum, because the compaction is one of them. */
function usageOf(format: Format, answer: NativeAnswer): Usage | undefined {
  const usage = isObject(answer) ? answer.usage : undefined;
  const iterations = isObject(usage) ? usage.iterations : undefined;
  if (isArray(iterations) && iterations.length > 0) return totalUsage(iterations.map((pass) => format.readUsage(pass)));
  return format.readUsage(answer);
}

/** Ids that are new in the conversation: messages of an earlier call may still be there. */
function named(messages: readonly Message[], { messages: present }: Conversation): readonly Message[] {
  const taken = new Set(present.map(({ id }) => id));
  let number = 0;
  return messages.map((message) => {
    while (taken.has(`native/${number}`)) number++;
    return { ...message, id: `native/${number++}` };
  });
}

/** This request, too, must not hold thinking behind a shortened message. */
function forAsking({ seen, decision, model }: NativeDemand, shortened: Conversation): Conversation {
  const options = { settings: decision.input.settings, model };
  return markedForSending(settle(seen, shortened, options).conversation, options);
}

/** Whether thinking in the kept messages stays valid: the provider's item then replaces the very prefix that it was signed with. */
function standsForPrefix({ messages }: Conversation, step: NativeStep): boolean {
  const leaving = new Set(removedIds(step));
  const cut = messages.findIndex(({ id }) => !leaving.has(id));
  const [last, first] = [messages[cut - 1], messages[cut]];
  if (last === undefined || first === undefined || cut !== leaving.size) return false;
  return first.role !== last.role && first.role !== "system";
}

/** Why the result cannot be used; undefined when it can. */
function objection(
  { decision, format, model }: NativeDemand,
  returned: Conversation["messages"],
  after: Conversation,
): string | undefined {
  const { conversation: before, tokensOf } = decision.input;
  const standing = new Set(after.messages);
  if (!returned.every((message) => standing.has(message))) return "its answer cannot stand in the list as it is";
  const options = { sending: true, ...(model !== undefined && { model }) };
  const known = new Set(format.validate(format.encode(before), options).map(({ rule }) => rule));
  const violation = format.validate(format.encode(after), options).find(({ rule }) => !known.has(rule));
  if (violation !== undefined) return `its answer would be refused (${violation.rule} at ${violation.path})`;
  const isSmaller = sumTokens(after.messages, tokensOf) < sumTokens(before.messages, tokensOf);
  return isSmaller ? undefined : "its answer is no smaller than what it stands for";
}
