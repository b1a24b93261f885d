/** What a search asks for, checked and the same in every store. Pure; what is no search is refused before a store is asked. */

import { CompactionError } from "../errors.ts";
import type { SearchScope } from "../store/store.ts";
import { SPACELESS_CHARACTER, searchWords } from "./search-words.ts";

export interface SearchRequest {
  readonly query: string;
  readonly limit: number;
  readonly scope: SearchScope;
}

/** Callers are not all checked by a compiler. */
export function searchRequest(query: unknown, limit: number, scope: unknown = "all"): SearchRequest {
  if (typeof query !== "string") throw refused(`The query of a search must be a string, not ${typeof query}.`);
  if (scope !== "all" && scope !== "archive") throw refused('The scope of a search must be "all" or "archive".');
  return { query, limit, scope };
}

/** Each word once; of very long queries the first. */
export function queryWords(query: string): readonly string[] {
  return [...new Set(searchWords(query))].slice(0, QUERY_WORDS_MAX);
}

/** The words of which a message must hold one: a single letter or digit finds nothing where the query has more to say. */
export function tellingWords(query: string): readonly string[] {
  const words = queryWords(query);
  const telling = words.filter((word) => word.length > 1 || SPACELESS_CHARACTER.test(word));
  return telling.length > 0 ? telling : words;
}

const QUERY_WORDS_MAX = 32;

function refused(message: string): CompactionError {
  return new CompactionError("invalid-settings", message);
}
