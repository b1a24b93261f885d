import { expect, test } from "vitest";
import { type Message, type ToolResultPart, text } from "../../../core/message.ts";
import { changesMade, commitsOf, passedChecks } from "./evidence.ts";

function ran(command: string, output: string, isError = false): readonly Message[] {
  return [
    { id: "a", role: "assistant", parts: [{ type: "tool-call", callId: "1", name: "bash", input: { command } }] },
    { id: "b", role: "user", parts: [{ type: "tool-result", callId: "1", content: [text(output)], isError }] },
  ];
}

test.each([
  ['git add . && git commit -m "Keep seven days" && git push', "Keep seven days"],
  ["git commit -am 'Keep seven days'", "Keep seven days"],
  ["git commit -m \"$(cat <<'EOF'\nKeep seven days\n\nThe disk is full.\nEOF\n)\"", "Keep seven days"],
])("the subject of %j", (command, subject) => expect(commitsOf(ran(command, "[main 1a2b3c4]"))).toEqual([subject]));

test("a commit that failed was not made", () =>
  expect(commitsOf(ran('git commit -m "Keep seven days"', "hook failed", true))).toEqual([]));

/** A call as the log has it: tool, argument, output. */
function proven(...calls: readonly (readonly [string, string, string])[]): readonly string[] {
  const log = calls.map(([name, brief, output]) => ({
    name,
    brief,
    result: { type: "tool-result", callId: "1", content: [text(output)], isError: false } as const,
  }));
  return [...passedChecks(log), ...changesMade(log)];
}

test("checks that passed and things that were changed, newest first", () =>
  expect(
    proven(
      ["bash", "npm test 2>&1 | tail -3", "Tests: 12 passed"],
      ["cancel_booking", "H-12", "ok"],
      ["get_booking", "H-12", "ok"],
      ["send_mail", "ana@example.org", "ok"],
      ["insert", "from tides import gate", "ok"],
    ),
  ).toEqual(["npm test → Tests: 12 passed", "send_mail: ana@example.org", "cancel_booking: H-12"]));

test("an upgrade, a refund and a move are changes, a look at one and a move of the pointer are none", () =>
  expect(
    proven(
      ["upgrade_cabin", "H-12", "ok"],
      ["get_refund_status", "H-12", "ok"],
      ["harbour__refund_deposit", "H-13", "ok"],
      ["moveBerth", "H-1400", "ok"],
      ["move_mouse", "320", "ok"],
      ["change_dir", "/tmp", "ok"],
      ["升级舱位", "H-1500", "ok"],
    ),
  ).toEqual(["升级舱位: H-1500", "moveBerth: H-1400", "harbour__refund_deposit: H-13", "upgrade_cabin: H-12"]));

test("a sentence that names what was changed says it better", () => {
  const call = { name: "cancel_booking", brief: "H-1234" };
  const result: ToolResultPart = { type: "tool-result", callId: "1", content: [text("ok")], isError: false };
  expect(changesMade([{ ...call, result }], ["Your booking H-1234 has been cancelled."])).toEqual([]);
  expect(changesMade([{ ...call, result }], ["Your other booking has been cancelled."])).toEqual([
    "cancel_booking: H-1234",
  ]);
});

test("so does one that names what came of it", () => {
  const result: ToolResultPart = {
    type: "tool-result",
    callId: "1",
    content: [text('{"order": "NL-2047", "total": 1840}')],
    isError: false,
  };
  const call = { name: "book_mooring", brief: "V-31", result };
  expect(changesMade([call], ["The mooring is booked, number NL-2047."])).toEqual([]);
  // A sum is no name.
  expect(changesMade([call], ["The other mooring costs 1840."])).toEqual(["book_mooring: V-31"]);
});

test("neither a failing check nor a list of files", () =>
  expect(proven(["bash", "npm test", "3 passed, 2 failed"], ["bash", "ls -la", "1 root 16:04 test.ts"])).toEqual([]));

/** What a call proves that was made with these arguments; the first is what it was about. */
function changed(name: string, input: Readonly<Record<string, string>>): readonly string[] {
  const result: ToolResultPart = { type: "tool-result", callId: "1", content: [text("ok")], isError: false };
  return changesMade([{ name, brief: Object.values(input)[0] ?? "", input, result }]);
}

test.each(["modifier", "umbuchen", "ändern", "modificar", "alterar", "spostare", "изменить", "修改"])(
  "%s of what has a number of its own is a change, told with what was set",
  (name) => expect(changed(name, { booking: "BV-20471", room: "402" })).toEqual([`${name}: BV-20471 (room: 402)`]),
);

test("other identifiers are not told with it", () =>
  expect(
    changed("modify_booking", { booking: "BV-20471", room: "402", payment_id: "card_77", payerId: "u_4" }),
  ).toEqual(["modify_booking: BV-20471 (room: 402)"]));

test("neither what an editor does nor what only looks is one", () => {
  expect(changed("insert", { text: "from tides import gate" })).toEqual([]);
  expect(changed("modifier", { text: "la porte du nord" })).toEqual([]);
  expect(changed("consulter", { booking: "BV-20471", room: "402" })).toEqual([]);
});
