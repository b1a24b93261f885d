/** A conversation with something to lose, a scripted summarizer and onlookers that keep what they hear, for hook and log tests. */

import { type CompactorOptions, createCompactor } from "../src/compactor.ts";
import type { Summarizer } from "../src/core/checkpoint/summary.ts";
import type { HookEvent } from "../src/core/hooks/hook-events.ts";
import type { LogFields, Logger, LogLevel } from "../src/core/hooks/log-lines.ts";
import type { JsonObject } from "../src/core/json.ts";
import { anthropicMessages } from "../src/formats/anthropic-messages.ts";

export const SUMMARY = "Nine of twelve files read; src/c3.ts holds the defect.";

/** A request, then rounds of one call and one result of about the given size. */
export function conversation(rounds: number, resultChars: number): JsonObject {
  const messages: JsonObject[] = [{ role: "user", content: "Read the files and find the defect" }];
  for (let round = 0; round < rounds; round++) {
    const input = { path: `src/c${round}.ts` };
    const name = round === 1 ? "edit_file" : "read_file";
    const text = `const c${round} = 1; ${"x ".repeat(resultChars / 2)}`;
    messages.push(
      { role: "assistant", content: [{ type: "tool_use", id: `t${round}`, name, input }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: `t${round}`, content: text }] },
    );
  }
  return { messages };
}

/** Ids in the order of the list. */
export function ids(from: number, to: number): readonly string[] {
  return Array.from({ length: to - from + 1 }, (_, index) => `m${from + index}`);
}

export function scriptedSummarizer(answer: string | Error = SUMMARY): Summarizer & { readonly calls: number[] } {
  const calls: number[] = [];
  return {
    name: "scripted",
    version: "3",
    calls,
    planCalls: () => 2,
    summarize: ({ messages }, { progress }) => {
      calls.push(messages.length);
      progress({ stage: "summarize", done: 1, total: 1 });
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve({ text: answer, calls: 1, notes: [] });
    },
  };
}

export type LoggedLine = readonly [level: LogLevel, message: string, fields: LogFields];

/** Called as pino is: fields, then the message. */
export function arrayLogger(): Logger & { readonly lines: LoggedLine[] } {
  const lines: LoggedLine[] = [];
  const at =
    (level: LogLevel) =>
    (fields: LogFields, message: string): void => {
      lines.push([level, message, fields]);
    };
  return { lines, debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

/** Every reading is 5 ms after the one before. */
export function tickingClock(): () => number {
  let nowMs = 1_000;
  return () => {
    nowMs += 5;
    return nowMs;
  };
}

export interface Heard {
  readonly events: HookEvent[];
  readonly compactor: ReturnType<typeof createCompactor>;
  readonly summarizer: ReturnType<typeof scriptedSummarizer>;
}

/** micro-agent, switched on: triggers above 80,000 tokens, keeps the first message and the last six. */
export function listening(options: Partial<CompactorOptions> = {}, summarizer = scriptedSummarizer()): Heard {
  const events: HookEvent[] = [];
  const { hooks = {}, ...rest } = options;
  const own = hooks.notify === undefined ? [] : [hooks.notify].flat();
  const compactor = createCompactor({
    format: anthropicMessages,
    profile: "micro-agent",
    compact: { auto: true },
    summarizer,
    telemetry: false,
    now: tickingClock(),
    ...rest,
    hooks: { ...hooks, notify: [(event) => events.push(event), ...own] },
  });
  return { events, compactor, summarizer };
}
