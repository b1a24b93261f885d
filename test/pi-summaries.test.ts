/** Sessions that pi or OpenClaw compacted before: their summary goes into ours, whatever the profile protects. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { anthropicMessages } from "../src/formats/anthropic-messages.ts";
import { openSession } from "../src/session.ts";

const AT = "2026-01-01T00:00:00.000Z";

/** Three turns, a compaction of theirs that keeps the third, and nine more. */
function writeTheirs(directory: string): void {
  const entries: object[] = [];
  const add = (entry: object): string => {
    const id = `e${entries.length + 1}`;
    entries.push({ ...entry, id, parentId: entries.length === 0 ? null : `e${entries.length}`, timestamp: AT });
    return id;
  };
  const turn = (number: number): string => {
    const say = (role: string, text: string) =>
      add({
        type: "message",
        message: { role, content: [{ type: "text", text: `${text} ${"look here ".repeat(40)}` }] },
      });
    const first = say("user", `Question ${number}`);
    say("assistant", `Answer ${number}`);
    return first;
  };
  const kept = [1, 2, 3].map(turn).at(-1);
  const summary = "## Goal\nMigrate the ledger to zeta-9944.\n\n## Decisions\n- Keep quux_archive_77";
  add({ type: "compaction", summary, firstKeptEntryId: kept, tokensBefore: 5_000 });
  for (let number = 4; number <= 12; number++) turn(number);
  const header = { type: "session", version: 3, id: "theirs", timestamp: AT, cwd: "/" };
  const lines = [header, ...entries].map((entry) => `${JSON.stringify(entry)}\n`);
  writeFileSync(join(directory, "theirs.jsonl"), lines.join(""));
}

test.each(["balanced", "openclaw", "agentpg", "nous", "micro-agent"] as const)("under %s", async (profile) => {
  const directory = mkdtempSync(join(tmpdir(), "palimpsest-theirs-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  writeTheirs(directory);
  const protect = { tailTokens: 200, tailMessages: 2 };
  const compactor = { format: anthropicMessages, profile, windowTokens: 8_000, maxOutputTokens: 200, protect };
  const session = await openSession("theirs", { store: `jsonl:${directory}`, compactor, create: false });
  const [theirs] = await session.view();
  expect(theirs).toMatchObject({ isSummary: true });
  await session.compact();
  expect((await session.view()).map(({ id }) => id)).not.toContain(theirs?.id);
  const summary = (await session.history()).at(-1)?.summary ?? "";
  for (const fact of ["zeta-9944", "quux_archive_77"]) expect(summary).toContain(fact);
});
