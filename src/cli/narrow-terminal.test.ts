/** What the commands print stays inside a narrow terminal, and loses no word that matters to that. */

import { afterAll, expect, test } from "vitest";
import { temporaryFolder } from "../../test/run-cli.ts";
import { sqliteAt } from "../../test/run-in-process.ts";
import { compactSubject } from "./compaction.ts";
import { runPalimpsest } from "./dispatch.ts";
import { explainSubject, renderExplanation } from "./explain.ts";
import { chooseConversation, loadTranscript } from "./load.ts";
import { displayWidth } from "./one-line.ts";
import { compactionText } from "./render-compaction.ts";
import { subjectOf } from "./subject.ts";
import { joinBlocks, terminalWith } from "./terminal.ts";

const LONG = "examples/long-conversation.json";
const SHORT = "examples/sample-conversation.json";
const NOBODY = new AbortController().signal;

async function subjectFor(windowTokens: number, file = LONG) {
  const transcript = await loadTranscript(file, undefined, process.stdin);
  const recorded = chooseConversation(transcript, undefined);
  return subjectOf({ file, transcript, recorded }, { profile: "balanced", windowTokens });
}

/** Every line fits; the words of the headline are all there, in order. */
function check(text: string, columns: number, headline: string): void {
  const wide = text.split("\n").filter((line) => displayWidth(line) > columns);
  expect(wide).toEqual([]);
  expect(text.replaceAll(/\s+/g, " ")).toContain(headline);
}

test.each([40, 50, 80])("explain at %i columns", async (columns) => {
  const terminal = terminalWith({ columns, isColoured: false, isUnicode: true });
  const explain = async (windowTokens: number): Promise<string> =>
    joinBlocks(renderExplanation(explainSubject(await subjectFor(windowTokens)), terminal));
  check(await explain(64_000), columns, "would compact now: the reserve is touched");
  check(await explain(72_000), columns, "would not compact now: no trigger fires");
});

test.each([40, 50, 80])("compact at %i columns", async (columns) => {
  const terminal = terminalWith({ columns, isColoured: false, isUnicode: true });
  const compact = async (target: { ratio: number } | undefined, isDryRun: boolean, file = LONG): Promise<string> => {
    const subject = await subjectFor(200_000, file);
    const outcome = await compactSubject(subject, { target, signal: NOBODY, withDiff: true, onProgress: () => {} });
    return compactionText(outcome.compaction, terminal, { isDryRun, target });
  };
  check(await compact({ ratio: 0.1 }, true), columns, "of what it was), 78 → ");
  check(await compact({ ratio: 0.01 }, false), columns, "of what it was), 78 → ");
  check(await compact(undefined, false, SHORT), columns, "messages: nothing was compacted");
});

async function printed(words: readonly string[], columns: number): Promise<string> {
  let stdout = "";
  const output = { isTTY: true, columns, write: (text: string) => (stdout += text) };
  const io = { stdin: (async function* () {})(), environment: { NO_COLOR: "1" }, onInterrupt: () => () => {} };
  expect(await runPalimpsest(words, { ...io, stdout: output, stderr: output })).toBe(0);
  expect(stdout.split("\n").filter((line) => displayWidth(line) > columns)).toEqual([]);
  return stdout;
}

test.each([40, 50, 80])("a profile at %i columns has every value whole", async (columns) => {
  const [narrow, wide] = [
    await printed(["profiles", "openclaw"], columns),
    await printed(["profiles", "openclaw"], 2_000),
  ];
  expect(narrow).not.toContain("…");
  expect(narrow.replaceAll(/\s+/g, "")).toBe(wide.replaceAll(/\s+/g, ""));
});

const folder = temporaryFolder();
afterAll(() => folder.remove());

test("the ids of sessions are not cut as long as anything else can go", async () => {
  const { cli, url } = sqliteAt(folder.path, "narrow.db");
  const ids = ["11111111-1111-4111-8111-111111111111", "incident"];
  for (const id of ids) await cli("import", SHORT, "--id", id);
  for (const columns of [40, 50, 60, 80])
    expect(await printed(["sessions", "--store", url], columns)).toEqual(
      expect.stringMatching(new RegExp(ids.map((id) => `(?=[\\s\\S]*^${id}(?: |$))`).join(""), "m")),
    );
});
