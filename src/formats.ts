/** The formats by name: the only file that imports all of them. */

import { CompactionError } from "./core/errors.ts";
import { FORMAT_NAMES, type FormatName } from "./core/format-rules.ts";
import type { JsonObject } from "./core/json.ts";
import type { Format } from "./core/ports.ts";
import { rollingMark } from "./formats/anthropic/rolling-mark.ts";
import { anthropicMessages } from "./formats/anthropic-messages.ts";
import { gemini } from "./formats/gemini.ts";
import { openaiChat } from "./formats/openai-chat.ts";
import { openaiResponses } from "./formats/openai-responses.ts";

const FORMATS: Readonly<Record<FormatName, Format>> = {
  "anthropic-messages": anthropicMessages,
  "openai-chat": openaiChat,
  "openai-responses": openaiResponses,
  gemini,
};

/** The names of all formats. */
export const formatNames: readonly FormatName[] = FORMAT_NAMES;

/** Throws `invalid-settings` for an unknown name, which may come from a file or a setting. */
export function formatNamed(name: FormatName): Format {
  if (isFormatName(name)) return FORMATS[name];
  const message = `There is no format ${JSON.stringify(name)}; there are ${formatNames.join(", ")}`;
  throw new CompactionError("invalid-settings", message);
}

/** Whether a format has this name. */
export function isFormatName(name: string): name is FormatName {
  return Object.hasOwn(FORMATS, name);
}

/** A request body with a mark for the provider's cache where its client sets none; the same body in formats that have no marks. */
export function withRollingMark(name: FormatName, body: JsonObject): JsonObject {
  return name === "anthropic-messages" ? rollingMark(body) : body;
}
