/** Every recorded session at hand is understood, whoever wrote it; skipped where the recordings are absent. */

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../core/json.ts";
import { readTranscriptFile } from "./read-file.ts";
import type { RecordedConversation } from "./transcript.ts";

const DATA = "../shared/data";
const FIXTURES = "agent_sessions_multi/Resources/Fixtures";

/** Folder, what its files are, and how many at least are to be found there. */
const KINDS: readonly (readonly [string, RegExp, string, number])[] = [
  ["spotter_cc", /\.jsonl$/, "claude-code anthropic-messages", 8],
  ["episodic_cc", /\.jsonl$/, "claude-code anthropic-messages", 3],
  ["ccviewer_cc", /\.jsonl$/, "claude-code anthropic-messages", 4],
  ["copilot_chat", /\.jsonl$/, "claude-code anthropic-messages", 13],
  ["pi_mono", /\.jsonl$/, "pi anthropic-messages", 1],
  [`${FIXTURES}/stage0/agents/claude`, /\.jsonl$/, "claude-code anthropic-messages", 5],
  [`${FIXTURES}/stage0/agents/codex`, /(small|large)\.jsonl$/, "codex openai-responses", 2],
  [`${FIXTURES}/stage0/agents/codex`, /drift\.jsonl$/, "chat-jsonl openai-chat", 1],
  [`${FIXTURES}/stage0/agents/pi`, /\.jsonl$/, "pi anthropic-messages", 1],
  [`${FIXTURES}/stage0/agents/openclaw`, /\.jsonl$/, "openclaw anthropic-messages", 3],
  [`${FIXTURES}/stage0/agents/gemini`, /(small|large)\.json$|\.jsonl$/, "gemini-cli gemini", 3],
  [`${FIXTURES}/stage0/agents/gemini`, /drift\.json$/, "message-list gemini", 1],
  [`${FIXTURES}/stage0/agents/hermes`, /\.json$/, "request-body openai-chat", 3],
  ["cline", /\.json$/, "request-body anthropic-messages", 1],
  ["livemcpbench", /\.json$/, "run-list openai-chat", 1],
  ["tau_bench", /\.json$/, "run-list openai-chat", 1],
  ["nilenso_ctx", /\.json$/, "message-list openai-responses", 1],
  ["openhands_sdk", /logs\/.*\.json$/, "request-body openai-chat", 10],
  ["openhands_sdk", /message\.json$/, "message-list openai-chat", 2],
  ["mastra_recordings", /\.json$/, "http-recording openai-chat", 6],
];

/** Sessions in which nobody said anything. */
const SILENT = /medium-conversation\.jsonl$|codex_05\d_/;

describe.skipIf(!existsSync(DATA))(`recordings in ${DATA} (skipped where absent)`, () => {
  test.each(KINDS)("%s %s", (folder, pattern, expected, filesMin) => {
    const files = filesIn(join(DATA, folder)).filter((file) => pattern.test(file) && !SILENT.test(file));
    expect(files.length).toBeGreaterThanOrEqual(filesMin);
    for (const file of files) {
      const { source, conversations, records } = readTranscriptFile(file);
      for (const conversation of conversations) {
        expect(`${source} ${conversation.format}`, file).toBe(expected);
        checkConversation(conversation, file);
      }
      expect(records.broken, file).toBe(0);
    }
  });

  test("every call of a Claude Code session is answered in the next message", () => {
    for (const folder of ["spotter_cc", "episodic_cc", "ccviewer_cc", "copilot_chat"]) {
      const files = filesIn(join(DATA, folder)).filter((file) => file.endsWith(".jsonl") && !SILENT.test(file));
      for (const file of files) {
        const { conversations } = readTranscriptFile(file);
        for (const { segments } of conversations) for (const { messages } of segments) checkPairs(messages, file);
      }
    }
  });

  test("compactions that really happened are found with their numbers", () => {
    const files = filesIn(join(DATA, "spotter_cc")).filter((file) => file.endsWith(".jsonl"));
    const sessions = files.map((file) => readTranscriptFile(file).conversations[0]);
    const compactions = sessions.flatMap((session) => session?.compactions ?? []);
    expect(compactions.map(({ trigger }) => trigger).sort()).toEqual(["auto", "manual"]);
    for (const { summary, tokensBefore } of compactions) {
      expect(summary?.length).toBeGreaterThan(1_000);
      expect(tokensBefore).toBeGreaterThan(100_000);
    }
  });

  test("sessions in which nobody said anything are refused as such", () => {
    const files = filesIn(DATA).filter((file) => SILENT.test(file));
    expect(files.length).toBeGreaterThan(0);
    for (const file of files)
      expect(() => readTranscriptFile(file)).toThrow(/session, but none of its \d+ records is a message/);
  });
});

function checkConversation({ segments, calls, compactions, body }: RecordedConversation, file: string): void {
  const sizes = segments.map(({ messages }) => messages.length);
  expect(Math.max(...sizes), file).toBeGreaterThan(0);
  expect(JSON.stringify(body).length, file).toBeGreaterThan(20);
  expect(compactions.length, file).toBe(segments.length - 1);
  for (const call of calls) {
    expect(call.usage.inputTokens, file).toBeGreaterThan(0);
    expect(call.messageCount, file).toBeLessThanOrEqual(sizes[call.segment] ?? -1);
  }
  const order = calls.map((call) => call.segment * 1_000_000 + call.messageCount);
  expect(order, file).toEqual([...order].sort((one, other) => one - other));
}

function checkPairs(messages: readonly JsonValue[], file: string): void {
  const ids = (message: JsonValue | undefined, type: string, key: string) => {
    const content = (message as { content?: JsonObject[] } | undefined)?.content ?? [];
    return content.filter((block) => block.type === type).map((block) => block[key]);
  };
  for (const [index, message] of messages.entries()) {
    const calls = ids(message, "tool_use", "id");
    const results = ids(messages[index + 1], "tool_result", "tool_use_id");
    expect([...results].sort(), `${file} message ${index}`).toEqual([...calls].sort());
  }
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !file.endsWith(".meta.json"));
}
