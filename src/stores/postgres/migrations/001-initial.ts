/**
 * The first schema. A message row is written once and its body never changed; what a compaction does to it are marks. Every key
 * begins with the session's id, so that the tables can be spread over servers by it. Never edited: changes are new migrations.
 *
 * Bodies are `json`, not `jsonb`, because the order of keys, `\u0000` and half surrogate pairs must come back as they were.
 */

import type { Migration } from "../../sql/migrations.ts";

export const initial: Migration = {
  number: 1,
  name: "initial",
  sql: String.raw`
CREATE TABLE sessions (
  id text COLLATE "C" PRIMARY KEY,
  format text NOT NULL,
  agent_id text NOT NULL DEFAULT '',
  parent_id text COLLATE "C",
  metadata json NOT NULL,
  base json NOT NULL,
  head_event_id text COLLATE "C",
  last_sequence bigint NOT NULL DEFAULT 0,
  revision bigint NOT NULL DEFAULT 0,
  weak_passes integer NOT NULL DEFAULT 0,
  pass_tokens_after bigint NOT NULL DEFAULT 0,
  total_tokens bigint NOT NULL DEFAULT 0,
  is_total_stale boolean NOT NULL DEFAULT true,
  input_tokens bigint NOT NULL DEFAULT 0,
  output_tokens bigint NOT NULL DEFAULT 0,
  context_tokens bigint NOT NULL DEFAULT 0,
  compaction_count integer NOT NULL DEFAULT 0,
  memory_flush_compaction_count integer,
  turn_count integer NOT NULL DEFAULT 0,
  message_count bigint NOT NULL DEFAULT 0,
  lease_holder text,
  lease_token bigint NOT NULL DEFAULT 0,
  lease_expires_at timestamptz(3),
  indexed_sequence bigint NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  updated_at timestamptz(3) NOT NULL DEFAULT clock_timestamp()
) WITH (fillfactor = 50);

CREATE TABLE compaction_events (
  id text COLLATE "C" NOT NULL,
  session_id text COLLATE "C" NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  number integer NOT NULL,
  previous_id text COLLATE "C",
  strategy text NOT NULL,
  profile text NOT NULL,
  trigger_reason text NOT NULL,
  original_tokens double precision NOT NULL,
  compacted_tokens double precision NOT NULL,
  messages_removed integer NOT NULL,
  is_compaction boolean NOT NULL,
  summary_content text,
  preserved_message_ids json NOT NULL,
  model_used text,
  prompt_version text,
  calls integer NOT NULL,
  cost_usd double precision,
  whole_ratio double precision NOT NULL,
  zone_ratio double precision,
  duration_ms double precision NOT NULL,
  first_kept_id text,
  instructions text,
  plan json NOT NULL,
  details json NOT NULL,
  system_edit json,
  created_at timestamptz(3) NOT NULL,
  undone_at timestamptz(3),
  purged_at timestamptz(3),
  PRIMARY KEY (session_id, id),
  UNIQUE (session_id, number)
);
-- For those who name an event by its id alone, as the sources' queries do.
CREATE INDEX compaction_events_id ON compaction_events (id);

CREATE TABLE messages (
  session_id text COLLATE "C" NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  sequence bigint NOT NULL,
  order_key double precision NOT NULL,
  role text NOT NULL CHECK (role IN ('system', 'user', 'assistant', 'tool')),
  is_preserved boolean NOT NULL DEFAULT false,
  is_summary boolean NOT NULL DEFAULT false,
  made_by text COLLATE "C",
  archived_by text COLLATE "C",
  edited_by text COLLATE "C",
  created_at timestamptz(3) NOT NULL,
  attachments json,
  body json NOT NULL,
  PRIMARY KEY (session_id, sequence),
  FOREIGN KEY (session_id, archived_by) REFERENCES compaction_events (session_id, id) ON DELETE CASCADE
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
CREATE INDEX messages_view ON messages (session_id, order_key) WHERE archived_by IS NULL;
CREATE INDEX messages_archive ON messages (session_id, archived_by, order_key) WHERE archived_by IS NOT NULL;
CREATE INDEX messages_with_attachments ON messages (session_id) WHERE attachments IS NOT NULL;
CREATE INDEX messages_made ON messages (session_id, made_by) WHERE made_by IS NOT NULL;

-- The view of a session. After a large compaction its index is full of entries of archived rows until vacuum has been there; an
-- index scan marks them and skips them from then on, a bitmap scan looks at every one of those rows again each time.
CREATE FUNCTION session_view(wanted text) RETURNS SETOF messages LANGUAGE sql STABLE ROWS 200
SET enable_bitmapscan = off SET enable_seqscan = off SET work_mem = '64MB' SET search_path FROM CURRENT AS $body$
  SELECT * FROM messages WHERE session_id = wanted AND archived_by IS NULL ORDER BY order_key
$body$;

CREATE TABLE message_edits (
  session_id text COLLATE "C" NOT NULL,
  sequence bigint NOT NULL,
  event_id text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  attachments json,
  body json NOT NULL,
  PRIMARY KEY (session_id, sequence, event_id),
  FOREIGN KEY (session_id, event_id) REFERENCES compaction_events (session_id, id) ON DELETE CASCADE,
  FOREIGN KEY (session_id, sequence) REFERENCES messages (session_id, sequence) ON DELETE CASCADE
);
CREATE INDEX message_edits_event ON message_edits (session_id, event_id);

CREATE TABLE attachments (
  session_id text COLLATE "C" NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  hash text COLLATE "C" NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (session_id, hash)
);
-- What is attached is compressed already.
ALTER TABLE attachments ALTER COLUMN bytes SET STORAGE EXTERNAL;

-- A message with very many words has several rows, because a tsvector is bounded. The session is one of the words.
CREATE TABLE message_search (
  session_id text COLLATE "C" NOT NULL,
  sequence bigint NOT NULL,
  part integer NOT NULL,
  words tsvector NOT NULL,
  PRIMARY KEY (session_id, sequence, part),
  FOREIGN KEY (session_id, sequence) REFERENCES messages (session_id, sequence) ON DELETE CASCADE
);
CREATE INDEX message_search_words ON message_search USING gin (words);

-- Text cannot hold NUL or half a surrogate pair, so JSON operators refuse a body with either; here they read as U+FFFD.
CREATE VIEW message_archive AS
SELECT 'm' || m.sequence AS id, m.session_id, m.archived_by AS compaction_event_id,
  CASE WHEN strpos(m.body::text, '\u') = 0 THEN m.body
    ELSE regexp_replace(m.body::text, '(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})', '\1\\ufffd', 'g')::json
  END AS original_message,
  e.created_at AS archived_at
FROM messages m JOIN compaction_events e ON e.session_id = m.session_id AND e.id = m.archived_by
WHERE m.archived_by IS NOT NULL AND m.made_by IS DISTINCT FROM m.archived_by;

CREATE VIEW conversation_state AS
SELECT s.agent_id, s.id AS session_id, newest.summary_content AS summary, s.turn_count, s.compaction_count,
  s.updated_at::timestamptz AS updated_at
FROM sessions s LEFT JOIN LATERAL (SELECT e.summary_content FROM compaction_events e
  WHERE e.session_id = s.id AND e.undone_at IS NULL AND e.summary_content IS NOT NULL
  ORDER BY e.number DESC LIMIT 1) newest ON true;

-- Deleting a row of the archive purges that message; its event can no longer be undone.
CREATE FUNCTION purge_archived_message() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $body$
BEGIN
  DELETE FROM messages WHERE session_id = OLD.session_id AND sequence = substr(OLD.id, 2)::bigint
    AND archived_by = OLD.compaction_event_id;
  IF NOT FOUND THEN RETURN NULL; END IF;
  UPDATE compaction_events SET purged_at = clock_timestamp()
    WHERE session_id = OLD.session_id AND id = OLD.compaction_event_id AND purged_at IS NULL;
  IF FOUND THEN UPDATE sessions SET revision = revision + 1 WHERE id = OLD.session_id; END IF;
  RETURN OLD;
END
$body$;
CREATE TRIGGER message_archive_delete INSTEAD OF DELETE ON message_archive
  FOR EACH ROW EXECUTE FUNCTION purge_archived_message();

-- Deleting an event takes its archive with it, by cascade; the session goes on from the newest one that is left.
CREATE FUNCTION forget_deleted_event() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $body$
BEGIN
  UPDATE sessions SET revision = revision + 1,
    compaction_count = compaction_count - CASE WHEN OLD.is_compaction AND OLD.undone_at IS NULL THEN 1 ELSE 0 END,
    head_event_id = (SELECT e.id FROM compaction_events e
      WHERE e.session_id = OLD.session_id AND e.undone_at IS NULL ORDER BY e.number DESC LIMIT 1)
    WHERE id = OLD.session_id;
  RETURN NULL;
END
$body$;
CREATE FUNCTION forget_deleted_edit() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $body$
BEGIN
  UPDATE messages SET edited_by = (SELECT d.event_id FROM message_edits d
      JOIN compaction_events e ON e.session_id = d.session_id AND e.id = d.event_id
      WHERE d.session_id = OLD.session_id AND d.sequence = OLD.sequence AND e.undone_at IS NULL
      ORDER BY e.number DESC LIMIT 1)
    WHERE session_id = OLD.session_id AND sequence = OLD.sequence AND edited_by = OLD.event_id;
  RETURN NULL;
END
$body$;
CREATE TRIGGER message_edits_delete AFTER DELETE ON message_edits
  FOR EACH ROW EXECUTE FUNCTION forget_deleted_edit();
CREATE TRIGGER compaction_events_delete AFTER DELETE ON compaction_events
  FOR EACH ROW EXECUTE FUNCTION forget_deleted_event();
`,
};
