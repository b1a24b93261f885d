/** Binary content goes with the last message that refers to it, however that was deleted. Never edited: changes are new migrations. */

import type { Migration } from "../../sql/migrations.ts";

export const attachments: Migration = {
  number: 3,
  name: "attachments",
  sql: String.raw`
-- As text, because JSON operators refuse a column with \u0000 anywhere in it. Quotes within strings are escaped, so this is a key.
CREATE FUNCTION attachment_hashes(json) RETURNS SETOF text LANGUAGE sql IMMUTABLE STRICT ROWS 2 AS $body$
  SELECT found[1] FROM regexp_matches($1::text, '"hash"[[:space:]]*:[[:space:]]*"([0-9a-f]{64})"', 'g') AS found
$body$;

CREATE FUNCTION forget_attachments() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $body$
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
$body$;
CREATE TRIGGER messages_delete_attachments AFTER DELETE ON messages
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION forget_attachments();
CREATE TRIGGER message_edits_delete_attachments AFTER DELETE ON message_edits
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION forget_attachments();

DELETE FROM attachments a WHERE NOT EXISTS (SELECT FROM (
    SELECT m.session_id, hash FROM messages m, attachment_hashes(m.attachments) AS hash WHERE m.attachments IS NOT NULL
    UNION SELECT d.session_id, hash FROM message_edits d, attachment_hashes(d.attachments) AS hash WHERE d.attachments IS NOT NULL
  ) AS needed WHERE needed.session_id = a.session_id AND needed.hash = a.hash);
`,
};
