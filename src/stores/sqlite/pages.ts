/** Long lists a page at a time, so that no transaction stays open while somebody looks at what was read. */

import type { Access } from "./access.ts";
import type { Database } from "./database.ts";

const PAGE_ROWS = 500;

/** `load` gets the last item of the page before, undefined for the first; a page shorter than it asked for is the last. */
export async function* pages<T>(
  access: Access,
  load: (database: Database, after: T | undefined, limit: number) => readonly T[],
): AsyncGenerator<T, void, undefined> {
  let after: T | undefined;
  while (true) {
    const page = await access.read((database) => load(database, after, PAGE_ROWS));
    yield* page;
    if (page.length < PAGE_ROWS) return;
    after = page.at(-1);
  }
}
