/** Agent and session id together are unique; views split the stored key into both. Never edited: changes are new migrations. */

import type { Migration } from "../../sql/migrations.ts";

export const agents: Migration = {
  number: 4,
  name: "agents",
  sql: `
ALTER TABLE sessions ADD COLUMN session_id TEXT GENERATED ALWAYS AS (
  CASE WHEN agent_id <> '' AND length(id) > length(agent_id) + 1 AND substr(id, -length(agent_id) - 1) = char(31) || agent_id
    THEN substr(id, 1, length(id) - length(agent_id) - 1) ELSE id END) VIRTUAL;
CREATE UNIQUE INDEX sessions_by_agent ON sessions (session_id, agent_id);

DROP VIEW message_archive;
CREATE VIEW message_archive AS
SELECT 'm' || m.sequence AS id, s.session_id, m.archived_by AS compaction_event_id, m.body AS original_message,
  e.created_at AS archived_at, s.agent_id
FROM sessions s JOIN compaction_events e ON e.session_id = s.id JOIN messages m ON m.archived_by = e.id
WHERE m.archived_by IS NOT m.made_by;

DROP VIEW conversation_state;
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
`,
};
