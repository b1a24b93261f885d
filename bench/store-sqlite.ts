/** SQLite for the store's bench: a file of its own per place, `synchronous=FULL`, the bare statements over a second connection. */

import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createSqliteStore } from "../src/stores/sqlite/store.ts";
import { BODY_HEAD, BODY_TAIL, mixedTexts, texts } from "./store-messages.ts";
import {
  type AgedSessions,
  BASE,
  type Bare,
  eventTexts,
  type FilledSession,
  type Place,
  type Size,
  type Subject,
} from "./store-subject.ts";

export async function sqliteSubject(): Promise<Subject> {
  const directory = await mkdtemp(join(tmpdir(), "palimpsest-bench-"));
  return {
    name: "SQLite",
    durability: "WAL, synchronous=FULL",
    open: (place) => openPlace(join(directory, `${place}.db`)),
    close: () => rm(directory, { recursive: true, force: true }),
  };
}

/** As the store sets it, so that both bring their pages into the file equally often. */
const CHECKPOINT_PAGES = 4_000;

async function openPlace(file: string): Promise<Place> {
  const sent: string[] = [];
  const options = { url: `sqlite:${file}`, file, durability: "full", busyTimeoutMs: 5_000 } as const;
  const store = createSqliteStore(
    { ...options, now: () => new Date(), newId: randomUUID },
    { onStatement: (sql) => sent.push(sql) },
  );
  // The first question makes the tables.
  await store.open("none");
  const database = new DatabaseSync(file, { timeout: 5_000 });
  database.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}; PRAGMA synchronous = FULL`);
  return {
    store,
    statements: () => [...sent],
    address: `sqlite:${file}`,
    age: async (sessions) => age(database, sessions),
    fill: async (session) => fill(database, session),
    settle: async () => database.exec("PRAGMA wal_checkpoint(TRUNCATE)"),
    bare: bareOver(database),
    sizes: async () => sizesOf(database),
    close: async () => {
      database.close();
      await store.close();
    },
  };
}

const ROWS_PER_TRANSACTION = 20_000;

function fill(database: DatabaseSync, { id, messages, live }: FilledSession): void {
  beginFilling(database, texts);
  const now = new Date().toISOString();
  const event = live < messages ? randomUUID() : null;
  database
    .prepare(
      `INSERT INTO sessions (id, format, created_at, updated_at, base, head_event_id, revision, compaction_count, last_sequence,
       message_count, turn_count) VALUES (?, 'anthropic-messages', ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(
      id,
      now,
      now,
      JSON.stringify(BASE),
      event,
      event === null ? 0 : 1,
      event === null ? 0 : 1,
      messages,
      messages,
      messages >> 1,
    );
  if (event !== null) insertEvent(database, id, event);
  const insert = database.prepare(FILL);
  for (let first = 1; first <= messages; first += ROWS_PER_TRANSACTION) {
    const last = Math.min(messages, first + ROWS_PER_TRANSACTION - 1);
    insert.run(first, last, id, messages - live, event, now, texts.length);
    database.exec("COMMIT; BEGIN");
  }
  database.exec("COMMIT; PRAGMA synchronous = FULL");
}

/** Not durable until it is done: nobody measures it. */
function beginFilling(database: DatabaseSync, texts: readonly string[]): void {
  database.exec("PRAGMA synchronous = OFF");
  database.exec(
    "DROP TABLE IF EXISTS bench_texts; CREATE TEMP TABLE bench_texts (number INTEGER PRIMARY KEY, text TEXT)",
  );
  const text = database.prepare("INSERT INTO bench_texts VALUES (?, ?)");
  database.exec("BEGIN");
  for (const [number, each] of texts.entries()) text.run(number, each);
}

const FILL = `WITH RECURSIVE numbers (n) AS (SELECT ?1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?2)
INSERT INTO messages (session_id, sequence, order_key, role, archived_by, created_at, body)
SELECT ?3, n, n, iif(n % 2 = 1, 'user', 'assistant'), iif(n <= ?4, ?5, NULL), ?6,
  '{"role":"' || iif(n % 2 = 1, 'user', 'assistant') || '",${BODY_HEAD}' || n || ' ' || text || '${BODY_TAIL}'
FROM numbers JOIN bench_texts ON number = n % ?7`;

