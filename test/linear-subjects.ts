/**
 * Every exported function that takes text, or what holds text, by the name of its export: how it is given a text of any length, or a number
 * of small things. `linear.test.ts` fails for an export that is neither here nor in `TAKES_NO_TEXT`.
 */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { EMPTY_CHECKPOINT } from "../src/core/checkpoint/checkpoint.ts";
import type { JsonObject } from "../src/core/json.ts";
import { anthropicMessages } from "../src/formats/anthropic-messages.ts";
import { gemini } from "../src/formats/gemini.ts";
import { openaiChat } from "../src/formats/openai-chat.ts";
import { openaiResponses } from "../src/formats/openai-responses.ts";
import * as main from "../src/index.ts";
import * as parts from "../src/parts.ts";
import { adapters, openclawSettings } from "../src/profiles/adapters/adapters.ts";
import { jsonlStore } from "../src/stores/jsonl.ts";
import { memoryStore } from "../src/stores/memory.ts";
import { sqliteStore } from "../src/stores/sqlite.ts";
import { parseShorthand } from "../src/testing/index.ts";
import { exactTokens } from "../src/tokens/exact.ts";
import { detectSource, readTranscriptFile } from "../src/transcripts/index.ts";
import {
  answering,
  checkpointText,
  compactor,
  counter,
  formatSubject,
  inFolder,
  inPlaces,
  messagesOf,
  quietly,
  type Subject,
  saying,
  settled,
  storeSubject,
  summarized,
  TARGET,
  tokenSubject,
  transcripts,
  withBodies,
} from "./linear-runs.ts";
import { conversationWith, FORMATS, listOf, toolRounds } from "./long-bodies.ts";

const exact = await exactTokens();

