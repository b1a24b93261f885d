/** A provider's own compaction, as data in and data out. Formats implement it; nothing here sends a request. */

import type { JsonArray, JsonObject } from "./json.ts";

export interface NativeWire {
  /** Makes the compaction request from an ordinary one that holds just the messages to compact. */
  request(body: JsonObject, instructions: string | undefined): JsonObject;
  /** The part of the answer that replaces the zone, or the reason why the answer is unusable. */
  read(answer: unknown): NativeReading;
  /** Whether the request has a field for the summary's focus. */
  readonly takesInstructions: boolean;
}

export type NativeReading =
  | { readonly type: "read"; readonly list: JsonArray; readonly text?: string }
  | { readonly type: "unusable"; readonly because: string };
