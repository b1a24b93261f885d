/**
 * The turn in which nothing is due, as in nearly every turn. Where the beginning of a view is known to be in order, its
 * sums and its newest messages prove that no trigger fires, nothing is pruned and nothing needs repair; nothing else is
 * read. Everything else is left to the whole pass, which gives the same result.
 */

import { formatRules } from "../core/format-rules.ts";
import { refuseDeepPrompt } from "../core/json.ts";
import {
  continuesInOrder,
  createLedger,
  enter,
  enterable,
  isAccountable,
  type Ledger,
  type LedgerScope,
} from "../core/ledger.ts";
import type { Conversation, Message } from "../core/message.ts";
import type { Plan } from "../core/plan/plan.ts";
import { capSteps } from "../core/plan/prune.ts";
import { sizeTokens } from "../core/plan/trigger.ts";
import type { Violation } from "../core/ports.ts";
import type { Repair } from "../core/repair/repair.ts";
import type { Settings } from "../core/settings/settings.ts";
import { countedIn } from "../core/tokens/counted.ts";
import { markedForSending } from "./apply.ts";
import { quietPlan, targetFor } from "./decide.ts";
import { type Counting, countingFor, type Engine, remarksOn, settingsFor } from "./engine.ts";
import { createTeller, nothingEvent } from "./events.ts";
import type { CallOptions } from "./options.ts";
import { type Report, reportOf, violationNote } from "./report.ts";

/** What is known of a view whose beginning was found in order, under these settings. */
export interface KnownView {
  readonly ledger: Ledger;
  readonly scope: LedgerScope;
  readonly settings: Settings;
  readonly counting: Counting;
  /** Sizes of the system prompt and the tools, not calibrated. */
  readonly systemTokens: number;
  readonly toolsTokens: number;
  /** Repairs and violations of the beginning: every report repeats them. */
  readonly repairs: readonly Repair[];
  readonly violations: readonly Violation[];
}

export interface QuietPass {
  readonly plan: Plan;
  readonly report: Report;
  readonly estimatedTokens: number;
}

/** An empty record for a new view; undefined where only a whole pass can read it. */
export function unknownView(engine: Engine, frame: Conversation, model: string | undefined, call: CallOptions) {
  const scope: LedgerScope = { format: engine.format, frame, model };
  const settings = settingsFor(engine, model, { settings: call.settings });
  const isMarked =
    settings.compact.boundThinking === "drop-block" && markedForSending(frame, { settings, model }) !== frame;
  if (!isAccountable(scope) || isMarked) return undefined;
  refuseDeepPrompt(frame.system, frame.tools);
  const counting = countingFor(engine, settings, countedIn(frame.format, frame.wire?.json, model));
  return knownView({ scope, settings, counting, repairs: [], violations: [] });
}

function knownView(view: Omit<KnownView, "ledger" | "systemTokens" | "toolsTokens">): KnownView {
  const { frame } = view.scope;
  const { counter } = view.counting;
  const systemTokens = counter.countParts(frame.system);
  return { ...view, ledger: createLedger(), systemTokens, toolsTokens: counter.countTools(frame.tools) };
}

/** Undefined where the whole pass must read the messages. `messages` are those after the ledger's. Changes nothing. */
export function quietPass(
  engine: Engine,
  known: KnownView,
  messages: readonly Message[],
  call: CallOptions,
): QuietPass | undefined {
  const { ledger, scope, settings, counting } = known;
  if (call.overflow !== undefined || call.recheck === true || engine.retention.keepRecent !== undefined)
    return undefined;
  if (settingsFor(engine, scope.model, { settings: call.settings }) !== settings) return undefined;
  const { tokens, counter, recount, tokensOf } = counting;
  let size = ledger.size;
  for (const message of messages) size += recount(message);
  const ratio = engine.calibration.ratio(scope.model ?? "");
  const messageCount = ledger.length + messages.length;
  const context = {
    systemTokens: Math.round(known.systemTokens * ratio),
    toolsTokens: Math.round(known.toolsTokens * ratio),
    messagesTokens: tokens(size),
    messageCount,
  };
  const totalTokens = sizeTokens(context);
  const targetTokens = targetFor(call, totalTokens, settings.windowTokens);
  const plan = quietPlan({ ...call, settings, size: context, targetTokens });
  const mayCap = settings.prune.enabled && settings.prune.capOnArrivalChars > 0;
  if (plan === undefined || (mayCap && capSteps({ messages, settings, tokensOf }).length > 0)) return undefined;
  if (!continuesInOrder(ledger, messages, scope)) return undefined;
  const report = reportOf({
    plan,
    tokens: { before: totalTokens, after: totalTokens },
    messages: { before: messageCount, after: messageCount },
    windowTokens: settings.windowTokens,
    model: scope.model,
    notes: known.violations.map(violationNote),
    repairs: known.repairs,
    prices: engine.prices,
  });
  return { plan, report, estimatedTokens: known.systemTokens + known.toolsTokens + counter.tokens(size) };
}

/** Adds to the ledger the messages that need no second reading, and returns their number. */
export function advance({ ledger, counting, scope }: KnownView, messages: readonly Message[]): number {
  const entered = enterable(messages, scope);
  enter(ledger, messages.slice(0, entered), counting.sizeOf);
  return entered;
}

/** Tells listeners that nothing was done. Returns the report with any remarks. */
export function tellQuiet(
  engine: Engine,
  { plan, report }: QuietPass,
  { known, call, startedMs }: { readonly known: KnownView; readonly call: CallOptions; readonly startedMs: number },
): Report {
  const { watch } = engine;
  const teller = createTeller(watch, { ...watch.context, ...call.hookContext });
  const { settings, scope } = known;
  for (const remark of remarksOn(engine, { model: scope.model, input: { settings } }, call.settings))
    teller.remark(remark);
  const notes = [...report.notes, ...teller.notes];
  const decision = { input: { reason: plan.reason } };
  teller.tell(nothingEvent({ decision, durationMs: () => watch.now() - startedMs }, report));
  return teller.notes.length === 0 ? report : { ...report, notes };
}

export interface KnownViewInput extends Omit<KnownView, "ledger" | "systemTokens" | "toolsTokens"> {
  /** The view as it is sent. */
  readonly messages: readonly Message[];
  /** How many messages at its beginning are edited or repaired: the ledger takes in all of these or nothing. */
  readonly edited: number;
}

/** What is known of a view after a whole pass left it as it is; undefined where its beginning proves too little about what follows. */
export function knownAfter({ messages, edited, ...view }: KnownViewInput): KnownView | undefined {
  if (!isAccountable(view.scope)) return undefined;
  // Where call ids repeat, a late result may belong to a call that was repaired as interrupted.
  const mayPairLate = formatRules(view.scope.frame.format).callIdScope === "message";
  if (mayPairLate && view.repairs.some(({ rule }) => rule === "call-without-result")) return undefined;
  const entered = enterable(messages, view.scope);
  if (entered === 0 || entered < edited) return undefined;
  if (view.violations.some(({ messageIndex }) => messageIndex >= entered)) return undefined;
  const known = knownView(view);
  enter(known.ledger, messages.slice(0, entered), view.counting.sizeOf);
  return known;
}
