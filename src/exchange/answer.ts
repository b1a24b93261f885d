/**
 * Reads an answer beside its bytes, whole or streamed: whether it has begun, whether it refuses the request as too long, and the usage and
 * stop reason at its end. Bytes may be cut anywhere. Changes nothing, and keeps no more of an answer than it is told to.
 */

import type { Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from "node:zlib";
import { isArray, isObject, type JsonObject, stringOf } from "../core/json.ts";
import type { Format } from "../core/ports.ts";
import { usageObject } from "../core/usage.ts";
import { parseJson } from "./request-body.ts";

export interface AnswerReader {
  /** Encoded bytes are read some time later: then it returns when. */
  add(bytes: Uint8Array): void | Promise<void>;
  end(): void | Promise<void>;
  /** False for as long as the answer may still turn out to be a refusal. */
  readonly hasBegun: boolean;
  /** What the provider sent when it refused the request as too long. */
  readonly refusal: unknown;
  /** Whether it refused reasoning of earlier answers. */
  readonly refusesReasoning: boolean;
  /** As the provider counts it; what a stream says later replaces what it said before. */
  readonly usage: JsonObject | undefined;
  readonly stopReason: string | undefined;
}

export interface AnswerKind {
  readonly format: Format;
  readonly status: number;
  readonly contentType: string;
  /** Of the bytes that are read; null where they are plain. */
  readonly contentEncoding?: string | null;
  /** The caller asked for a stream. */
  readonly isStreamed: boolean;
  /** Called when the answer cannot be read; its bytes are none the worse for it. */
  failed(error: unknown): void;
}

/** A larger one is no refusal, and its usage is not read. */
const WHOLE_BYTES_MAX = 32 * 1024 * 1024;

/** What a reader has found so far. */
interface Findings {
  hasBegun: boolean;
  refusal: unknown;
  refusesReasoning: boolean;
  usage: JsonObject | undefined;
  stopReason: string | undefined;
}

export function createAnswerReader(kind: AnswerKind): AnswerReader {
  const found: Findings = {
    hasBegun: false,
    refusal: undefined,
    refusesReasoning: false,
    usage: undefined,
    stopReason: undefined,
  };
  const isEvents = kind.status < 400 && kind.contentType.startsWith("text/event-stream");
  let isBroken = false;
  const broken = (error: unknown): void => {
    if (!isBroken) kind.failed(error);
    isBroken = true;
    found.hasBegun = true;
  };
  const safely = (read: () => void | Promise<void>): void | Promise<void> => {
    if (isBroken) return;
    try {
      return read()?.catch(broken);
    } catch (error) {
      broken(error);
    }
  };
  const plain = isEvents ? eventReader(kind, found) : wholeReader(kind, found);
  const reader = decodingReader(kind.contentEncoding ?? "", plain, found);
  return {
    add: (bytes) => safely(() => reader.add(bytes)),
    end: () => safely(() => reader.end()),
    get hasBegun() {
      return found.hasBegun;
    },
    get refusal() {
      return found.refusal;
    },
    get refusesReasoning() {
      return found.refusesReasoning;
    },
    get usage() {
      return found.usage;
    },
    get stopReason() {
      return found.stopReason;
    },
  };
}

type ByteReader = Pick<AnswerReader, "add" | "end">;

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
};

/** Of an encoding that nobody here knows nothing is read, so nothing of it is held back. */
function decodingReader(encoding: string, reader: ByteReader, found: Findings): ByteReader {
  const name = encoding.trim().toLowerCase();
  if (name === "" || name === "identity") return reader;
  const decoder = Object.hasOwn(DECODERS, name) ? DECODERS[name]?.() : undefined;
  if (decoder === undefined) {
    found.hasBegun = true;
    return { add: () => {}, end: () => {} };
  }
  const ended = Promise.withResolvers<void>();
  ended.promise.catch(() => {});
  const guarded = (read: () => void): void => {
    try {
      read();
    } catch (error) {
      decoder.destroy(error instanceof Error ? error : new Error(String(error)));
    }
  };
  decoder.on("data", (bytes: Uint8Array) => guarded(() => reader.add(bytes)));
  decoder.on("end", () => {
    guarded(() => reader.end());
    ended.resolve();
  });
  decoder.on("error", ended.reject);
  return {
    add: (bytes) =>
      new Promise((resolve, reject) => {
        decoder.write(bytes, (error) => (error ? reject(error) : resolve()));
      }),
    end: () => {
      decoder.end();
      return ended.promise;
    },
  };
}

function wholeReader({ format, status, isStreamed }: AnswerKind, found: Findings): ByteReader {
  const decoder = new TextDecoder();
  let pieces: string[] = [];
  let bytes = 0;
  // A stream that is one JSON list has to go on as it comes.
  found.hasBegun = isStreamed && status < 400;
  return {
    add: (chunk) => {
      bytes += chunk.byteLength;
      if (bytes <= WHOLE_BYTES_MAX) pieces.push(decoder.decode(chunk, { stream: true }));
      else pieces = [];
    },
    end: () => {
      const text = bytes <= WHOLE_BYTES_MAX ? pieces.join("") + decoder.decode() : "";
      const body = parseJson(text);
      if (status >= 400) {
        // As SDKs put it where there is no body.
        const refusal = { status, body: body ?? (text === "" ? `${status} (no body)` : text) };
        if (format.readOverflow(refusal) !== undefined) found.refusal = refusal;
        else found.refusesReasoning = status === 400 && format.refusesReasoning(refusal);
      } else for (const part of isArray(body) ? body : [body]) if (isObject(part)) readWhole(part, format, found);
      found.hasBegun = true;
    },
  };
}

