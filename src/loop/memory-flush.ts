/**
 * The silent turn before a compaction in which the model writes down what must outlast the session. Once for each cycle of compactions,
 * and never stored in the session. Where it fails, the loop goes on: nothing is lost but the chance.
 */

import { errorText } from "../core/error-text.ts";
import { isArray, isObject } from "../core/json.ts";
import { text } from "../core/message.ts";
import type { ModelReply } from "../core/model.ts";
import type { Format } from "../core/ports.ts";
import { repair } from "../core/repair/repair.ts";
import type { LoopOptions } from "../run-loop.ts";
import type { SessionStats } from "../session/session-port.ts";
import { encodeMessages } from "../session/wire-input.ts";
import { answerOf } from "./answer.ts";
import { AS_IS } from "./gate.ts";
import { runTools } from "./tools.ts";

/** Model calls of one flush: enough to write a few notes. */
const FLUSH_STEPS_MAX = 5;
const FLUSH_TOOL_TIMEOUT_MS = 30_000;

export async function flushMemory(options: LoopOptions, signal: AbortSignal): Promise<void> {
  const { session, onEvent } = options;
  const { memoryFlush } = session.compactor.settings;
  if (!memoryFlush.enabled) return;
  const stats = await session.stats({ signal });
  if (!isDue(options, stats)) return;
  const replies: ModelReply[] = [];
  let because: string | undefined;
  try {
    await flush(options, { signal, replies });
  } catch (error) {
    signal.throwIfAborted();
    because = errorText(error);
  }
  // A failed one is not tried again in this cycle either: it would fail before every call.
  await session.recordMemoryFlush({ signal });
  onEvent?.({ type: "memory-flush", saved: because === undefined, ...(because !== undefined && { because }), replies });
}

/** The view holds what was appended since the last answer, so one large message cannot pass the threshold unseen. */
function isDue({ session, model }: LoopOptions, stats: SessionStats): boolean {
  if (stats.memoryFlushCompactionCount === stats.compactionCount) return false;
  const { compactor } = session;
  // Without a trigger that counts tokens, only a compaction that is due calls for it.
  const triggerTokens = compactor.triggerTokens(model.id) ?? Number.POSITIVE_INFINITY;
  const threshold = triggerTokens - compactor.settings.memoryFlush.softThresholdTokens;
  return threshold > 0 && (stats.shouldCompact || stats.currentTokens >= threshold);
}

interface Flush {
  readonly signal: AbortSignal;
  /** The answers so far; the flush adds to them. */
  readonly replies: ModelReply[];
}

async function flush(options: LoopOptions, { signal, replies }: Flush): Promise<void> {
  const { session, tools = [], memory = [] } = options;
  const { onEvent: _silent, ...asking } = options;
  const { format, settings } = session.compactor;
  // The view as it is sent, tools included: thinking in it is signed over exactly that.
  const { request } = await session.fit({ signal, ...AS_IS });
  const body: Record<string, unknown> = { ...request };
  const prompts = [settings.memoryFlush.systemPrompt, settings.memoryFlush.prompt].join("\n\n");
  const list: unknown[] = isArray(body[format.listKey]) ? [...(body[format.listKey] as unknown[])] : [];
  list.push(...encodeMessages(format, [{ id: "flush", role: "user", parts: [text(prompts)] }]));
  for (let step = 0; step < FLUSH_STEPS_MAX; step++) {
    // Asked as the loop asks: a client may define tools otherwise for a stream, and thinking is signed over them.
    const reply = await answerOf(asking, inOrder(format, { ...body, [format.listKey]: list }), signal);
    replies.push(reply);
    list.push(...reply.messages);
    if (reply.calls.length === 0) return;
    await runTools(reply.calls, {
      tools: memory.length > 0 ? memory : tools,
      timeoutMs: FLUSH_TOOL_TIMEOUT_MS,
      signal,
      format,
      store: async (_result, messages) => void list.push(...messages.filter(isObject)),
    });
  }
}

/** The prompt may stand behind results, and not every provider takes two messages of one role in a row. */
function inOrder(format: Format, body: object): object {
  const encoded = format.encode(repair(format.decode(body)).conversation);
  // A body encodes to one.
  return isObject(encoded) ? encoded : body;
}
