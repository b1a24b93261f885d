CREATE TABLE attachments (
  session_id text COLLATE "C" NOT NULL,
  hash text COLLATE "C" NOT NULL,
  bytes bytea STORAGE EXTERNAL NOT NULL,
  CONSTRAINT attachments_pkey PRIMARY KEY (session_id, hash),
  CONSTRAINT attachments_session_id_fkey FOREIGN KEY (session_id) REFERENCES sessions(id) ON DELETE CASCADE
);

CREATE TABLE compaction_events (
  id text COLLATE "C" NOT NULL,
  session_id text COLLATE "C" NOT NULL,
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
  created_at timestamp(3) with time zone NOT NULL,
  undone_at timestamp(3) with time zone,
  purged_at timestamp(3) with time zone,
  CONSTRAINT compaction_events_pkey PRIMARY KEY (session_id, id),
  CONSTRAINT compaction_events_session_id_fkey FOREIGN KEY (session_id) REFERENCES sessions(id) ON DELETE CASCADE,
  CONSTRAINT compaction_events_session_id_number_key UNIQUE (session_id, number)
);

CREATE TABLE known_prefixes (
  hash text COLLATE "C" NOT NULL,
  session_id text COLLATE "C" NOT NULL,
  sequence bigint NOT NULL,
  CONSTRAINT known_prefixes_pkey PRIMARY KEY (hash),
  CONSTRAINT known_prefixes_session_id_fkey FOREIGN KEY (session_id) REFERENCES sessions(id) ON DELETE CASCADE
);

CREATE TABLE message_edits (
  session_id text COLLATE "C" NOT NULL,
  sequence bigint NOT NULL,
  event_id text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  attachments json,
  body json NOT NULL,
  CONSTRAINT message_edits_pkey PRIMARY KEY (session_id, sequence, event_id),
  CONSTRAINT message_edits_session_id_event_id_fkey FOREIGN KEY (session_id, event_id) REFERENCES compaction_events(session_id, id) ON DELETE CASCADE,
  CONSTRAINT message_edits_session_id_sequence_fkey FOREIGN KEY (session_id, sequence) REFERENCES messages(session_id, sequence) ON DELETE CASCADE
);

CREATE TABLE message_search (
  session_id text COLLATE "C" NOT NULL,
  sequence bigint NOT NULL,
  part integer NOT NULL,
  words tsvector NOT NULL,
  CONSTRAINT message_search_pkey PRIMARY KEY (session_id, sequence, part),
  CONSTRAINT message_search_session_id_sequence_fkey FOREIGN KEY (session_id, sequence) REFERENCES messages(session_id, sequence) ON DELETE CASCADE
);

CREATE TABLE message_vectors (
  session_id text COLLATE "C" NOT NULL,
  sequence bigint NOT NULL,
  vector text NOT NULL,
  CONSTRAINT message_vectors_pkey PRIMARY KEY (session_id, sequence),
  CONSTRAINT message_vectors_session_id_sequence_fkey FOREIGN KEY (session_id, sequence) REFERENCES messages(session_id, sequence) ON DELETE CASCADE
);

CREATE TABLE messages (
  session_id text COLLATE "C" NOT NULL,
  sequence bigint NOT NULL,
  order_key double precision NOT NULL,
  role text NOT NULL,
  is_preserved boolean NOT NULL DEFAULT false,
  is_summary boolean NOT NULL DEFAULT false,
  made_by text COLLATE "C",
  archived_by text COLLATE "C",
  edited_by text COLLATE "C",
  created_at timestamp(3) with time zone NOT NULL,
  attachments json,
  body json NOT NULL,
  CONSTRAINT messages_pkey PRIMARY KEY (session_id, sequence),
  CONSTRAINT messages_role_check CHECK ((role = ANY (ARRAY['system'::text, 'user'::text, 'assistant'::text, 'tool'::text]))),
  CONSTRAINT messages_session_id_archived_by_fkey FOREIGN KEY (session_id, archived_by) REFERENCES compaction_events(session_id, id) ON DELETE CASCADE,
  CONSTRAINT messages_session_id_fkey FOREIGN KEY (session_id) REFERENCES sessions(id) ON DELETE CASCADE
) WITH (autovacuum_vacuum_scale_factor=0.02, autovacuum_analyze_scale_factor=0.02);