export const SUBJECTS: Readonly<Record<string, Subject>> = {
  CompactionError: { ofText: { message: (said) => new main.CompactionError("invalid-request", said).message } },
  autoCompactTokens: tokenSubject(parts.autoCompactTokens()),
  charsPerToken: tokenSubject(parts.charsPerToken({ name: "a", rounding: "total" })),
  convert: withBodies((format, body) => {
    const to = FORMATS[(FORMATS.indexOf(format) + 1) % FORMATS.length] ?? format;
    return quietly(() => to.encode(parts.convert(format.decode(body), to).conversation));
  }),
  countConversation: withBodies((format, body) => parts.countConversation(format.decode(body), counter)),
  createCompactor: {
    ofText: {
      ...inPlaces((body) => compactor().compact(body, TARGET)),
      instructions: (said) => compactor().compact(conversationWith("a", "user"), { ...TARGET, instructions: said }),
      fit: (said) => compactor().fit(conversationWith(said, "user")),
    },
    ofMany: {
      turns: (count) => compactor().compact(toolRounds(count / 10), TARGET),
      plan: (count) => compactor().plan(toolRounds(count / 10), TARGET),
      ...withBodies((format, body) => compactor({ format }).compact(body as JsonObject, TARGET)).ofMany,
    },
  },
  estimateTokens: tokenSubject(counter),
  extractive: {
    ofText: inPlaces((body) => summarized(main.extractive(), messagesOf(body))),
    ofMany: { turns: (count) => summarized(main.extractive(), messagesOf(toolRounds(count / 10))) },
  },
  formatNamed: { ofText: { name: (said) => quietly(() => parts.formatNamed(said as "gemini")) } },
  guarded: {
    ofText: {
      answer: (said) => summarized(main.guarded(saying(said)), messagesOf(conversationWith("a", "user"))),
      checkpoint: (said) =>
        summarized(main.guarded(saying(checkpointText(said))), messagesOf(conversationWith("a", "user"))),
      ...inPlaces((body) => summarized(main.guarded(saying(checkpointText("a"))), messagesOf(body))),
    },
  },
  historyText: {
    ofText: inPlaces((body) => parts.historyText(body, compactor())),
    ofMany: { turns: (count) => parts.historyText(toolRounds(count / 10), compactor()) },
  },
  isFormatName: { ofText: { name: (said) => parts.isFormatName(said) } },
  llm: {
    ofText: {
      answer: (said) => summarized(main.llm(answering(said)), messagesOf(conversationWith("a", "user"))),
      checkpoint: (said) =>
        summarized(main.llm(answering(checkpointText(said))), messagesOf(conversationWith("a", "user"))),
      ...inPlaces((body) => summarized(main.llm(answering(checkpointText("a"))), messagesOf(body))),
      staged: (said) =>
        summarized(
          main.llm({ ...answering(checkpointText("a")), mode: "staged" }),
          messagesOf(conversationWith(said, "result")),
        ),
    },
    ofMany: {
      turns: (count) => summarized(main.llm(answering(checkpointText("a"))), messagesOf(toolRounds(count / 10))),
    },
  },
  messageCounter: tokenSubject(parts.messageCounter({ name: "a", countText: (said) => said.length })),
  microAgentTokens: tokenSubject(parts.microAgentTokens()),
  nousTokens: tokenSubject(parts.nousTokens()),
  openSession: storeSubject(() => memoryStore()),
  openStore: { ofText: { address: (said) => settled(main.openStore(`jsonl:${said.slice(0, 1)}\0${said}`)) } },
  openclawTokens: tokenSubject(parts.openclawTokens()),
  parseCheckpoint: {
    ofText: {
      plain: (said) => parts.parseCheckpoint(said),
      sections: (said) => parts.parseCheckpoint(checkpointText(said)),
    },
  },
  profileNamed: { ofText: { name: (said) => quietly(() => main.profileNamed(said as "balanced")) } },
  recallTool: storeSubject(() => memoryStore()),
  renderCheckpoint: {
    ofText: {
      sections: (said) => parts.renderCheckpoint(parts.parseCheckpoint(checkpointText(said)) ?? EMPTY_CHECKPOINT),
    },
    ofMany: {
      items: (count) =>
        parts.renderCheckpoint({
          ...EMPTY_CHECKPOINT,
          done: listOf(count, (at) => `gate ${at}`),
          identifiers: listOf(count, (at) => `gate-${at}.ts`),
          filesRead: listOf(count, (at) => `src/gate-${at}.ts`),
        }),
    },
  },
  repair: withBodies((format, body) => parts.repair(format.decode(body))),
  resolveSettings: {
    ofText: {
      value: (said) => parts.resolveSettings({ user: { render: { opening: said, closing: said } } }),
      key: (said) => quietly(() => parts.resolveSettings({ user: { [said]: 1 } as main.SettingsInput })),
    },
  },
  settingsWarnings: {
    ofText: { value: (said) => parts.settingsWarnings(parts.resolveSettings({ user: { render: { opening: said } } })) },
  },
  structureOf: withBodies((format, body) => {
    const structure = parts.structureOf(format.decode(body).messages);
    return [structure.cutPoints("pair-safe"), structure.cutPoints("turn-start"), structure.openRound()];
  }),
  trimTurnContexts: {
    ofText: inPlaces((body) => parts.trimTurnContexts(["a", "b"], body, compactor())),
    ofMany: { turns: (count) => parts.trimTurnContexts(listOf(count, String), toolRounds(count / 10), compactor()) },
  },
  anthropicMessages: formatSubject(anthropicMessages),
  openaiChat: formatSubject(openaiChat),
  openaiResponses: formatSubject(openaiResponses),
  gemini: formatSubject(gemini),
  memoryStore: storeSubject(() => memoryStore()),
  jsonlStore: storeSubject((directory) => jsonlStore({ directory })),
  sqliteStore: storeSubject((folder) => sqliteStore({ file: join(folder, "s.db") })),
  adapters: {
    ofText: {
      openclaw: (said) => quietly(() => adapters.openclaw(said)),
      nous: (said) => quietly(() => adapters.nous({ [said]: said })),
    },
  },
  openclawSettings: {
    ofText: {
      json5: (said) => quietly(() => openclawSettings(said)),
      "a string": (said) => quietly(() => openclawSettings(`{ a: "${said}`)),
      "a comment": (said) => quietly(() => openclawSettings(`{ /*${said}`)),
      "a list": (said) => quietly(() => openclawSettings(`{ a: [${said}`)),
    },
  },
  agentpgSettings: { ofText: { key: (said) => quietly(() => adapters.agentpg({ [said]: said })) } },
  autoCompactSettings: { ofText: { key: (said) => quietly(() => adapters["auto-compact"]({ [said]: said })) } },
  microAgentSettings: { ofText: { key: (said) => quietly(() => adapters["micro-agent"]({ [said]: said })) } },
  nousSettings: { ofText: { value: (said) => quietly(() => adapters.nous({ NOUS_COMPACTION_TRIGGER: said })) } },
  detectSource: { ofText: { plain: (said) => quietly(() => detectSource(said)) } },
  readTranscript: transcripts,
  readTranscriptFile: {
    ofText: {
      plain: (said) =>
        inFolder((folder) => {
          const file = join(folder, "a.json");
          writeFileSync(file, said);
          quietly(() => readTranscriptFile(file));
        }),
    },
  },
  exactTokens: { ofText: { text: (said) => exact(said) } },
  parseShorthand: { ofText: { script: (said) => quietly(() => parseShorthand(said)) } },
};

/** Exports that are given no text, and why. */
export const TAKES_NO_TEXT: Readonly<Record<string, string>> = {
  TRANSCRIPT_SOURCES: "a list of names",
  palimpsest: "gives what it reads to a compactor, whose methods are above",
  formatNames: "a list of names",
  profileNames: "a list of names",
  raiseToFloor: "numbers",
  fromPostgresJs: "wraps a client",
  anthropic: "wraps a client; its answers are read by the format",
  fileMemory: "wraps a folder; a note is bounded",
  runLoop: "asks a model and a session, which read the text",
  aiSdk: "wraps a client; its answers are read by the format",
  postgresStore: "the server reads the text; what it shares with SQLite is read there",
  createRandom: "a seed",
  createDashboard: "wraps a store; what is read from it is bounded",
  createGateway: "a handler over `palimpsest/fetch`, whose bodies have a limit",
  serveGateway: "a server over `palimpsest/fetch`, whose bodies have a limit",
  subAgent: "a tool over `runLoop`, as above",
  trafficContract: "a suite over generated calls",
  formatContract: "a suite over generated bodies",
  generateBody: "a seed",
  generateScript: "a seed",
  startProviderServer: "functions of the test and numbers",
  storeContract: "a suite over generated messages",
};
