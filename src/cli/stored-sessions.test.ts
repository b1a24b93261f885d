/** The commands over stored sessions as their users meet them: one real SQLite file, one session, from import to purge. */

import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Outcome, temporaryFolder } from "../../test/run-cli.ts";
import { runInProcess, sqliteAt } from "../../test/run-in-process.ts";
import { displayWidth } from "./one-line.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());

const LONG = "examples/long-conversation.json";
const ORIGINAL = `${JSON.stringify(JSON.parse(readFileSync(LONG, "utf8")), null, 2)}\n`;

async function json(outcome: Promise<Outcome>): Promise<ReturnType<typeof JSON.parse>> {
  const { code, stdout, stderr } = await outcome;
  expect([code, stderr]).toEqual([0, ""]);
  return JSON.parse(stdout);
}

function checkWidth({ stdout }: Outcome): void {
  for (const line of stdout.split("\n")) expect(displayWidth(line), line).toBeLessThanOrEqual(80);
  expect(stdout).not.toContain("\u001b");
}

/** Two compactions of one imported session, made once: the tests below only read it. */
const shared = sqliteAt(folder.path, "shared.db");
beforeAll(async () => {
  expect(await shared.cli("import", LONG, "--id", "long")).toMatchObject({ code: 0, stdout: "long\n" });
  expect((await shared.cli("compact", "long", "--target", "40%")).code).toBe(0);
  expect((await shared.cli("compact", "long", "--keep", "3")).code).toBe(0);
});

describe("looking", () => {
  test("sessions", async () => {
    const [text, { sessions }] = await Promise.all([shared.cli("sessions"), json(shared.cli("sessions", "--json"))]);
    checkWidth(text);
    expect(text.stdout).toMatch(/^long +anthropic-messages +\d+ of 78 +2x +\d{4}-\d\d-\d\d \d\d:\d\d$/m);
    expect(sessions).toMatchObject([{ id: "long", messageCount: 78, compactionCount: 2 }]);
  });

  test("history: a table, and a report line for each", async () => {
    const [text, { events }] = await Promise.all([
      shared.cli("history", "long"),
      json(shared.cli("history", "long", "--json")),
    ]);
    checkWidth(text);
    expect(text.stdout).toMatch(/^1 {2}\d{4}-\d\d-\d\d \d\d:\d\d {2}manual +hybrid +51,822 {2}→ [\d,]+ +\d+$/m);
    expect(text.stdout).toMatch(/^ {2}2 {2}Compaction: hybrid, [\d,]+ → [\d,]+ tokens, \d+ messages removed$/m);
    expect(events).toMatchObject([
      { number: 1, originalTokens: 51_822, profile: "balanced" },
      { number: 2, undoneAt: null },
    ]);
  });

  test("show: what the model would be sent", async () => {
    const [text, shown] = await Promise.all([shared.cli("show", "long"), json(shared.cli("show", "long", "--json"))]);
    checkWidth(text);
    expect(text.stdout).toMatch(/^long {2}anthropic-messages, \d+ messages in view, [\d,]+ tokens \(estimate\)$/m);
    expect(text.stdout).toMatch(/^ *m1 +user +115 {2}INC-2291: customers/m);
    expect(text.stdout).toMatch(/^ *m\d+ {2}S {2}user .*\[Summary of/m);
    const around = shown.systemTokens + shown.toolsTokens;
    const sum = shown.messages.reduce((total: number, { tokens }: { tokens: number }) => total + tokens, around);
    expect(shown.tokens).toBe(sum);
    expect(shown.messages.at(-1).id).toBe("m78");
  });

  test("show: the archive, an event, a message", async () => {
    const [archive, event, message] = await Promise.all([
      shared.cli("show", "long", "--archive"),
      shared.cli("show", "long", "--event", "1"),
      shared.cli("show", "long", "--message", "m14"),
    ]);
    for (const outcome of [archive, event]) checkWidth(outcome);
    expect(archive.stdout).toMatch(/^Replaced by compaction 1\n id .*\n *m2 +assistant/m);
    expect(archive.stdout).toMatch(/^Replaced by compaction 2$/m);
    expect(event.stdout).toMatch(/^Summary\n## /m);
    expect(event.stdout).toMatch(/^Replaced: \d+ messages$/m);
    expect(message.stdout).toMatch(/^m14 {2}user, .* UTC, archived\n\nGood find\. Stop it first/);
  });

  test("diff: before and after of one compaction", async () => {
    const [text, first, second] = await Promise.all([
      shared.cli("diff", "long", "1"),
      json(shared.cli("diff", "long", "1", "--json")),
      json(shared.cli("diff", "long", "2", "--json")),
    ]);
    checkWidth(text);
    expect(text.stdout).toMatch(/^\d+ messages kept \(=\), \d+ replaced \(-\), \d+ added \(\+\)$/m);
    const ids = (diff: { mark: string; id: string }[], marks: string) =>
      diff.filter(({ mark }) => marks.includes(mark)).map(({ id }) => id);
    const all = Array.from({ length: 78 }, (_, index) => `m${index + 1}`);
    expect(ids(first.diff, "=~-")).toEqual(all);
    expect(ids(first.diff, "-")).toHaveLength(first.event.messagesRemoved);
    expect(ids(second.diff, "=~-")).toEqual(ids(first.diff, "=~+"));
    const { messages } = await json(shared.cli("show", "long", "--json"));
    expect(ids(second.diff, "=~+")).toEqual(messages.map(({ id }: { id: string }) => id));
  });

  test("recall finds what left the view", async () => {
    const [text, { hits }, nothing] = await Promise.all([
      shared.cli("recall", "long", "press", "campaign", "--limit", "3"),
      json(shared.cli("recall", "long", "press campaign", "--limit", "3", "--json")),
      shared.cli("recall", "long", "zzzqqq"),
    ]);
    checkWidth(text);
    expect(hits.length).toBeGreaterThan(0);
    expect(hits.length).toBeLessThanOrEqual(3);
    expect(text.stdout).toMatch(new RegExp(`^${hits[0].messageId} {2}\\w+, .* UTC, `, "m"));
    expect(nothing).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^nothing found for "zzzqqq"/),
      stderr: "",
    });
  });

  test("doctor", async () => {
    const [text, { schemaVersion, findings }] = await Promise.all([
      shared.cli("doctor"),
      json(shared.cli("doctor", "--json")),
    ]);
    checkWidth({ ...text, stdout: text.stdout.replace(shared.url, "URL") });
    expect(text).toMatchObject({ code: 0, stdout: expect.stringMatching(/1 session, schema \d+\nall is well\n$/) });
    expect([schemaVersion >= 1, findings]).toEqual([true, []]);
  });

  test("a dry run changes nothing", async () => {
    const { code, stdout } = await shared.cli("compact", "long", "--target", "5%", "--dry-run");
    expect(code).toBeLessThanOrEqual(1);
    expect(stdout).toMatch(/^long {2}anthropic-messages, session\n/);
    expect(stdout).toMatch(/\nnothing was changed\n$/);
    expect((await json(shared.cli("history", "long", "--json"))).events).toHaveLength(2);
  });

  test("colours only where they are wanted", async () => {
    const words = ["show", "long", "--store", shared.url];
    const [forced, refused] = await Promise.all([
      runInProcess(words, { environment: { FORCE_COLOR: "1" } }),
      runInProcess(words, { environment: { NO_COLOR: "1" } }),
    ]);
    expect(forced.stdout).toContain("\u001b[32m");
    expect(refused.stdout).not.toContain("\u001b");
  });
});

