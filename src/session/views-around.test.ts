/** Views put together from a log: what was sent before the first compaction, between two, and after the newest. */

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { CompactionError } from "../core/errors.ts";
import { withUpkeep } from "../core/store/store-upkeep.ts";
import { formatNamed } from "../formats.ts";
import { profileNames } from "../profiles/profiles.ts";
import { openSession } from "../session.ts";
import { memoryStore } from "../stores/memory.ts";
import type { Session } from "./session-port.ts";
import { type ViewsAround, viewsAround } from "./views-around.ts";
import { encodeMessages } from "./wire-input.ts";

const BODY = JSON.parse(readFileSync("examples/long-conversation.json", "utf8"));
const format = formatNamed("anthropic-messages");
const LATER = { role: "assistant", content: "Done." };

async function compact(session: Session, ratio: number): Promise<void> {
  try {
    await session.compact({ target: { ratio } });
  } catch (error) {
    if (!(error instanceof CompactionError) || error.code !== "nothing-to-compact") throw error;
  }
}

async function viewsOf(session: Session): Promise<readonly ViewsAround[]> {
  const { id } = session;
  const store = withUpkeep(session.store, "be read whole");
  const [events, log] = [await session.history(), await Array.fromAsync(store.log(id))];
  const edits = await Array.fromAsync(store.edits(id));
  return events.map((event) => viewsAround({ format, event, events, log, edits }));
}

const ids = (messages: ViewsAround["before"]): readonly string[] => messages.map(({ id }) => id);

test.each(profileNames)("%s", async (profile) => {
  const session = await openSession("s", { store: memoryStore(), compactor: { format, profile }, body: BODY });
  await compact(session, 0.6);
  const between = await session.view();
  await session.append(LATER);
  await compact(session, 0.5);
  const views = await viewsOf(session);
  expect(views.length).toBeGreaterThan(0);
  expect(encodeMessages(format, views[0]?.before ?? [])).toEqual(BODY.messages);
  if (views.length > 1) {
    const bodies = between.map(({ body }) => body);
    expect(ids(views[0]?.after ?? [])).toEqual(between.map(({ id }) => id));
    expect(encodeMessages(format, views[0]?.after ?? [])).toEqual(bodies);
    expect(encodeMessages(format, views[1]?.before ?? [])).toEqual([...bodies, LATER]);
  }
  const last = await session.view();
  const newest = views.at(-1)?.after ?? [];
  const seen = views.length > 1 ? last : last.slice(0, newest.length);
  expect(encodeMessages(format, newest)).toEqual(seen.map(({ body }) => body));
  for (const { before, after, diff, purged } of views) {
    const times = (marks: string) => diff.filter(({ mark }) => marks.includes(mark)).length;
    expect([times("=~-"), times("=~+"), purged]).toEqual([before.length, after.length, 0]);
  }
});

test.each(profileNames)("%s: an undone compaction is still shown, in the texts of its time", async (profile) => {
  const session = await openSession("s", { store: memoryStore(), compactor: { format, profile }, body: BODY });
  await compact(session, 0.4);
  const [before] = await viewsOf(session);
  await session.rollback();
  const [after] = await viewsOf(session);
  expect(after?.diff.map(({ mark }) => mark).join("")).toBe(before?.diff.map(({ mark }) => mark).join(""));
  for (const side of ["before", "after"] as const) {
    expect(encodeMessages(format, after?.[side] ?? [])).toEqual(encodeMessages(format, before?.[side] ?? []));
  }
});
