/** The only place that asks a summarizer. An error or an unusable answer sends the pass down the profile's failure ladder. */

import { parseCheckpoint } from "../core/checkpoint/checkpoint.ts";
import type {
  LiveRequest,
  LiveSummaryInput,
  SummarizeContext,
  Summarizer,
  Summary,
  SummaryInput,
  SummaryResult,
} from "../core/checkpoint/summary.ts";
import { errorText } from "../core/error-text.ts";
import { CompactionError } from "../core/errors.ts";
import { withReadableItems } from "../core/items.ts";
import { isObject, stringOf } from "../core/json.ts";
import { type Conversation, type Message, text } from "../core/message.ts";
import { removedIds } from "../core/plan/apply-plan.ts";
import type { SummarizeStep } from "../core/plan/plan.ts";
import type { PlanInput } from "../core/plan/plan-input.ts";
import { asReturned, type Originals } from "../core/plan/pruned-texts.ts";
import { withoutSummary } from "../core/plan/summary-marks.ts";
import type { Format, Usage } from "../core/ports.ts";
import { once } from "../core/remember.ts";
import { repair } from "../core/repair/repair.ts";
import type { FailureStep } from "../core/settings/settings.ts";
import type { TokenCounter } from "../core/tokens/tokens.ts";
import { saidUsage, totalUsage } from "../core/usage.ts";
import { untilAborted } from "../core/waiting.ts";
import { checkedResult, type Shorten } from "./checked-result.ts";
import type { Observer } from "./events.ts";
import { throwIfAborted } from "./options.ts";
import { createRedactor, type Redactor } from "./redactor.ts";
import type { Bill, Fallback, RecordDetails } from "./report.ts";

export interface MakeSummaryInput {
  readonly input: PlanInput;
  readonly step: SummarizeStep;
  /** The original form of messages that this pass or an earlier one shortened. */
  readonly originals: Originals;
  readonly counter: TokenCounter;
  readonly summarizer: Summarizer;
  /** Replaces a failed summarizer where the ladder says so; needs no model. */
  readonly embedded: Summarizer;
  /** Files and failures, read from the messages: for a summary without a checkpoint. */
  detailsOf(input: SummaryInput): RecordDetails;
  /** Shortens a text that is slightly over its budget. */
  readonly shorten: Shorten;
  readonly context: SummarizeContext;
  readonly observer: Observer;
  readonly instructions: string | undefined;
  /** The live request, for a summarizer that asks in band. */
  readonly live?: LiveInput | undefined;
}

/** The outcome and its cost, whether or not the text was usable. */
export type SummaryOutcome = SummaryCost & {
  readonly fallbacks: readonly Fallback[];
} & (
    | SummaryText
    /** The zone is dropped without a summary; an earlier summary stays. */
    | { readonly type: "truncate" }
    /** Nothing leaves, except by the limit on the number of messages. */
    | { readonly type: "keep" }
  );

interface SummaryText {
  readonly type: "summary";
  readonly result: SummaryResult;
  readonly by: Summarizer;
  /** Present only where the result has no checkpoint. */
  readonly details?: RecordDetails;
}

export interface SummaryCost {
  readonly calls: number;
  readonly usage?: Usage;
  /** The usage of each reply that reported it. */
  readonly bills: readonly Bill[];
  /** The model that answered last, else the one that was asked. */
  readonly model?: string;
}

/** The summarizer name of a text that a hook provided. */
export const PROVIDED_NAME = "provided";

export async function makeSummary(given: MakeSummaryInput): Promise<SummaryOutcome> {
  const { summarizer, context } = given;
  const redactor = createRedactor();
  const summaryInput = redactor.input(inputFor(given, redactor));
  const spending = createSpending();
  try {
    const asked = observed(given, summaryInput, { ...context, ...spending.told });
    // A summarizer may ignore the signal: after an abort, do not wait for it.
    const returned: SummaryResult = await untilAborted(asked, context.signal);
    spending.settle(returned);
    throwIfAborted(context.signal);
    const check = { name: summarizer.name, input: summaryInput, shorten: given.shorten, redactor };
    const result = checkedResult(returned, check);
    const spent = spending.spent();
    if (result.calls === 0 && isEmpty(result)) return { type: "truncate", ...spent, fallbacks: [NOTHING_SAID] };
    if (isEmpty(result)) throw new CompactionError("summary-failed", "The summarizer returned an empty text.");
    const details = result.checkpoint === undefined ? { details: given.detailsOf(summaryInput) } : {};
    return { type: "summary", result, by: summarizer, ...details, ...spent, fallbacks: partialFallbacks(result) };
  } catch (error) {
    throwIfAborted(context.signal);
    const because = redactor.text(textOf(error));
    const made = await takeLadder(given, summaryInput, { error, because, spent: spending.spent() });
    return made.type === "summary" ? { ...made, result: redactor.result(made.result) } : made;
  }
}

