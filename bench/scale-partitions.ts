/**
 * Whether the Postgres store works unchanged over tables that are partitioned by hash of the session's id: makes such a schema from
 * the store's own migration, runs the published contract over it, and shows which partitions the statements of a turn touch. Exits
 * with 1 when a case fails. Run with `npm run scale-partitions` in bench.
 */

import { Pool } from "pg";
import { MIGRATIONS } from "../src/stores/postgres/migrations.ts";
import { postgresStore } from "../src/stores/postgres.ts";
import { storeContract } from "../src/testing/store-contract.ts";
import { startPostgres } from "../test/postgres-server.ts";
import { printTable } from "./store-timing.ts";

const PARTITIONS = 8;
const TABLES: readonly (readonly [string, string])[] = [
  ["sessions", "id"],
  ["compaction_events", "session_id"],
  ["messages", "session_id"],
  ["message_edits", "session_id"],
  ["attachments", "session_id"],
  ["message_search", "session_id"],
  ["message_vectors", "session_id"],
];

await run();

async function run(): Promise<void> {
  const server = await startPostgres();
  const pool = new Pool({ connectionString: server.url });
  try {
    let passed = 0;
    const failed: string[] = [];
    let number = 0;
    const open = async () => {
      const schema = `parted_${++number}`;
      await makeSchema(pool, schema);
      const store = postgresStore({ client: pool, schema });
      return {
        store,
        reopen: async () => postgresStore({ client: pool, schema }),
        dispose: async () => {
          await pool.query(`DROP SCHEMA ${schema} CASCADE`);
        },
      };
    };
    for (const { name, run: runCase } of storeContract("partitioned", open)) {
      try {
        await runCase();
        passed++;
      } catch (error) {
        failed.push(`${name}: ${error instanceof Error ? error.message : error}`);
      }
    }
    console.log(
      `\n${passed} cases of the contract passed over ${PARTITIONS} partitions a table, ${failed.length} failed.`,
    );
    for (const line of failed) console.log(`- ${line}`);
    if (failed.length > 0) process.exitCode = 1;
    await printTouched(pool);
  } finally {
    await pool.end();
    await server.stop();
  }
}

/** The store's migrations, with every table in parts. What a partitioned table cannot say is said of its parts. */
async function makeSchema(pool: Pool, schema: string): Promise<void> {
  const connection = await pool.connect();
  try {
    await connection.query(`CREATE SCHEMA ${schema}; SET search_path = ${schema}`);
    await connection.query(
      "CREATE TABLE schema_migrations (number integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz(3) NOT NULL DEFAULT now())",
    );
    for (const { number, name, sql } of MIGRATIONS) {
      await connection.query(partedSql(sql));
      await connection.query("INSERT INTO schema_migrations (number, name) VALUES ($1, $2)", [number, name]);
    }
    await connection.query("SET search_path = DEFAULT");
  } finally {
    connection.release();
  }
}

function partedSql(sql: string): string {
  return TABLES.reduce((changed, [table, key]) => {
    const parts = Array.from(
      { length: PARTITIONS },
      (_, part) =>
        `CREATE TABLE ${table}_${part} PARTITION OF ${table} FOR VALUES WITH (MODULUS ${PARTITIONS}, REMAINDER ${part});`,
    );
    const statement = new RegExp(`(CREATE TABLE ${table} \\([\\s\\S]*?\\n\\))(?: WITH \\([^)]*\\))?;`);
    // A function, because the text of the statement is not a pattern.
    return changed.replace(statement, (_, body: string) => `${body} PARTITION BY HASH (${key});\n${parts.join("\n")}`);
  }, sql);
}

/** How many partitions of each table a statement names in its plan. */
async function printTouched(pool: Pool): Promise<void> {
  const schema = "parted_shown";
  await makeSchema(pool, schema);
  const plans: string[][] = [];
  const client = {
    query: async (statement: { text: string; values?: unknown[] }) => {
      await note(pool, statement, plans);
      return pool.query(statement);
    },
    connect: () => pool.connect(),
  };
  const store = postgresStore({ client, schema });
  await store.create({ id: "a", format: "anthropic-messages", base: {} });
  plans.length = 0;
  const message = { role: "user" as const, body: { role: "user", content: "hello there" }, attachments: [] };
  const { version } = await store.append("a", { messages: [message], turns: 1 });
  await store.changes("a", version);
  await store.open("a");
  await store.search("a", "hello", 5);
  printTable(["statement", "partitions in its plan", "of tables"], plans);
}

async function note(
  pool: Pool,
  { text, values }: { text: string; values?: unknown[] },
  plans: string[][],
): Promise<void> {
  if (/schema_migrations|to_regclass/.test(text)) return;
  const { rows } = await pool.query<{ "QUERY PLAN": string }>(`EXPLAIN ${text}`, values ?? []);
  const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
  const names = TABLES.map(([table]) => table).join("|");
  const touched = new Set(
    [...plan.matchAll(new RegExp(`(?:on|Update on|Insert on) ((?:${names})_\\d+)\\b`, "g"))].map(([, name]) => name),
  );
  const tables = new Set([...touched].map((name) => name?.replace(/_\d+$/, "")));
  plans.push([text.replaceAll(/\s+/g, " ").slice(0, 60), String(touched.size), String(tables.size)]);
}
