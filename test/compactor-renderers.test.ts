import { expect, test } from "vitest";
import { createCompactor } from "../src/compactor.ts";
import type { JsonArray, JsonObject } from "../src/core/json.ts";
import type { Format } from "../src/core/ports.ts";
import { settingsSchema } from "../src/core/settings/settings-schema.ts";
import { formatNamed, formatNames } from "../src/formats.ts";
import { generateBody } from "../src/testing/wire-bodies.ts";
import { sampleOf, seed } from "./sample.ts";

/** Every renderer in every format, for whole bodies and bare lists: the summary stands where the request has a place for it. */

const COUNT = sampleOf(500, 8);
const renderers = Object.keys(settingsSchema.keys.render.keys.renderer.values);

const BODIES = {
  "a bare list": (body: JsonObject) => [listOf(body)],
  "a whole body": (body: JsonObject) => [body],
  // A compactor remembers what it did to a list, and does it again to the same list in another kind of body.
  "a whole body, then its bare list": (body: JsonObject) => [body, listOf(body)],
  "a bare list, then its whole body": (body: JsonObject) => [listOf(body), body],
} as const;

function listOf(body: JsonObject): JsonArray {
  return (body.messages ?? body.input ?? body.contents) as JsonArray;
}

/** Outside the list. */
function hasPrompt(format: Format): boolean {
  return format.rules().systemPrompt === "separate";
}

const cases = formatNames.flatMap((name) =>
  renderers.flatMap((renderer) =>
    Object.entries(BODIES).map(([kind, requestsOf]) => ({ name, renderer, kind, requestsOf })),
  ),
);

test.each(cases)("$name, $renderer: $kind", async ({ name, renderer, requestsOf }) => {
  const format = formatNamed(name);
  // Drawn from the schema's own values.
  const render = { renderer } as { renderer: "system" };
  let compacted = 0;
  for (let offset = 0; offset < COUNT; offset++) {
    const body = generateBody(name, { seed: seed + offset, broken: false });
    const compactor = createCompactor({ format, telemetry: false, render });
    for (const request of requestsOf(body)) {
      // What a host sends once more, and what it sends after it took the result for its list.
      for (const sent of [request, request, undefined]) {
        const given = sent ?? (await compactor.compact(request, { target: { ratio: 0.4 } })).request;
        const { request: result, report } = await compactor.compact(given, { target: { ratio: 0.4 } });
        expect(Array.isArray(result), "the kind of body").toBe(Array.isArray(request));
        expect(format.validate(result)).toEqual([]);
        if (report.compacted) compacted++;
        const isElsewhere = report.notes.some((note) => note.startsWith("A bare list has no system prompt"));
        if (report.steps.summarize !== undefined)
          expect(isElsewhere).toBe(Array.isArray(request) && hasPrompt(format) && renderer === "system");
      }
    }
  }
  expect(compacted).toBeGreaterThan(0);
});
