/**
 * `runLoop`: the tool-calling loop over a session. Before every model call the view is compacted if it is time; a refusal as too long is
 * healed. Everything is stored as soon as it is there: after an abort, a crash or a kill, the next `runLoop` on the session goes on where
 * this one ended, and runs no tool again whose result is stored.
 */

import { CompactionError } from "./core/errors.ts";
import type { HookEvent } from "./core/hooks/hook-events.ts";
import { isObject, numberOf } from "./core/json.ts";
import { textsOf } from "./core/message.ts";
import type { Model, ModelCall, ModelReply, StopReason } from "./core/model.ts";
import { structureOf } from "./core/structure/structure.ts";
import { answerOf } from "./loop/answer.ts";
import { createGate, type Gate } from "./loop/gate.ts";
import { flushMemory } from "./loop/memory-flush.ts";
import { type LoopTool, offerTools, runTools, type ToolResult, toolsOf } from "./loop/tools.ts";
import { CLIENT_RETRY, delayBefore, type RetrySettings } from "./retry.ts";
import type { SessionPass } from "./session/compact-view.ts";
import type { Session } from "./session/session-port.ts";
import type { Appendable } from "./session/wire-input.ts";

export { fileMemory } from "./loop/file-memory.ts";
export { type SubAgentOptions, subAgent } from "./loop/sub-agent.ts";
export type { LoopTool, ToolContext, ToolResult } from "./loop/tools.ts";

export interface LoopOptions {
  readonly session: Session;
  readonly model: Model;
  readonly tools?: readonly LoopTool[];
  /** Appended first; without it the loop goes on with what the session holds. */
  readonly input?: Appendable;
  /** Model calls at most. Default: 100. */
  readonly maxSteps?: number;
  /** How long one tool may run, unless it says so itself. Default: two minutes. */
  readonly toolTimeoutMs?: number;
  /** Whether answers are streamed: texts arrive as events while they are written. Default: true. */
  readonly stream?: boolean;
  /** For an answer that breaks off, which no client retries. Default: as often and as soon as the official clients. */
  readonly retry?: Partial<RetrySettings>;
  /** True: a summary is made while the loop goes on, and swapped in before a later call. Default: the loop waits for it. */
  readonly background?: boolean;
  /** More tools, in which the model writes down what must outlast the session. A memory flush runs no others, unless there are none of these. */
  readonly memory?: readonly LoopTool[];
  /** True: an input `/compact [instructions]` compacts the session and asks no model. */
  readonly commands?: boolean;
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: LoopEvent) => void;
}

export type LoopEvent =
  | { readonly type: "text" | "reasoning"; readonly text: string }
  | { readonly type: "tool-call"; readonly call: ModelCall }
  | { readonly type: "tool-result"; readonly result: ToolResult }
  | { readonly type: "reply"; readonly reply: ModelReply }
  /** What a compaction of this session does, stage by stage. */
  | { readonly type: "compaction"; readonly event: HookEvent }
  /** The provider refused a request as too long, or broke its answer off; it was compacted and is sent again. */
  | { readonly type: "overflow"; readonly attempt: number; readonly windowTokens: number }
  /** An answer broke off and is asked for again: what it said so far does not count. */
  | { readonly type: "retry"; readonly because: string }
  /** The silent turn before a compaction. Its answers are not shown and not stored, but cost as much as others. */
  | {
      readonly type: "memory-flush";
      readonly saved: boolean;
      readonly because?: string;
      readonly replies: readonly ModelReply[];
    };

export interface LoopResult {
  /** Of the last answer. */
  readonly text: string;
  /** Why the loop ended: the model's own reason, `max-steps`, or `compacted` after the command. */
  readonly stopReason: StopReason | "max-steps" | "compacted";
  /** Model calls. */
  readonly steps: number;
}

const STEPS_MAX = 100;
const TOOL_TIMEOUT_MS = 120_000;

/**
 * Runs until the model is done. Throws `aborted`, `model-failed`, `compaction-failure` or `window-too-small`; the session can be continued after each.
 *
 * @example
 * const { text } = await runLoop({ session, model: anthropic(client, "claude-opus-5-5"), tools, input: "Fix the build" });
 */
export async function runLoop(options: LoopOptions): Promise<LoopResult> {
  // A signal of its own for each loop: clients leave listeners behind on it.
  const { session, input, background = false, signal = new AbortController().signal } = options;
  const unheard = session.compactor.on("notify", (event, { sessionId }) => {
    if (sessionId === session.id) options.onEvent?.({ type: "compaction", event });
  });
  const gate = createGate(session, background, signal);
  try {
    const instructions = commandIn(options);
    if (instructions !== undefined) return await compactByHand(gate, instructions);
    await offerTools(session, toolsOf(options), signal);
    if (input !== undefined) await session.append(input, { signal });
    return await steps(options, gate, signal);
  } catch (error) {
    // Tools, and waiting, end with the caller's own reason.
    if (!signal.aborted || error !== signal.reason) throw error;
    throw new CompactionError("aborted", "The loop was aborted; the session can be continued.", { cause: error });
  } finally {
    await gate.close();
    unheard();
  }
}

