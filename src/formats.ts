/** The formats we speak, by name: the only place that knows all of them. */

import type { FormatName } from "./core/message.ts";
import type { Format } from "./core/ports.ts";
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

export const formatNames: readonly FormatName[] = ["anthropic-messages", "openai-chat", "openai-responses", "gemini"];

export function formatNamed(name: FormatName): Format {
  return FORMATS[name];
}

export function isFormatName(name: string): name is FormatName {
  return Object.hasOwn(FORMATS, name);
}
