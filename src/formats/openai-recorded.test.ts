/** Recorded conversations by others, read in place: they come back byte for byte and are accepted as they were by their provider. */

import { existsSync, globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { isObject } from "../core/json.ts";
import type { Format } from "../core/ports.ts";
import { openaiChat } from "./openai-chat.ts";
import { openaiResponses } from "./openai-responses.ts";

const DATA = "../shared/data";

function recorded(name: string, folder: string, run: (path: string) => void): void {
  const path = `${DATA}/${folder}`;
  test(name, ({ skip }) => {
    if (!existsSync(path)) skip(`${path} is not here; it is not part of the repository`);
    run(path);
  });
}

/** Returns the messages seen, so that a test of nothing is noticed. */
function checkAll(format: Format, bodies: readonly unknown[], isAccepted = true): number {
  let messages = 0;
  for (const body of bodies) {
    const conversation = format.decode(body);
    const copied = conversation.messages.map((message) => ({ ...message, parts: [...message.parts] }));
    expect(JSON.stringify(format.encode(conversation))).toBe(JSON.stringify(body));
    expect(JSON.stringify(format.encode({ ...conversation, messages: copied }))).toBe(JSON.stringify(body));
    if (isAccepted) expect(format.validate(body)).toEqual([]);
    messages += conversation.messages.length;
  }
  return messages;
}

function readJson(path: string): readonly Record<string, unknown>[] {
  const json: unknown = JSON.parse(readFileSync(path, "utf8"));
  // Both shapes hold objects in the files named below.
  return (Array.isArray(json) ? json : [json]) as readonly Record<string, unknown>[];
}

recorded("chat: tool-using runs of one model", "livemcpbench", (path) => {
  const runs = globSync(`${path}/**/*.json`).flatMap(readJson);
  expect(
    checkAll(
      openaiChat,
      runs.map(({ messages }) => messages),
    ),
  ).toBeGreaterThan(1000);
});

recorded("chat: customer dialogues with tools", "tau_bench", (path) => {
  const runs = globSync(`${path}/*.json`).flatMap(readJson);
  expect(
    checkAll(
      openaiChat,
      runs.map(({ traj }) => traj),
    ),
  ).toBeGreaterThan(1000);
});

recorded("chat: request logs with usage", "openhands_sdk", (path) => {
  const logs = globSync(`${path}/**/*-logs/*.json`).flatMap(readJson);
  expect(checkAll(openaiChat, logs)).toBeGreaterThan(10);
  for (const { response } of logs) {
    const usage = isObject(response) && isObject(response.usage) ? response.usage : {};
    const read = openaiChat.readUsage(response);
    expect(read?.inputTokens).toBe(usage.prompt_tokens);
    expect(read?.outputTokens).toBe(usage.completion_tokens);
    expect(read?.cacheReadTokens).toBeLessThanOrEqual(read?.inputTokens ?? 0);
  }
});

recorded("chat: requests that were answered, with usage", "mastra_recordings", (path) => {
  const exchanges: readonly unknown[] = globSync(`${path}/**/*.json`)
    .flatMap(readJson)
    .flatMap(({ recordings }) => recordings);
  const bodies = exchanges.flatMap((exchange) => {
    const request = isObject(exchange) && isObject(exchange.request) ? exchange.request : {};
    return String(request.url).endsWith("/chat/completions") ? [request.body] : [];
  });
  expect(checkAll(openaiChat, bodies)).toBeGreaterThan(10);
});

recorded("responses: the items of one run", "nilenso_ctx", (path) => {
  const lists = globSync(`${path}/**/*.json`)
    .flatMap(readJson)
    .map(({ data }) => data);
  expect(checkAll(openaiResponses, lists)).toBeGreaterThan(0);
});

recorded("responses: items in rollout files, old and new", "agent_sessions_multi", (path) => {
  const lists = globSync(`${path}/**/codex/*.jsonl`).map((file) => {
    const lines: readonly unknown[] = readFileSync(file, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    return lines.flatMap((line) => (isObject(line) && line.type === "response_item" ? [line.payload] : []));
  });
  // Ids were blanked out in these files, so they no longer pair.
  expect(checkAll(openaiResponses, lists, false)).toBeGreaterThan(20);
});
