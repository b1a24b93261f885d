/** One pi or OpenClaw entry with what it was billed for. */

import { isObject, type JsonObject, stringOf } from "../core/json.ts";
import { piContent } from "../core/pi-entries.ts";
import type { Entry } from "./assemble-messages.ts";
import { piUsage } from "./recorded-usage.ts";

export const PI_ROLES: ReadonlySet<string> = new Set([
  "user",
  "assistant",
  "toolResult",
  "bashExecution",
  "custom",
  "branchSummary",
  "compactionSummary",
]);

/** What an entry of the session says to the model; nothing for entries that only record settings. */
export function entryOf(record: JsonObject, carried: boolean): Entry | undefined {
  const content = piContent(record);
  if (content?.role !== "assistant" || !isObject(record.message)) return content;
  const model = stringOf(record.message.model);
  const usage = piUsage(record.message.usage);
  return {
    ...content,
    carried,
    ...(model === undefined ? {} : { model }),
    ...(usage === undefined ? {} : { usage }),
  };
}