test("a request body comes back to the byte, before compactions and after taking them back", async () => {
  const { cli } = sqliteAt(folder.path, "round-trip.db");
  await cli("import", LONG, "--id", "s");
  expect((await cli("export", "s")).stdout).toBe(ORIGINAL);
  await cli("compact", "s", "--target", "40%");
  await cli("compact", "s", "--keep", "3");
  const refused = await cli("rollback", "s", "--to", "1");
  expect(refused).toMatchObject({ code: 2, stdout: "", stderr: expect.stringMatching(/--cascade/) });
  const undone = await cli("rollback", "s", "--to", "1", "--cascade");
  expect(undone).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^took back compactions 2, 1 of s: 78 messages/),
  });
  expect((await cli("export", "s")).stdout).toBe(ORIGINAL);
  expect((await cli("rollback", "s")).stderr).toMatch(/no compaction in force/i);
});

test("pinned messages stay, until they are not pinned any more", async () => {
  const { cli } = sqliteAt(folder.path, "pins.db");
  await cli("import", LONG, "--id", "s");
  expect(await cli("pin", "s", "m14", "m999")).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/"m999" is not in/),
  });
  expect(await cli("pin", "s", "m14", "m32")).toMatchObject({ code: 0, stdout: "pinned 2 messages of s\n" });
  expect(await cli("unpin", "s", "m32")).toMatchObject({ code: 0, stdout: "unpinned m32 of s\n" });
  const { kept } = await json(cli("compact", "s", "--keep", "3", "--json"));
  expect(kept).toContainEqual({ why: "pinned", messages: 1, tokens: expect.any(Number) });
  const { messages } = await json(cli("show", "s", "--json"));
  const ids = messages.map(({ id }: { id: string }) => id);
  expect([ids.includes("m14"), ids.includes("m32")]).toEqual([true, false]);
  expect(await json(cli("pin", "s", "m14", "--unpin", "--json"))).toEqual({
    session: "s",
    messages: ["m14"],
    isPinned: false,
  });
});

