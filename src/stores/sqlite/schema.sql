CREATE TABLE schema_migrations (number INTEGER PRIMARY KEY NOT NULL, name TEXT NOT NULL, applied_at TEXT NOT NULL) STRICT;

CREATE TABLE sessions (
  id TEXT PRIMARY KEY NOT NULL,
  format TEXT NOT NULL,
  agent_id TEXT NOT NULL DEFAULT '',
  parent_id TEXT,
  head_event_id TEXT,
  last_sequence INTEGER NOT NULL DEFAULT 0,
  revision INTEGER NOT NULL DEFAULT 0,
  weak_passes INTEGER NOT NULL DEFAULT 0,
  pass_tokens_after INTEGER NOT NULL DEFAULT 0,
  total_tokens INTEGER NOT NULL DEFAULT 0,
  is_total_stale INTEGER NOT NULL DEFAULT 1 CHECK (is_total_stale IN (0, 1)),
  input_tokens INTEGER NOT NULL DEFAULT 0,
  output_tokens INTEGER NOT NULL DEFAULT 0,
  context_tokens INTEGER NOT NULL DEFAULT 0,
  compaction_count INTEGER NOT NULL DEFAULT 0,
  memory_flush_compaction_count INTEGER,
  turn_count INTEGER NOT NULL DEFAULT 0,
  message_count INTEGER NOT NULL DEFAULT 0,
  lease_holder TEXT,
  lease_token INTEGER NOT NULL DEFAULT 0,
  lease_expires_at TEXT,
  indexed_sequence INTEGER NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  metadata TEXT NOT NULL DEFAULT '{}',
  base TEXT NOT NULL DEFAULT '{}'
, incarnation TEXT NOT NULL DEFAULT '', lease_ms REAL, session_id TEXT GENERATED ALWAYS AS (
  CASE WHEN agent_id <> '' AND length(id) > length(agent_id) + 1 AND substr(id, -length(agent_id) - 1) = char(31) || agent_id
    THEN substr(id, 1, length(id) - length(agent_id) - 1) ELSE id END) VIRTUAL) STRICT;

CREATE TABLE compaction_events (
  id TEXT PRIMARY KEY NOT NULL,
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  previous_id TEXT,
  strategy TEXT NOT NULL,
  profile TEXT NOT NULL,
  trigger_reason TEXT NOT NULL,
  original_tokens INTEGER NOT NULL,
  compacted_tokens INTEGER NOT NULL,
  messages_removed INTEGER NOT NULL,
  is_compaction INTEGER NOT NULL CHECK (is_compaction IN (0, 1)),
  summary_content TEXT,
  preserved_message_ids TEXT NOT NULL,
  model_used TEXT,
  prompt_version TEXT,
  calls INTEGER NOT NULL,
  cost_usd REAL,
  whole_ratio REAL NOT NULL,
  zone_ratio REAL,
  duration_ms REAL NOT NULL,
  first_kept_id TEXT,
  instructions TEXT,
  plan TEXT NOT NULL,
  details TEXT NOT NULL,
  system_edit TEXT,
  created_at TEXT NOT NULL,
  undone_at TEXT,
  purged_at TEXT,
  UNIQUE (session_id, number)
) STRICT;

CREATE TABLE messages (
  row_id INTEGER PRIMARY KEY,
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  sequence INTEGER NOT NULL,
  order_key REAL NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('system', 'user', 'assistant', 'tool')),
  is_preserved INTEGER NOT NULL DEFAULT 0 CHECK (is_preserved IN (0, 1)),
  is_summary INTEGER NOT NULL DEFAULT 0 CHECK (is_summary IN (0, 1)),
  made_by TEXT,
  archived_by TEXT REFERENCES compaction_events (id) ON DELETE CASCADE,
  edited_by TEXT,
  created_at TEXT NOT NULL,
  attachments TEXT,
  body TEXT NOT NULL,
  UNIQUE (session_id, sequence)
) STRICT;

CREATE INDEX messages_in_view ON messages (session_id, order_key) WHERE archived_by IS NULL;

CREATE INDEX messages_in_archive ON messages (archived_by, order_key, sequence) WHERE archived_by IS NOT NULL;

CREATE INDEX messages_inserted ON messages (session_id, made_by) WHERE made_by IS NOT NULL;

CREATE INDEX messages_with_attachments ON messages (session_id) WHERE attachments IS NOT NULL;

CREATE TABLE message_edits (
  session_id TEXT NOT NULL,
  event_id TEXT NOT NULL REFERENCES compaction_events (id) ON DELETE CASCADE,
  sequence INTEGER NOT NULL,
  kind TEXT NOT NULL,
  attachments TEXT,
  body TEXT NOT NULL,
  UNIQUE (event_id, sequence),
  FOREIGN KEY (session_id, sequence) REFERENCES messages (session_id, sequence) ON DELETE CASCADE
) STRICT;

CREATE INDEX message_edits_by_message ON message_edits (session_id, sequence);

CREATE INDEX message_edits_with_attachments ON message_edits (session_id) WHERE attachments IS NOT NULL;

CREATE TABLE attachments (
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  hash TEXT NOT NULL,
  bytes BLOB NOT NULL,
  UNIQUE (session_id, hash)
) STRICT;

