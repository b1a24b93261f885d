import { expect, test } from "vitest";
import { createCompactor } from "../compactor.ts";
import type { JsonObject } from "../core/json.ts";
import { gemini } from "../formats/gemini.ts";
import { openSession } from "../session.ts";

/** The detail level that a Gemini request sets for all of its media decides their cost, wherever it is set. */

const LOW = "MEDIA_RESOLUTION_LOW";
const picture: JsonObject = { fileData: { mimeType: "image/png", fileUri: "https://files/a" } };
const film: JsonObject = { fileData: { mimeType: "video/mp4", fileUri: "https://files/b" } };
const list = (part: JsonObject) => [{ role: "user", parts: [part] }];

const compactor = () => createCompactor({ format: gemini, model: "gemini-3-pro", telemetry: false });
const tokensOf = (part: JsonObject, body: JsonObject = {}): number =>
  compactor().plan({ contents: list(part), ...body }).tokensBefore;

/** Tokens of a message beside its media. */
const AROUND = 3;

test.each<[string, number, JsonObject, JsonObject?]>([
  ["nothing said", 1_120, picture],
  ["in generationConfig", 280, picture, { generationConfig: { mediaResolution: LOW } }],
  ["in snake case", 280, picture, { generation_config: { media_resolution: LOW } }],
  ["in the SDK's config", 560, picture, { config: { mediaResolution: "MEDIA_RESOLUTION_MEDIUM" } }],
  ["a part's own wins", 280, { ...picture, mediaResolution: { level: LOW } }, { config: { mediaResolution: "X" } }],
  [
    "a part that leaves it open",
    280,
    { ...picture, mediaResolution: { level: "MEDIA_RESOLUTION_UNSPECIFIED" } },
    { generationConfig: { mediaResolution: LOW } },
  ],
  ["what is no resolution", 1_120, picture, { generationConfig: { mediaResolution: "constructor" } }],
  ["what is no config", 1_120, picture, { generationConfig: [LOW] }],
  ["a minute of film", 60 * (70 + 32), film],
  ["of high resolution", 60 * (280 + 32), film, { generationConfig: { mediaResolution: "MEDIA_RESOLUTION_HIGH" } }],
])("%s: %i", (_, expected, part, body) => expect(tokensOf(part, body)).toBe(expected + AROUND));

test("the next request of the same compactor may ask for another one", () => {
  const same = compactor();
  const contents = list(picture);
  const tokens = (mediaResolution: string) =>
    same.plan({ contents, generationConfig: { mediaResolution } }).tokensBefore - AROUND;
  expect([LOW, "MEDIA_RESOLUTION_HIGH", LOW].map(tokens)).toEqual([280, 1_120, 280]);
});

test("usage that agrees with it teaches nothing else", () => {
  const same = compactor();
  const request = { contents: list(picture), generationConfig: { mediaResolution: LOW } };
  same.observe(request, { usageMetadata: { promptTokenCount: 280 + AROUND, totalTokenCount: 280 + AROUND } });
  expect(same.plan(request).tokensBefore).toBe(280 + AROUND);
});

test("a session counts by the body it was opened with", async () => {
  const body = { generationConfig: { mediaResolution: LOW } };
  const session = await openSession("s", {
    store: "memory:",
    compactor: { format: gemini, model: "gemini-3-pro" },
    body,
  });
  await session.append(list(picture));
  expect((await session.stats()).currentTokens).toBe(280 + AROUND);
});