CREATE TABLE requests (
  number bigint NOT NULL,
  session_id text COLLATE "C" NOT NULL,
  requested_at timestamp(3) with time zone NOT NULL,
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
  duration_ms double precision NOT NULL,
  CONSTRAINT requests_pkey PRIMARY KEY (number),
  CONSTRAINT requests_session_id_fkey FOREIGN KEY (session_id) REFERENCES sessions(id) ON DELETE CASCADE
);

CREATE TABLE schema_migrations (
  number integer NOT NULL,
  name text NOT NULL,
  applied_at timestamp(3) with time zone NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT schema_migrations_pkey PRIMARY KEY (number)
);

CREATE TABLE sessions (
  id text COLLATE "C" NOT NULL,
  format text NOT NULL,
  agent_id text NOT NULL DEFAULT ''::text,
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
  lease_expires_at timestamp(3) with time zone,
  indexed_sequence bigint NOT NULL DEFAULT 0,
  created_at timestamp(3) with time zone NOT NULL DEFAULT clock_timestamp(),
  updated_at timestamp(3) with time zone NOT NULL DEFAULT clock_timestamp(),
  incarnation text COLLATE "C" NOT NULL DEFAULT (gen_random_uuid())::text,
  lease_ms double precision,
  session_id text COLLATE "C" DEFAULT 
CASE
    WHEN ((agent_id <> ''::text) AND (length(id) > (length(agent_id) + 1)) AND ("right"(id, (length(agent_id) + 1)) = (chr(31) || agent_id))) THEN "left"(id, ((length(id) - length(agent_id)) - 1))
    ELSE id
END,
  CONSTRAINT sessions_pkey PRIMARY KEY (id)
) WITH (fillfactor=50);

CREATE INDEX compaction_events_id ON compaction_events USING btree (id);

CREATE INDEX known_prefixes_by_session ON known_prefixes USING btree (session_id);

CREATE INDEX message_edits_event ON message_edits USING btree (session_id, event_id);

CREATE INDEX message_search_words ON message_search USING gin (words);

CREATE INDEX messages_archive ON messages USING btree (session_id, archived_by, order_key) WHERE (archived_by IS NOT NULL);

CREATE INDEX messages_made ON messages USING btree (session_id, made_by) WHERE (made_by IS NOT NULL);

CREATE INDEX messages_view ON messages USING btree (session_id, order_key) WHERE (archived_by IS NULL);

CREATE INDEX messages_with_attachments ON messages USING btree (session_id) WHERE (attachments IS NOT NULL);

CREATE INDEX requests_by_session ON requests USING btree (session_id, number);

CREATE UNIQUE INDEX sessions_by_agent ON sessions USING btree (session_id, md5(agent_id));

CREATE VIEW conversation_state AS
 SELECT s.agent_id,
    s.session_id,
    newest.summary_content AS summary,
    s.turn_count,
    s.compaction_count,
    s.updated_at::timestamp with time zone AS updated_at
   FROM sessions s
     LEFT JOIN LATERAL ( SELECT e.summary_content
           FROM compaction_events e
          WHERE e.session_id = s.id AND e.undone_at IS NULL AND e.summary_content IS NOT NULL
          ORDER BY e.number DESC
         LIMIT 1) newest ON true;

CREATE VIEW message_archive AS
 SELECT 'm'::text || m.sequence AS id,
    s.session_id,
    m.archived_by AS compaction_event_id,
        CASE
            WHEN strpos(m.body::text, '\u'::text) = 0 THEN m.body
            ELSE regexp_replace(m.body::text, '(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})'::text, '\1\\ufffd'::text, 'g'::text)::json
        END AS original_message,
    e.created_at AS archived_at,
    s.agent_id
   FROM sessions s
     JOIN compaction_events e ON e.session_id = s.id
     JOIN messages m ON m.session_id = e.session_id AND m.archived_by = e.id
  WHERE m.archived_by IS NOT NULL AND m.made_by IS DISTINCT FROM m.archived_by;

CREATE OR REPLACE FUNCTION attachment_hashes(json)
 RETURNS SETOF text
 LANGUAGE sql
 IMMUTABLE STRICT ROWS 2
AS $function$
  SELECT found[1] FROM regexp_matches($1::text, '"hash"[[:space:]]*:[[:space:]]*"([0-9a-f]{64})"', 'g') AS found
$function$;

