/** Words are made otherwise since (accents, pictographs), so every index is made anew, by the next search. Never edited: changes are new migrations. */

import type { Migration } from "../../sql/migrations.ts";

export const searchWords: Migration = {
  number: 3,
  name: "search-words",
  sql: `
INSERT INTO message_search (message_search) VALUES ('delete-all');
UPDATE sessions SET indexed_sequence = 0 WHERE indexed_sequence > 0;
`,
};
