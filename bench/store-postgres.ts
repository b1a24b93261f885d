/**
 * Postgres for the store's bench: a server of its own with fsync on, or the one that PALIMPSEST_BENCH_POSTGRES_URL names; a schema
 * per place; the bare statements over a pool like the store's.
 */

import { randomBytes, randomUUID } from "node:crypto";
import { Pool, type PoolClient } from "pg";
import { type PostgresClient, type PostgresStatement, postgresStore } from "../src/stores/postgres.ts";
import { startPostgres } from "../test/postgres-server.ts";
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

export interface PostgresSubject extends Subject {
  readonly url: string;
}

export async function postgresSubject(): Promise<PostgresSubject> {
  const given = process.env.PALIMPSEST_BENCH_POSTGRES_URL;
  const server = given === undefined ? await startPostgres({ isSynced: true }) : undefined;
  const url = server?.url ?? given ?? "";
  const pool = new Pool({ connectionString: url });
  // The server goes with the run; a pool that nobody listens to would end it early.
  pool.on("error", () => {});
  const schemas: string[] = [];
  return {
    name: "Postgres",
    url,
    durability: "fsync=on, synchronous_commit=on",
    open: async (place) => {
      const schema = `bench_${place}_${randomBytes(4).toString("hex")}`;
      schemas.push(schema);
      return openPlace(pool, url, schema);
    },
    close: async () => {
      if (server === undefined) for (const schema of schemas) await pool.query(`DROP SCHEMA ${schema} CASCADE`);
      await pool.end();
      await server?.stop();
    },
  };
}

/** The schema's name is ours and needs no quotes. */
async function openPlace(pool: Pool, url: string, schema: string): Promise<Place> {
  const sent: string[] = [];
  const store = postgresStore({ client: counting(pool, sent), schema });
  await store.open("none");
  return {
    store,
    statements: () => [...sent],
    address: `${url}?schema=${schema}`,
    age: (sessions) => age(pool, schema, sessions),
    fill: (session) => fill(pool, schema, session),
    settle: async () => {
      const tables = ["messages", "sessions", "compaction_events", "message_search"].map(
        (table) => `${schema}.${table}`,
      );
      await pool.query(`VACUUM ANALYZE ${tables.join(", ")}`);
      await pool.query("CHECKPOINT");
    },
    bare: bareOver(pool, schema),
    sizes: () => sizesOf(pool, schema),
    close: () => store.close(),
  };
}

function counting(pool: Pool, sent: string[]): PostgresClient {
  const note = ({ text }: PostgresStatement): void => {
    sent.push(text);
  };
  return {
    query: (statement) => {
      note(statement);
      return pool.query(statement);
    },
    connect: async () => {
      const connection = await pool.connect();
      return {
        query: (statement) => {
          note(statement);
          return connection.query(statement);
        },
        release: (isBroken) => connection.release(isBroken),
      };
    },
  };
}

const ROWS_PER_TRANSACTION = 20_000;

async function fill(pool: Pool, schema: string, { id, messages, live }: FilledSession): Promise<void> {
  const event = live < messages ? randomUUID() : null;
  await filling(pool, texts, async (connection) => {
    await connection.query(
      `INSERT INTO ${schema}.sessions (id, format, metadata, base, head_event_id, revision, compaction_count, last_sequence,
       message_count, turn_count) VALUES ($1, 'anthropic-messages', '{}', $2, $3, $4::integer, $4::integer, $5::bigint, $5::bigint, $6)`,
      [id, JSON.stringify(BASE), event, event === null ? 0 : 1, messages, messages >> 1],
    );
    if (event !== null) await connection.query(insertEvent(schema), [event, id]);
    for (let first = 1; first <= messages; first += ROWS_PER_TRANSACTION) {
      const last = Math.min(messages, first + ROWS_PER_TRANSACTION - 1);
      await connection.query(fillText(schema), [id, first, last, messages - live, event, texts.length]);
    }
  });
}

/** Neither durable nor checked until it is done: nobody measures it. Needs a superuser. */
async function filling(
  pool: Pool,
  texts: readonly string[],
  work: (connection: PoolClient) => Promise<void>,
): Promise<void> {
  const connection = await pool.connect();
  try {
    await connection.query("SET synchronous_commit = off; SET session_replication_role = replica");
    await connection.query("CREATE TEMP TABLE bench_texts (number integer PRIMARY KEY, text text)");
    await connection.query(
      "INSERT INTO bench_texts SELECT number - 1, text FROM unnest($1::text[]) WITH ORDINALITY AS t(text, number)",
      [texts],
    );
    await work(connection);
    await connection.query("DROP TABLE bench_texts");
    await connection.query("SET synchronous_commit = on; SET session_replication_role = origin");
  } finally {
    connection.release();
  }
}

function fillText(schema: string): string {
  const role = "CASE WHEN n % 2 = 1 THEN 'user' ELSE 'assistant' END";
  return `INSERT INTO ${schema}.messages (session_id, sequence, order_key, role, archived_by, created_at, body)
    SELECT $1, n, n, ${role}, CASE WHEN n <= $4::bigint THEN $5::text END, clock_timestamp(),
      ('{"role":"' || ${role} || '",${BODY_HEAD}' || n || ' ' || text || '${BODY_TAIL}')::json
    FROM generate_series($2::bigint, $3::bigint) AS n JOIN bench_texts ON number = n % $6::bigint`;
}

