import { describe, expect, test } from "vitest";
import { createCompactor } from "../src/compactor.ts";
import { CompactionError } from "../src/core/errors.ts";
import { isArray, type JsonArray, type JsonObject } from "../src/core/json.ts";
import { formatNamed } from "../src/formats.ts";
import { profileNames } from "../src/profiles/profiles.ts";
import { type RecordedConversation, readTranscriptFile } from "../src/transcripts/index.ts";
import { hasRecordings, recordedFiles, recordedPath } from "./recorded.ts";
import { sampleOf } from "./sample.ts";

const POSITIONS = sampleOf(10, 1);
const profiles = profileNames.filter((name) => !name.startsWith("agentpg-")).slice(0, sampleOf(6, 1));

function read(file: string): readonly RecordedConversation[] {
  try {
    return readTranscriptFile(recordedPath(file)).conversations;
  } catch (error) {
    if (error instanceof CompactionError && error.code === "unreadable-file") return [];
    throw error;
  }
}

/** The body with only the first messages of its list, which is what the model saw at that point. */
function prefixOf(body: JsonObject | JsonArray, share: number): JsonObject | JsonArray {
  const key = isArray(body) ? undefined : ["messages", "input", "contents"].find((name) => isArray(body[name]));
  const list = isArray(body) ? body : ((key === undefined ? [] : body[key]) as JsonArray);
  const prefix = list.slice(0, Math.max(1, Math.ceil(list.length * share)));
  return isArray(body) || key === undefined ? prefix : { ...body, [key]: prefix };
}

describe.skipIf(!hasRecordings).each(profiles)("%s on recorded transcripts", (profile) => {
  test.each(recordedFiles("**/*.{json,jsonl}"))("%s", async (file) => {
    for (const { body, format: name, label } of read(file)) {
      const format = formatNamed(name);
      if (format.validate(body).some(({ rule }) => rule === "invalid-request")) continue;
      for (let position = 1; position <= POSITIONS; position++) {
        const prefix = prefixOf(body, position / POSITIONS);
        const before = JSON.stringify(prefix);
        const where = `${label ?? ""} at ${position}/${POSITIONS}`;
        const compactor = createCompactor({ format, profile });
        const { request, report } = await compactor.compact(prefix, { target: { ratio: 0.3 } });
        expect(JSON.stringify(prefix), where).toBe(before);
        expect(format.validate(request), where).toEqual([]);
        expect(report.tokensAfter, where).toBeLessThanOrEqual(report.tokensBefore);
        if (report.compacted && !report.fits) expect(report.inTheWay.length, where).toBeGreaterThan(0);
        const again = await createCompactor({ format, profile, windowTokens: 10_000_000 }).fit(request);
        expect(again.report.steps, where).not.toHaveProperty("summarize");
      }
    }
  });
});
