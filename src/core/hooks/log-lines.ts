/** The log line of each event, as data: neutral, or in the words of the project that a profile follows. Writes nothing. */

import type { Reason } from "../plan/plan.ts";
import type { FailureStep } from "../settings/settings.ts";
import { grouped, plural } from "../text.ts";
import type { EventsOf, HookEvents } from "./hook-events.ts";

/** Events that are only logged. */
interface LogEvents extends HookEvents, Remarks {
  /** A hook failed; the pass goes on. Other hooks do not get this event. */
  "hook-failed": { readonly kind: "notify" | "provide"; readonly because: string };
}

/** What is said of a model's window. The remarks of a pass are notes of its report too. */
interface Remarks {
  /** The caller gave no window, and the model is not known. Once for a model. */
  "model-unknown": { readonly model: string; readonly windowTokens: number };
  "window-learned": { readonly model: string; readonly windowTokens: number; readonly isStated: boolean };
  /** The window that the caller gave leaves little room. Once for a compactor. */
  "window-small": { readonly because: string };
}

export type Remark = EventsOf<Remarks>;

export type LogEvent = EventsOf<LogEvents>;

/** Lines by event type. Undefined: the neutral line. Null: none. */
type Voice = { readonly [Type in keyof LogEvents]?: (event: LogEvents[Type]) => LogLine | undefined | null };

export function lineFor(profile: string, event: LogEvent): LogLine | undefined {
  const own = lineIn(VOICES[profile] ?? {}, event);
  return (own === undefined ? lineIn(NEUTRAL, event) : own) ?? undefined;
}

function lineIn(voice: Voice, event: LogEvent): LogLine | undefined | null {
  // The table maps each type to a function of that very event, which the compiler cannot follow through an index.
  const line = voice[event.type] as ((event: LogEvent) => LogLine | undefined | null) | undefined;
  return line?.(event);
}

const at =
  (level: LogLevel) =>
  (message: string): LogLine => ({ level, message });
const [debug, info, warn, error] = [at("debug"), at("info"), at("warn"), at("error")];

/** What each step of the failure ladder is called in a sentence. */
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

/** Without its own full stop, and without what it says of the state: the line around it adds both. */
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
    debug(`Compaction: ${plural(plan.steps.length, "step")} planned, ${plural(messagesLeaving, "message")} to leave`),
  "gate-closed": ({ because }) => warn(`Compaction: stopped by a gate: ${because}`),
  "compaction-started": ({ messageCount, tokenCount }) =>
    debug(`Compaction: started on ${plural(messageCount, "message")}, ${grouped(tokenCount)} tokens`),
  "compaction-provided": ({ summaryTokens }) =>
    info(`Compaction: provided by a hook, summary of ${grouped(summaryTokens)} tokens`),
  "summary-started": ({ summarizer, messageCount, callsMax }) =>
    debug(
      `Compaction: ${summarizer} summarizes ${plural(messageCount, "message")}, at most ${plural(callsMax, "call")}`,
    ),
  "progress-made": ({ stage, done, total }) => debug(`Compaction: ${stage} ${done} of ${total}`),
  "summary-made": ({ summarizer, summaryTokens, calls }) =>
    debug(`Compaction: ${summarizer} made a summary of ${grouped(summaryTokens)} tokens, ${plural(calls, "call")}`),
  "summary-failed": ({ because, fallback }) =>
    warn(`Compaction: no summary: ${sentence(because)}. Falling back to ${fallbackWords(fallback)}`),
  "results-pruned": ({ soft, hard }) =>
    debug(`Compaction: pruned ${plural(soft + hard, "tool result")} (${soft} shortened, ${hard} replaced)`),
  "conversation-compacted": ({ strategy, tokensBefore, tokensAfter, messagesRemoved }) =>
    info(
      `Compaction: ${strategy}, ${grouped(tokensBefore)} → ${grouped(tokensAfter)} tokens, ${plural(messagesRemoved, "message")} removed`,
    ),
  "nothing-done": ({ because, ok }) => (ok ? debug : warn)(`Compaction: nothing done (${because})`),
  "pass-failed": ({ because }) => error(`Compaction: failed: ${sentence(because)}. Nothing was changed`),
  "compaction-ended": ({ compactedCount }) => debug(`Compaction: ended, ${plural(compactedCount, "message")} gone`),
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

/** The lines of the projects that a profile follows, by the profile's name. */
const VOICES: Readonly<Record<string, Voice>> = {
  "micro-agent": {
    // The line of the plan says both.
    "trigger-fired": () => null,
    "plan-made": ({ reason, tokens, thresholdTokens, messagesLeaving }) => {
      if (messagesLeaving === 0 || reason === "prune") return undefined;
      const threshold = thresholdTokens === undefined ? "no threshold" : `threshold ${grouped(thresholdTokens)}`;
      return info(
        `Compaction: estimated ~${grouped(tokens)} tokens, ${threshold} — compacting ${grouped(messagesLeaving)} messages`,
      );
    },
    "conversation-compacted": ({ summaryTokens, messagesRemoved, tokensFreed }) => {
      if (summaryTokens === undefined) return undefined;
      const summarized = `summarized ${grouped(messagesRemoved)} messages into ~${grouped(summaryTokens)} tokens`;
      return info(`Compaction: ${summarized}, freed ~${grouped(tokensFreed)} estimated tokens`);
    },
    "summary-failed": ({ because, fallback }) =>
      warn(`Compaction failed: ${sentence(because)}. Falling back to ${fallbackWords(fallback)}.`),
  },
  nous: {
    "results-pruned": ({ soft, hard }) => info(`Pruned ${soft + hard} tool results (soft: ${soft}, hard: ${hard})`),
    "summary-failed": ({ because, fallback }) =>
      error(`Compaction summarization failed: ${sentence(because)} — falling back to ${fallbackWords(fallback)}`),
  },
  openclaw: {
    "trigger-fired": ({ reason, tokens }) =>
      onOverflow(reason, warn(`Overflow detected at about ${grouped(tokens)} tokens: attempting compaction`)),
    "conversation-compacted": ({ reason, tokensBefore, tokensAfter }) => {
      const change = `${grouped(tokensBefore)} → ${grouped(tokensAfter)} tokens`;
      return onOverflow(reason, info(`Overflow: compaction succeeded, ${change}; retrying`));
    },
    "nothing-done": ({ reason, because }) => onOverflow(reason, warn(`Overflow: compaction failed: ${because}`)),
    "pass-failed": ({ reason, because }) =>
      onOverflow(reason, error(`Overflow: compaction failed: ${sentence(because)}`)),
  },
  "auto-compact": {
    "trigger-fired": ({ tokens, thresholdTokens, reason }) => {
      const isOver = thresholdTokens !== undefined && tokens > thresholdTokens;
      return info(`[compact] triggered: ${tokens} tokens${isOver ? ` > ${thresholdTokens} threshold` : `, ${reason}`}`);
    },
    "conversation-compacted": ({ reason, tokensAfter }) =>
      reason === "prune" ? undefined : info(`[compact] done: ${tokensAfter} tokens remaining`),
  },
};

function onOverflow(reason: Reason, line: LogLine): LogLine | undefined {
  return reason === "overflow" ? line : undefined;
}

/** The numbers and names of an event, without texts of messages and summaries. */
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

/** What the line says, in named fields. Never the text of a message or a summary. */
export type LogFields = Readonly<Record<string, string | number | boolean>>;

export type LogLevel = keyof Logger;

interface LogLine {
  readonly level: LogLevel;
  readonly message: string;
}
