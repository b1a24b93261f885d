/** What one request came to, for a store and for whoever counts: sizes, times, and the usage as the provider counted it. */

import type { Compactor } from "../compactor.ts";
import type { FormatName } from "../core/message.ts";
import type { RequestRecord } from "../core/store/traffic.ts";
import type { AnswerReader } from "./answer.ts";
import type { Fitted } from "./keeper.ts";

/** One request to a provider, once it was answered, refused or given up. */
export interface ExchangeRecord extends Omit<RequestRecord, "sessionId"> {
  /** The session that keeps it; null without a store. */
  readonly sessionId: string | null;
  readonly format: FormatName;
  /** What the client calls itself, and a keyed hash of what it is known by to the provider. */
  readonly client: string;
  readonly tenant: string;
  /** As the option `conversation` names it. */
  readonly conversation: string | null;
}

export interface RecordInput {
  readonly compactor: Compactor;
  readonly model: string | undefined;
  readonly fitted: Fitted;
  readonly reader: AnswerReader;
  readonly status: number;
  readonly client: string;
  readonly tenant: string;
  readonly conversation: string | undefined;
  /** When the request came, and how long each part of it took. */
  readonly at: Date;
  readonly firstByteMs: number | null;
  readonly durationMs: number;
}

export function recordOf(input: RecordInput): ExchangeRecord {
  const { compactor, model, fitted, reader, conversation = null, at, ...told } = input;
  const { format } = compactor;
  const usage = reader.usage === undefined ? undefined : format.readUsage(reader.usage);
  const { status, client, tenant, firstByteMs, durationMs } = told;
  return {
    sessionId: fitted.sessionId ?? null,
    format: format.name,
    client,
    tenant,
    conversation,
    at: at.toISOString(),
    model: compactor.model ?? model ?? "",
    status,
    inputTokens: usage?.inputTokens ?? null,
    cacheReadTokens: usage?.cacheReadTokens ?? null,
    cacheWriteTokens: usage?.cacheWriteTokens ?? null,
    outputTokens: usage?.outputTokens ?? null,
    viewTokens: fitted.report.tokensAfter,
    fullTokens: fitted.fullTokens,
    windowTokens: compactor.windowTokens(model),
    triggerTokens: compactor.triggerTokens(model) ?? null,
    eventId: fitted.eventId ?? null,
    firstByteMs,
    durationMs,
  };
}
