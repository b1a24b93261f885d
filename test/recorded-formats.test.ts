import { describe, expect, test } from "vitest";
import { CompactionError } from "../src/core/errors.ts";
import { repair } from "../src/core/repair/repair.ts";
import { structureOf } from "../src/core/structure/structure.ts";
import { formatNamed } from "../src/formats.ts";
import { readTranscriptFile, type Transcript } from "../src/transcripts/index.ts";
import { hasRecordings, recordedFiles, recordedPath } from "./recorded.ts";

/**
 * Sessions that ran against a provider, which therefore accepted every message in them. Not those of Cline: it keeps the results of its
 * tools in a form of its own, and sends another.
 */
const ACCEPTED = recordedFiles(
  "{spotter_cc,episodic_cc,ccviewer_cc}/**/*.jsonl",
  "{livemcpbench,tau_bench,openhands_sdk,nilenso_ctx,mastra_recordings}/**/*.json",
);
const ALL = recordedFiles("**/*.{json,jsonl}");

/** Undefined where the file holds no conversation of a kind we read. */
function read(file: string): Transcript | undefined {
  try {
    return readTranscriptFile(recordedPath(file));
  } catch (error) {
    if (error instanceof CompactionError && error.code === "unreadable-file") return undefined;
    throw error;
  }
}

function isRefused(decode: () => unknown): boolean {
  try {
    decode();
    return false;
  } catch (error) {
    return error instanceof CompactionError && error.code === "invalid-request";
  }
}

describe.skipIf(!hasRecordings)("recorded transcripts", () => {
  test.each(ALL)("%s: every message round trips, cuts are legal, a repair makes it valid", (file) => {
    for (const { body, format: name, label } of read(file)?.conversations ?? []) {
      const format = formatNamed(name);
      if (isRefused(() => format.decode(body))) {
        expect(file, "only made-up files have shapes that no provider knows").toContain("agent_sessions_multi");
        continue;
      }
      const before = JSON.stringify(body);
      const conversation = format.decode(body);
      expect(JSON.stringify(format.encode(conversation)), label).toBe(before);
      const copied = { ...conversation, messages: conversation.messages.map((m) => ({ ...m, parts: [...m.parts] })) };
      expect(JSON.stringify(format.encode(copied)), label).toBe(before);

      const { cutPoints, pairing } = structureOf(conversation.messages);
      const cuts = new Set(cutPoints("pair-safe"));
      for (const call of pairing.calls) {
        for (const { at } of call.results) {
          for (let cut = call.at.message + 1; cut <= at.message; cut++) expect(cuts.has(cut)).toBe(false);
        }
      }
      const repaired = repair(conversation).conversation;
      expect(format.validate(format.encode(repaired)), label).toEqual([]);
    }
  });

  test.each(ACCEPTED)("%s: what the provider accepted is valid", (file) => {
    for (const { body, format, label } of read(file)?.conversations ?? []) {
      const violations = formatNamed(format).validate(body);
      // A file whose beginning is missing starts in the middle of a conversation that was whole when it was sent.
      expect(
        violations.filter(({ rule, messageIndex }) => rule !== "first-role" || messageIndex !== 0),
        label,
      ).toEqual([]);
    }
  });

  test("there is something to read", () => {
    expect(ACCEPTED.length).toBeGreaterThan(20);
    expect(ALL.flatMap((file) => read(file)?.conversations ?? []).length).toBeGreaterThan(100);
  });
});
