/** How much a gateway takes on. Whoever asks for more is refused or cut off; nobody waits for ever. */

import { amount, group, type NumberSchema, type SchemaFor } from "../core/settings/schema.ts";

export interface GatewayLimits {
  /** Of one conversation, which is read whole. Other bodies are passed on as they come, and have no limit. */
  readonly bodyBytesMax: number;
  /** Of all conversations that are being read or sent. */
  readonly bufferedBytesMax: number;
  readonly requestsMax: number;
  /** Until the headers of a request are there. */
  readonly headersMs: number;
  /** Until an upstream has accepted a connection. */
  readonly connectMs: number;
  /** From the first byte of a request to the last of its answer. */
  readonly requestMs: number;
  /** How long a client may send or read nothing while the gateway waits for it. */
  readonly stalledMs: number;
  /** How long the answers under way may go on once the gateway is to end. */
  readonly graceMs: number;
}

export const LIMITS: GatewayLimits = {
  bodyBytesMax: 64 * 1024 * 1024,
  bufferedBytesMax: 1024 * 1024 * 1024,
  requestsMax: 1_000,
  headersMs: 10_000,
  connectMs: 30_000,
  requestMs: 3_600_000,
  stalledMs: 120_000,
  graceMs: 300_000,
};

/** Timers that wait longer go off at once. */
const MS_MAX = 2 ** 31 - 1;

function milliseconds(about: string, min = 1): NumberSchema {
  return { ...amount(about, min), max: MS_MAX };
}

export const limitsSchema: SchemaFor<GatewayLimits> = group("How much a gateway takes on.", {
  bodyBytesMax: amount("Bytes of one conversation.", 1),
  bufferedBytesMax: amount("Bytes of all conversations that are being read or sent.", 1),
  requestsMax: amount("Requests at the same time.", 1),
  headersMs: milliseconds("Until the headers of a request are there."),
  connectMs: milliseconds("Until an upstream has accepted a connection."),
  requestMs: milliseconds("From the first byte of a request to the last of its answer."),
  stalledMs: milliseconds("How long a client may send or read nothing."),
  graceMs: milliseconds("How long answers may go on once the gateway is to end.", 0),
});
