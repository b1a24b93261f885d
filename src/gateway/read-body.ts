/** Reads the body of a conversation whole, within the limits on its length, on all bodies together and on slow clients. */

import type { IncomingMessage, ServerResponse } from "node:http";
import type { GatewayLimits } from "./limits.ts";

export interface Reading {
  readonly response: ServerResponse;
  readonly limits: GatewayLimits;
  /** What all bodies together hold. Whoever gets a body takes its length off when it is done with it. */
  readonly shared: { bufferedBytes: number };
  /** Called with the number of bytes that have come. */
  readonly onBytes: (bytes: number) => void;
}

/** The bytes, or why they were not taken. Throws where the client left or stopped sending. */
export function readBody(
  request: IncomingMessage,
  { response, limits, shared, onBytes }: Reading,
): Promise<Uint8Array | "too-large" | "busy"> {
  const { bodyBytesMax, bufferedBytesMax, stalledMs } = limits;
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array | "too-large" | "busy">();
  let pieces: Buffer[] = [];
  let bytes = 0;
  const giveBack = (): void => {
    shared.bufferedBytes -= bytes;
    pieces = [];
    bytes = 0;
  };
  const stop = (problem: "too-large" | "busy"): void => {
    giveBack();
    // What still comes is thrown away, so that the client gets to read the answer.
    request.off("data", take).resume();
    resolve(problem);
  };
  const take = (piece: Buffer): void => {
    pieces.push(piece);
    bytes += piece.byteLength;
    shared.bufferedBytes += piece.byteLength;
    onBytes(bytes);
    if (bytes > bodyBytesMax) stop("too-large");
    else if (shared.bufferedBytes > bufferedBytesMax) stop("busy");
  };
  request.setTimeout(stalledMs, () => request.destroy(new Error("The client sends nothing.")));
  request.once("end", () => {
    request.setTimeout(0);
    resolve(Buffer.concat(pieces));
  });
  request.once("error", reject);
  response.once("close", () => {
    if (request.complete) return;
    giveBack();
    reject(new Error("The client is gone."));
  });
  if (Number(request.headers["content-length"] ?? 0) > bodyBytesMax) stop("too-large");
  else request.on("data", take);
  return promise;
}
