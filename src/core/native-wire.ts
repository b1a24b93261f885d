/** How a provider compacts by itself, as data in and data out. A format implements it; nothing here sends anything. */

import type { JsonArray, JsonObject } from "./json.ts";

export interface NativeWire {
  /** From an ordinary request that holds just what is to be compacted. */
  request(body: JsonObject, instructions: string | undefined): JsonObject;
  /** What of the answer takes the zone's place; an answer that cannot be used is refused with the reason. */
  read(answer: unknown): NativeReading;
  /** Whether the request has a place for what the summary should dwell on. */
  readonly takesInstructions: boolean;
}

export type NativeReading =
  | { readonly type: "read"; readonly list: JsonArray; readonly text?: string }
  | { readonly type: "unusable"; readonly because: string };
