/**
 * A tool with which the agent itself reads what was compacted away: search the archive, open a message, expand a summary. In each
 * provider's form. Answers are bounded in size, are data and never instructions, and a call that makes no sense gets an answer too.
 */

import { CompactionError } from "./core/errors.ts";
import { formatRules } from "./core/format-rules.ts";
import { isArray, isObject, type JsonValue, numberOf, stringOf } from "./core/json.ts";
import { type Message, type Part, type ToolCallPart, type ToolResultPart, text } from "./core/message.ts";
import { RECALL_NAME } from "./core/plan/summary-marks.ts";
import type { Format, ToolDefinition } from "./core/ports.ts";
import { bodyText } from "./core/search/body-text.ts";
import type { StoredMessage } from "./core/store/store.ts";
import type { Session } from "./session/session-port.ts";
import { encodeMessages } from "./session/wire-input.ts";

export interface RecallTool {
  readonly name: string;
  /** For the request's `tools`, in the provider's form. */
  readonly definition: JsonValue;
  /** What a call with these arguments gets. */
  run(input: JsonValue): Promise<string>;
  /** Answers every call of this tool in a response, or in assistant messages: wire messages to append. None for other tools. */
  answer(response: object): Promise<readonly object[]>;
}

export interface RecallOptions {
  /** Of one answer. */
  readonly charactersMax?: number;
  readonly hitsMax?: number;
}

const CHARACTERS_MAX = 8_000;
const HITS_MAX = 8;

const DEFINITION: ToolDefinition = {
  name: RECALL_NAME,
  description:
    "Reads earlier parts of this conversation that were compacted away. Give `query` to search them, `message_id` to read one message in full, or `summary_id` to list what a summary replaced.",
  parameters: {
    type: "object",
    properties: {
      query: { type: "string", description: "Words to look for: names, paths, error codes, topics." },
      message_id: { type: "string", description: "A message to open, as a search result names it." },
      summary_id: { type: "string", description: "A compaction whose replaced messages are to be listed." },
      offset: { type: "integer", description: "Where to go on reading when an answer was cut." },
    },
  },
};

export function recallTool(
  session: Session,
  format: Format = session.compactor.format,
  options: RecallOptions = {},
): RecallTool {
  const limits = { charactersMax: options.charactersMax ?? CHARACTERS_MAX, hitsMax: options.hitsMax ?? HITS_MAX };
  const written = format.writeTools([DEFINITION]);
  const run = (input: JsonValue): Promise<string> => answerTo(session, input, limits);
  return {
    name: RECALL_NAME,
    definition: isArray(written) ? (written[0] ?? null) : written,
    run,
    answer: async (response) => {
      const results: ToolResultPart[] = [];
      for (const call of callsIn(format, response)) results.push(resultOf(call, await run(call.input)));
      return encodeResults(format, results);
    },
  };
}

interface Limits {
  readonly charactersMax: number;
  readonly hitsMax: number;
}

async function answerTo(session: Session, input: JsonValue, limits: Limits): Promise<string> {
  const given = isObject(input) ? input : {};
  const [query, messageId, summaryId] = [stringOf(given.query), stringOf(given.message_id), stringOf(given.summary_id)];
  const offset = Math.max(0, Math.floor(numberOf(given.offset) ?? 0));
  if (messageId !== undefined && messageId !== "")
    return bounded(await openMessage(session, messageId), offset, limits);
  if (summaryId !== undefined && summaryId !== "")
    return bounded(await expandSummary(session, summaryId), offset, limits);
  if (query !== undefined && query.trim() !== "")
    return bounded(await searchFor(session, query, limits), offset, limits);
  return "Nothing was asked for: give `query`, `message_id` or `summary_id`.";
}

async function searchFor(session: Session, query: string, { hitsMax }: Limits): Promise<string> {
  const found = await session.recall(query, { limit: hitsMax * 2 });
  // What is still in view can be read there.
  const archived = found.filter(({ archivedBy }) => archivedBy !== null);
  const hits = (archived.length > 0 ? archived : found).slice(0, hitsMax);
  if (hits.length === 0) return `Nothing was found for ${JSON.stringify(query)}. Try other or fewer words.`;
  return hits
    .map(({ messageId, role, createdAt, archivedBy, snippet }) => {
      const where = archivedBy === null ? "still in view" : `replaced by summary ${archivedBy}`;
      return `${messageId} (${role}, ${createdAt}, ${where}): ${snippet}`;
    })
    .join("\n");
}

async function openMessage(session: Session, messageId: string): Promise<string> {
  const [message] = await session.store.messages(session.id, [messageId]);
  return message === undefined
    ? `There is no message ${JSON.stringify(messageId)}.`
    : `${headOf(message)}:\n${bodyText(message.body)}`;
}

/** How much of each message is shown in a list. */
const LINE_CHARACTERS = 200;

async function expandSummary(session: Session, summaryId: string): Promise<string> {
  try {
    const messages = await session.expand(summaryId);
    const lines = messages.map((message) => `${headOf(message)}: ${oneLine(bodyText(message.body))}`);
    return [`Summary ${summaryId} replaced ${messages.length} messages:`, ...lines].join("\n");
  } catch (error) {
    if (error instanceof CompactionError && error.code === "event-missing") return error.message;
    throw error;
  }
}

function headOf({ id, role }: StoredMessage): string {
  return `${id} (${role})`;
}

function oneLine(value: string): string {
  const line = value.replaceAll(/\s+/g, " ").trim();
  return line.length <= LINE_CHARACTERS ? line : `${line.slice(0, LINE_CHARACTERS).toWellFormed()}…`;
}

function bounded(value: string, offset: number, { charactersMax }: Limits): string {
  const rest = value.slice(offset);
  if (rest.length <= charactersMax) return rest === "" ? "There is nothing more." : rest.toWellFormed();
  const next = offset + charactersMax;
  return `${rest.slice(0, charactersMax).toWellFormed()}\n[Cut: ${value.length - next} characters follow. Go on with offset ${next}.]`;
}

function callsIn(format: Format, response: object): readonly ToolCallPart[] {
  const list = format.readReply(response) ?? (isArray(response) ? response : [response]);
  const parts: readonly Part[] = format.decode(list).messages.flatMap((message) => message.parts);
  return parts.filter((part): part is ToolCallPart => part.type === "tool-call" && isRecall(part));
}

/** A call that the provider runs itself is none of ours, whatever its name. */
function isRecall({ name, server }: ToolCallPart): boolean {
  return name === RECALL_NAME && server !== true;
}

function resultOf({ callId, name }: ToolCallPart, answer: string): ToolResultPart {
  return {
    type: "tool-result",
    ...(callId !== undefined && { callId }),
    name,
    content: [text(answer)],
    isError: false,
  };
}

function encodeResults(format: Format, results: readonly ToolResultPart[]): readonly object[] {
  if (results.length === 0) return [];
  const { resultRole, granularity } = formatRules(format.name);
  const groups = granularity === "many" ? [results] : results.map((result) => [result]);
  const messages = groups.map((parts, index): Message => ({ id: `recall${index}`, role: resultRole, parts }));
  return encodeMessages(format, messages).filter(isObject);
}
