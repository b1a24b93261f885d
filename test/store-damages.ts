/**
 * Damage that somebody does to the tables by hand, as SQL that SQLite and Postgres both take, and the rules that must tell of it. It is
 * done to `damageable`: session `a` has ten messages, two compactions in force and a third that was undone, and is indexed; `b` is sound and has a picture. References
 * are not enforced meanwhile.
 */

import type { FullStore } from "../src/core/store/store-upkeep.ts";
import { append, begin, compact } from "../src/testing/store/world.ts";

const PICTURE = "iVBORw0KGgo".padEnd(1_200, "Ab9+");

export async function damageable(store: FullStore): Promise<void> {
  await begin(store, "a", 10);
  await begin(store, "b", 2);
  // A prefix that no JSON operator of Postgres reads.
  const pictures = ["\0", ""].map((prefix) => ({
    role: "user" as const,
    body: { role: "user", content: [{ data: prefix + PICTURE }] },
    attachments: [{ path: ["content", 0, "data"], prefix, data: PICTURE }],
  }));
  await append(store, "b", pictures);
  await compact(store, "a", { archive: [0, 1], summary: "one", edits: [[4, { role: "user", content: "x" }]] });
  await compact(store, "a", { archive: [1, 2], summary: "two" });
  await compact(store, "a", { archive: [1], summary: "undone" });
  await store.rollback("a", {});
  await store.search("a", "question", 1);
}

export interface DamageCase {
  readonly name: string;
  readonly sql: string;
  readonly rules: readonly string[];
  /** Of the first finding. */
  readonly says?: RegExp;
}

const EVENT = (number: number) => `(SELECT id FROM compaction_events WHERE session_id = 'a' AND number = ${number})`;
const MESSAGE = (sequence: number) => `WHERE session_id = 'a' AND sequence = ${sequence}`;

const NO_HASH = "0".repeat(64);

