/** Sessions for tests: small windows, so that a short talk has something to compact. */

import { expect } from "vitest";
import type { CompactorOptions } from "../src/compactor.ts";
import type { ErrorCode } from "../src/core/errors.ts";
import type { JsonArray, JsonObject } from "../src/core/json.ts";
import { anthropicMessages } from "../src/formats/anthropic-messages.ts";
import type { Session } from "../src/session/session-port.ts";
import { openSession, type SessionOptions } from "../src/session.ts";
import { memoryStore } from "../src/stores/memory.ts";

export const SMALL: Omit<CompactorOptions, "format"> = {
  windowTokens: 2_000,
  maxOutputTokens: 200,
  compact: { triggers: [{ type: "ratio", ratio: 0.5, comparison: "gte" }] },
  protect: { tailTokens: 200, tailMessages: 2 },
};

export function open(options: Partial<SessionOptions> = {}, id = "a"): Promise<Session> {
  const compactor = { format: anthropicMessages, ...SMALL };
  return openSession(id, {
    store: memoryStore(),
    compactor,
    body: { model: "claude-opus-4-5", max_tokens: 100 },
    ...options,
  });
}

export function question(index: number): object {
  return {
    role: "user",
    content: `Question ${index}: ${"please look at src/build/step.ts and tell me what it does. ".repeat(4)}`,
  };
}

export function answer(index: number): object {
  return {
    role: "assistant",
    content: [
      { type: "text", text: `Answer ${index}: ${"the step runs the compiler and then the tests. ".repeat(4)}` },
    ],
  };
}

export async function talk(session: Session, turns: number): Promise<void> {
  for (let index = 1; index <= turns; index++) await session.append([question(index), answer(index)]);
}

export function listOf(request: object): JsonArray {
  const body = request as JsonObject;
  return (body.messages ?? body.input ?? body.contents) as JsonArray;
}

export async function refuses(code: ErrorCode, action: Promise<unknown>): Promise<void> {
  await expect(action).rejects.toMatchObject({ code });
}
