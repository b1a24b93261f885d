/**
 * What every store must keep, as named cases for any test runner: `for (const { name, run } of storeContract("mine", open))
 * test(name, run)`. Every case gets a new, empty store, and throws when a promise is broken.
 */

import type { TrafficStore } from "../core/store/traffic.ts";
import { ABORT_CASES } from "./store/aborts.ts";
import { ARCHIVE_CASES } from "./store/archive.ts";
import { COMPACTION_CASES } from "./store/compactions.ts";
import { INPUT_CASES } from "./store/input.ts";
import { MESSAGE_CASES } from "./store/messages.ts";
import { TRAFFIC_CASES } from "./store/traffic.ts";
import type { OpenedStore } from "./store/world.ts";

export type { OpenedStore } from "./store/world.ts";

export interface StoreCase {
  readonly name: string;
  run(): Promise<void>;
}

/** `Port` is what the store has beside sessions. */
export type Cases<Port = unknown> = Readonly<Record<string, (opened: OpenedStore<Port>) => Promise<void>>>;

/** The cases that every store passes; `open` is asked for a new, empty store each time. */
export function storeContract(store: string, open: () => Promise<OpenedStore>): readonly StoreCase[] {
  const cases: Cases = { ...MESSAGE_CASES, ...INPUT_CASES, ...COMPACTION_CASES, ...ARCHIVE_CASES, ...ABORT_CASES };
  return namedCases(store, cases, open);
}

/** The cases of a store that an exchange can use. */
export function trafficContract(store: string, open: () => Promise<OpenedStore<TrafficStore>>): readonly StoreCase[] {
  return namedCases(store, TRAFFIC_CASES, open);
}

function namedCases<Port>(
  store: string,
  cases: Cases<Port>,
  open: () => Promise<OpenedStore<Port>>,
): readonly StoreCase[] {
  return Object.entries(cases).map(([name, check]) => ({
    name: `${store}: ${name}`,
    run: async () => {
      const opened = await open();
      try {
        await check(opened);
      } finally {
        await opened.dispose();
      }
    },
  }));
}
