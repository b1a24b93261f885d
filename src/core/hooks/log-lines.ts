/**
 * Which line an event is logged as, per profile, as data: the sources' own lines under their profiles, one neutral line per
 * event otherwise. Numbers are live. Writes nothing.
 */

import type { FailureStep } from "../settings/settings.ts";
import type { HookEvent } from "./hook-events.ts";

/** A hook failed; the pass goes on. Logged only: hooks do not hear of each other's failures. */
interface HookFailed {
  readonly type: "hook-failed";
  readonly kind: "notify" | "provide";
  readonly because: string;
}

/** Said of a model's window. Logged only; those of a pass are notes of its report too. */
export type Remark =
  /** Nobody told the window, and the model is not known. Once for a model. */
  | { readonly type: "model-unknown"; readonly model: string; readonly windowTokens: number }
  | {
      readonly type: "window-learned";
      readonly model: string;
      readonly windowTokens: number;
      readonly isStated: boolean;
    }
  /** The window that was told leaves little room. Once for a compactor. */
  | { readonly type: "window-small"; readonly because: string };

export type LogEvent = HookEvent | HookFailed | Remark;

type EventOf<Type extends LogEvent["type"]> = Extract<LogEvent, { readonly type: Type }>;

/** Undefined: the neutral line. Null: none. */
type Voice = { readonly [Type in LogEvent["type"]]?: (event: EventOf<Type>) => LogLine | undefined | null };

export function lineFor(profile: string, event: LogEvent): LogLine | undefined {
  const own = say(VOICES.find(({ profiles }) => profiles.test(profile))?.voice ?? {}, event);
  const line = own === undefined ? say(NEUTRAL, event) : own;
  return line ?? undefined;
}

function say(voice: Voice, event: LogEvent): LogLine | undefined | null {
  // The table maps each type to a function of that very event, which the compiler cannot follow through an index.
  const line = voice[event.type] as ((event: LogEvent) => LogLine | undefined | null) | undefined;
  return line?.(event);
}

const at =
  (level: LogLevel) =>
  (message: string): LogLine => ({ level, message });
const [debug, info, warn, error] = [at("debug"), at("info"), at("warn"), at("error")];

/** `85,200`, whatever the machine's language. */
function grouped(count: number): string {
  return Math.round(count).toLocaleString("en-US");
}

