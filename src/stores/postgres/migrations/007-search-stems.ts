/** Words lose their endings and days are indexed since, so every index is made anew, by the next search. Never edited: changes are new migrations. */

import type { Migration } from "../../sql/migrations.ts";

export const searchStems: Migration = {
  number: 7,
  name: "search-stems",
  sql: `
TRUNCATE message_search;
UPDATE sessions SET indexed_sequence = 0 WHERE indexed_sequence > 0;
`,
};
