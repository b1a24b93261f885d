/** Words lose their endings and days are indexed, so every index is made anew. Messages can have vectors. Never edited. */

import type { Migration } from "../../sql/migrations.ts";

export const search: Migration = {
  number: 6,
  name: "search",
  sql: `
INSERT INTO message_search (message_search) VALUES ('delete-all');
UPDATE sessions SET indexed_sequence = 0 WHERE indexed_sequence > 0;

-- As base64, so that every client of a database gives it alike.
CREATE TABLE message_vectors (
  session_id TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  vector TEXT NOT NULL,
  UNIQUE (session_id, sequence),
  FOREIGN KEY (session_id, sequence) REFERENCES messages (session_id, sequence) ON DELETE CASCADE
) STRICT;
-- By hand, because many a tool opens the file without enforcing references.
CREATE TRIGGER messages_deleted_vectors AFTER DELETE ON messages BEGIN
  DELETE FROM message_vectors WHERE session_id = old.session_id AND sequence = old.sequence;
END;
`,
};
