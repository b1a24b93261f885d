import { describe, expect, test } from "vitest";
import type { Report } from "../src/compactor/report.ts";
import { createCompactor, type NativeAnswer } from "../src/compactor.ts";
import { isObject, type JsonArray, type JsonObject, type JsonValue } from "../src/core/json.ts";
import type { Format } from "../src/core/ports.ts";
import { repair } from "../src/core/repair/repair.ts";
import { estimateTokens } from "../src/core/tokens/tokens.ts";
import { formatNamed, formatNames } from "../src/formats.ts";
import { type ProfileName, profileNames } from "../src/profiles/profiles.ts";
import { generateBody } from "../src/testing/wire-bodies.ts";
import { compactMessages, compactResponses } from "./native-server.ts";
import { sampleOf, seed } from "./sample.ts";

const COUNT = sampleOf(5_000, 10);
const profiles = profileNames.filter((name) => !name.startsWith("agentpg-"));

function listOf(body: JsonObject): JsonArray {
  return (body.messages ?? body.input ?? body.contents) as JsonArray;
}

/** Small limits, so that short conversations have something to lose. */
function compactorFor(format: Format, profile: ProfileName) {
  return createCompactor({ format, profile, protect: { tailTokens: 60, tailMessages: 2 } });
}

/** The provider compacts by itself, answering as its endpoint does, but without a network between. */
function nativeCompactorFor(format: Format, profile: ProfileName) {
  const isAnthropic = format.name === "anthropic-messages";
  const answer = isAnthropic ? compactMessages : compactResponses;
  return createCompactor({
    format,
    profile,
    protect: { tailTokens: 60, tailMessages: 2 },
    compact: { strategy: "native" },
    native: {
      kind: isAnthropic ? "anthropic-compact" : "responses-compact",
      // What is sent is JSON, whatever the port's type says.
      compact: (request) => Promise.resolve(answer(structuredClone(request) as JsonObject) as NativeAnswer),
    },
  });
}

/** What only a request about to be sent must not be, the list that was given may have been already: it ends as it ended. */
function expectValid(format: Format, body: JsonObject, request: unknown): void {
  expect(format.validate(request)).toEqual([]);
  const given = repair(format.decode(body)).conversation;
  const known = new Set(format.validate(format.encode(given), { sending: true }).map(({ rule }) => rule));
  const brought = format.validate(request, { sending: true }).filter(({ rule }) => !known.has(rule));
  expect(brought, "brought by the compaction").toEqual([]);
}

type MakeCompactor = typeof compactorFor;

async function checkCompact(
  format: Format,
  profile: ProfileName,
  body: JsonObject,
  make: MakeCompactor = compactorFor,
): Promise<Report> {
  const before = JSON.stringify(body);
  const options = {
    target: { ratio: 0.6 },
    pinned: listOf(body).length === 0 ? [] : [Math.floor(listOf(body).length / 3)],
  };
  const first = await make(format, profile).compact(body, options);
  expect(JSON.stringify(body), "the input was mutated").toBe(before);
  // An empty list is left to whoever sends it (R094).
  if (listOf(body).length === 0) expect(JSON.stringify(first.request)).toBe(before);
  else expectValid(format, body, first.request);
  expect(first.report.tokensAfter <= first.report.tokensBefore).toBe(true);
  if (!first.report.compacted) expect(first.report.reason).not.toBe("manual");
  const again = await make(format, profile).compact(structuredClone(body), options);
  expect(JSON.stringify(again.request), "not deterministic").toBe(JSON.stringify(first.request));
  return first.report;
}

describe.each(profiles)("%s", (profile) => {
  test.each(formatNames)("%s: always valid, deterministic, inputs untouched", async (name) => {
    const format = formatNamed(name);
    for (let offset = 0; offset < COUNT; offset++) {
      for (const broken of [false, true]) {
        const body = generateBody(name, { seed: seed + offset, broken });
        await checkCompact(format, profile, body).catch((cause) => {
          throw new Error(`seed ${seed + offset}, ${broken ? "broken" : "valid"}: ${cause.message}`, { cause });
        });
      }
    }
  });
});

