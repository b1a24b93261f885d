/**
 * What was remembered, in the wire form in which it comes now: clients move their cache marks with every request, and marks that
 * stayed behind would pile up until the provider refuses them. What the remembered messages say is never changed.
 */

import { isSameJson } from "../core/ledger/json-identity.ts";
import type { Message, Part } from "../core/message.ts";

/** The lists that a remembered edit was made of, as they came then and as they come now: message by message they say the same. */
export interface Resent {
  readonly before: readonly Message[];
  readonly now: readonly Message[];
}

/** A message that came as it did then stays the same object. */
export function messagesAsNow(view: readonly Message[], { before, now }: Resent): readonly Message[] {
  const indexOf = new Map(before.map(({ id }, index) => [id, index]));
  // Most messages have left the view: only those that stay are compared.
  return view.map((message) => {
    const index = indexOf.get(message.id) ?? before.length;
    const [then, same] = [before[index], now[index]];
    if (then === undefined || same === undefined || isSameJson(then.wire?.json, same.wire?.json)) return message;
    if (message.parts === then.parts && message.role === then.role) return same;
    const { wire: _, ...rest } = message;
    const parts = partsAsNow(message.parts, then.parts, same.parts);
    return same.wire === undefined ? { ...rest, parts } : { ...rest, parts, wire: same.wire };
  });
}

/** Parts that were edited keep what they say and take the block of the part that they were made from. */
export function partsAsNow(parts: readonly Part[], before: readonly Part[], now: readonly Part[]): readonly Part[] {
  const after = flat(now);
  const partOf = new Map(flat(before).map((part, index) => [part, after[index]]));
  const wireOf = new Map(flat(before).map((part, index) => [part.wire, after[index]?.wire]));
  const asNow = (part: Part): Part => {
    const same = partOf.get(part);
    if (same !== undefined) return same;
    const wire = part.wire === undefined ? undefined : wireOf.get(part.wire);
    const { wire: own, ...said } = part;
    const block = wire ?? own;
    const bare = said.type === "tool-result" ? { ...said, content: said.content.map(asNow) } : said;
    // Only the block is another one: a part that had none still has none, and an opaque part has always one.
    return (block === undefined ? bare : { ...bare, wire: block }) as Part;
  };
  return parts.map(asNow);
}

/** With what stands inside of results. */
function flat(parts: readonly Part[]): readonly Part[] {
  return parts.flatMap((part) => (part.type === "tool-result" ? [part, ...part.content] : [part]));
}
