/** How the exported functions are given a text of any length, or a number of small things: what the table of `linear-subjects.ts` is made of. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "../src/core/json.ts";
import type { Message } from "../src/core/message.ts";
import type { Format } from "../src/core/ports.ts";
import { anthropicMessages } from "../src/formats/anthropic-messages.ts";
import * as main from "../src/index.ts";
import * as parts from "../src/parts.ts";
import { readTranscript } from "../src/transcripts/index.ts";
import {
  conversationWith,
  EVERYWHERE,
  FORMATS,
  listOf,
  MANY,
  type OfMany,
  type OfText,
  PLACES,
  toolRounds,
} from "./long-bodies.ts";

export interface Subject {
  readonly ofText?: Readonly<Record<string, OfText>>;
  readonly ofMany?: Readonly<Record<string, OfMany>>;
}

/** What is done with every body of every format. */
export function withBodies(use: (format: Format, body: unknown) => unknown): Subject {
  const ofText = FORMATS.map((format): [string, OfText] => [
    format.name,
    (said) => use(format, EVERYWHERE[format.name](said)),
  ]);
  const ofMany = FORMATS.flatMap((format) =>
    Object.entries(MANY[format.name]).map(([what, make]): [string, OfMany] => [
      `${format.name}, ${what}`,
      (count) => use(format, make(count)),
    ]),
  );
  return { ofText: Object.fromEntries(ofText), ofMany: Object.fromEntries(ofMany) };
}

/** The methods of one format. */
export function formatSubject(format: Format): Subject {
  const error = (said: string): JsonObject => ({ error: { message: said, type: said, code: said } });
  const read = (body: unknown): unknown => {
    const decoded = format.decode(body);
    format.validate(format.encode(decoded));
    return format.encode({ ...decoded, messages: decoded.messages.map(({ wire: _, ...message }) => message) });
  };
  const ofMany = Object.entries(MANY[format.name]).map(([what, make]): [string, OfMany] => [
    what,
    (count) => read(make(count)),
  ]);
  return {
    ofText: {
      body: (said) => read(EVERYWHERE[format.name](said)),
      error: (said) => [
        format.readOverflow(said),
        format.readOverflow(error(said)),
        format.readOverflow(new Error(said)),
      ],
      reply: (said) => [quietly(() => format.readReply(error(said))), format.readUsage({ usage: said })],
      tools: (said) =>
        format.readTools(format.writeTools([{ name: said, description: said, parameters: { a: said } }])),
    },
    ofMany: {
      ...Object.fromEntries(ofMany),
      tools: (count) => format.readTools(format.writeTools(listOf(count, (at) => ({ name: `t${at}` })))),
    },
  };
}

/** What refuses a text has read it too. */
export function quietly(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    if (error instanceof main.CompactionError) return error;
    throw error;
  }
}

export const inPlaces = (use: (body: JsonObject) => unknown): Readonly<Record<string, OfText>> =>
  Object.fromEntries(PLACES.map((place) => [place, (said: string) => use(conversationWith(said, place))]));

export const counter = parts.estimateTokens();
const context = { signal: new AbortController().signal, progress: () => {} };
export const messagesOf = (body: JsonObject): readonly Message[] => anthropicMessages.decode(body).messages;
const summaryInput = (messages: readonly Message[], instructions = ""): parts.SummaryInput => ({
  messages,
  turnPrefix: [],
  kept: [],
  budgetTokens: 1_500,
  counter,
  instructions,
});

export const compactor = (options: Partial<main.CompactorOptions> = {}): main.Compactor =>
  main.createCompactor({ format: anthropicMessages, telemetry: false, ...options });
/** Small enough that few small messages are above it already. */
export const TARGET = { target: { tokens: 400 } };

/** A model that says the text, whatever it is asked. */
export const answering = (said: string): main.LlmOptions => ({
  complete: async () => ({ text: said }),
  windowTokens: 20_000,
  retry: { maxAttempts: 1 },
});
export const checkpointText = (said: string): string =>
  `## Goal\n${said}\n\n## Constraints & Preferences\n- ${said}\n\n## Progress\n### Done\n- [x] ${said}\n\n## Key Decisions\n- **${said}**: ${said}\n\n## Critical Context\n- ${said}`;