async function age(pool: Pool, schema: string, sessions: AgedSessions): Promise<void> {
  const { stages, messagesPerStage, live } = sessions;
  const { plan, summary } = eventTexts(sessions);
  await filling(pool, mixedTexts, async (connection) => {
    await connection.query(
      `INSERT INTO ${schema}.sessions (id, format, metadata, base)
       SELECT gen_random_uuid()::text, 'anthropic-messages', '{}', $2 FROM generate_series(1, $1)`,
      [sessions.sessions, JSON.stringify(BASE)],
    );
    for (let stage = 1; stage <= stages; stage++) {
      const last = stage * messagesPerStage;
      await connection.query(ageText(schema), [last - messagesPerStage + 1, last, mixedTexts.length]);
      await connection.query(
        `INSERT INTO ${schema}.compaction_events (id, session_id, number, strategy, profile, trigger_reason, original_tokens,
           compacted_tokens, messages_removed, is_compaction, summary_content, preserved_message_ids, calls, whole_ratio,
           duration_ms, plan, details, created_at)
         SELECT gen_random_uuid()::text, id, $1, 'summarize', 'bench', 'ratio', 0, 0, 0, true, $2, '[]', 0, 0, 0, $3, '{}',
           clock_timestamp() FROM ${schema}.sessions`,
        [stage, summary, plan],
      );
      await connection.query(
        `UPDATE ${schema}.messages m SET archived_by = e.id FROM ${schema}.compaction_events e
         WHERE e.session_id = m.session_id AND e.number = $1 AND m.archived_by IS NULL AND m.sequence <= $2`,
        [stage, last - live],
      );
      // As autovacuum would before the next compaction of so many sessions: the old versions' room is used again.
      await connection.query(`VACUUM ANALYZE ${schema}.messages`);
    }
  });
}

function ageText(schema: string): string {
  const role = "CASE WHEN n % 2 = 1 THEN 'user' ELSE 'assistant' END";
  return `INSERT INTO ${schema}.messages (session_id, sequence, order_key, role, created_at, body)
    SELECT s.id, n, n, ${role}, clock_timestamp(),
      ('{"role":"' || ${role} || '",${BODY_HEAD}' || n || ' ' || text || '${BODY_TAIL}')::json
    FROM generate_series($1::bigint, $2::bigint) AS n JOIN bench_texts ON number = n % $3::bigint
      CROSS JOIN ${schema}.sessions s ORDER BY n`;
}

function insertEvent(schema: string): string {
  return `INSERT INTO ${schema}.compaction_events (id, session_id, number, strategy, profile, trigger_reason, original_tokens,
    compacted_tokens, messages_removed, is_compaction, preserved_message_ids, calls, whole_ratio, duration_ms, plan, details, created_at)
    VALUES ($1, $2, 1, 'truncate', 'bench', 'manual', 0, 0, 0, true, '[]', 0, 0, 0, '{}', '{}', clock_timestamp())`;
}

function bareOver(pool: Pool, schema: string): Bare {
  const insert = `INSERT INTO ${schema}.messages (session_id, sequence, order_key, role, created_at, body)
    VALUES ($1, $2::bigint, $2::bigint, $3, $4, $5)`;
  // As text, because a driver's own reading of JSON would be in the way of ours.
  const load = `SELECT body::text AS body FROM ${schema}.messages
    WHERE session_id = $1 AND archived_by IS NULL ORDER BY order_key`;
  const archive = `UPDATE ${schema}.messages SET archived_by = $2 WHERE session_id = $1 AND archived_by IS NULL`;
  return {
    insert: async ({ sessionId, sequence, role, body }) => {
      const values = [sessionId, sequence, role, new Date().toISOString(), JSON.stringify(body)];
      await pool.query({ name: `${schema}_insert`, text: insert, values });
    },
    load: async (sessionId) => {
      const { rows } = await pool.query<{ body: string }>({ name: `${schema}_load`, text: load, values: [sessionId] });
      return rows.map(({ body }): unknown => JSON.parse(body));
    },
    makeEvent: async (sessionId) => {
      const id = randomUUID();
      await pool.query(insertEvent(schema), [id, sessionId]);
      return id;
    },
    archive: async (sessionId, eventId) => {
      await pool.query({ name: `${schema}_archive`, text: archive, values: [sessionId, eventId] });
    },
  };
}

async function sizesOf(pool: Pool, schema: string): Promise<readonly Size[]> {
  // A table's own bytes hold what was moved out of its rows.
  const { rows } = await pool.query<{ name: string; bytes: string }>(
    `SELECT c.relname AS name, CASE c.relkind WHEN 'r' THEN pg_table_size(c.oid) ELSE pg_relation_size(c.oid) END AS bytes
     FROM pg_class c WHERE c.relnamespace = $1::regnamespace AND c.relkind IN ('r', 'i')`,
    [schema],
  );
  return rows.map(({ name, bytes }) => ({ name, bytes: Number(bytes) }));
}