/** Tells listeners of the call, inside a span. A hook's text was told when the hook returned it. */
function observed(
  { summarizer, observer }: MakeSummaryInput,
  input: SummaryInput,
  context: SummarizeContext,
): Promise<SummaryResult> {
  const { name, version } = summarizer;
  const messageCount = input.messages.length + input.turnPrefix.length;
  const { budgetTokens } = input;
  if (name !== PROVIDED_NAME) {
    const callsMax = summarizer.planCalls(input);
    const started = { summarizer: `${name} ${version}`, messageCount, budgetTokens, callsMax };
    observer.tell({ type: "summary-started", ...started });
  }
  const attributes = {
    "palimpsest.summarizer": `${name} ${version}`,
    "palimpsest.messages": messageCount,
    "palimpsest.budget_tokens": budgetTokens,
  };
  return observer.span("palimpsest.summarize", attributes, async (note) => {
    const result = await summarizer.summarize(input, context);
    // A summarizer may return anything; the caller of `observed` checks it.
    note({ "palimpsest.calls": result?.calls ?? 0 });
    return result;
  });
}

interface CostTally {
  readonly told: Required<Pick<SummarizeContext, "called" | "answered">>;
  /** Takes the result's own numbers where they are higher: not every summarizer reports its calls. */
  settle(returned: unknown): void;
  spent(): SummaryCost;
}

function createSpending(): CostTally {
  let calls = 0;
  const bills: Bill[] = [];
  let model: string | undefined;
  return {
    told: {
      called: (asked) => {
        calls++;
        model = asked ?? model;
      },
      answered: (reply) => {
        const usage = saidUsage(reply.usage);
        if (usage !== undefined) bills.push({ usage, model: stringOf(reply.model), isOneRequest: true });
        model = reply.model ?? model;
      },
    },
    settle: (returned) => {
      if (!isObject(returned)) return;
      // Only reads fields; `checkedResult` reports what is wrong with them.
      const said = returned as Partial<SummaryResult>;
      if (typeof said.calls === "number") calls = Math.max(calls, said.calls);
      const usage = bills.length > 0 ? undefined : saidUsage(said.usage);
      if (usage !== undefined) bills.push({ usage, model: stringOf(said.model), isOneRequest: calls === 1 });
      model = said.model ?? model;
    },
    spent: () => {
      const usage = totalUsage(bills.map((bill) => bill.usage));
      return { calls, bills, ...(usage !== undefined && { usage }), ...(model !== undefined && { model }) };
    },
  };
}

/** The summarizer took this step itself: it kept the summaries of its finished parts. */
function partialFallbacks({ partial }: SummaryResult): readonly Fallback[] {
  return partial === undefined ? [] : [{ step: "staged-partial" satisfies FailureStep, because: partial }];
}

/** Whether a step of the ladder was taken because the summary failed; an empty zone is no failure. */
export function isFailed(made: SummaryOutcome | undefined): boolean {
  return made?.fallbacks.some((fallback) => fallback !== NOTHING_SAID && fallback.step !== "staged-partial") ?? false;
}

function inputFor(given: MakeSummaryInput, redactor: Redactor): LiveSummaryInput {
  const { input, step, originals, counter, instructions, live } = given;
  const { zone, turnPrefix, kept, keptAfter } = dividedBy(step, input.conversation.messages);
  const previous = input.found === undefined ? undefined : previousSummary(input.found.text);
  // `previous` holds the earlier summary; the part of it that is merged into a message is not read again.
  const own = (message: Message): Message => withoutSummary(message, input.settings.render);
  const asTold = (messages: readonly Message[]): readonly Message[] =>
    previous === undefined ? messages : messages.map(own);
  const asSaid = (messages: readonly Message[]): readonly Message[] =>
    asTold(messages).map((message) => asReturned(message, originals));
  return {
    messages: asSaid(zone).map(withReadableItems),
    turnPrefix: asSaid(turnPrefix),
    kept: asTold(kept).map((message) => asReturned(message, NO_ORIGINALS)),
    keptAfter,
    cut: kept.flatMap((message) => wholeOf(message, originals) ?? []),
    userTools: input.settings.userTools,
    ...(previous !== undefined && { previous }),
    budgetTokens: step.budgetTokens,
    counter,
    ...(instructions !== undefined && { instructions }),
    ...(live !== undefined && { live: { ...liveRequest(live, step), redact: redactor.text } }),
  };
}

function previousSummary(text: string): Summary {
  const checkpoint = parseCheckpoint(text);
  return checkpoint === undefined ? { text } : { text, checkpoint };
}

/** Undefined where the message was not shortened. */
function wholeOf(message: Message, originals: Originals): Message | undefined {
  const original = originals.get(message.id);
  return original === undefined || asReturned(message, originals) === message ? undefined : original;
}

/** Kept messages are read as they stand in the view. */
const NO_ORIGINALS: Originals = new Map();

interface DividedView {
  /** Without the turn's prefix. */
  readonly zone: readonly Message[];
  readonly turnPrefix: readonly Message[];
  readonly kept: readonly Message[];
  readonly keptAfter: readonly number[];
}

