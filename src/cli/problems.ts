/** What a provider would refuse in a recorded conversation, as one list of violations. Reads only. */

import { isObject } from "../core/json.ts";
import type { ValidateOptions, Violation } from "../core/ports.ts";
import { formatNamed } from "../formats.ts";
import type { RecordedConversation, Transcript, TranscriptSource } from "../transcripts/index.ts";
import { modelOf } from "./load.ts";
import { plural } from "./numbers.ts";
import { oneLine } from "./one-line.ts";

export function problemsOf(recorded: RecordedConversation): readonly Violation[] {
  return formatNamed(recorded.format).validate(recorded.body, validateOptions(recorded));
}

/** The recorded model decides where the body names none. */
export function validateOptions(recorded: RecordedConversation): ValidateOptions {
  const model = modelOf(recorded);
  const namesModel = isObject(recorded.body) && recorded.body.model !== undefined;
  return namesModel || model === undefined ? {} : { model };
}

/** Files that are sent unchanged, where an entry that is no message is a mistake and not just another record. */
const SENT_AS_THEY_ARE: ReadonlySet<TranscriptSource> = new Set([
  "request-body",
  "message-list",
  "batch-jsonl",
  "http-recording",
]);

/** Entries of a message list that the reader left out because they are no messages. */
export function strangersIn({ source, records }: Transcript): readonly Violation[] {
  if (!SENT_AS_THEY_ARE.has(source)) return [];
  return Object.entries(records.unknown)
    .filter(([type]) => type.startsWith("message "))
    .map(([type, count]) => ({
      rule: "invalid-request",
      path: "messages",
      messageIndex: -1,
      message: `${count === 1 ? "an entry of the list is" : `${count} entries of the list are`} no ${type}`,
    }));
}

/** The beginning of a line about a repair; empty for one outside the message list. */
export function repairPlace(messageIndex: number): string {
  return messageIndex < 0 ? "" : `message ${messageIndex}: `;
}

/** What the file holds and no conversation does, although it may have belonged there. */
export function leftOutOf(transcript: Transcript): readonly string[] {
  const { broken } = transcript.records;
  return [
    ...strangersIn(transcript).map(({ message }) => message),
    ...(broken === 0 ? [] : [`${plural(broken, "line")} that ${broken === 1 ? "is" : "are"} not JSON`]),
  ];
}

/** The message on one line, without the path that some providers put before it and that is shown already. */
export function withoutPath({ path, message }: Violation): string {
  return oneLine(message.startsWith(`${path}: `) ? message.slice(path.length + 2) : message);
}
