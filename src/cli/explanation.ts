/**
 * Why a conversation would or would not be compacted now, as data: exactly what `explain --json` prints. Asks the functions
 * that decide, so that it cannot disagree with them. Key names are a promise (docs/cli.md).
 */

import { sizeAtTrigger } from "../compactor/decide.ts";
import type { FormatName } from "../core/message.ts";
import { isCompaction } from "../core/plan/apply-plan.ts";
import { prunesByItself } from "../core/plan/prune.ts";
import { type ContextSize, comparisonOf, firedBy, limitOf, shareOf, triggerTokens } from "../core/plan/trigger.ts";
import type { Settings, Trigger } from "../core/settings/settings.ts";
import type { TranscriptSource } from "../transcripts/index.ts";
import { calibratedTo } from "./calibrated-subject.ts";
import { messageShower, type ProtectedGroup, protectedGroups, type ShownMessage } from "./protections.ts";
import { compareUsage } from "./recorded-usage.ts";
import { decideInputOf, decisionOn, type Subject, sizeTokens } from "./subject.ts";
import { type ShrunkTail, shrunkTail, type TailSize, usedPartition } from "./used-partition.ts";

export interface Explanation {
  readonly file: string;
  readonly source: TranscriptSource;
  readonly format: FormatName;
  readonly profile: string;
  readonly windowTokens: number;
  readonly tokens: {
    readonly total: number;
    readonly system: number;
    readonly tools: number;
    readonly messages: number;
    /** What recorded usage counts and the file does not show, such as the client's own prompt; absent where none is recorded. */
    readonly hidden?: number;
  };
  /** By recorded usage: what is judged. Absent where none is recorded. */
  readonly nextRequestTokens?: number;
  /** What `fit` would do with it now; what is pruned or left out without a trigger is no compaction, here as in hooks and stores. */
  readonly wouldCompact: boolean;
  readonly wouldPrune: boolean;
  /** The trigger that fires, or why none does; `prune` where messages are over a limit. */
  readonly reason: string;
  readonly triggers: readonly TriggerState[];
  /** What pruning alone does; the triggers are asked before it, and one that fires has its strategy prune instead. */
  readonly prune: {
    /** False where it is switched off, left to compactions, or has nothing that it could do. */
    readonly enabled: boolean;
    readonly tokens: number;
    /** Whether that has to be cheaper than what it does to the prompt cache. */
    readonly mustPay: boolean;
    readonly highTokens: number;
    readonly lowTokens: number;
    readonly freesTokens: number;
  };
  readonly protected: readonly ProtectedGroup[];
  readonly largestProtected: readonly (ShownMessage & { readonly why: ProtectedGroup["why"] })[];
  /** The first message that stays; null when there is no place to cut. */
  readonly cut: ShownMessage | null;
  readonly isTurnSplit: boolean;
  readonly messages: number;
  readonly mayGo: TailSize;
  readonly tailShrunk?: ShrunkTail;
  /** What a compaction now would do, a summary counted with all it may take. */
  readonly pass: {
    readonly steps: Readonly<Record<string, number>>;
    readonly tokensAfter: number;
    readonly freesTokens: number;
    readonly targetTokens?: number;
    readonly fits: boolean;
    readonly because?: string;
  };
}

export interface TriggerState {
  readonly type: Trigger["type"];
  /** What is compared, how, and with what. */
  readonly tokens: number;
  readonly comparison: "gt" | "gte";
  readonly limitTokens?: number;
  readonly fires: boolean;
}

const LARGEST_SHOWN = 5;