export const tokenSubject = (made: parts.TokenCounter): Subject => ({
  ofText: {
    text: (said) => made.countText(said),
    body: (said) => made.total(messagesOf(conversationWith(said, "input"))),
    json: (said) => made.countTools([{ name: said }]),
  },
});

export const summarized = (summarizer: main.Summarizer, messages: readonly Message[], instructions?: string): unknown =>
  settled(summarizer.summarize(summaryInput(messages, instructions), context));

/** A summary that is refused was read too. */
export async function settled(made: Promise<unknown>): Promise<unknown> {
  return made.catch((error: unknown) => {
    if (error instanceof main.CompactionError) return error;
    throw error;
  });
}

export const saying = (said: string): main.Summarizer => ({
  name: "saying",
  version: "1",
  planCalls: () => 0,
  summarize: async () => ({ text: said, calls: 0, notes: [] }),
});

async function inSession(store: main.Store, body: JsonObject, query: string): Promise<void> {
  const session = await main.openSession("s", { store, compactor: { format: anthropicMessages, telemetry: false } });
  const { messages } = body as { messages: JsonObject[] };
  await session.append(messages);
  await settled(session.compact(TARGET));
  await session.request();
  const tool = main.recallTool(session);
  await tool.run({ query });
  await session.recall(query);
  await session.export({ all: true });
  await session.close();
  await store.close();
}

export const storeSubject = (open: (folder: string) => main.Store): Subject => ({
  ofText: {
    said: (said) => inFolder((folder) => inSession(open(folder), conversationWith(said, "user"), "gate harbour")),
    query: (said) => inFolder((folder) => inSession(open(folder), conversationWith("a", "user"), said)),
  },
  ofMany: { turns: (count) => inFolder((folder) => inSession(open(folder), toolRounds(count / 10), "gate")) },
});

export async function inFolder(use: (folder: string) => unknown): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-linear-"));
  try {
    await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const lines = (records: readonly unknown[]): string => records.map((record) => JSON.stringify(record)).join("\n");
export const transcripts: Subject = {
  ofText: {
    plain: (said) => quietly(() => readTranscript(said)),
    "one string": (said) =>
      quietly(() => readTranscript(JSON.stringify({ messages: [{ role: "user", content: said }] }))),
    "an unfinished document": (said) => quietly(() => readTranscript(`{"messages":[{"role":"user","content":${said}`)),
    "a line of many": (said) =>
      quietly(() =>
        readTranscript(
          lines([
            { role: "user", content: said },
            { role: "assistant", content: "a" },
          ]),
        ),
      ),
  },
  ofMany: {
    messages: (count) =>
      readTranscript(lines(listOf(count, (at) => ({ role: at % 2 ? "assistant" : "user", content: "a" })))),
    "claude code": (count) =>
      readTranscript(
        lines(
          listOf(count, (at) => ({
            type: at % 2 ? "assistant" : "user",
            uuid: `u${at}`,
            parentUuid: at === 0 ? null : `u${at - 1}`,
            sessionId: "s",
            timestamp: "2026-01-01T00:00:00.000Z",
            message: { role: at % 2 ? "assistant" : "user", content: [{ type: "text", text: "a" }] },
          })),
        ),
      ),
    codex: (count) =>
      readTranscript(
        lines([
          { timestamp: "2026-01-01T00:00:00.000Z", type: "session_meta", payload: { id: "s" } },
          ...listOf(count, (at) => ({
            timestamp: "2026-01-01T00:00:00.000Z",
            type: "response_item",
            payload: {
              type: "message",
              role: at % 2 ? "assistant" : "user",
              content: [{ type: "input_text", text: "a" }],
            },
          })),
        ]),
      ),
    pi: (count) =>
      readTranscript(
        lines([
          { type: "session", version: 3, id: "s", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/" },
          ...listOf(count, (at) => ({
            type: "message",
            id: `m${at}`,
            parentId: at === 0 ? null : `m${at - 1}`,
            timestamp: "2026-01-01T00:00:00.000Z",
            message: { role: at % 2 ? "assistant" : "user", content: [{ type: "text", text: "a" }] },
          })),
        ]),
      ),
    blanks: (count) => quietly(() => readTranscript(`${"\n".repeat(count)}{`)),
  },
};
