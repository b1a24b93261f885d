/** A session as data: its view as a request, whole with log and events, or carried over to another provider's format. Reads only. */

import type { Loss } from "../core/convert/adopt.ts";
import { CompactionError } from "../core/errors.ts";
import { isCompactionPart, isNativeItem, readableText } from "../core/items.ts";
import { copyJson, isObject, type JsonObject } from "../core/json.ts";
import type { Conversation, Message } from "../core/message.ts";
import { applyPlan } from "../core/plan/apply-plan.ts";
import type { SummarizeStep } from "../core/plan/plan.ts";
import type { Format } from "../core/ports.ts";
import type { CompactionEvent, StoredMessage } from "../core/store/store.ts";
import { type EventEdits, withUpkeep } from "../core/store/store-upkeep.ts";
import type { SessionParts } from "./compact-view.ts";
import { conversationOf, type Snapshot } from "./session-view.ts";

export interface Exported {
  readonly id: string;
  readonly format: string;
  /** The view as it is; no compaction runs for it. */
  readonly request: object;
  /** What the other format could not carry as it was; only with `format`. */
  readonly losses?: readonly Loss[];
  /** Every message ever appended or inserted, as it was written; only with `all`. */
  readonly log?: readonly StoredMessage[];
  readonly events?: readonly CompactionEvent[];
  /** The edits of compactions to messages and the system prompt; only with `all`. */
  readonly edits?: readonly EventEdits[];
  /** The fields of the request beside the messages, without a compaction's edit of the prompt; only with `all`. */
  readonly base?: JsonObject;
  readonly metadata?: JsonObject;
  /** The agent that owns the session, where there is one; only with `all`. */
  readonly agentId?: string;
}

export interface ExportOptions {
  /** True: with the whole log, the events and the edits. */
  readonly all?: boolean;
  /** The format that the view is converted to, to go on with another provider. Not with `all`. */
  readonly format?: Format;
}

export const EXPORT_KIND = "palimpsest-session";
export const EXPORT_VERSION = 1;

/** As `import` of the command line reads it. */
export function exportedText(exported: Exported): string {
  return `${JSON.stringify({ kind: EXPORT_KIND, version: EXPORT_VERSION, ...exported }, null, 2)}\n`;
}

export async function exportSession(parts: SessionParts, options: ExportOptions): Promise<Exported> {
  const { all = false, format } = options;
  if (all && format !== undefined)
    throw new CompactionError(
      "invalid-settings",
      "export takes `all` or `format`, not both: a log is kept as it was written.",
    );
  if (format !== undefined) return convertedView(parts, format);
  if (!all) return viewOf(parts, await parts.live.refresh());
  for (let reading = 1; reading <= READINGS_MAX; reading++) {
    const exported = await readAll(parts);
    if (exported !== undefined) return exported;
  }
  const message = `The session "${parts.id}" was changed by others each of the ${READINGS_MAX} times that it was read, so nothing was exported. Try again.`;
  throw new CompactionError("store-conflict", message, { retryable: true });
}

/** A bound: each reading is the whole log, and other workers may change the session all the time. */
const READINGS_MAX = 5;

/** Undefined where the session changed during the reading: the parts would not match. */
async function readAll(parts: SessionParts): Promise<Exported | undefined> {
  const { id, store, live } = parts;
  const snapshot = await live.refresh();
  const { base, metadata, agentId, version } = snapshot.record;
  const full = withUpkeep(store, "export whole sessions");
  const [log, events] = [await Array.fromAsync(full.log(id)), await Array.fromAsync(store.events(id))];
  const edits = await Array.fromAsync(full.edits(id));
  const { type } = await store.changes(id, version);
  if (type === "changed") return undefined;
  // Messages that were only appended meanwhile change nothing before them, and are not in the view.
  const then = log.filter(({ sequence }) => sequence <= version.sequence);
  const owner = agentId === "" ? {} : { agentId };
  // Copies: requests are made from the snapshot's own objects, and the caller may change the file.
  const around = { base: copyJson(base), metadata: copyJson(metadata) };
  return { ...viewOf(parts, snapshot), log: then, events, edits, ...around, ...owner };
}

function viewOf({ id, compactor: { format } }: SessionParts, snapshot: Snapshot): Exported {
  const encoded = format.encode(conversationOf(snapshot));
  return { id, format: format.name, request: isObject(encoded) ? copyJson(encoded) : {} };
}

/** Only this loads the other formats. */
async function convertedView(parts: SessionParts, to: Format): Promise<Exported> {
  const { convert } = await import("../formats.ts");
  const view = await readableView(parts, conversationOf(await parts.live.refresh()));
  const { conversation, losses } = convert(view, to);
  const encoded = to.encode(conversation);
  return { id: parts.id, format: to.name, request: isObject(encoded) ? copyJson(encoded) : {}, losses };
}

/** With what was kept beside the provider's unreadable items in their place, as a summary. */
async function readableView({ id, store, compactor }: SessionParts, view: Conversation): Promise<Conversation> {
  const items = view.messages.filter(isUnreadable);
  if (items.length === 0) return view;
  const summary = (await Array.fromAsync(store.events(id))).flatMap(keptSummary).join("\n\n");
  if (summary === "") return view;
  const messageIds = items.map((message) => message.id);
  const step: SummarizeStep = { type: "summarize", messageIds, turnPrefixIds: [], replacesIds: [], budgetTokens: 0 };
  const { render, userTools } = compactor.settings;
  return applyPlan({ conversation: view, plan: { steps: [step] }, summary, render, userTools });
}

function isUnreadable(message: Message): boolean {
  const items = isNativeItem(message) ? message.parts.filter(isCompactionPart) : [];
  return items.length > 0 && items.every(({ wire }) => readableText(wire) === undefined);
}

/** A provider compacts its own earlier item too, and nobody can read that: each of them has its summary here. */
function keptSummary({ strategy, summary, undoneAt }: CompactionEvent): readonly string[] {
  return strategy === "native" && summary !== null && undoneAt === null ? [summary] : [];
}
