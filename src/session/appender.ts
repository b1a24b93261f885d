/** Stores the appends of one session in the order of their calls. An append that was aborted before it began does not begin. */

import type { Compactor } from "../compactor.ts";
import type { JsonValue } from "../core/json.ts";
import { type UsageCounts, wholeUsage } from "../core/store/counters.ts";
import { throwIfAborted } from "../core/store/store.ts";
import { checkFlag, checkOptions } from "./check-arguments.ts";
import type { SessionParts } from "./compact-view.ts";
import type { AppendOptions, Waiting } from "./session-port.ts";
import { modelOf } from "./session-view.ts";
import { type Appendable, readAppendable, type WireInput } from "./wire-input.ts";

/** The request that was sent last, until it is answered: usage in the answer is about this request alone. */
export interface SentRequest {
  request: object | undefined;
  estimatedTokens: number;
}

export interface Appender {
  add(input: Appendable, options: AppendOptions): Promise<readonly string[]>;
  /** Runs after every append so far is stored, so that a request holds them all. */
  after<T>(options: Waiting, action: () => Promise<T>): Promise<T>;
}

export function createAppender(parts: SessionParts, sent: SentRequest): Appender {
  let last: Promise<unknown> = Promise.resolve();
  return {
    add: async (input, options) => {
      checkOptions(options, "append");
      checkFlag(options.pinned, "pinned");
      throwIfAborted(options);
      // Read at once: the caller may change its objects afterwards.
      const read = readAppendable(parts.compactor.format, input, options.pinned);
      const before = last;
      const added = unlessAborted(before, options).then(() => store(parts, sent, { ...read, signal: options.signal }));
      // The next append does not depend on the success of this one. It stays behind the earlier ones, even if this one was aborted.
      last = added.then(
        () => {},
        () => before,
      );
      return added;
    },
    after: async (options, action) => {
      checkOptions(options);
      await unlessAborted(last, options);
      return action();
    },
  };
}

async function store(
  { id, store: to, compactor, live }: SessionParts,
  sent: SentRequest,
  { messages, turns, response, answer, isAnswered, signal }: WireInput & Waiting,
): Promise<readonly string[]> {
  const model = modelOf(live.current().record.base);
  const usage = response === undefined ? undefined : usageOf(compactor, response, model);
  const batch = { messages, turns, ...(usage !== undefined && { usage }) };
  const appended = await to.append(id, batch, { signal });
  live.appended(batch, appended);
  const { request, estimatedTokens } = sent;
  if (isAnswered) sent.request = undefined;
  if (answer !== undefined && request !== undefined) observe(compactor, answer, { estimatedTokens, model });
  return appended.ids;
}

/** Learns from the answer to the request that was sent last. */
function observe(
  { format, model: own, calibrate, windows }: Compactor,
  answer: JsonValue,
  { estimatedTokens, model }: { readonly estimatedTokens: number; readonly model: string | undefined },
): void {
  const usage = format.readUsage(answer);
  if (usage === undefined) return;
  calibrate(estimatedTokens, usage.inputTokens, model);
  windows.accepted(own ?? model ?? "", usage.inputTokens);
}

function usageOf(compactor: Compactor, response: JsonValue, model: string | undefined): UsageCounts | undefined {
  const usage = compactor.format.readUsage(response);
  if (usage === undefined) return undefined;
  const { inputTokens, outputTokens } = usage;
  // Rounded like the store's, so that all processes count alike.
  return wholeUsage({ inputTokens, outputTokens, contextTokens: compactor.windowTokens(model) });
}

/** Rejects as soon as the signal is aborted, without waiting for `wait`. */
async function unlessAborted(wait: Promise<unknown>, { signal }: Waiting): Promise<void> {
  if (signal === undefined) {
    await wait;
    return;
  }
  throwIfAborted({ signal });
  const aborted = Promise.withResolvers<void>();
  const stop = (): void => aborted.resolve();
  signal.addEventListener("abort", stop, { once: true });
  await Promise.race([wait, aborted.promise]);
  signal.removeEventListener("abort", stop);
  throwIfAborted({ signal });
}
