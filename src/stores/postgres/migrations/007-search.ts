/** Words lose their endings and days are indexed, so every index is made anew. Messages can have vectors. Never edited. */

import type { Migration } from "../../sql/migrations.ts";

export const search: Migration = {
  number: 7,
  name: "search",
  sql: `
TRUNCATE message_search;
UPDATE sessions SET indexed_sequence = 0 WHERE indexed_sequence > 0;

-- As base64, so that every client of a database gives it alike.
CREATE TABLE message_vectors (
  session_id text COLLATE "C" NOT NULL,
  sequence bigint NOT NULL,
  vector text NOT NULL,
  PRIMARY KEY (session_id, sequence),
  FOREIGN KEY (session_id, sequence) REFERENCES messages (session_id, sequence) ON DELETE CASCADE
);
`,
};
