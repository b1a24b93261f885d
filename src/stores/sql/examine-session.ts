/**
 * Rules about a session's own row and what it says of its messages: what nobody would see was wrong, because something only stops working.
 * Plain SQL for SQLite and Postgres, but for how an index row is found. Only reads.
 */

import { FORMAT_NAMES } from "../../core/format-rules.ts";
import type { ExamineRule } from "./examine-rules.ts";

export interface SessionDialect {
  /** Whether the search index has the message `m`. */
  readonly isIndexed: string;
}

const COUNTERS = [
  "turn_count",
  "message_count",
  "compaction_count",
  "total_tokens",
  "input_tokens",
  "output_tokens",
  "context_tokens",
];

const INDEX_AGAIN =
  "Nothing is lost, but searches miss messages. Set sessions.indexed_sequence to 0: the next search makes the index anew.";

export function sessionRules({ isIndexed }: SessionDialect): readonly ExamineRule[] {
  return [
    {
      rule: "format-known",
      sql: `SELECT s.id AS session_id, s.format AS subject FROM sessions s
        WHERE s.format NOT IN (${FORMAT_NAMES.map((format) => `'${format}'`).join(", ")})`,
      message: (subject) => `The session's format is ${JSON.stringify(subject)}, which does not exist.`,
      remedy: `The session cannot be opened. Set sessions.format to the one it had: ${FORMAT_NAMES.join(", ")}.`,
    },
    {
      rule: "counter-negative",
      sql: COUNTERS.map(
        (column) => `SELECT s.id AS session_id, '${column}' AS subject FROM sessions s WHERE s.${column} < 0`,
      ).join(" UNION ALL "),
      message: (subject) => `The session's ${subject} is below zero.`,
      remedy: (subject) =>
        `Nothing is lost; the count is only shown. Set sessions.${subject} to what it should be, or 0.`,
    },
    {
      rule: "lease-without-end",
      sql: `SELECT s.id AS session_id, s.lease_holder AS subject FROM sessions s
        WHERE s.lease_holder IS NOT NULL AND s.lease_expires_at IS NULL`,
      message: (subject) =>
        `The lease of ${JSON.stringify(subject)} never ends, so nobody else can compact the session.`,
      remedy: "Set sessions.lease_holder to null.",
    },
    {
      rule: "summary-flag",
      sql: `SELECT m.session_id, 'm' || m.sequence AS subject FROM messages m WHERE m.made_by IS NOT NULL AND NOT m.is_summary`,
      message: (subject) => `Message ${subject} was inserted by a compaction, and passes for an appended one.`,
      remedy: "Set its is_summary to true.",
    },
    {
      rule: "index-beyond-last",
      sql: `SELECT s.id AS session_id, CAST(s.indexed_sequence AS TEXT) AS subject FROM sessions s
        WHERE s.indexed_sequence > s.last_sequence OR s.indexed_sequence < 0`,
      message: (subject) => `The search index says that it goes up to message ${subject}, which does not exist.`,
      remedy: INDEX_AGAIN,
    },
    {
      rule: "index-incomplete",
      sql: `SELECT m.session_id, CAST(count(*) AS TEXT) AS subject FROM messages m JOIN sessions s ON s.id = m.session_id
        WHERE m.sequence <= s.indexed_sequence AND NOT ${isIndexed} GROUP BY m.session_id`,
      message: (subject) => `The search index lacks messages that it says it has: ${subject}.`,
      remedy: INDEX_AGAIN,
    },
  ];
}
