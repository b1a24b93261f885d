/** The formats by name: the only file that imports all of them. */

import { adopt, type Loss } from "./core/convert/adopt.ts";
import { CompactionError } from "./core/errors.ts";
import { FORMAT_NAMES, type FormatName, formatRules } from "./core/format-rules.ts";
import { isObject, type JsonObject, refuseDeepMessage, refuseDeepPrompt } from "./core/json.ts";
import { marksOutside } from "./core/marks.ts";
import type { Conversation } from "./core/message.ts";
import type { Format } from "./core/ports.ts";
import { type Repair, repair } from "./core/repair/repair.ts";
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

export interface Converted {
  readonly conversation: Conversation;
  readonly losses: readonly Loss[];
  /** Repairs that the conversation needed because it was broken already. */
  readonly repairs: readonly Repair[];
}

/** A conversation that is in the target format already is only repaired, if it needs it. */
export function convert(conversation: Conversation, to: Format): Converted {
  if (conversation.format === to.name) return { ...repair(conversation), losses: [] };
  const from = formatNamed(conversation.format);
  refuseDeepPrompt(conversation.system, conversation.tools);
  conversation.messages.forEach(refuseDeepMessage);
  const { definitions, foreign } = from.readTools(conversation.tools);
  const adopted = adopt(
    conversation,
    to.name,
    definitions.map(({ name }) => name),
  );
  const renamed = definitions.map((tool) => ({ ...tool, name: adopted.tools.get(tool.name) ?? tool.name }));
  const carried: Conversation = {
    format: to.name,
    system: adopted.system,
    tools: definitions.length === 0 ? undefined : to.writeTools(renamed),
    messages: adopted.messages,
  };
  const repaired = repair(carried);
  const losses = [
    ...lostParameters(conversation),
    ...foreign.map((tool): Loss => ({ messageIndex: -1, what: `tool:${tool}`, became: "dropped" })),
    ...Array.from({ length: marksOutside({ system: [], tools: conversation.tools }) }, () => TOOL_MARK),
    ...adopted.losses,
  ];
  // Through the wire and back, so that there is one message per wire message again.
  return { conversation: to.decode(to.encode(repaired.conversation)), losses, repairs: repaired.repairs };
}

const TOOL_MARK: Loss = { messageIndex: -1, what: "cache-mark", became: "dropped" };

/** Keys of a body whose contents are converted. All other keys are specific to their provider and are dropped. */
const CARRIED_KEYS: ReadonlySet<string> = new Set([
  ...FORMAT_NAMES.map((name) => formatRules(name)).flatMap(({ listKey, systemKeys, toolsKey }) => [
    listKey,
    toolsKey,
    ...systemKeys,
  ]),
]);

function lostParameters({ wire }: Conversation): readonly Loss[] {
  if (!isObject(wire?.json)) return [];
  const keys = Object.keys(wire.json).filter((key) => !CARRIED_KEYS.has(key));
  return keys.map((key) => ({ messageIndex: -1, what: `parameter:${key}`, became: "dropped" }));
}
