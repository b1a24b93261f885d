/**
 * What to quote first of a review or a list that was pasted in: what it orders, not what it praises or explains. Leaves whatever has
 * a title, few sentences or few orders as it is.
 */

import type { Piece } from "./quote-room.ts";

const PIECES_MIN = 12;
const ORDERS_MIN = 3;

export function ordersFirst(places: readonly number[], pieces: readonly Piece[]): readonly number[] {
  if (pieces.length < PIECES_MIN || pieces.some(({ worth }) => worth === "title")) return places;
  const orders = places.filter((at) => isOrder(pieces[at]));
  return orders.length < ORDERS_MIN - 1 ? places : [...orders, ...places.filter((at) => !orders.includes(at))];
}

/** A remark in code orders nothing, nor does what only announces. */
function isOrder(piece: Piece | undefined): boolean {
  return piece?.worth === "order" && !/^(?:\/\/|#|[+*-]\s)|[:：]$/.test(piece.text);
}
