/** How a caller that waits gives up: an abort before the work has begun ends it, one that comes later changes nothing any more. */

import { CompactionError } from "../errors.ts";

export interface Waiting {
  readonly signal?: AbortSignal | undefined;
}

export function throwIfAborted({ signal }: Waiting): void {
  if (signal?.aborted !== true) return;
  throw new CompactionError("aborted", "The call was aborted; nothing was changed.", { cause: signal.reason });
}
