/**
 * A tool with which the agent reads compacted messages: search the archive, open a message, expand a summary. A search answers with
 * passages: hits with the messages around them. The definition and the answers have each provider's form. Answers are bounded and quote
 * messages inside a fence, as data and never as instructions. The tool never finds its own calls and answers. An invalid call gets an
 * answer too.
 */

import { CompactionError } from "./core/errors.ts";
import { formatRules } from "./core/format-rules.ts";
import { isArray, isObject, type JsonValue, numberOf, stringOf } from "./core/json.ts";
import { type Message, type Part, type Role, type ToolCallPart, type ToolResultPart, text } from "./core/message.ts";
import { RECALL_NAME } from "./core/plan/user-voice.ts";
import type { Format, ToolDefinition } from "./core/ports.ts";
import { bodyText } from "./core/search/body-text.ts";
import {
  NEIGHBOURS_MAX,
  passagesOf,
  QUOTATION_NOTE,
  type QuotedText,
  quotable,
  quotation,
} from "./core/search/quotation.ts";
import { rankHits } from "./core/search/rank-hits.ts";
import { CANDIDATES_MAX } from "./core/search/search.ts";
import { oneLineHead } from "./core/search/snippet.ts";
import type { SearchScope, StoredMessage } from "./core/store/store.ts";
import { headOf, quoted } from "./core/text.ts";
import type { Session } from "./session/session-port.ts";
import { encodeMessages, wireMessages } from "./session/wire-input.ts";

export interface RecallTool {
  readonly name: string;
  /** For the request's `tools`, in the provider's form. */
  readonly definition: JsonValue;
  /** The answer to a call with these arguments. */
  run(input: JsonValue): Promise<string>;
  /** Answers every call of this tool in a response, or in assistant messages: wire messages to append. None for other tools. */
  answer(response: object): Promise<readonly object[]>;
}

export interface RecallOptions {
  /** The most characters that one answer quotes; at least 2. */
  readonly charactersMax?: number;
  /** How many hits of a search are always quoted; the messages around them and further hits take the room that is left. At least 1. */
  readonly hitsMax?: number;
}

const CHARACTERS_MAX = 8_000;
const HITS_MAX = 8;

