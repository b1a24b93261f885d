/** Adds the provider's own compaction to a model. It resolves with the response as it came; the format says what stands for the list. */

import type { NativeAnswer, NativeCompaction } from "../compactor/native.ts";
import { isObject, type JsonObject } from "../core/json.ts";
import type { Model } from "../core/model.ts";
import { answered, bodyOf, type ModelOptions } from "./model.ts";

/** A model whose provider compacts by itself: also the option `native` of a compactor. */
export interface NativeModel<Request extends object = object> extends Model<Request>, NativeCompaction {
  /** Takes an ordinary request or one that the compactor made, and resolves with the body of the response as it came. */
  compact(request: unknown, signal?: AbortSignal): Promise<NativeAnswer>;
}

interface Compaction {
  readonly kind: string;
  readonly options: ModelOptions;
  send(body: JsonObject, signal: AbortSignal): PromiseLike<unknown>;
}

export function withCompaction<Request extends object>(
  model: Model<Request>,
  { kind, options, send }: Compaction,
): NativeModel<Request> {
  const { id, format } = model;
  const wire = format.nativeWire(kind);
  return {
    ...model,
    kind,
    compact: async (request, signal = new AbortController().signal) => {
      const asked = { id, format, options };
      const body = bodyOf(request, asked);
      // The compactor's request has been through this already, and says how to compact.
      const { compaction } = body;
      const made = { ...wire?.request(body, undefined), ...(compaction !== undefined && { compaction }) };
      const answer = await answered(asked, signal, () => send(made, signal));
      // Whoever reads it takes any object and says what is wrong with it.
      return (isObject(answer) ? answer : {}) as NativeAnswer;
    },
  };
}