async function steps(options: LoopOptions, gate: Gate, signal: AbortSignal): Promise<LoopResult> {
  const { session, maxSteps = STEPS_MAX } = options;
  // After a crash, calls may be left whose results are not stored, or nothing at all.
  const { calls, answer } = await stateOf(session, signal);
  if (answer !== undefined) return { text: answer, stopReason: "stop", steps: 0 };
  if (calls.length > 0) await answerCalls(options, calls, signal);
  let text = "";
  for (let step = 1; step <= maxSteps; step++) {
    await flushMemory(options, signal);
    const reply = await ask(options, gate, signal);
    await session.append(reply.response, { signal });
    options.onEvent?.({ type: "reply", reply });
    text = reply.text;
    const isPaused = reply.stopReason === "pause";
    if (reply.calls.length === 0 && !isPaused) {
      await gate.afterTurn();
      return { text, stopReason: reply.stopReason, steps: step };
    }
    await answerCalls(options, reply.calls, signal);
  }
  return { text, stopReason: "max-steps", steps: maxSteps };
}

interface LoopState {
  /** Calls of the newest answer whose results are not stored, in order; none that the provider runs itself. */
  readonly calls: readonly ModelCall[];
  /** The text of the newest message where that is an answer: then nothing is left to ask for. */
  readonly answer: string | undefined;
}

async function stateOf(session: Session, signal: AbortSignal): Promise<LoopState> {
  const view = await session.view({ signal });
  const { format } = session.compactor;
  const messages = view.flatMap(({ body }) => format.decode([body]).messages);
  const structure = structureOf(messages);
  const open = structure.openRound();
  const calls = structure.pairing.calls.flatMap(({ part, at, results }): readonly ModelCall[] => {
    if (open === undefined || at.message < open.start || results.length > 0 || part.server === true) return [];
    const { callId, name, input } = part;
    return [{ ...(callId !== undefined && { callId }), name, input }];
  });
  const newest = messages.at(-1);
  const isAnswered = calls.length === 0 && newest?.role === "assistant";
  return {
    calls,
    answer: isAnswered ? textsOf(newest.parts.filter(({ type }) => type === "text")).join("") : undefined,
  };
}

/** Each result is stored as soon as it is there, so that no tool has to run again after a crash. */
async function answerCalls(options: LoopOptions, calls: readonly ModelCall[], signal: AbortSignal): Promise<void> {
  const { toolTimeoutMs = TOOL_TIMEOUT_MS, session } = options;
  await runTools(calls, {
    tools: toolsOf(options),
    timeoutMs: toolTimeoutMs,
    signal,
    format: session.compactor.format,
    store: async (result, messages) => {
      await session.append(messages);
      options.onEvent?.({ type: "tool-result", result });
    },
  });
}

/** One model call, on a view that fits. After a refusal as too long the view is compacted, as often as the settings allow. */
async function ask(options: LoopOptions, gate: Gate, signal: AbortSignal): Promise<ModelReply> {
  const retry: RetrySettings = { ...CLIENT_RETRY, isRetryable: isBrokenOff, ...options.retry };
  let pass = await gate.pass();
  for (let attempt = 1; ; ) {
    try {
      const reply = await answerOf(options, pass.request, signal);
      const healed = reply.stopReason === "window-full" ? await gate.heal(cutOff(reply)) : undefined;
      if (healed?.report.overflow?.retry !== true) return reply;
      pass = resent(options, healed);
    } catch (error) {
      if (!(error instanceof CompactionError && error.code === "model-failed")) throw error;
      if (error.reason === "overflow") {
        const healed = await gate.heal(error.cause);
        const { overflow } = healed.report;
        if (overflow?.retry !== true) throw unhealed(error, overflow?.because);
        pass = resent(options, healed);
        continue;
      }
      if (!retry.isRetryable(error) || ++attempt > retry.maxAttempts) throw error;
      options.onEvent?.({ type: "retry", because: error.message });
      await retry.sleep(delayBefore(attempt, retry, error), signal);
    }
  }
}

function resent({ onEvent }: LoopOptions, healed: SessionPass): SessionPass {
  const { attempt = 1, windowTokens = 0 } = healed.report.overflow ?? {};
  onEvent?.({ type: "overflow", attempt, windowTokens });
  return healed;
}

/** Some providers answer as far as the window goes instead of refusing: the refusal that such an answer stands for. */
function cutOff({ usage }: ModelReply): object {
  const numbers = usage && { n_prompt_tokens: usage.inputTokens, n_ctx: usage.inputTokens + usage.outputTokens };
  return { code: "context_length_exceeded", ...numbers };
}

/** Whether an answer broke off after it had begun. Clients retry what has a status, and not this. Nothing of the answer was stored. */
function isBrokenOff(error: unknown): boolean {
  if (!(error instanceof CompactionError)) return false;
  const { retryable, cause } = error;
  return retryable && (!isObject(cause) || numberOf(cause.status) === undefined);
}

function unhealed(error: CompactionError, because = "frees-nothing"): CompactionError {
  const message = `The provider refused the request as too long, and no compaction made it fit (${because}). Nothing is lost: compact the session by hand, rewind it, or ask a model with a larger window.`;
  return new CompactionError("compaction-failure", message, { cause: error.cause });
}

const COMMAND = /^\/compact(?:\s+(?<instructions>[\s\S]*))?$/;

function commandIn({ commands = false, input }: LoopOptions): string | undefined {
  if (!commands || typeof input !== "string") return undefined;
  const match = COMMAND.exec(input.trim());
  return match === null ? undefined : (match.groups?.instructions ?? "");
}

/** Where nothing can be compacted, the text says why. */
async function compactByHand(gate: Gate, instructions: string): Promise<LoopResult> {
  const ended = { stopReason: "compacted", steps: 0 } as const;
  try {
    const { report } = await gate.compact(instructions);
    return { ...ended, text: `Compacted: ${report.tokensBefore - report.tokensAfter} tokens freed.` };
  } catch (error) {
    if (!(error instanceof CompactionError && error.code === "nothing-to-compact")) throw error;
    return { ...ended, text: error.message };
  }
}