function counted(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** What each step of the failure ladder is called in a sentence; the sources' words for theirs. */
const FALLBACKS: Readonly<Record<FailureStep | "summarize", string>> = {
  truncate: "truncation",
  "keep-and-trim": "history trimming",
  extractive: "the summary that needs no model",
  annotate: "a note in place of a summary",
  "staged-partial": "what the parts achieved",
  throw: "an error; nothing was changed",
  // Not on any ladder: what takes the place of the provider's own compaction.
  summarize: "a summary of our own",
};

function fallbackWords(step: string): string {
  // A step that the table lacks is named as it is.
  return (FALLBACKS as Readonly<Record<string, string>>)[step] ?? step;
}

/** An error's own full stop would stand beside ours, and so would what it says of the state that things are in. */
function sentence(because: string): string {
  return because.replace(UNCHANGED, "").replace(/[.;\s]+$/, "");
}

const UNCHANGED = /[.;\s]*(?:nothing|the conversation) was (?:not )?changed\b\.?/gi;

const NEUTRAL: Voice = {
  "trigger-fired": ({ reason, tokens, thresholdTokens }) => {
    const threshold = thresholdTokens === undefined ? "" : `, threshold ${grouped(thresholdTokens)}`;
    return info(`Compaction: triggered (${reason}), ${grouped(tokens)} tokens${threshold}`);
  },
  "strategy-failed": ({ because, fallback }) => warn(`Compaction: ${sentence(because)}. Falling back to ${fallback}`),
  "plan-made": ({ plan, messagesLeaving }) =>
    debug(`Compaction: ${counted(plan.steps.length, "step")} planned, ${counted(messagesLeaving, "message")} to leave`),
  "gate-closed": ({ because }) => warn(`Compaction: stopped by a gate: ${because}`),
  "compaction-started": ({ messageCount, tokenCount }) =>
    debug(`Compaction: started on ${counted(messageCount, "message")}, ${grouped(tokenCount)} tokens`),
  "compaction-provided": ({ summaryTokens }) =>
    info(`Compaction: provided by a hook, summary of ${grouped(summaryTokens)} tokens`),
  "summary-started": ({ summarizer, messageCount, callsMax }) =>
    debug(
      `Compaction: ${summarizer} summarizes ${counted(messageCount, "message")}, at most ${counted(callsMax, "call")}`,
    ),
  "progress-made": ({ stage, done, total }) => debug(`Compaction: ${stage} ${done} of ${total}`),
  "summary-made": ({ summarizer, summaryTokens, calls }) =>
    debug(`Compaction: ${summarizer} made a summary of ${grouped(summaryTokens)} tokens, ${counted(calls, "call")}`),
  "summary-failed": ({ because, fallback }) =>
    warn(`Compaction: no summary: ${sentence(because)}. Falling back to ${fallbackWords(fallback)}`),
  "results-pruned": ({ soft, hard }) =>
    debug(`Compaction: pruned ${counted(soft + hard, "tool result")} (${soft} shortened, ${hard} replaced)`),
  "conversation-compacted": ({ strategy, tokensBefore, tokensAfter, messagesRemoved }) =>
    info(
      `Compaction: ${strategy}, ${grouped(tokensBefore)} → ${grouped(tokensAfter)} tokens, ${counted(messagesRemoved, "message")} removed`,
    ),
  "nothing-done": ({ because, ok }) => (ok ? debug : warn)(`Compaction: nothing done (${because})`),
  "pass-failed": ({ because }) => error(`Compaction: failed: ${sentence(because)}. Nothing was changed`),
  "compaction-ended": ({ compactedCount }) => debug(`Compaction: ended, ${counted(compactedCount, "message")} gone`),
  "model-unknown": ({ model, windowTokens }) =>
    warn(
      `Compaction: the window of ${model} is not known; ${grouped(windowTokens)} tokens are assumed. Set windowTokens to be sure`,
    ),
  "window-learned": ({ model, windowTokens, isStated }) =>
    warn(
      `Compaction: ${model === "" ? "the model" : model} refused a request as too long; its window is ${isStated ? "" : "assumed to be "}${grouped(windowTokens)} tokens`,
    ),
  "window-small": ({ because }) => warn(`Compaction: ${because}`),
  "hook-failed": ({ kind, because }) => error(`Compaction: a ${kind} hook failed: ${sentence(because)}. Going on`),
};

const MICRO_AGENT: Voice = {
  // Said with the plan, in one line.
  "trigger-fired": () => null,
  "plan-made": ({ reason, tokens, thresholdTokens, messagesLeaving }) => {
    if (messagesLeaving === 0 || reason === "prune") return undefined;
    const threshold = thresholdTokens === undefined ? "no threshold" : `threshold ${grouped(thresholdTokens)}`;
    return info(
      `Compaction: estimated ~${grouped(tokens)} tokens, ${threshold} — compacting ${grouped(messagesLeaving)} messages`,
    );
  },
  "conversation-compacted": ({ summaryTokens, messagesRemoved, tokensFreed }) =>
    summaryTokens === undefined
      ? undefined
      : info(
          `Compaction: summarized ${grouped(messagesRemoved)} messages into ~${grouped(summaryTokens)} tokens, freed ~${grouped(tokensFreed)} estimated tokens`,
        ),
  "summary-failed": ({ because, fallback }) =>
    warn(`Compaction failed: ${sentence(because)}. Falling back to ${fallbackWords(fallback)}.`),
};

const NOUS: Voice = {
  "results-pruned": ({ soft, hard }) => info(`Pruned ${soft + hard} tool results (soft: ${soft}, hard: ${hard})`),
  "summary-failed": ({ because, fallback }) =>
    error(`Compaction summarization failed: ${sentence(because)} — falling back to ${fallbackWords(fallback)}`),
};

const OPENCLAW: Voice = {
  "trigger-fired": ({ reason, tokens }) =>
    reason === "overflow"
      ? warn(`Overflow detected at about ${grouped(tokens)} tokens: attempting compaction`)
      : undefined,
  "conversation-compacted": ({ reason, tokensBefore, tokensAfter }) =>
    reason === "overflow"
      ? info(`Overflow: compaction succeeded, ${grouped(tokensBefore)} → ${grouped(tokensAfter)} tokens; retrying`)
      : undefined,
  "nothing-done": ({ reason, because }) =>
    reason === "overflow" ? warn(`Overflow: compaction failed: ${because}`) : undefined,
  "pass-failed": ({ reason, because }) =>
    reason === "overflow" ? error(`Overflow: compaction failed: ${sentence(because)}`) : undefined,
};

const AUTO_COMPACT: Voice = {
  "trigger-fired": ({ tokens, thresholdTokens, reason }) =>
    thresholdTokens === undefined || tokens <= thresholdTokens
      ? info(`[compact] triggered: ${tokens} tokens, ${reason}`)
      : info(`[compact] triggered: ${tokens} tokens > ${thresholdTokens} threshold`),
  "conversation-compacted": ({ reason, tokensAfter }) =>
    reason === "prune" ? undefined : info(`[compact] done: ${tokensAfter} tokens remaining`),
};

const VOICES: readonly { readonly profiles: RegExp; readonly voice: Voice }[] = [
  { profiles: /^micro-agent$/, voice: MICRO_AGENT },
  { profiles: /^nous$/, voice: NOUS },
  { profiles: /^openclaw$/, voice: OPENCLAW },
  { profiles: /^auto-compact$/, voice: AUTO_COMPACT },
];

/** What the event says in numbers and names; texts of messages and summaries stay out. */
export function fieldsOf(event: LogEvent): LogFields {
  const fields: Record<string, string | number | boolean> = { event: event.type };
  for (const [name, value] of Object.entries(event)) {
    if (name === "type" || name === "summary") continue;
    if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") fields[name] = value;
  }
  if (event.type === "plan-made") {
    const { steps, tokensBefore, tokensAfter, fits } = event.plan;
    return { ...fields, steps: steps.length, tokensBefore, tokensAfter, fits };
  }
  return fields;
}

export interface Logger {
  debug(fields: LogFields, message: string): unknown;
  info(fields: LogFields, message: string): unknown;
  warn(fields: LogFields, message: string): unknown;
  error(fields: LogFields, message: string): unknown;
}

/** Every line also says what it says in named fields. Never the text of a message or a summary. */
export type LogFields = Readonly<Record<string, string | number | boolean>>;

export type LogLevel = keyof Logger;

interface LogLine {
  readonly level: LogLevel;
  readonly message: string;
}
