/**
 * Where inserted messages stand: at numbers strictly between those of their neighbours in the view. Two messages that are both
 * in the view never share a number, because the later one was placed between numbers that were taken.
 */

import { invariant } from "../errors.ts";

/** `count` rising numbers between the two; open at an end where the neighbour is undefined. Appended messages have whole numbers from 1 on. */
export function ordersBetween(before: number | undefined, after: number | undefined, count: number): readonly number[] {
  const low = before ?? (after === undefined ? 0 : Math.min(0, after - 1));
  // Whatever is appended meanwhile gets the next whole number, so the gap ends before it.
  const high = after ?? Math.floor(low) + 1;
  const step = (high - low) / (count + 1);
  const orders = Array.from({ length: count }, (_, index) => low + step * (index + 1));
  const isRising = orders.every((order, index) => order > (orders[index - 1] ?? low) && order < high);
  invariant(isRising, "there is room between two neighbours of the view");
  return orders;
}