export function explainSubject(shownSubject: Subject): Explanation {
  const usage = compareUsage(shownSubject);
  const subject = usage === undefined ? shownSubject : asBilled(shownSubject, usage.nextRequestTokens);
  const { settings, size, conversation, format, counter, transcript } = subject;
  const hidden = size.systemTokens - shownSubject.size.systemTokens;
  const decision = decisionOn(subject, { isAsked: false });
  const byItself = decision.plan;
  const messagesTokens = counter.total(decision.input.conversation.messages);
  const pruned: ContextSize = { ...size, messagesTokens };
  const asked = decisionOn(subject, { isAsked: true });
  const parts = usedPartition(asked);
  const shown = messageShower(asked.input);
  const tail = shrunkTail(asked, parts);
  const asTriggered = sizeAtTrigger(decideInputOf(subject));
  const wouldCompact = isCompaction(decision.rest);
  return {
    file: subject.file,
    source: transcript.source,
    format: format.name,
    profile: subject.profile,
    windowTokens: settings.windowTokens,
    tokens: {
      total: sizeTokens(size),
      system: size.systemTokens - Math.max(0, hidden),
      tools: size.toolsTokens,
      messages: size.messagesTokens,
      ...(hidden > 0 && { hidden }),
    },
    ...(usage !== undefined && { nextRequestTokens: usage.nextRequestTokens }),
    wouldCompact,
    wouldPrune: byItself.steps.length > 0 && !wouldCompact,
    reason: decision.rest.because ?? byItself.reason,
    triggers: settings.compact.triggers.map((trigger) => stateOf(trigger, settings, asTriggered)),
    prune: pruneState(settings, size, pruned),
    protected: protectedGroups(asked.input, parts),
    largestProtected: [...parts.protectedBy]
      .map(([index, why]) => ({ ...shown(index), why }))
      .sort((a, b) => b.tokens - a.tokens || a.index - b.index)
      .slice(0, LARGEST_SHOWN),
    cut: parts.cut === 0 || parts.cut >= conversation.messages.length ? null : shown(parts.cut),
    isTurnSplit: parts.isSplitTurn,
    messages: conversation.messages.length,
    mayGo: { messages: parts.zone.length, tokens: parts.zone.reduce((sum, index) => sum + shown(index).tokens, 0) },
    ...(tail !== undefined && { tailShrunk: tail }),
    pass: passOf(asked.plan),
  };
}

/**
 * In the tokens of recorded usage, which is what a session would go by. What is billed beyond what the file shows is not in its messages: it
 * counts with the system prompt. Where less was billed, the estimate is too high all over.
 */
function asBilled(subject: Subject, nextRequestTokens: number): Subject {
  const hidden = nextRequestTokens - sizeTokens(subject.size);
  if (hidden <= 0) return calibratedTo(subject, nextRequestTokens);
  return { ...subject, size: { ...subject.size, systemTokens: subject.size.systemTokens + hidden } };
}

function stateOf(trigger: Trigger, settings: Settings, size: ContextSize): TriggerState {
  const fired = firedBy(trigger, settings, { size });
  const limitTokens = fired?.thresholdTokens ?? limitOf(trigger, settings);
  return {
    type: trigger.type,
    tokens: triggerTokens(trigger, settings, size),
    comparison: comparisonOf(trigger),
    ...(limitTokens !== undefined && { limitTokens }),
    fires: fired !== undefined,
  };
}

function pruneState(settings: Settings, size: ContextSize, pruned: ContextSize): Explanation["prune"] {
  const { prune, windowTokens } = settings;
  const freesTokens = size.messagesTokens - pruned.messagesTokens;
  const hasTiers = prune.softTrim !== undefined || prune.stub !== undefined || prune.clearAfter > 0;
  return {
    enabled: prunesByItself(settings) && (hasTiers || freesTokens > 0),
    tokens: sizeTokens(size),
    freesTokens,
    mustPay: prune.mustPay,
    highTokens: Math.floor(shareOf(windowTokens, prune.highWaterRatio)),
    lowTokens: Math.floor(shareOf(windowTokens, prune.lowWaterRatio)),
  };
}

function passOf(plan: ReturnType<typeof decisionOn>["plan"]): Explanation["pass"] {
  const { steps, tokensBefore, tokensAfter, targetTokens, fits, because } = plan;
  const counts = Object.entries(Object.groupBy(steps, ({ type }) => type)).map(([type, same]) => [type, same.length]);
  return {
    steps: Object.fromEntries(counts),
    tokensAfter,
    freesTokens: tokensBefore - tokensAfter,
    ...(targetTokens !== undefined && { targetTokens }),
    fits,
    ...(because !== undefined && { because }),
  };
}
