/**
 * Passes a response on as it streams, byte for byte, while a reader looks at the same bytes. Holds back only what may still be a refusal:
 * an answer that is one piece until it has ended, and of a stream what comes before the first event that belongs to the answer.
 */

import type { AnswerReader } from "./answer.ts";

/** A refusal is shorter: what is longer goes on. */
const HELD_BYTES_MAX = 1024 * 1024;

export interface Relay {
  /** The response as it came, for the caller. Call it once, or `discard`. */
  pass(): Response;
  /** Ends the response: nobody reads it. */
  discard(): Promise<void>;
}

/** Who watches an answer pass. */
export interface RelayWatch {
  readonly answer: AnswerReader;
  /** Called with the first bytes. */
  begun(): void;
  /** Called once: all of it was read, or it failed or was given up. */
  ended(isWhole: boolean): void;
}

interface Source {
  readonly reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>;
  readonly held: Uint8Array<ArrayBuffer>[];
  /** How it ended while it was held back. */
  end?: { readonly error?: unknown };
}

/** Resolves as soon as the answer has begun, ended or failed. */
export async function relay(response: Response, watch: RelayWatch): Promise<Relay> {
  const told = oneEnd(watch);
  // A `fetch` of the caller's own may have another kind of body, which nobody here can read.
  if (typeof response.body?.getReader !== "function" || response.bodyUsed) {
    told.ended(false);
    return { pass: () => response, discard: async () => {} };
  }
  const source: Source = { reader: response.body.getReader(), held: [] };
  await hold(source, told);
  return {
    pass: () => passOn(response, source, told),
    discard: async () => {
      told.ended(false);
      // It may have failed, which is nobody's business any more.
      await source.reader.cancel().catch(() => {});
    },
  };
}

function oneEnd(watch: RelayWatch): RelayWatch {
  let [hasBegun, hasEnded] = [false, false];
  return {
    answer: watch.answer,
    begun: () => {
      if (!hasBegun) watch.begun();
      hasBegun = true;
    },
    ended: (isWhole) => {
      if (!hasEnded) watch.ended(isWhole);
      hasEnded = true;
    },
  };
}

async function hold(source: Source, { answer, begun, ended }: RelayWatch): Promise<void> {
  let bytes = 0;
  while (!answer.hasBegun && bytes < HELD_BYTES_MAX) {
    try {
      const { done, value } = await source.reader.read();
      begun();
      if (done) {
        source.end = {};
        await answer.end();
        ended(true);
        return;
      }
      source.held.push(value);
      bytes += value.byteLength;
      await answer.add(value);
    } catch (error) {
      source.end = { error };
      ended(false);
      return;
    }
  }
}

function passOn(response: Response, { reader, held, end }: Source, { answer, begun, ended }: RelayWatch): Response {
  const waiting = held.values();
  const next = async (): Promise<Uint8Array<ArrayBuffer> | undefined> => {
    const { value: chunk } = waiting.next();
    if (chunk !== undefined) return chunk;
    if (end !== undefined && "error" in end) throw end.error;
    if (end !== undefined) return undefined;
    const { done, value } = await reader.read();
    begun();
    // It is read beside its way, and nobody waits for that.
    if (!done) void answer.add(value);
    else await answer.end();
    if (done) ended(true);
    return done ? undefined : value;
  };
  const body = new ReadableStream({
    type: "bytes",
    pull: async (controller) => {
      // A stream of bytes takes no empty piece.
      let chunk: Uint8Array<ArrayBuffer> | undefined;
      try {
        chunk = await next();
        while (chunk?.byteLength === 0) chunk = await next();
      } catch (error) {
        ended(false);
        throw error;
      }
      if (chunk !== undefined) controller.enqueue(ownBytes(chunk));
      else {
        controller.close();
        controller.byobRequest?.respond(0);
      }
    },
    cancel: (reason) => {
      ended(false);
      return reader.cancel(reason);
    },
  });
  const { status, statusText, headers, url, redirected, type } = response;
  const passed = new Response(body, { status, statusText, headers });
  // The constructor takes none of these.
  return Object.defineProperties(passed, {
    url: { value: url },
    redirected: { value: redirected },
    type: { value: type },
  });
}

/** The stream takes the memory of a piece for its own, which a piece may share with others. */
function ownBytes(chunk: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return chunk.byteLength === chunk.buffer.byteLength ? chunk : new Uint8Array(chunk);
}