/** In one walk: a long list has thousands of messages, and each is found by its id. */
function dividedBy(
  { messageIds, turnPrefixIds, replacesIds }: SummarizeStep,
  messages: readonly Message[],
): DividedView {
  const [zone, turnPrefix, kept, keptAfter]: [Message[], Message[], Message[], number[]] = [[], [], [], []];
  const leaving = new Set(messageIds);
  const prefix = new Set(turnPrefixIds);
  const replaced = new Set(replacesIds);
  let left = 0;
  for (const message of messages) {
    if (leaving.has(message.id)) {
      left++;
      if (prefix.size > 0 && prefix.has(message.id)) turnPrefix.push(message);
      else zone.push(message);
    } else if (!replaced.has(message.id)) {
      kept.push(message);
      keptAfter.push(left);
    }
  }
  return { zone, turnPrefix, kept, keptAfter };
}

function isEmpty({ text }: SummaryResult): boolean {
  return text.trim() === "";
}

/** True of the failed summary, but not of the pass after a step of the ladder. */
const UNCHANGED = / The conversation was not changed\./;

/** The zone has no text, so there is nothing to summarize. */
const NOTHING_SAID: Fallback = { step: "truncate", because: "There is no text to summarize." };

function textOf(error: unknown): string {
  return errorText(error).replace(UNCHANGED, "");
}

interface Failure {
  readonly error: unknown;
  readonly because: string;
  readonly spent: SummaryCost;
}

async function takeLadder(
  given: MakeSummaryInput,
  summaryInput: SummaryInput,
  failure: Failure,
): Promise<SummaryOutcome> {
  const { because } = failure;
  for (const step of given.input.settings.failure.ladder) {
    const taken = await takeStep(step, given, summaryInput, failure);
    if (taken !== undefined) return { ...taken, ...failure.spent, fallbacks: [{ step, because }] };
  }
  // No step of the ladder applied: leave the conversation as it is.
  return { type: "keep", ...failure.spent, fallbacks: [{ step: "keep-and-trim", because }] };
}

type LadderResult = SummaryText | { readonly type: "truncate" | "keep" };

/** Undefined where the step does not apply; the next one is tried. */
async function takeStep(
  step: FailureStep,
  given: MakeSummaryInput,
  summaryInput: SummaryInput,
  { error, because }: Failure,
): Promise<LadderResult | undefined> {
  const { embedded, context } = given;
  switch (step) {
    // The summarizer takes this step itself; when it failed as a whole, no part was finished.
    case "staged-partial":
      return undefined;
    case "extractive":
      return { type: "summary", result: await embedded.summarize(summaryInput, context), by: embedded };
    case "annotate":
      return { type: "summary", result: await annotate(given, summaryInput), by: embedded };
    case "truncate":
      return { type: "truncate" };
    case "keep-and-trim":
      return { type: "keep" };
    case "throw":
      throw error instanceof CompactionError && error.code === "summary-failed"
        ? error
        : new CompactionError(
            "summary-failed",
            `Could not summarize ${given.step.messageIds.length} messages: ${because.replace(/[.\s]+$/, "")}. Nothing was changed.`,
            { cause: error, retryable: true },
          );
    default:
      return step satisfies never;
  }
}

/** A note that there is no summary, with the failures and files that the extractor finds. */
async function annotate(
  { input, embedded, context, step }: MakeSummaryInput,
  summaryInput: SummaryInput,
): Promise<SummaryResult> {
  const note = input.settings.failure.annotation.replaceAll("{count}", () => String(step.messageIds.length));
  const noteTokens = summaryInput.counter.countText(note);
  const budgetTokens = Math.max(0, summaryInput.budgetTokens - noteTokens - 1);
  const digest = await embedded.summarize({ ...summaryInput, budgetTokens }, context);
  return { ...digest, text: `${note}\n\n${digest.text}`.trim() };
}

/** The request that is cut at the end of a zone and asked in band. Nothing is sent here. */
export interface LiveInput {
  readonly format: Format;
  /** The view as it was sent last, which the provider has cached. */
  readonly view: Conversation;
  readonly model: string | undefined;
  readonly counter: TokenCounter;
}

function liveRequest({ format, view, model, counter }: LiveInput, step: SummarizeStep): Omit<LiveRequest, "redact"> {
  // Computed on demand: few summarizers ask in band.
  const prefix = once(() => prefixOf(view, step));
  const options = model === undefined ? {} : { model };
  return {
    tokens: () => counter.countParts(view.system) + counter.countTools(view.tools) + counter.total(prefix()),
    bodyWith: (instruction) => {
      const message: Message = { id: "in-band", role: "user", parts: [text(instruction)] };
      // Changes only the last message, and only where the format refuses neighbours of one role.
      const { conversation } = repair({ ...view, messages: [...prefix(), message] }, options);
      const body = format.encode(conversation);
      return format.validate(body, { ...options, sending: true }).length === 0 ? body : undefined;
    },
  };
}

function prefixOf({ messages }: Conversation, step: SummarizeStep): readonly Message[] {
  const leaving = new Set(removedIds(step));
  return messages.slice(0, messages.findLastIndex(({ id }) => leaving.has(id)) + 1);
}
