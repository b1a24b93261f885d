import { expect, test } from "vitest";
import { examineLog } from "./read-log.ts";
import type { CommitRecord, LogMessage } from "./records.ts";
import { applyRecord, newLog, type Row, type SessionLog } from "./session-log.ts";

const AT = "2026-01-01T00:00:00.000Z";
const message = (sequence: number, order = sequence): LogMessage => {
  return { id: `m${sequence}`, sequence, order, role: "user", body: "x", isPinned: false };
};

/** Four messages; the first is archived by `e`, which made the fourth and edited the second. */
function makeLog(): SessionLog {
  const log = newLog({
    id: "s",
    format: "gemini",
    base: {},
    agentId: "",
    parentId: null,
    metadata: {},
    incarnation: "i",
    at: AT,
  });
  applyRecord(log, { type: "appended", at: AT, messages: [message(1), message(2), message(3)], turns: 1 });
  const commit: Omit<CommitRecord, "event"> = {
    type: "committed",
    at: AT,
    eventId: "e",
    archivedIds: ["m1"],
    edits: [{ messageId: "m2", kind: "trim", body: "y" }],
    inserted: [message(4, 0.5)],
    system: null,
    passes: { weak: 0, tokensAfter: 0 },
    isOvertaken: false,
    totalTokens: 9,
  };
  // Of an event nothing else is looked at here.
  applyRecord(log, {
    ...commit,
    event: { isCompaction: true, summary: "s", messagesRemoved: 1 } as CommitRecord["event"],
  });
  return log;
}

function check(damage: (log: SessionLog, row: (id: string) => Row) => void, expected: readonly string[]): void {
  const log = makeLog();
  damage(log, (id) => log.rows.get(id) ?? expect.fail(`${id} is there`));
  expect(examineLog(log).map(({ rule }) => rule)).toEqual(expected);
}

test("nothing is wrong", () => check(() => {}, []));
test("two at the same place", () => check((log) => log.view.reverse(), ["view-order", "view-order"]));
test("in the view and archived", () =>
  check(
    (_, row) => {
      row("m3").archivedBy = "e";
    },
    ["view-archived"],
  ));
test("archived by nobody", () =>
  check(
    (_, row) => {
      row("m1").archivedBy = "nobody";
    },
    ["archived-by"],
  ));
test("edited by nobody", () =>
  check(
    (_, row) => {
      row("m2").edits = [{ messageId: "m2", kind: "trim", body: "z", eventId: "nobody" }];
    },
    ["edited-by"],
  ));
test("numbered beyond the last", () =>
  check(
    (log) => {
      log.sequence = 3;
    },
    ["sequence"],
  ));
test("counted wrongly", () =>
  check(
    (log) => {
      log.counters = { ...log.counters, compactionCount: 2 };
    },
    ["compaction-count"],
  ));
test("a head that is not there", () =>
  check(
    (log) => {
      log.head = "nobody";
    },
    ["archived-by", "edited-by", "compaction-count", "head", "event-chain"],
  ));
test("an archive that has lost a message", () =>
  check(
    (log) => {
      const event = log.events.get("e") ?? expect.fail("e is there");
      event.facts = { ...event.facts, messagesRemoved: 2 };
    },
    ["archive-incomplete"],
  ));
test("an archive that was purged", () =>
  check((log) => {
    const event = log.events.get("e") ?? expect.fail("e is there");
    event.facts = { ...event.facts, messagesRemoved: 2, purgedAt: AT };
  }, []));
