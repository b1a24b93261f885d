/** What passes through an exchange: which session a list of messages continues, and what each request cost. Never edited: changes are new migrations. */

import type { Migration } from "../../sql/migrations.ts";

export const traffic: Migration = {
  number: 5,
  name: "traffic",
  sql: `
CREATE TABLE known_prefixes (
  hash TEXT PRIMARY KEY NOT NULL,
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  sequence INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX known_prefixes_by_session ON known_prefixes (session_id);

CREATE TABLE requests (
  number INTEGER PRIMARY KEY NOT NULL,
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  requested_at TEXT NOT NULL,
  model TEXT NOT NULL,
  status INTEGER NOT NULL,
  input_tokens INTEGER,
  cache_read_tokens INTEGER,
  cache_write_tokens INTEGER,
  output_tokens INTEGER,
  view_tokens REAL NOT NULL,
  full_tokens REAL NOT NULL,
  window_tokens REAL NOT NULL,
  trigger_tokens REAL,
  event_id TEXT,
  first_byte_ms REAL,
  duration_ms REAL NOT NULL
) STRICT;
CREATE INDEX requests_by_session ON requests (session_id, number);
`,
};
