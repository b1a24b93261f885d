import { expect, test } from "vitest";
import type { Language } from "../../../core/checkpoint/language.ts";
import { settledBy } from "./answers.ts";

/** "decision | reason", or nothing. */
function check(asked: string, reply: string, expected: string | undefined, language: Language = "en"): void {
  const settled = settledBy({ asked, reply, language, askedIn: language });
  expect(settled === undefined ? undefined : `${settled.decision} | ${settled.reason}`).toBe(expected);
}

const OPTIONS =
  "There are two ways:\n\n1. **SQLite** in one file\n2. **Postgres:**\n   a server of its own\n\nWhich one should I take?";

test.each([
  ["option 2", "Postgres: a server of its own"],
  ["2", "Postgres: a server of its own"],
  ["let's go with option 1 please", "SQLite in one file"],
  ["the second one", "Postgres: a server of its own"],
])("%j means what the list says", (reply, option) => check(OPTIONS, reply, `${option} | User: ${reply}`));

test("letters mark options too", () =>
  check("A) paint it\nB) sell it\nWhich do you prefer?", "B", "sell it | User: B"));

test("a yes stands with its question", () =>
  check(
    "I can keep the tables in Postgres. Should I move the tide tables there today?",
    "yes, use Postgres",
    "User: yes, use Postgres | Should I move the tide tables there today?",
  ));

test("one of two named ways", () =>
  check(
    "Do you want the harbour in blue or in green?",
    "green please",
    "User: green please | Do you want the harbour in blue or in green?",
  ));

test("what waits for a yes asks without a mark, and what is asked back leaves the yes what it is", () => {
  const asked = "The northern berth costs 40 a night. Please confirm if you would like to book it.";
  const question = "Please confirm if you would like to book it.";
  check(asked, "Yes, please book it.", `User: Yes, please book it. | ${question}`);
  check(asked, "Yes, take the berth. Is there a crane?", `User: Yes, take the berth. | ${question}`);
  const before = "Should I book the northern berth for two nights? Please confirm that this is right.";
  check(before, "Yes, it is.", "User: Yes, it is. | Should I book the northern berth for two nights?");
  const german = "Bitte bestätigen Sie, ob ich den nördlichen Liegeplatz buchen soll.";
  check(german, "Ja, bitte.", `Nutzer: Ja, bitte. | ${german}`, "de");
});

test.each([
  ["Please confirm if everything is correct, and I'll proceed.", "Yes, everything looks correct. Please go ahead."],
  ["1. The pier\n2. The lock\nWhich one do you want?", "Option 2 is close, but above my budget. Is there a third?"],
  ["Do you want the pier or do you need help with the lock?", "I need to be home on Monday. Is there a train?"],
  ["Shall I go on?", "yes"],
  ["What is the number of your berth?", "It is 17."],
  ["Should I repaint the harbour page in blue?", "hmm, the crane hangs over the road again"],
  ["Should I repaint the harbour page in blue?", "why not green?"],
  ["The page is blue now.", "ok"],
  ["1. Where do you start?\n2. When?", "1. Brest 2. Monday"],
])("%j, %j settles nothing", (asked, reply) => check(asked, reply, undefined));

test("other languages", () => {
  check(
    "Soll ich die Tabellen in Postgres ablegen?",
    "ja, gern",
    "Nutzer: ja, gern | Soll ich die Tabellen in Postgres ablegen?",
    "de",
  );
  check("有两种方案：\n1. 用文件保存\n2. 用数据库保存\n要用哪一种？", "选择2", "用数据库保存 | 用户: 选择2", "zh");
});

test("a verb and its object make a question", () => {
  check(
    "Should I also paint the pier?",
    "No, keep the stone.",
    "User: No, keep the stone. | Should I also paint the pier?",
  );
  check("Which option do you prefer?", "Yes.", undefined);
  check("Would you like to proceed?", "Yes.", undefined);
});

test("leave to go on settles nothing", () =>
  check("Should I continue with the tables of the northern harbour?", "yes", undefined));

test("a longer reply that takes up one of the ways is an answer too", () => {
  const asked = "Do you want the tide heights in metres or in the old feet?";
  const reply = "Keep the feet as they are in the tables, the pilots of this harbour have never read anything else.";
  check(asked, reply, `User: ${reply} | ${asked}`);
});
