/** A wire message without its reasoning, for a provider that refuses its signatures. The same message gives the same object. */

import { isArray, type JsonValue } from "../core/json.ts";
import type { Format } from "../core/ports.ts";
import { withoutThinking } from "../core/thinking.ts";

const known = new WeakMap<object, JsonValue>();

export function withoutReasoning(format: Format, message: JsonValue): JsonValue {
  if (typeof message !== "object" || message === null) return message;
  const before = known.get(message);
  if (before !== undefined) return before;
  const decoded = format.decode([message]);
  const encoded = format.encode({ ...decoded, messages: decoded.messages.map(withoutThinking) });
  const [made = message] = isArray(encoded) ? encoded : [];
  known.set(message, made);
  return made;
}
