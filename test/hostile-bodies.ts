/** Bodies with their structure broken at random: any value replaced, deleted, doubled, wrapped or put elsewhere. Seeded. */

import type { JsonObject, JsonValue } from "../src/core/json.ts";
import { createRandom, type Random } from "../src/testing/random.ts";

const CHANGES_MAX = 3;

/** What a careless or hostile client may put in any place. */
const ODD: readonly [JsonValue, ...JsonValue[]] = [
  ...([null, 7, true, "", "odd"] as const),
  ...[[], [[]], [null], ["odd"], [["odd"]], [{}], [{ type: "text" }], [[{ type: "text", text: "odd" }]]],
  ...[[{ text: "odd" }], [{ type: "tool_use" }], [{ type: "tool_result", content: null }]],
  ...[{}, { type: 5 }, { type: "odd" }, { text: "odd" }, { type: "text", text: null }, { content: "odd" }],
  ...[{ role: "user" }, { parts: [{ text: "odd" }] }, { functionCall: null }, { error: "odd" }],
];

export function withBrokenStructure(body: JsonObject, seed: number): JsonObject {
  const random = createRandom(seed);
  // A copy that nobody else holds.
  const copy = structuredClone(body) as Container;
  for (let left = 1 + random.below(CHANGES_MAX); left > 0; left--) change(copy, random);
  return copy as JsonObject;
}

/** An object or a list; keys of lists are their indexes. */
type Container = Record<string, JsonValue>;

interface Place {
  readonly holder: Container;
  readonly key: string;
}

function change(body: Container, random: Random): void {
  const [first, ...others] = placesIn(body);
  if (first === undefined) return;
  const places = [first, ...others] as const;
  const { holder, key } = random.pick(places);
  const other = random.pick(places);
  const value = holder[key] ?? null;
  const edit = random.pick(["replace", "replace", "delete", "double", "wrap", "move"]);
  if (edit === "replace") holder[key] = structuredClone(random.pick(ODD));
  else if (edit === "wrap") holder[key] = [value];
  else if (edit === "move") holder[key] = structuredClone(other.holder[other.key] ?? null);
  else if (!Array.isArray(holder)) deleteOrDouble(holder, key, edit === "delete");
  else holder.splice(Number(key), edit === "delete" ? 1 : 0, ...(edit === "delete" ? [] : [structuredClone(value)]));
}

function deleteOrDouble(holder: Container, key: string, isDeleted: boolean): void {
  if (isDeleted) delete holder[key];
  else holder.content = structuredClone(holder[key] ?? null);
}

function placesIn(holder: Container): readonly Place[] {
  return Object.entries(holder).flatMap(([key, value]) => [
    { holder, key },
    ...(typeof value === "object" && value !== null ? placesIn(value as Container) : []), // read with the same keys
  ]);
}
