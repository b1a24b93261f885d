/** The port for recorded requests, where a store has it. */

import type { Store } from "../core/store/store.ts";
import type { TrafficStore } from "../core/store/traffic.ts";

export function trafficOf(store: Store): TrafficStore | undefined {
  const methods: Partial<TrafficStore> = store as Partial<TrafficStore>;
  const hasTraffic = typeof methods.requests === "function" && typeof methods.totals === "function";
  return hasTraffic ? (methods as TrafficStore) : undefined;
}