function age(database: DatabaseSync, sessions: AgedSessions): void {
  const { stages, messagesPerStage, live } = sessions;
  const { plan, summary } = eventTexts(sessions);
  const now = new Date().toISOString();
  beginFilling(database, mixedTexts);
  const insertSession = database.prepare(
    "INSERT INTO sessions (id, format, created_at, updated_at, base) VALUES (?, 'anthropic-messages', ?, ?, ?)",
  );
  for (let each = 0; each < sessions.sessions; each++) insertSession.run(randomUUID(), now, now, JSON.stringify(BASE));
  for (let stage = 1; stage <= stages; stage++) {
    const last = stage * messagesPerStage;
    database.prepare(AGE_APPEND).run(last - messagesPerStage + 1, last, now, mixedTexts.length);
    database.exec("COMMIT; BEGIN");
    database.prepare(AGE_EVENT).run(stage, summary, plan, now);
    database.prepare(AGE_ARCHIVE).run(stage, last - live);
    database.exec("COMMIT; BEGIN");
  }
  database.exec("COMMIT; PRAGMA synchronous = FULL");
}

const AGE_APPEND = `WITH RECURSIVE numbers (n) AS (SELECT ?1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?2)
INSERT INTO messages (session_id, sequence, order_key, role, created_at, body)
SELECT s.id, n, n, iif(n % 2 = 1, 'user', 'assistant'), ?3,
  '{"role":"' || iif(n % 2 = 1, 'user', 'assistant') || '",${BODY_HEAD}' || n || ' ' || text || '${BODY_TAIL}'
FROM numbers CROSS JOIN bench_texts ON number = n % ?4 CROSS JOIN sessions s`;

const AGE_EVENT = `INSERT INTO compaction_events (id, session_id, number, strategy, profile, trigger_reason, original_tokens,
  compacted_tokens, messages_removed, is_compaction, summary_content, preserved_message_ids, calls, whole_ratio, duration_ms, plan,
  details, created_at)
SELECT lower(hex(randomblob(18))), id, ?1, 'summarize', 'bench', 'ratio', 0, 0, 0, 1, ?2, '[]', 0, 0, 0, ?3, '{}', ?4 FROM sessions`;

const AGE_ARCHIVE = `UPDATE messages SET archived_by =
  (SELECT id FROM compaction_events e WHERE e.session_id = messages.session_id AND e.number = ?1)
WHERE archived_by IS NULL AND sequence <= ?2`;

function insertEvent(database: DatabaseSync, sessionId: string, eventId: string): void {
  database
    .prepare(
      `INSERT INTO compaction_events (id, session_id, number, strategy, profile, trigger_reason, original_tokens, compacted_tokens,
       messages_removed, is_compaction, preserved_message_ids, calls, whole_ratio, duration_ms, plan, details, created_at)
       VALUES (?, ?, 1, 'truncate', 'bench', 'manual', 0, 0, 0, 1, '[]', 0, 0, 0, '{}', '{}', ?)`,
    )
    .run(eventId, sessionId, new Date().toISOString());
}

function bareOver(database: DatabaseSync): Bare {
  const insert = database.prepare(
    "INSERT INTO messages (session_id, sequence, order_key, role, created_at, body) VALUES (?, ?, ?, ?, ?, ?)",
  );
  const load = database.prepare(
    "SELECT body FROM messages WHERE session_id = ? AND archived_by IS NULL ORDER BY order_key",
  );
  const archive = database.prepare("UPDATE messages SET archived_by = ? WHERE session_id = ? AND archived_by IS NULL");
  return {
    insert: async ({ sessionId, sequence, role, body }) => {
      insert.run(sessionId, sequence, sequence, role, new Date().toISOString(), JSON.stringify(body));
    },
    load: async (sessionId) => load.all(sessionId).map(({ body }): unknown => JSON.parse(String(body))),
    makeEvent: async (sessionId) => {
      const id = randomUUID();
      insertEvent(database, sessionId, id);
      return id;
    },
    archive: async (sessionId, eventId) => {
      archive.run(eventId, sessionId);
    },
  };
}

function sizesOf(database: DatabaseSync): readonly Size[] {
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  const rows = database.prepare("SELECT name, sum(pgsize) AS bytes FROM dbstat GROUP BY name").all();
  return rows.map(({ name, bytes }) => ({ name: String(name), bytes: Number(bytes) }));
}
