/** What tells a session from an earlier one of its id, and the length of a lease. Times do not, because clocks go back. Never edited. */

import type { Migration } from "../../sql/migrations.ts";

export const identity: Migration = {
  number: 2,
  name: "identity",
  sql: `
ALTER TABLE sessions ADD COLUMN incarnation TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN lease_ms REAL;
UPDATE sessions SET incarnation = lower(hex(randomblob(16)));

-- Whoever makes a session, an older version of the package too: SQLite takes no random default for a column that is added.
CREATE TRIGGER sessions_incarnation AFTER INSERT ON sessions WHEN new.incarnation = '' BEGIN
  UPDATE sessions SET incarnation = lower(hex(randomblob(16))) WHERE id = new.id;
END;
`,
};
