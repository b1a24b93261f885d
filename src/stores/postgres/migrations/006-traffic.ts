/** What passes through an exchange: which session a list of messages continues, and what each request cost. Never edited: changes are new migrations. */

import type { Migration } from "../../sql/migrations.ts";

export const traffic: Migration = {
  number: 6,
  name: "traffic",
  sql: `
CREATE TABLE known_prefixes (
  hash text COLLATE "C" PRIMARY KEY,
  session_id text COLLATE "C" NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  sequence bigint NOT NULL
);
CREATE INDEX known_prefixes_by_session ON known_prefixes (session_id);

CREATE TABLE requests (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  session_id text COLLATE "C" NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  requested_at timestamptz(3) NOT NULL,
  model text NOT NULL,
  status integer NOT NULL,
  input_tokens bigint,
  cache_read_tokens bigint,
  cache_write_tokens bigint,
  output_tokens bigint,
  view_tokens double precision NOT NULL,
  full_tokens double precision NOT NULL,
  window_tokens double precision NOT NULL,
  trigger_tokens double precision,
  event_id text COLLATE "C",
  first_byte_ms double precision,
  duration_ms double precision NOT NULL
);
CREATE INDEX requests_by_session ON requests (session_id, number);
`,
};
