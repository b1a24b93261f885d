/** What tells a session from an earlier one of its id, and the length of a lease. Times do not, because clocks go back. Never edited. */

import type { Migration } from "../../sql/migrations.ts";

export const identity: Migration = {
  number: 2,
  name: "identity",
  sql: `
ALTER TABLE sessions
  ADD COLUMN incarnation text COLLATE "C" NOT NULL DEFAULT gen_random_uuid()::text,
  ADD COLUMN lease_ms double precision;
`,
};