CREATE OR REPLACE FUNCTION forget_attachments()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO SCHEMA
AS $function$
BEGIN
  IF NOT EXISTS (SELECT FROM gone WHERE attachments IS NOT NULL) THEN RETURN NULL; END IF;
  -- Appends wait here, and then find that the bytes are gone and write them again. A session that goes takes its own along by itself.
  PERFORM FROM sessions WHERE id IN (SELECT session_id FROM gone WHERE attachments IS NOT NULL) ORDER BY id FOR UPDATE;
  DELETE FROM attachments a USING (
      SELECT DISTINCT g.session_id, hash FROM gone g JOIN sessions s ON s.id = g.session_id, attachment_hashes(g.attachments) AS hash
    ) AS unneeded
    WHERE a.session_id = unneeded.session_id AND a.hash = unneeded.hash
    AND NOT EXISTS (SELECT FROM messages m
      WHERE m.session_id = a.session_id AND m.attachments IS NOT NULL AND strpos(m.attachments::text, a.hash) > 0)
    AND NOT EXISTS (SELECT FROM message_edits d
      WHERE d.session_id = a.session_id AND d.attachments IS NOT NULL AND strpos(d.attachments::text, a.hash) > 0);
  RETURN NULL;
END
$function$;

CREATE OR REPLACE FUNCTION forget_deleted_edit()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO SCHEMA
AS $function$
BEGIN
  UPDATE messages SET edited_by = (SELECT d.event_id FROM message_edits d
      JOIN compaction_events e ON e.session_id = d.session_id AND e.id = d.event_id
      WHERE d.session_id = OLD.session_id AND d.sequence = OLD.sequence AND e.undone_at IS NULL
      ORDER BY e.number DESC LIMIT 1)
    WHERE session_id = OLD.session_id AND sequence = OLD.sequence AND edited_by = OLD.event_id;
  RETURN NULL;
END
$function$;

CREATE OR REPLACE FUNCTION forget_deleted_event()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO SCHEMA
AS $function$
BEGIN
  UPDATE sessions SET revision = revision + 1,
    compaction_count = compaction_count - CASE WHEN OLD.is_compaction AND OLD.undone_at IS NULL THEN 1 ELSE 0 END,
    head_event_id = (SELECT e.id FROM compaction_events e
      WHERE e.session_id = OLD.session_id AND e.undone_at IS NULL ORDER BY e.number DESC LIMIT 1)
    WHERE id = OLD.session_id;
  RETURN NULL;
END
$function$;

CREATE OR REPLACE FUNCTION purge_archived_message()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO SCHEMA
AS $function$
DECLARE
  stored_as text;
BEGIN
  SELECT s.id INTO stored_as FROM sessions s WHERE s.session_id = OLD.session_id AND s.agent_id = OLD.agent_id;
  DELETE FROM messages WHERE session_id = stored_as AND sequence = substr(OLD.id, 2)::bigint
    AND archived_by = OLD.compaction_event_id;
  IF NOT FOUND THEN RETURN NULL; END IF;
  UPDATE compaction_events SET purged_at = clock_timestamp()
    WHERE session_id = stored_as AND id = OLD.compaction_event_id AND purged_at IS NULL;
  IF FOUND THEN UPDATE sessions SET revision = revision + 1 WHERE id = stored_as; END IF;
  RETURN OLD;
END
$function$;

CREATE OR REPLACE FUNCTION session_view(wanted text)
 RETURNS SETOF messages
 LANGUAGE sql
 STABLE ROWS 200
 SET enable_bitmapscan TO 'off'
 SET enable_seqscan TO 'off'
 SET work_mem TO '64MB'
 SET search_path TO SCHEMA
AS $function$
  SELECT * FROM messages WHERE session_id = wanted AND archived_by IS NULL ORDER BY order_key
$function$;

CREATE TRIGGER compaction_events_delete AFTER DELETE ON compaction_events FOR EACH ROW EXECUTE FUNCTION forget_deleted_event();

CREATE TRIGGER message_archive_delete INSTEAD OF DELETE ON message_archive FOR EACH ROW EXECUTE FUNCTION purge_archived_message();

CREATE TRIGGER message_edits_delete AFTER DELETE ON message_edits FOR EACH ROW EXECUTE FUNCTION forget_deleted_edit();

CREATE TRIGGER message_edits_delete_attachments AFTER DELETE ON message_edits REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION forget_attachments();

CREATE TRIGGER messages_delete_attachments AFTER DELETE ON messages REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION forget_attachments();
