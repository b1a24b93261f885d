/**
 * A lost connection makes a client of `pg` emit `error`, and Node ends the process when nobody listens. The statements that were
 * under way fail and are told; so somebody listens here, where the caller does not.
 */

import { EventEmitter } from "node:events";

export function tolerateErrors(emitter: object): () => void {
  if (!(emitter instanceof EventEmitter)) return () => {};
  const ignore = (): void => {};
  emitter.on("error", ignore);
  return () => {
    emitter.off("error", ignore);
  };
}

export function hasListener(emitter: object): boolean {
  return emitter instanceof EventEmitter && emitter.listenerCount("error") > 0;
}
