/**
 * Calls of the recall tool in an answer: answered here, and the model asked again, so that the client never sees one. Where the model calls
 * the client's tools too, the client gets the answer without ours. An answer is held back while it may still turn out to be such a call: to
 * its end where it calls anything, else until it has said a few sentences. Without a call of ours, its bytes are passed on as they came.
 */

import { isArray, isObject, type JsonArray, type JsonObject } from "../core/json.ts";
import { RECALL_NAME } from "../core/plan/user-voice.ts";
import type { Format } from "../core/ports.ts";
import type { AnswerEvents } from "./answer-events.ts";
import { parseJson } from "./request-body.ts";
import { type Block, sseBlocks, writeBlock } from "./sse-blocks.ts";
import type { Recaller } from "./stored-view.ts";

export interface RecallInput {
  readonly format: Format;
  readonly events: AnswerEvents;
  readonly recall: Recaller;
  /** Whether the model may be asked again; otherwise the client gets what it has said. */
  readonly mayAskAgain: boolean;
  failed(error: unknown): void;
}

/** What a model says before a call is shorter; an answer that says more is shown as it comes. */
const SHOWN_CHARS_MAX = 600;

const isOurs = (name: string | undefined): boolean => name === RECALL_NAME;

/** Undefined where the model is to be asked again. */
export async function answerRecalls(response: Response, input: RecallInput): Promise<Response | undefined> {
  if (!response.ok || response.body === null) return response;
  const isEvents = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
  return isEvents ? answerStream(response, response.body, input) : answerWhole(response, input);
}

type Verdict = "none" | "again" | "shown";

/** Keeps the calls of ours and what they found; `again` where that is all that the model asked for. */
async function verdictOn(answer: JsonObject, input: RecallInput, isShown: boolean): Promise<Verdict> {
  const { format, recall, mayAskAgain, failed } = input;
  const reply = replyIn(answer, format);
  try {
    const calls = format
      .decode(reply)
      .messages.flatMap(({ parts }) =>
        parts.flatMap((part) => (part.type === "tool-call" && part.server !== true ? [part.name] : [])),
      );
    if (!calls.some(isOurs)) return "none";
    await recall.keep(answer);
    return calls.every(isOurs) && !isShown && mayAskAgain ? "again" : "shown";
  } catch (error) {
    failed(error);
    return "none";
  }
}

/** Nothing of an answer that failed or broke off: it is the client's as it came. */
function replyIn(answer: JsonObject, format: Format): JsonArray {
  try {
    return format.readReply(answer) ?? [];
  } catch {
    return [];
  }
}

async function answerWhole(response: Response, input: RecallInput): Promise<Response | undefined> {
  const bytes = await response.arrayBuffer();
  const { events } = input;
  const body = parseJson(new TextDecoder().decode(bytes));
  const chunks = isArray(body) ? body.filter(isObject) : undefined;
  const answer = chunks === undefined ? body : events.whole(chunks);
  const verdict = isObject(answer) ? await verdictOn(answer, input, false) : "none";
  if (verdict === "again") return undefined;
  if (verdict === "none" || !isObject(answer)) return again(response, bytes);
  const shown = chunks === undefined ? events.withoutCalls(answer, isOurs) : events.eventsWithoutCalls(chunks, isOurs);
  return again(response, JSON.stringify(shown));
}

function again(
  { status, statusText, headers, url }: Response,
  body: string | ArrayBuffer | ReadableStream<Uint8Array>,
): Response {
  const plain = new Headers(headers);
  plain.delete("content-length");
  // The constructor takes no address.
  return Object.defineProperty(new Response(body, { status, statusText, headers: plain }), "url", { value: url });
}

async function answerStream(
  response: Response,
  body: ReadableStream<Uint8Array>,
  input: RecallInput,
): Promise<Response | undefined> {
  const { events } = input;
  const blocks = sseBlocks(body);
  const held: Block[] = [];
  let said = 0;
  for (let isCalling = false; ; ) {
    const { done, value: block } = await blocks.next();
    if (done) break;
    held.push(block);
    const { event } = block;
    if (event === undefined) continue;
    isCalling ||= events.beginsCall(event);
    said += events.shown(event).length;
    if (!isCalling && said > SHOWN_CHARS_MAX) return again(response, passOn(held, blocks, input));
  }
  const verdict = await verdictOn(events.whole(eventsIn(held)), input, false);
  if (verdict === "again") return undefined;
  return again(response, verdict === "none" ? textOf(held) : shownIn(held, events));
}

/** What is behind the first call is held back to the end. */
function passOn(held: readonly Block[], rest: AsyncGenerator<Block>, input: RecallInput): ReadableStream<Uint8Array> {
  const { events } = input;
  const encoder = new TextEncoder();
  const passed: Block[] = [...held];
  const waiting = [textOf(held)];
  const next = async (): Promise<string | undefined> => {
    const first = waiting.shift();
    if (first !== undefined) return first;
    const { done, value: block } = await rest.next();
    if (done) return undefined;
    if (block.event === undefined || !events.beginsCall(block.event)) {
      passed.push(block);
      return block.raw;
    }
    const ending = [block, ...(await Array.fromAsync(rest))];
    const all = [...passed, ...ending];
    const verdict = await verdictOn(events.whole(eventsIn(all)), input, true);
    return verdict === "none" ? textOf(ending) : shownIn(all, events).slice(textOf(passed).length);
  };
  return new ReadableStream({
    pull: async (controller) => {
      const text = await next();
      if (text === undefined) controller.close();
      else controller.enqueue(encoder.encode(text));
    },
    cancel: async () => {
      await rest.return(undefined);
    },
  });
}

function eventsIn(blocks: readonly Block[]): readonly JsonObject[] {
  return blocks.flatMap(({ event }) => (event === undefined ? [] : [event]));
}

function textOf(blocks: readonly Block[]): string {
  return blocks.map(({ raw }) => raw).join("");
}

/** Without the calls of ours. Blocks before the first of them stay as they came. */
function shownIn(blocks: readonly Block[], events: AnswerEvents): string {
  const shown = events.eventsWithoutCalls(eventsIn(blocks), isOurs).values();
  const written = blocks.map((block) => {
    if (block.event === undefined) return block.raw;
    const { value: event } = shown.next();
    if (event === undefined) return "";
    return JSON.stringify(event) === JSON.stringify(block.event) ? block.raw : writeBlock(block, event);
  });
  return written.join("");
}
