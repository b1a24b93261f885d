/**
 * What tells a session from an earlier one of its id, and how long a lease was asked for. Neither can be a time: clocks go back, and
 * two sessions may be made in one millisecond. Never edited: changes are new migrations.
 */

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