function readWhole(body: JsonObject, format: Format, found: Findings): void {
  if (isFailure(body) && format.readOverflow(body) !== undefined) found.refusal = body;
  collect(body, found);
  found.refusal ??= truncation(found);
}

function eventReader({ format }: AnswerKind, found: Findings): ByteReader {
  const decoder = new TextDecoder();
  /** Of a line whose end has not come. */
  let pieces: string[] = [];
  let data: string[] = [];
  const take = (line: string): void => {
    if (line.startsWith("data:")) data.push(line.slice(5));
    if (line !== "" || data.length === 0) return;
    readEvent(data.join("\n").trim(), format, found);
    data = [];
  };
  return {
    add: (chunk) => {
      const text = decoder.decode(chunk, { stream: true });
      pieces.push(text);
      if (!/[\r\n]/.test(text)) return;
      const lines = pieces.join("").split(LINE_END);
      pieces = [lines.pop() ?? ""];
      for (const line of lines) take(line);
    },
    end: () => {
      for (const line of [...(pieces.join("") + decoder.decode()).split(LINE_END), ""]) take(line);
      found.hasBegun = true;
    },
  };
}

/** A line may end with either, and a chunk between the two characters of one end: an empty line more ends no event twice. */
const LINE_END = /\r\n|\n|\r(?!$)/;

function readEvent(data: string, format: Format, found: Findings): void {
  // Most events of a begun answer are pieces of text, and need not be parsed.
  if (found.hasBegun && !TELLING.test(data)) return;
  const event = parseJson(data);
  if (!isObject(event)) {
    found.hasBegun = true;
    return;
  }
  collect(event, found);
  if (found.hasBegun || ANNOUNCEMENTS.has(stringOf(event.type) ?? "")) return;
  if (isFailure(event) && format.readOverflow(event) !== undefined) found.refusal = event;
  found.hasBegun = true;
}

const TELLING = /"(?:usage|usageMetadata|stop_reason|finish_reason|finishReason)"/;

/** They come before the provider has read the request, and a refusal may follow. */
const ANNOUNCEMENTS: ReadonlySet<string> = new Set(["response.created", "response.in_progress", "ping"]);

function isFailure({ type, error, status, response }: JsonObject): boolean {
  const isFailed = type === "error" || type === "response.failed" || status === "failed";
  return isFailed || isObject(error) || typeof error === "string" || (isObject(response) && isObject(response.error));
}

function collect(event: JsonObject, found: Findings): void {
  for (const holder of [event, event.message, event.response]) {
    const usage = usageObject(holder);
    if (usage === undefined) continue;
    const said = Object.entries(usage).filter(([, value]) => value !== null && value !== undefined);
    found.usage = { ...found.usage, ...Object.fromEntries(said) };
  }
  found.stopReason = stopReasonIn(event) ?? found.stopReason;
}

/** In the provider's own words. */
function stopReasonIn(event: JsonObject): string | undefined {
  const { delta, message, choices, candidates, stop_reason: own } = event;
  const inner = [delta, message].filter(isObject).map(({ stop_reason: reason }) => reason);
  const answers = [choices, candidates].filter(isArray).flat().filter(isObject);
  const ends = answers.map(({ finish_reason: reason, finishReason }) => reason ?? finishReason);
  return [own, ...inner, ...ends].find((reason) => typeof reason === "string");
}

/**
 * Some providers refuse nothing: they stop where the window is full, or cut the request and have no room to answer. In the form of an
 * error that says so; undefined for an answer that has no sign of it.
 */
export function truncation({ usage, stopReason }: Pick<AnswerReader, "usage" | "stopReason">): object | undefined {
  const isFull = stopReason === "model_context_window_exceeded";
  const output = usage === undefined ? undefined : countOf(usage, "completion_tokens", "output_tokens");
  if (!isFull && !(stopReason === "length" && output === 0)) return undefined;
  const input = usage === undefined ? undefined : inputOf(usage);
  const numbers = input === undefined ? {} : { n_prompt_tokens: input, n_ctx: input + (output ?? 0) };
  return { code: "context_length_exceeded", ...numbers };
}

function inputOf(usage: JsonObject): number | undefined {
  const whole = countOf(usage, "prompt_tokens");
  const uncached = countOf(usage, "input_tokens");
  if (whole !== undefined || uncached === undefined) return whole;
  const cached = ["cache_read_input_tokens", "cache_creation_input_tokens"].map((key) => countOf(usage, key) ?? 0);
  return cached.reduce((sum, count) => sum + count, uncached);
}

function countOf(usage: JsonObject, ...keys: readonly string[]): number | undefined {
  return keys.map((key) => usage[key]).find((count) => typeof count === "number");
}