describe.each(["anthropic-messages", "openai-responses"] as const)("%s, compacted by the provider", (name) => {
  test("always valid, deterministic, inputs untouched; sent again the edit stays, sent back nothing is done", async () => {
    const format = formatNamed(name);
    const steps = { native: 0, summarize: 0 };
    for (let offset = 0; offset < COUNT; offset++) {
      for (const broken of [false, true]) {
        const body = generateBody(name, { seed: seed + offset, broken });
        const report = await checkCompact(format, "balanced", body, nativeCompactorFor).catch((cause) => {
          throw new Error(`seed ${seed + offset}, ${broken ? "broken" : "valid"}: ${cause.message}`, { cause });
        });
        steps.native += report.steps.native ?? 0;
        steps.summarize += report.steps.summarize ?? 0;
        const compactor = nativeCompactorFor(format, "balanced");
        const { request } = await compactor.compact(body, { target: { ratio: 0.6 } });
        expect(JSON.stringify((await compactor.fit(structuredClone(body))).request)).toBe(JSON.stringify(request));
        const second = await nativeCompactorFor(format, "balanced").fit(request);
        expect(second.report.compacted).toBe(false);
        expect(JSON.stringify(second.request)).toBe(JSON.stringify(request));
        const summarized = await compactorFor(format, "micro-agent").compact(request, { target: { ratio: 0.6 } });
        if (listOf(body).length > 0) expect(format.validate(summarized.request)).toEqual([]);
      }
    }
    expect(steps.native).toBeGreaterThan(steps.summarize);
  });
});

describe.each(formatNames)("%s: pinned messages, the tail and the prefix", (name) => {
  test("come out as the same JSON, in order", async () => {
    const format = formatNamed(name);
    const counter = estimateTokens({ format: name });
    for (let offset = 0; offset < COUNT; offset++) {
      const body = generateBody(name, { seed: seed + offset, broken: false });
      const list = listOf(body);
      const pinned = [Math.floor(list.length / 2)];
      const compactor = compactorFor(format, "balanced");
      const { request, report } = await compactor.compact(body, { pinned, target: { ratio: 0.5 } });
      if (!report.compacted) continue;
      // A system message may have to move behind a neighbour that it got.
      const isPlaced = (message: JsonValue): boolean => !(isObject(message) && message.role === "system");
      const kept = listOf(request).map((message) => JSON.stringify(message));
      const originals = list.map((message) => JSON.stringify(message));
      expect(kept).toContain(originals[pinned[0] ?? 0]);
      // What is kept is kept as it was and where it was; only results may have been shortened.
      const unchanged = listOf(request)
        .filter(isPlaced)
        .map((message) => JSON.stringify(message))
        .filter((message) => originals.includes(message));
      let place = -1;
      for (const message of unchanged) {
        place = originals.indexOf(message, place + 1);
        expect(place, "out of order").toBeGreaterThanOrEqual(0);
      }
      expect(unchanged.length).toBeGreaterThan(0);
      // Sent again, it is edited in the same way; sent back, it needs nothing.
      expect(JSON.stringify((await compactor.fit(structuredClone(body))).request)).toBe(JSON.stringify(request));
      const second = await compactorFor(format, "balanced").fit(request);
      expect(second.report.compacted).toBe(false);
      expect(JSON.stringify(second.request)).toBe(JSON.stringify(request));
      expect(counter.total(format.decode(request).messages)).toBeLessThan(counter.total(format.decode(body).messages));
    }
  });
});

test("openai-responses: outputs of calls that are only referred to stay outputs, and leave with them", async () => {
  const rounds = Array.from({ length: 20 }, (_, round) => [
    { role: "user", content: `Look at part ${round}.` },
    { type: "item_reference", id: `fc_${round}` },
    { type: "function_call_output", call_id: `call_${round}`, output: `line ${round} `.repeat(100) },
    { type: "item_reference", id: `msg_${round}` },
  ]);
  const compactor = createCompactor({ format: formatNamed("openai-responses"), protect: { tailTokens: 500 } });
  const { request, report } = await compactor.compact(
    { store: true, input: rounds.flat() },
    { target: { ratio: 0.4 } },
  );
  expect(report.compacted).toBe(true);
  const kept = request.input.flatMap((item) => ("call_id" in item ? [String(item.call_id)] : []));
  const references = request.input.flatMap((item) => ("id" in item && item.id?.startsWith("fc_") ? [item.id] : []));
  expect(kept.length).toBeGreaterThan(0);
  expect(kept.map((id) => id.replace("call", "fc"))).toEqual(references);
});