export const DAMAGES: readonly DamageCase[] = [
  { name: "nothing", sql: "SELECT 1", rules: [] },
  {
    name: "a row of the view is gone",
    sql: `DELETE FROM messages ${MESSAGE(9)}`,
    rules: ["message-missing"],
    says: /m9\..*backup/,
  },
  {
    name: "the last rows are gone",
    sql: "DELETE FROM messages WHERE session_id = 'a' AND sequence > 11",
    rules: ["message-missing", "summary-missing"],
    says: /m12 to m13\./,
  },
  {
    name: "an archived row is gone",
    sql: `DELETE FROM messages ${MESSAGE(1)}`,
    rules: ["message-missing", "archive-incomplete"],
    says: /m1\./,
  },
  {
    name: "a summary is gone",
    sql: `DELETE FROM messages WHERE made_by = ${EVENT(2)}`,
    rules: ["message-missing", "summary-missing"],
  },
  {
    name: "an archived row is back in the view",
    sql: `UPDATE messages SET archived_by = NULL ${MESSAGE(2)}`,
    rules: ["archive-incomplete"],
    says: /has 1 of 2.*rollback/,
  },
  {
    name: "more is gone than was purged",
    sql: `UPDATE compaction_events SET purged_at = created_at WHERE id = ${EVENT(1)};
      DELETE FROM messages WHERE session_id = 'a' AND sequence IN (1, 2, 9)`,
    rules: ["message-missing"],
    says: /1 more/,
  },
  {
    name: "what was purged is gone",
    sql: `UPDATE compaction_events SET purged_at = created_at WHERE id = ${EVENT(1)};
      DELETE FROM messages WHERE session_id = 'a' AND sequence IN (1, 2)`,
    rules: [],
  },
  {
    name: "a wrong count of messages",
    sql: "UPDATE sessions SET message_count = 7 WHERE id = 'a'",
    rules: ["message-count"],
    says: /Set sessions.message_count to 10\./,
  },
  {
    name: "a compaction is gone, and its archive is not",
    sql: `DELETE FROM compaction_events WHERE id = ${EVENT(1)}`,
    rules: ["archived-by-gone", "edit-in-force"],
    says: /archived 2.*backup.*keep it as it is.*export --all/,
  },
  ...["plan", "details", "preserved_message_ids", "system_edit"].map((column) => ({
    name: `${column} of another kind`,
    sql: `UPDATE compaction_events SET ${column} = '7' WHERE id = ${EVENT(1)}`,
    rules: ["event-json"],
    says: new RegExp(column),
  })),
  ...["base", "metadata"].map((column) => ({
    name: `${column} of another kind`,
    sql: `UPDATE sessions SET ${column} = '[]' WHERE id = 'a'`,
    rules: ["session-json"],
    says: new RegExp(column),
  })),
  {
    name: "an attachment is gone",
    sql: `UPDATE messages SET attachments = '[{"path":["\\u0000"],"prefix":"","hash":"${NO_HASH}"}]' ${MESSAGE(8)}`,
    rules: ["attachment-missing"],
    says: new RegExp(`${NO_HASH} is referred to and not there.*backup`),
  },
  {
    name: "an attachment of an edit is gone",
    sql: `UPDATE message_edits SET attachments = '[{"path":[],"prefix":"","hash":"${NO_HASH}"}]' WHERE session_id = 'a'`,
    rules: ["attachment-missing"],
    says: new RegExp(NO_HASH),
  },
  {
    name: "an attachment is another",
    sql: `INSERT INTO attachments (session_id, hash, bytes) SELECT 'a', '${NO_HASH}', bytes FROM attachments`,
    rules: ["attachment-unneeded", "attachment-bytes"],
    says: /no message refers to it/,
  },
  {
    name: "attachments of another kind",
    sql: `UPDATE messages SET attachments = '7' ${MESSAGE(8)}`,
    rules: ["body-json"],
    says: /m8/,
  },
  {
    name: "the search index is empty",
    sql: "DELETE FROM message_search",
    rules: ["index-incomplete"],
    says: /13.*indexed_sequence to 0/,
  },
  {
    name: "a search index beyond the last message",
    sql: "UPDATE sessions SET indexed_sequence = 1000 WHERE id = 'a'",
    rules: ["index-beyond-last"],
    says: /1000.*indexed_sequence to 0/,
  },
  {
    name: "a lease that never ends",
    sql: "UPDATE sessions SET lease_holder = 'worker', lease_expires_at = NULL WHERE id = 'a'",
    rules: ["lease-without-end"],
    says: /worker.*lease_holder to null/,
  },
  {
    name: "a format that does not exist",
    sql: "UPDATE sessions SET format = 'foo' WHERE id = 'a'",
    rules: ["format-known"],
    says: /foo/,
  },
  {
    name: "a summary that passes for an appended message",
    sql: `UPDATE messages SET is_summary = (1 = 0) WHERE made_by = ${EVENT(2)}`,
    rules: ["summary-flag"],
    says: /m12/,
  },
  {
    name: "a count below zero",
    sql: "UPDATE sessions SET turn_count = -4 WHERE id = 'a'",
    rules: ["counter-negative"],
    says: /turn_count/,
  },
  {
    name: "a body of another shape",
    sql: `UPDATE messages SET body = '{"foo":1}' ${MESSAGE(8)}`,
    rules: ["body-shape"],
    says: /m8/,
  },
  {
    name: "an edit of another shape",
    sql: `UPDATE message_edits SET body = '{"foo":1}' WHERE session_id = 'a'`,
    rules: ["body-shape"],
  },
  {
    name: "an attachment that nothing refers to",
    sql: "INSERT INTO attachments (session_id, hash, bytes) SELECT 'a', hash, bytes FROM attachments",
    rules: ["attachment-unneeded"],
    says: /takes room/,
  },
  {
    name: "a body of another kind",
    sql: `UPDATE messages SET body = '7' ${MESSAGE(8)}`,
    rules: ["body-json"],
    says: /m8/,
  },
];
