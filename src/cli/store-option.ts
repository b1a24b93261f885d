/**
 * `--store URL`: where sessions are. Only `import` may make a store; every other command refuses one that is not there, so that
 * looking leaves no trace. No password of an address is ever repeated.
 */

import { accessSync, constants, existsSync } from "node:fs";
import { dirname } from "node:path";
import { CompactionError } from "../core/errors.ts";
import type { Store } from "../core/store/store.ts";
import { openStore } from "../stores.ts";
import { type OptionSpec, usage } from "./arguments.ts";

export const DEFAULT_STORE = "sqlite:./.palimpsest/sessions.db";

export const STORE_OPTION: OptionSpec = { type: "string", value: "URL", about: "where the sessions are (below)" };

export const AGENT_OPTION: OptionSpec = {
  type: "string",
  value: "A",
  about: "whose session ID is, where agents share it",
};

export const STORE_NOTE = `Stores: sqlite:FILE, jsonl:DIR, postgres://HOST/DATABASE
  (default ${DEFAULT_STORE})
`;

/** Whether a store that is not there is made, or is only looked at: then it may be where nothing can be written. */
export type StoreUse = "existing" | "any" | "reading";

export async function openStoreAt(url: string, use: StoreUse): Promise<Store> {
  const place = placeOf(url);
  if (use === "any" && /^(?:memory:|sqlite::memory:$)/.test(url)) {
    throw usage(
      "--store memory: ends with the command, and what was imported with it; name a file, a folder or a server",
    );
  }
  if (use !== "any" && place !== undefined && !existsSync(place)) {
    throw new CompactionError("storage", `there is no store at ${place}; palimpsest import FILE makes one`);
  }
  // Not repeated: a mistyped address may hold a password.
  if (/^postgres(?:ql)?:/.test(url) && !URL.canParse(url)) throw usage("--store is no address that can be read");
  return openStore(url, {
    readOnly: use === "reading" && place !== undefined && !isWritable(place),
    schemaUse: SCHEMA_USE[use],
  });
}

const SCHEMA_USE = { any: "make", existing: "update", reading: "keep" } as const;

function isWritable(place: string): boolean {
  try {
    for (const path of [place, dirname(place)]) accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false; // to be read all the same
  }
}

/** The file or folder of an embedded store; undefined for a server, or for memory. */
export function placeOf(url: string): string | undefined {
  const path = /^(?:sqlite|jsonl):(.+)$/s.exec(url)?.[1]?.replace(/^\/\/(?=\/)/, "");
  return path === ":memory:" ? undefined : path;
}
