/** A session that was exported whole and made again: the same view to the byte, and the same way back, whatever was done to it. */

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { CompactionError } from "../core/errors.ts";
import type { FullStore } from "../core/store/store-upkeep.ts";
import { formatNamed } from "../formats.ts";
import { type ProfileName, profileNames } from "../profiles/profiles.ts";
import { exportedText } from "../session/export-session.ts";
import type { Session } from "../session/session-port.ts";
import { openSession } from "../session.ts";
import { memoryStore } from "../stores/memory.ts";
import { readExported, restoreSession } from "./exported-session.ts";

const BODY = JSON.parse(readFileSync("examples/long-conversation.json", "utf8"));
const format = formatNamed("anthropic-messages");

async function compact(session: Session, ratio: number): Promise<void> {
  try {
    await session.compact({ target: { ratio } });
  } catch (error) {
    // A profile may find nothing that may go; then there is one compaction less to restore.
    if (!(error instanceof CompactionError) || error.code !== "nothing-to-compact") throw error;
  }
}

async function restored(session: Session, store: FullStore): Promise<readonly string[]> {
  const file = readExported(exportedText(await session.export({ all: true })));
  if (file === undefined) throw new Error("an export is told by its kind");
  return (await restoreSession(store, "copy", file)).notCarried;
}

async function check(profile: ProfileName, change: (session: Session) => Promise<void>): Promise<readonly string[]> {
  const [store, other] = [memoryStore(), memoryStore()];
  const compactor = { format, profile };
  const session = await openSession("s", { store, compactor, body: BODY });
  await change(session);
  const notCarried = await restored(session, other);
  const copy = await openSession("copy", { store: other, compactor, create: false });
  expect(JSON.stringify((await copy.export()).request)).toBe(JSON.stringify((await session.export()).request));
  expect(await Array.fromAsync(other.examine())).toEqual([]);
  const pins = async ({ view }: Session) => (await view()).map(({ isPinned }) => isPinned);
  expect(await pins(copy)).toEqual(await pins(session));
  const inForce = (await session.history()).filter(({ undoneAt }) => undoneAt === null);
  for (const _ of inForce) {
    await Promise.all([copy.rollback(), session.rollback()]);
    expect(JSON.stringify((await copy.export()).request)).toBe(JSON.stringify((await session.export()).request));
  }
  return notCarried;
}

test.each(profileNames)("%s: two compactions with messages between and after them", async (profile) => {
  await check(profile, async (session) => {
    await compact(session, 0.4);
    await session.append([
      { role: "assistant", content: "Done." },
      { role: "user", content: "Now the changelog." },
    ]);
    await compact(session, 0.5);
    await session.append({ role: "assistant", content: "Written." });
  });
});

test("a summary in the system prompt: the prompt as it was given comes along", async () => {
  const notCarried = await check("auto-compact", async (session) => {
    await compact(session, 0.4);
    const { request, base } = await session.export({ all: true });
    const isSummarized = (body: unknown): boolean => JSON.stringify(body).includes("[Previous conversation summary]");
    expect([isSummarized(request), isSummarized(base), base?.system]).toEqual([true, false, BODY.system]);
  });
  expect(notCarried).toEqual(["times: messages and compactions have the time of this import"]);
});

test("messages that a compaction edited stay so", async () => {
  await check("micro-agent", async (session) => {
    await compact(session, 0.6);
    expect((await session.view()).some(({ isEdited }) => isEdited)).toBe(true);
  });
});

test("an undone compaction leaves a gap in the numbers", async () => {
  const notCarried = await check("balanced", async (session) => {
    await compact(session, 0.4);
    await session.rollback();
    await session.append([
      { role: "assistant", content: "Done." },
      { role: "user", content: "Now the changelog." },
    ]);
    await session.pin("m14");
    await compact(session, 0.4);
  });
  expect(notCarried).toContain("compactions that had been undone: 1");
});

test("what was purged stays gone, and is told", async () => {
  const store = memoryStore();
  const session = await openSession("s", { store, compactor: { format }, body: BODY });
  await compact(session, 0.4);
  await session.append({ role: "assistant", content: "Done." });
  await session.purge({ olderThan: new Date(Date.now() + 60_000) });
  const other = memoryStore();
  expect((await restored(session, other)).join("\n")).toMatch(/purged; rolling 1 compaction\(s\) back/);
  const copy = await openSession("copy", { store: other, compactor: { format }, create: false });
  expect((await copy.export()).request).toEqual((await session.export()).request);
});

test.each(["auto-compact", "micro-agent"] as const)(
  "%s: a file that does not say what was written",
  async (profile) => {
    const [store, other] = [memoryStore(), memoryStore()];
    const compactor = { format, profile };
    const session = await openSession("s", { store, compactor, body: BODY });
    await compact(session, 0.6);
    const { edits: _, base: _base, ...older } = await session.export({ all: true });
    const file = readExported(exportedText(older));
    if (file === undefined) throw new Error("an export is told by its kind");
    const { notCarried } = await restoreSession(other, "copy", file);
    expect(notCarried.join("\n")).toMatch(profile === "auto-compact" ? /the system prompt without/ : /texts that a/);
    const copy = await openSession("copy", { store: other, compactor, create: false });
    expect((await copy.export()).request).toEqual((await session.export()).request);
  },
);

test("a file that is damaged makes no session", () => {
  const text = JSON.stringify({
    kind: "palimpsest-session",
    version: 1,
    id: "s",
    format: "gemini",
    request: {},
    log: [{}],
    events: [],
  });
  expect(() => readExported(text)).toThrow(/log\.0 is no stored message/);
  expect(() => readExported(text.replace('"version":1', '"version":2'))).toThrow(/of version 2/);
  const sound = text.replace("[{}]", "[]");
  expect(() => readExported(sound.replace('"events":[]', '"events":[],"edits":[{}]'))).toThrow(/edits\.0 is nothing/);
  expect(readExported('{"kind":"other","note":"palimpsest-session"}')).toBeUndefined();
});

test("whose session it is comes along", async () => {
  const [store, other] = [memoryStore(), memoryStore()];
  const options = { compactor: { format }, metadata: { tenant: 7 } };
  await restored(await openSession("s", { store, ...options, agentId: "billing" }), other);
  expect(await other.open("copy")).toMatchObject({ agentId: "billing", metadata: { tenant: 7 } });
  const nobodys = await openSession("t", { store, ...options });
  expect(await nobodys.export({ all: true })).not.toHaveProperty("agentId");
});