/** In a neutral form. */
export const RECALL_DEFINITION: ToolDefinition = {
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

/** The tool for a session, in the form of its provider or of another `format`. */
export function recallTool(
  session: Session,
  format: Format = session.compactor.format,
  options: RecallOptions = {},
): RecallTool {
  const limits = limitsOf(options);
  const written = format.writeTools([RECALL_DEFINITION]);
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

type Limits = Required<RecallOptions>;

function limitsOf({ charactersMax = CHARACTERS_MAX, hitsMax = HITS_MAX }: RecallOptions): Limits {
  refuseBelow("charactersMax", charactersMax, CHARACTERS_MAX_MIN);
  refuseBelow("hitsMax", hitsMax, 1);
  return { charactersMax, hitsMax };
}

/** A surrogate pair fits into an answer, so reading on always ends. */
const CHARACTERS_MAX_MIN = 2;

function refuseBelow(name: keyof RecallOptions, value: number, minimum: number): void {
  if (Number.isInteger(value) && value >= minimum) return;
  throw new CompactionError("invalid-settings", `\`${name}\` must be a whole number from ${minimum} on.`);
}

interface RecallRequest extends Limits {
  readonly offset: number;
}

async function answerTo(session: Session, input: JsonValue, limits: Limits): Promise<string> {
  const given = isObject(input) ? input : {};
  const request = { ...limits, offset: Math.max(0, Math.floor(numberOf(given.offset) ?? 0)) };
  const [query, messageId, summaryId] = [stringOf(given.query), stringOf(given.message_id), stringOf(given.summary_id)];
  if (messageId) return openMessage(session, messageId, request);
  if (summaryId) return expandSummary(session, summaryId, request);
  if (query?.trim()) return searchFor(session, query, request);
  return "Nothing was asked for: give `query`, `message_id` or `summary_id`.";
}

async function searchFor(session: Session, query: string, request: RecallRequest): Promise<string> {
  const { hitsMax, offset, charactersMax } = request;
  const shortened = new Set(await session.shortened());
  // The model can read a whole message of its view without this tool.
  const isHidden = (id: string, archivedBy: string | null): boolean => archivedBy !== null || shortened.has(id);
  const scope = shortened.size === 0 ? "archive" : "all";
  let filter: HitFilter = { hitsMax, scope, isWanted: isHidden };
  let found = await findHits(session, query, filter);
  if (found.length === 0) {
    filter = { hitsMax, scope: "all", isWanted: () => true };
    found = await findHits(session, query, filter);
  }
  if (found.length === 0) return `Nothing was found for ${quoted(query)}. Try other or fewer words.`;
  const hits = found.slice(0, hitsMax).map((message) => excerptOf(query, message, HIT_CHARACTERS_MAX));
  const page = hits.slice(offset, offset + countThatFits(hits.slice(offset), charactersMax));
  if (page.length === 0) return NOTHING_MORE;
  const next = offset + page.length;
  const further = next < hits.length ? [] : found.slice(hitsMax);
  const others = { further, around: await messagesAround(session, page, filter) };
  const [furtherTexts, around] = [others.further, others.around].map((messages) =>
    messages.map((message) => excerptOf(query, message, FURTHER_CHARACTERS_MAX)),
  );
  const passages = passagesOf({ hits: page, further: furtherTexts ?? [], around: around ?? [] }, charactersMax);
  const rest = hits.length - next;
  return [QUOTATION_NOTE, passages.join("\n\n"), ...(rest > 0 ? [cut(`${rest} messages`, next)] : [])].join("\n");
}

/** At least one, so that reading on always ends. */
function countThatFits(hits: readonly QuotedText[], charactersMax: number): number {
  let characters = 0;
  const end = hits.findIndex((hit, index) => {
    characters += quotation(hit, hit.text).length;
    return index > 0 && characters > charactersMax;
  });
  return end === -1 ? hits.length : end;
}

async function messagesAround(
  session: Session,
  hits: readonly QuotedText[],
  { isWanted }: HitFilter,
): Promise<readonly MessageText[]> {
  const sequences = hits.flatMap(({ sequence }) =>
    Array.from({ length: 2 * NEIGHBOURS_MAX + 1 }, (_, index) => sequence - NEIGHBOURS_MAX + index),
  );
  const ids = [...new Set(sequences)].filter((sequence) => sequence > 0).map((sequence) => `m${sequence}`);
  const messages = await withoutRecalls(session, ids);
  return messages.filter(
    ({ id, text, isSummary, archivedBy }) => text !== "" && !isSummary && isWanted(id, archivedBy),
  );
}

async function openMessage(
  session: Session,
  messageId: string,
  { offset, charactersMax }: RecallRequest,
): Promise<string> {
  const [message] = await session.store.messages(session.id, [messageId]);
  if (message === undefined) return `There is no message ${quoted(messageId)}.`;
  const text = quotable(bodyText(message.body));
  if (offset > 0 && offset >= text.length) return NOTHING_MORE;
  const page = headOf(text.slice(offset), charactersMax);
  const next = offset + page.length;
  const answer = `${QUOTATION_NOTE}\n${quotation(message, page.toWellFormed())}`;
  return next >= text.length ? answer : `${answer}\n${cut(`${text.length - next} characters`, next)}`;
}

/** The length of each message in a list. */
const LINE_CHARACTERS = 200;

async function expandSummary(session: Session, summaryId: string, request: RecallRequest): Promise<string> {
  try {
    const messages = await session.expand(summaryId);
    const head = `Summary ${quoted(summaryId)} replaced ${messages.length} messages. ${QUOTATION_NOTE}`;
    const quotations = messages.map((message) =>
      quotation(message, quotable(oneLineHead(bodyText(message.body), LINE_CHARACTERS))),
    );
    return quotations.length === 0 ? head : listed(head, quotations, request);
  } catch (error) {
    if (error instanceof CompactionError && error.code === "event-missing") return error.message;
    throw error;
  }
}

const NOTHING_MORE = "There is nothing more.";

/** Outside every quotation, so that no message can forge it. */
function cut(rest: string, next: number): string {
  return `[Cut: ${rest} follow. Go on with offset ${next}.]`;
}

/** Whole quotations, at least one, so that reading on always ends. */
function listed(head: string, quotations: readonly string[], { offset, charactersMax }: RecallRequest): string {
  const shown: string[] = [];
  let characters = 0;
  for (const each of quotations.slice(offset)) {
    characters += each.length;
    if (shown.length > 0 && characters > charactersMax) break;
    shown.push(each);
  }
  if (shown.length === 0) return NOTHING_MORE;
  const next = offset + shown.length;
  const rest = quotations.length - next;
  return [head, ...shown, ...(rest > 0 ? [cut(`${rest} messages`, next)] : [])].join("\n");
}

/** Multiples of the wanted number of hits: more are requested where this tool's own calls and answers took too many places. */
const ASKED_TIMES = [4, 16, Number.POSITIVE_INFINITY];

interface HitFilter {
  readonly scope: SearchScope;
  readonly hitsMax: number;
  isWanted(messageId: string, archivedBy: string | null): boolean;
}

/** In the order of the store; more than the wanted number where the store names more. */
async function findHits(
  session: Session,
  query: string,
  { scope, hitsMax, isWanted }: HitFilter,
): Promise<readonly MessageText[]> {
  let hits: readonly MessageText[] = [];
  for (const times of ASKED_TIMES) {
    const limit = Math.min(CANDIDATES_MAX, hitsMax * times);
    const found = await session.store.search(session.id, query, limit, scope);
    const wanted = found.filter(({ messageId, archivedBy }) => isWanted(messageId, archivedBy));
    const messages = await withoutRecalls(
      session,
      wanted.map(({ messageId }) => messageId),
    );
    // Where only this tool's own calls and answers said it, nothing was said.
    hits = messages.filter((message) => message.isWhole || best(query, message, 1) !== undefined);
    if (hits.length >= hitsMax || found.length < limit) break;
  }
  return hits;
}

/** A longer message is quoted where it answers best; the tool opens it by its id. */
const HIT_CHARACTERS_MAX = 500;
const FURTHER_CHARACTERS_MAX = 300;

function excerptOf(query: string, message: MessageText, charactersMax: number): QuotedText {
  const isShort = message.text.length <= charactersMax;
  const text = isShort
    ? message.text
    : (best(query, message, charactersMax) ?? oneLineHead(message.text, charactersMax));
  return { ...message, text: quotable(text) };
}

function best(query: string, message: MessageText, snippetMax: number): string | undefined {
  return rankHits(query, [{ ...message, messageId: message.id }], { limit: 1, snippetMax })[0]?.snippet;
}

interface MessageText extends QuotedText {
  readonly isSummary: boolean;
  /** Whether nothing of this tool was left out. */
  readonly isWhole: boolean;
}

/** In the order of the ids. */
async function withoutRecalls(
  { id, store, compactor }: Session,
  ids: readonly string[],
): Promise<readonly MessageText[]> {
  const messages = await store.messages(id, ids);
  const partsOf = ({ body }: StoredMessage): readonly Part[] =>
    compactor.format.decode([body]).messages.flatMap(({ parts }) => parts);
  const decoded = messages.map((stored) => ({ stored, parts: partsOf(stored) }));
  const before = await store.messages(id, [...new Set(decoded.flatMap(placesOfCalls))]);
  const callsBefore = new Map(before.map((stored) => [stored.sequence, partsOf(stored).filter(isCall)]));
  return decoded.map(({ stored, parts }) => {
    const { body, ...rest } = stored;
    const others = parts.filter((part) => !isOwn(part, stored.sequence, callsBefore));
    const isWhole = others.length === parts.length;
    const text = isWhole ? bodyText(body) : textOf(compactor.format, stored.role, others);
    return { ...rest, text, isWhole };
  });
}

/** The greatest distance between a call and its result: other results of the round are in between. */
const ROUND_MESSAGES_MAX = 16;

/** Ids of messages that may hold the calls of this message's results: most providers name the tool only in the call. */
function placesOfCalls({ stored, parts }: { stored: StoredMessage; parts: readonly Part[] }): readonly string[] {
  if (!parts.some((part) => part.type === "tool-result" && part.name === undefined)) return [];
  const first = Math.max(1, stored.sequence - ROUND_MESSAGES_MAX);
  return Array.from({ length: stored.sequence - first }, (_, index) => `m${first + index}`);
}

type CallsBefore = ReadonlyMap<number, readonly ToolCallPart[]>;

function isOwn(part: Part, sequence: number, callsBefore: CallsBefore): boolean {
  if (isCall(part)) return isRecall(part);
  if (part.type !== "tool-result" || part.server === true) return false;
  if (part.name !== undefined) return part.name === RECALL_NAME;
  // The nearest call counts, because ids may be reused.
  for (let place = sequence - 1; place >= sequence - ROUND_MESSAGES_MAX; place--) {
    const call = callsBefore.get(place)?.find(({ callId }) => callId !== undefined && callId === part.callId);
    if (call !== undefined) return isRecall(call);
  }
  return false;
}

/** Without reasoning, which is about the calls. */
function textOf(format: Format, role: Role, parts: readonly Part[]): string {
  const rest = parts.filter(({ type }) => type !== "reasoning");
  if (rest.length === 0) return "";
  return encodeMessages(format, [{ id: "", role, parts: rest }])
    .map(bodyText)
    .join("\n");
}

function isCall(part: Part): part is ToolCallPart {
  return part.type === "tool-call";
}

function callsIn(format: Format, response: object): readonly ToolCallPart[] {
  const { list } = wireMessages(format, response);
  const parts: readonly Part[] = format.decode(list).messages.flatMap((message) => message.parts);
  return parts.filter(isCall).filter(isRecall);
}

/** A tool that the provider runs is another one, whatever its name. */
function isRecall({ name, server }: ToolCallPart): boolean {
  return name === RECALL_NAME && server !== true;
}

function resultOf({ callId, name }: ToolCallPart, answer: string): ToolResultPart {
  const id = callId === undefined ? {} : { callId };
  return { type: "tool-result", ...id, name, content: [text(answer)], isError: false };
}

function encodeResults(format: Format, results: readonly ToolResultPart[]): readonly object[] {
  if (results.length === 0) return [];
  const { resultRole, granularity } = formatRules(format.name);
  const groups = granularity === "many" ? [results] : results.map((result) => [result]);
  const messages = groups.map((parts, index): Message => ({ id: `recall${index}`, role: resultRole, parts }));
  return encodeMessages(format, messages).filter(isObject);
}