test("what a compaction shortened is not pinned, as no session pins it", async () => {
  const { cli } = sqliteAt(folder.path, "short-pins.db");
  await cli("import", LONG, "--id", "s");
  await cli("compact", "s", "--target", "90%");
  const { messages } = await json(cli("show", "s", "--json"));
  const { id: short } = messages.find(({ isEdited }: { isEdited: boolean }) => isEdited);
  expect(await cli("pin", "s", "m1", short)).toMatchObject({ code: 2, stderr: expect.stringMatching(/was shortened/) });
  const after = await json(cli("show", "s", "--json"));
  expect(after.messages.filter(({ isPinned }: { isPinned: boolean }) => isPinned)).toEqual([]);
  expect((await cli("rollback", "s")).code).toBe(0);
  expect((await cli("pin", "s", "m1", short)).code).toBe(0);
});

test("export --all and import make the same session again", async () => {
  const file = join(folder.path, "all.json");
  const { cli } = sqliteAt(folder.path, "copy.db");
  const written = await json(shared.cli("export", "long", "--all", "--out", file, "--json"));
  expect(written).toMatchObject({ session: "long", all: true, out: file });
  const restored = await cli("import", file);
  expect(restored).toMatchObject({ code: 0, stdout: "long\n" });
  expect(restored.stderr).toMatch(/^restored 78 messages with 2 compactions as long\nnot carried: times/);
  const [here, there] = await Promise.all([shared.cli("export", "long"), cli("export", "long")]);
  expect(there.stdout).toBe(here.stdout);
  expect((await cli("doctor")).code).toBe(0);
  await cli("rollback", "long", "--to", "1", "--cascade");
  expect((await cli("export", "long")).stdout).toBe(ORIGINAL);
});

test("what comes out of a store is written for its owner alone, whichever command writes it", async () => {
  const { cli } = sqliteAt(folder.path, "owner.db");
  await cli("import", LONG, "--id", "s");
  const compacted = join(folder.path, "owner-compacted.json");
  const exported = join(folder.path, "owner-exported.json");
  await cli("compact", "s", "--target", "40%", "--out", compacted);
  await cli("export", "s", "--out", exported);
  expect(readFileSync(compacted, "utf8")).toBe(readFileSync(exported, "utf8"));
  expect([compacted, exported].map((file) => statSync(file).mode & 0o777)).toEqual([0o600, 0o600]);
});

test("purge deletes what is old enough, and says so first", async () => {
  const { cli } = sqliteAt(folder.path, "purge.db");
  await cli("import", LONG, "--id", "s");
  await cli("compact", "s", "--target", "40%");
  const before = (await cli("export", "s")).stdout;
  expect((await cli("purge", "--older-than", "90d")).stdout).toMatch(/^nothing is old enough/);
  const dry = await json(cli("purge", "--older-than", "0h", "--dry-run", "--json"));
  const done = await json(cli("purge", "s", "--older-than", "0h", "--json"));
  expect(dry.messages).toBeGreaterThan(0);
  expect([done.messages, done.sessions]).toEqual([dry.messages, [{ session: "s", messages: dry.messages }]]);
  expect((await cli("export", "s")).stdout).toBe(before);
  expect(await cli("rollback", "s")).toMatchObject({ code: 2, stderr: expect.stringMatching(/purged/) });
  expect((await cli("history", "s")).stdout).toMatch(/ purged$/m);
  expect((await cli("diff", "s", "1")).stdout).toMatch(/messages of that time cannot be shown: purged/);
});

test("doctor finds what is broken and says how to mend it", async () => {
  const { cli, file } = sqliteAt(folder.path, "broken.db");
  await cli("import", LONG, "--id", "s");
  const database = new DatabaseSync(file);
  database.exec("UPDATE sessions SET compaction_count = 9");
  database.close();
  const { code, stdout } = await cli("doctor");
  expect(code).toBe(1);
  expect(stdout).toMatch(/^1 problem$/m);
  expect(stdout).toMatch(/^session s: compaction-count: /m);
  expect(stdout).toMatch(/^ {2}to mend it: /m);
});

test("an empty store is no error", async () => {
  const { cli, file } = sqliteAt(folder.path, "empty.db");
  const list = folder.file("one.json", [{ role: "user", content: "Hi" }]);
  await cli("import", list, "--id", "s");
  const database = new DatabaseSync(file);
  database.exec("DELETE FROM sessions");
  database.close();
  expect(await cli("sessions")).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^no sessions in .*\npalimpsest import FILE/),
  });
});
