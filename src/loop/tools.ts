/**
 * The calls of one answer, run side by side: each within its time, each result handed on as soon as it is there. A tool that throws, hangs
 * or is not known gives an error result, which the model can read; only an abort of the caller ends the round.
 */

import { errorText } from "../core/error-text.ts";
import { formatRules } from "../core/format-rules.ts";
import { isObject, type JsonValue } from "../core/json.ts";
import { type Message, type ToolResultPart, text } from "../core/message.ts";
import type { ModelCall } from "../core/model.ts";
import type { Format } from "../core/ports.ts";
import { timerMs, untilAborted } from "../core/waiting.ts";
import type { Session } from "../session/session-port.ts";
import { encodeMessages } from "../session/wire-input.ts";

export interface LoopTool {
  readonly name: string;
  readonly description?: string;
  /** JSON Schema of the arguments. */
  readonly parameters?: JsonValue;
  /** How long it may run; default: what the loop allows. */
  readonly timeoutMs?: number;
  /** A text, or anything that is written as JSON. What it throws is told to the model as an error. */
  run(input: JsonValue, context: ToolContext): unknown;
}

export interface ToolContext {
  /** Aborted by the caller, and when the time is over. */
  readonly signal: AbortSignal;
  readonly callId: string | undefined;
}

export interface ToolResult {
  readonly call: ModelCall;
  readonly output: string;
  readonly isError: boolean;
}

export interface ToolRound {
  readonly tools: readonly LoopTool[];
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly format: Format;
  store(result: ToolResult, messages: readonly object[]): Promise<void>;
}

/** The tools of the loop, with those for memory behind them. */
export function toolsOf({ tools = [], memory = [] }: ToolLists): readonly LoopTool[] {
  return [...tools, ...memory.filter(({ name }) => !tools.some((tool) => tool.name === name))];
}

export interface ToolLists {
  readonly tools?: readonly LoopTool[];
  readonly memory?: readonly LoopTool[];
}

/** Writes the definitions into the session's body, so that they are counted and sent with every request. */
export async function offerTools(session: Session, tools: readonly LoopTool[], signal: AbortSignal): Promise<void> {
  if (tools.length === 0) return;
  const definitions = tools.map(({ name, description, parameters }) => ({
    name,
    ...(description !== undefined && { description }),
    parameters: parameters ?? { type: "object", properties: {} },
  }));
  const written = session.compactor.format.writeTools(definitions);
  const { base } = (await session.store.open(session.id)) ?? {};
  if (JSON.stringify(base?.tools) === JSON.stringify(written)) return;
  await session.setBody({ ...base, tools: written }, { signal });
}

export async function runTools(calls: readonly ModelCall[], round: ToolRound): Promise<void> {
  const { signal, format, store } = round;
  const done = await Promise.allSettled(
    calls.map(async (call) => {
      const result = await resultOf(call, round);
      // What the tool did is done: it is stored, even where the caller gave up meanwhile.
      await store(result, encodeResult(format, result));
    }),
  );
  const failed = done.find((one) => one.status === "rejected");
  if (failed !== undefined) throw failed.reason;
  signal.throwIfAborted();
}

async function resultOf(call: ModelCall, { tools, timeoutMs, signal }: ToolRound): Promise<ToolResult> {
  const tool = tools.find(({ name }) => name === call.name);
  if (tool === undefined) return { call, output: `There is no tool ${JSON.stringify(call.name)}.`, isError: true };
  const limitMs = tool.timeoutMs ?? timeoutMs;
  const time = new AbortController();
  // Unlike `AbortSignal.timeout`, this keeps the process running for a tool that waits for nothing.
  const timer = setTimeout(() => time.abort(new DOMException("The time is up.", "TimeoutError")), timerMs(limitMs));
  const ending = AbortSignal.any([signal, time.signal]);
  try {
    signal.throwIfAborted();
    // Not every tool heeds the signal: one that goes on is not waited for. An async function, so that what it throws is a rejection.
    const running = (async () => tool.run(call.input, { signal: ending, callId: call.callId }))();
    const output = await untilAborted(running, ending);
    return { call, output: written(output), isError: false };
  } catch (error) {
    // A call without a result is run again when the session is continued.
    if (signal.aborted) throw signal.reason;
    const because = time.signal.aborted
      ? `The tool did not answer within ${limitMs} ms and was stopped.`
      : errorText(error);
    return { call, output: because, isError: true };
  } finally {
    clearTimeout(timer);
  }
}

function written(output: unknown): string {
  if (typeof output === "string") return output;
  return JSON.stringify(output) ?? "";
}

function encodeResult(format: Format, { call, output, isError }: ToolResult): readonly object[] {
  const { callId, name } = call;
  const id = callId === undefined ? {} : { callId };
  const part: ToolResultPart = { type: "tool-result", ...id, name, content: [text(output)], isError };
  const message: Message = { id: "result", role: formatRules(format.name).resultRole, parts: [part] };
  return encodeMessages(format, [message]).filter(isObject);
}