CREATE VIRTUAL TABLE message_search USING fts5 (
  session, words, content = '', contentless_delete = 1, detail = column, tokenize = 'ascii'
);

CREATE TRIGGER messages_deleted AFTER DELETE ON messages BEGIN
  DELETE FROM message_search WHERE rowid = old.row_id;
END;

CREATE TRIGGER messages_deleted_attachments AFTER DELETE ON messages
WHEN old.attachments IS NOT NULL AND EXISTS (SELECT 1 FROM sessions WHERE id = old.session_id) BEGIN
  DELETE FROM attachments WHERE session_id = old.session_id
    AND hash IN (SELECT json_extract(value, '$.hash') FROM json_each(old.attachments))
    AND hash NOT IN (SELECT json_extract(r.value, '$.hash') FROM messages m, json_each(m.attachments) r
      WHERE m.session_id = old.session_id AND m.attachments IS NOT NULL)
    AND hash NOT IN (SELECT json_extract(r.value, '$.hash') FROM message_edits d, json_each(d.attachments) r
      WHERE d.session_id = old.session_id AND d.attachments IS NOT NULL);
END;

CREATE TRIGGER message_edits_deleted AFTER DELETE ON message_edits BEGIN
  UPDATE messages SET edited_by = (
      SELECT d.event_id FROM message_edits d JOIN compaction_events e ON e.id = d.event_id
      WHERE d.session_id = old.session_id AND d.sequence = old.sequence AND e.undone_at IS NULL
      ORDER BY e.number DESC LIMIT 1)
    WHERE session_id = old.session_id AND sequence = old.sequence AND edited_by = old.event_id;
END;

CREATE TRIGGER message_edits_deleted_attachments AFTER DELETE ON message_edits
WHEN old.attachments IS NOT NULL AND EXISTS (SELECT 1 FROM sessions WHERE id = old.session_id) BEGIN
  DELETE FROM attachments WHERE session_id = old.session_id
    AND hash IN (SELECT json_extract(value, '$.hash') FROM json_each(old.attachments))
    AND hash NOT IN (SELECT json_extract(r.value, '$.hash') FROM messages m, json_each(m.attachments) r
      WHERE m.session_id = old.session_id AND m.attachments IS NOT NULL)
    AND hash NOT IN (SELECT json_extract(r.value, '$.hash') FROM message_edits d, json_each(d.attachments) r
      WHERE d.session_id = old.session_id AND d.attachments IS NOT NULL);
END;

CREATE TRIGGER compaction_events_deleted AFTER DELETE ON compaction_events BEGIN
  UPDATE sessions SET revision = revision + 1,
    compaction_count = max(0, compaction_count - (old.undone_at IS NULL AND old.is_compaction)),
    head_event_id = (SELECT id FROM compaction_events WHERE session_id = old.session_id AND undone_at IS NULL
      ORDER BY number DESC LIMIT 1)
    WHERE id = old.session_id;
END;

CREATE TRIGGER sessions_incarnation AFTER INSERT ON sessions WHEN new.incarnation = '' BEGIN
  UPDATE sessions SET incarnation = lower(hex(randomblob(16))) WHERE id = new.id;
END;

CREATE UNIQUE INDEX sessions_by_agent ON sessions (session_id, agent_id);

CREATE VIEW message_archive AS
SELECT 'm' || m.sequence AS id, s.session_id, m.archived_by AS compaction_event_id, m.body AS original_message,
  e.created_at AS archived_at, s.agent_id
FROM sessions s JOIN compaction_events e ON e.session_id = s.id JOIN messages m ON m.archived_by = e.id
WHERE m.archived_by IS NOT m.made_by;

CREATE VIEW conversation_state AS
SELECT s.agent_id, s.session_id,
  (SELECT e.summary_content FROM compaction_events e
    WHERE e.session_id = s.id AND e.undone_at IS NULL AND e.summary_content IS NOT NULL
    ORDER BY e.number DESC LIMIT 1) AS summary,
  s.turn_count, s.compaction_count, s.updated_at
FROM sessions s;

CREATE TRIGGER message_archive_delete INSTEAD OF DELETE ON message_archive BEGIN
  UPDATE compaction_events SET purged_at = coalesce(purged_at, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
    WHERE id = old.compaction_event_id;
  UPDATE sessions SET revision = revision + 1
    WHERE id = (SELECT session_id FROM compaction_events WHERE id = old.compaction_event_id);
  -- By hand, because many a tool opens the file without enforcing references.
  DELETE FROM message_edits WHERE sequence = CAST(substr(old.id, 2) AS INTEGER)
    AND session_id = (SELECT session_id FROM compaction_events WHERE id = old.compaction_event_id);
  DELETE FROM messages WHERE sequence = CAST(substr(old.id, 2) AS INTEGER)
    AND session_id = (SELECT session_id FROM compaction_events WHERE id = old.compaction_event_id);
END;

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

CREATE TABLE message_vectors (
  session_id TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  vector TEXT NOT NULL,
  UNIQUE (session_id, sequence),
  FOREIGN KEY (session_id, sequence) REFERENCES messages (session_id, sequence) ON DELETE CASCADE
) STRICT;

CREATE TRIGGER messages_deleted_vectors AFTER DELETE ON messages BEGIN
  DELETE FROM message_vectors WHERE session_id = old.session_id AND sequence = old.sequence;
END;
