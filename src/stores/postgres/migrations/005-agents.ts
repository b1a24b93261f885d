/** Agent and session id together are unique; views split the stored key into both. Never edited: changes are new migrations. */

import type { Migration } from "../../sql/migrations.ts";

export const agents: Migration = {
  number: 5,
  name: "agents",
  sql: String.raw`
ALTER TABLE sessions ADD COLUMN session_id text COLLATE "C" GENERATED ALWAYS AS (
  CASE WHEN agent_id <> '' AND length(id) > length(agent_id) + 1 AND right(id, length(agent_id) + 1) = chr(31) || agent_id
    THEN left(id, length(id) - length(agent_id) - 1) ELSE id END) STORED;
-- An agent's id may be longer than an index takes.
CREATE UNIQUE INDEX sessions_by_agent ON sessions (session_id, md5(agent_id));

DROP VIEW message_archive;
CREATE VIEW message_archive AS
  SELECT 'm' || m.sequence AS id, s.session_id, m.archived_by AS compaction_event_id,
    -- Escapes that a JSON operator of Postgres refuses stand as U+FFFD; the stored body keeps them.
    CASE WHEN strpos(m.body::text, '\u') = 0 THEN m.body
      ELSE regexp_replace(m.body::text, '(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})', '\1\\ufffd', 'g')::json
    END AS original_message,
    e.created_at AS archived_at, s.agent_id
  FROM sessions s
  JOIN compaction_events e ON e.session_id = s.id
  JOIN messages m ON m.session_id = e.session_id AND m.archived_by = e.id
  WHERE m.archived_by IS NOT NULL AND m.made_by IS DISTINCT FROM m.archived_by;
CREATE OR REPLACE FUNCTION purge_archived_message() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $body$
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
$body$;
CREATE TRIGGER message_archive_delete INSTEAD OF DELETE ON message_archive
  FOR EACH ROW EXECUTE FUNCTION purge_archived_message();

DROP VIEW conversation_state;
CREATE VIEW conversation_state AS
  SELECT s.agent_id, s.session_id, newest.summary_content AS summary, s.turn_count, s.compaction_count,
    s.updated_at::timestamptz AS updated_at
  FROM sessions s LEFT JOIN LATERAL (
    SELECT e.summary_content FROM compaction_events e
    WHERE e.session_id = s.id AND e.undone_at IS NULL AND e.summary_content IS NOT NULL
    ORDER BY e.number DESC LIMIT 1
  ) AS newest ON true;
`,
};
