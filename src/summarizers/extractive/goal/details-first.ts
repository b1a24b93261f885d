/**
 * What to quote first behind what a request asks: what else it asks, then numbers, names and conditions, then the story. Leaves what
 * has a title or many sentences as it is: that was written to be read in its order.
 */

import { quick } from "../text/quick-expressions.ts";
import type { Piece, Worth } from "./quote-room.ts";

const PIECES_MAX = 10;

/** Of a request that was said and not pasted, with the rules that lay down a detail. */
export function detailsFirst(places: readonly number[], pieces: readonly Piece[]): readonly number[] {
  if (pieces.length > PIECES_MAX || pieces.some(({ worth }) => worth === "title")) return places;
  // "How can I do this?" says nothing by itself.
  const asking = places.filter((at) => ASKING.has(pieces[at]?.worth ?? "rule") && pieces[at]?.isLeaning !== true);
  const details = pieces.flatMap(({ worth, text }, at) =>
    (places.includes(at) || worth === "rule") && !asking.includes(at) && DETAIL.test(text) ? [at] : [],
  );
  if (details.length === 0) return places;
  return [...asking, ...details, ...places.filter((at) => !asking.includes(at) && !details.includes(at))];
}

const ASKING: ReadonlySet<Worth> = new Set(["plea", "order"]);

/** Numbers, codes, quotes, and words that bind. */
const DETAIL = quick(
  String.raw`\d|[\x60"“„«「]|(?<!\p{L})(?:only|at (?:least|most)|no (?:more|later|earlier) than|unless|if not|if (?:it|that|this) is(?:n['’]t| not)|without|instead|non-?stop|nur|mindestens|höchstens|spätestens|ohne|statt|falls|seulement|au (?:moins|plus)|sans|sauf|sólo|solo|al menos|como máximo|sin|salvo|somente|pelo menos|no máximo|sem|soltanto|almeno|al massimo|senza|только|не (?:более|менее|позже)|без)(?!\p{L})|只|至少|最多|不超过|だけ|以内|まで|만 |이내`,
  "i",
);
