/** A store that listens before it changes a conversation: a key that was pressed by then is heard, and nothing is written. */

import type { Store } from "../core/store/store.ts";
import { hearInterrupt } from "./interrupt.ts";

export function heardStore(store: Store, signal: AbortSignal): Store {
  return {
    ...store,
    create: async (...session) => {
      await hearInterrupt(signal);
      return store.create(...session);
    },
    append: async (...batch) => {
      await hearInterrupt(signal);
      return store.append(...batch);
    },
    commit: async (...commit) => {
      await hearInterrupt(signal);
      return store.commit(...commit);
    },
  };
}
