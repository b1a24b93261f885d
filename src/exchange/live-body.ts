/**
 * A session's live view under the request that is being made: the fields beside the messages are those of this request, because clients
 * change some of them every time. Stores nothing.
 */

import { isSameJson } from "../core/identity.ts";
import type { JsonObject } from "../core/json.ts";
import type { Conversation } from "../core/message.ts";
import type { Format } from "../core/ports.ts";
import type { SystemEdit } from "../core/store/store.ts";
import { frameOf, type LiveView, type Snapshot } from "../session/session-view.ts";

export interface LiveBody extends LiveView {
  /** From now on snapshots have these fields. */
  setBase(base: JsonObject): void;
}

interface Frame {
  readonly base: JsonObject;
  readonly system: SystemEdit | null;
  readonly frame: Conversation;
}

export function withLiveBody(live: LiveView, format: Format): LiveBody {
  let base = live.current().record.base;
  let known: Frame | undefined;
  const shown = (snapshot: Snapshot): Snapshot => {
    const { record, list, length } = snapshot;
    const { system } = record;
    // The same frame for the same fields: views under it are not read again from their beginning.
    if (known?.base !== base || !isSameJson(known.system, system)) {
      known = { base, system, frame: frameOf(format, { base, system }) };
    }
    return {
      record: { ...record, base },
      frame: known.frame,
      list,
      length,
      get entries() {
        return snapshot.entries;
      },
    };
  };
  return {
    ...live,
    current: () => shown(live.current()),
    refresh: async () => shown(await live.refresh()),
    setBase: (next) => {
      if (!isSameJson(base, next)) base = next;
    },
  };
}
