/**
 * What the speed of a pass is measured on: agent sessions as one request body in Anthropic's format, about as many megabytes as asked for. Generated
 * from a seed, or made of the recordings beside the project, which are not part of this repository.
 */

import { existsSync, globSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { CompactionError } from "../src/core/errors.ts";
import { isArray, isObject, type JsonArray, type JsonValue } from "../src/core/json.ts";
import { anthropicMessages } from "../src/formats/anthropic-messages.ts";
import { convert, formatNamed } from "../src/formats.ts";
import { type RecordedConversation, readTranscriptFile } from "../src/transcripts/index.ts";
import { seeded } from "./random.ts";

export interface SpeedInput {
  readonly json: string;
  readonly bytes: number;
}

const RECORDINGS = fileURLToPath(new URL("../../shared/data", import.meta.url));
const MEGABYTE = 1_000_000;

export function generatedInput(megabytes: number): SpeedInput {
  return inputWith(generate(megabytes * MEGABYTE));
}

/** Recorded sessions with calls, one after the other in one of many mixed orders; again from the first where they do not suffice. */
export function recordedInput(megabytes: number, order = 0): SpeedInput | undefined {
  if (!existsSync(RECORDINGS)) return undefined;
  const sessions = shuffled(recordedSessions(), order);
  if (sessions.length === 0) return undefined;
  const messages: JsonValue[] = [];
  let chars = 0;
  for (let number = 0; chars < megabytes * MEGABYTE; number++) {
    for (const message of sessions[number % sessions.length] ?? []) {
      const own = withOwnIds(message, number);
      chars += JSON.stringify(own).length;
      messages.push(own);
    }
  }
  return inputWith(messages);
}

function inputWith(messages: readonly unknown[]): SpeedInput {
  const json = JSON.stringify({ messages });
  return { json, bytes: Buffer.byteLength(json) };
}

let known: readonly JsonArray[] | undefined;

/** Read once. */
function recordedSessions(): readonly JsonArray[] {
  known ??= globSync("**/*.{json,jsonl}", { cwd: RECORDINGS }).sort().flatMap(sessionsIn);
  return known;
}

/** Some files are no transcripts; that is for the readers' own tests to judge. */
function sessionsIn(file: string): readonly JsonArray[] {
  try {
    return readTranscriptFile(join(RECORDINGS, file)).conversations.flatMap(asAnthropic);
  } catch (error) {
    if (error instanceof CompactionError) return [];
    throw error;
  }
}

/** A session in Anthropic's format; none for one without calls, which is no agent's. */
function asAnthropic({ format, body }: RecordedConversation): readonly JsonArray[] {
  const { conversation } = convert(formatNamed(format).decode(body), anthropicMessages);
  const hasCalls = conversation.messages.some(({ parts }) => parts.some(({ type }) => type === "tool-call"));
  const encoded = anthropicMessages.encode(conversation);
  const messages = isObject(encoded) ? encoded.messages : encoded;
  // What was encoded is JSON.
  return hasCalls && isArray(messages as JsonValue) ? [messages as JsonArray] : [];
}

/** Mixes the folders; the same order for the same number. */
function shuffled<Item>(items: readonly Item[], order: number): readonly Item[] {
  const random = seeded(order + 1);
  const mixed = [...items];
  for (let at = mixed.length - 1; at > 0; at--) {
    const other = random.below(at + 1);
    [mixed[at], mixed[other]] = [mixed[other] as Item, mixed[at] as Item]; // both inside the list
  }
  return mixed;
}

/** Sessions count their calls from one alike. In one conversation each call has an id of its own, or it would have to be mended. */
function withOwnIds(message: JsonValue, session: number): JsonValue {
  if (!isObject(message) || !isArray(message.content)) return message;
  const content = message.content.map((block) => {
    if (!isObject(block)) return block;
    if (typeof block.id === "string") return { ...block, id: `${block.id}_${session}` };
    return typeof block.tool_use_id === "string" ? { ...block, tool_use_id: `${block.tool_use_id}_${session}` } : block;
  });
  return { ...message, content };
}

const WORDS =
  "the build fails because module resolution picks an older copy of parser when tests run in watch mode so pin it and check again".split(
    " ",
  );

/** A coding session: requests, narration, calls with paths and edits, results with code and logs. */
function generate(chars: number): readonly unknown[] {
  const random = seeded(7);
  const word = (): string => random.pick(WORDS);
  const name = (): string => `${word()}_${word()}${random.below(6)}`;
  const path = (): string => `packages/${word()}/src/${name()}.ts`;
  const sentence = (): string => `${Array.from({ length: 6 + random.below(12) }, word).join(" ")}.`;
  const line = (): string => {
    const kind = random.below(4);
    // As file readers print it: numbered, indented, quoted.
    if (kind === 0)
      return `${String(random.below(900)).padStart(6)}→\tconst ${word()}Value${random.below(9)} = await ${name()}(${word()}, "${word()}");`;
    if (kind === 1)
      return `2026-03-0${1 + random.below(9)}T10:${10 + random.below(49)}:00Z INFO ${word()} request ${random.below(4000)} took ${random.below(900)} ms`;
    if (kind === 2)
      return `${String(random.below(900)).padStart(6)}→\t\tif ("${word()}" === "${word()}" && ${word()}.${word()} === ${random.below(50)}) return ${word()};`;
    return sentence();
  };
  const messages: unknown[] = [];
  let size = 0;
  for (let turn = 0; size < chars; turn++) {
    if (turn % 12 === 0)
      messages.push({ role: "user", content: `${sentence()} ${sentence()} Use ${name()} in ${path()}.` });
    const id = `toolu_${turn}`;
    const lines = Array.from({ length: 20 + random.below(120) }, line).join("\n");
    const input =
      turn % 3 === 0
        ? { file_path: path(), old_string: line(), new_string: `${line()}\n${line()}` }
        : { command: `npm test -- ${path()} | grep ${name()}` };
    messages.push({
      role: "assistant",
      content: [
        { type: "text", text: `${sentence()} I've updated ${name()}. ${sentence()}` },
        { type: "tool_use", id, name: turn % 3 === 0 ? "Edit" : "Bash", input },
      ],
    });
    messages.push({
      role: "user",
      content: [{ type: "tool_result", tool_use_id: id, content: lines, is_error: turn % 17 === 0 }],
    });
    size += lines.length + 400;
  }
  return messages;
}
