import { expect, test } from "vitest";
import { type Message, type Part, text } from "../message.ts";
import { createFactLedger, descendingOrder, factsOf, rankFacts, withoutDemonstrations } from "./facts.ts";

let next = 0;
const message = (role: Message["role"], ...parts: Part[]): Message => ({ id: `m${next++}`, role, parts });
const call = (input: Record<string, string>): Message =>
  message("assistant", { type: "tool-call", callId: "c", name: "run", input });
const result = (value: string): Message =>
  message("user", { type: "tool-result", callId: "c", content: [text(value)], isError: false });

function ranked(...messages: Message[]): readonly string[] {
  return factsOf(messages).map((fact) => fact.text);
}

test("what a call names goes before what a result only mentions", () => {
  const facts = ranked(call({ path: "src/named.ts" }), result("src/other.ts src/another.ts"));
  expect(facts[0]).toBe("src/named.ts");
});

test("what came lately goes before what came long ago", () => {
  const between = Array.from({ length: 30 }, () => result("nothing to see"));
  expect(ranked(result("old_name"), ...between, result("new_name"))).toEqual(["new_name", "old_name"]);
});

test("what is equally likely stands as it was mentioned", () => {
  expect(ranked(result("tide_gates tide_gate tide_Gate lamp_gate"))).toEqual([
    "tide_gates",
    "tide_gate",
    "tide_Gate",
    "lamp_gate",
  ]);
});

test("an id that somebody named outlives those that logs only print", () => {
  const logs = Array.from({ length: 40 }, (_, day) => result(`INFO rq-${7_000 + day} took RQ${9_100 + day}`));
  const named = [message("user", text("It is BK-77310.")), call({ payment: "PAY-55812" })];
  expect(
    ranked(...named, ...logs)
      .slice(0, 2)
      .toSorted(),
  ).toEqual(["BK-77310", "PAY-55812"]);
  // What a result printed so long ago is nobody's.
  expect(ranked(result("BK-77310 PAY-55812"), ...logs).slice(0, 2)).not.toContain("BK-77310");
});

test("what the user and a call share goes first", () => {
  const facts = ranked(
    message("user", text("fix both_said and only_user")),
    call({ command: "run both_said" }),
    result("only_result"),
  );
  expect(facts[0]).toBe("both_said");
});

test("argument names count as mentions, numbers as their digits", () => {
  const facts = factsOf([message("assistant", { type: "tool-call", name: "t", input: { timeout_ms: 120000 } })]);
  expect(facts.map((fact) => fact.text).sort()).toEqual(["120000", "timeout_ms"]);
});

test("of numbered names and dates that only results mention, a few stand for all", () => {
  const rows = result(
    Array.from(
      { length: 30 },
      (_, index) => `lamp_${index} gate_${index}_open HARBOR-${400 + index} 2026-03-${10 + index}`,
    ).join(" "),
  );
  expect(ranked(rows)).toHaveLength(12);
  expect(ranked(rows, call({ name: "lamp_29" }))).toContain("lamp_29");
});

test("what looks like a word is listed only where a call uses it", () => {
  const said = result("start/exit and/or in-memory WARNING tide_table");
  expect(ranked(said)).toEqual(["tide_table"]);
  expect(ranked(call({ branch: "in-memory" }), said).toSorted()).toEqual(["in-memory", "tide_table"]);
});

test.each([
  "sk-ant-api03-AbCdEf0123456789AbCdEf",
  "AKIAIOSFODNN7EXAMPLE",
  "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
  "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9",
  "Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4MTIz",
])("%s is never listed", (secret) => {
  expect(ranked(call({ key: `use ${secret} here` }), message("user", text(secret)))).toEqual([]);
});

test("memory is bounded, and what matters outlives what does not", () => {
  const ledger = createFactLedger({ factsMax: 100 });
  ledger.add(call({ path: "src/kept.ts" }));
  for (let index = 0; index < 200; index++) ledger.add(result(`id_${index} id_${index}_b`));
  expect(ledger.size).toBeLessThanOrEqual(101);
  expect(rankFacts(ledger).map((fact) => fact.text)).toContain("src/kept.ts");
});

test("counts survive growth and forgetting", () => {
  const ledger = createFactLedger({ factsMax: 3_000 });
  for (let index = 0; index < 2_500; index++) ledger.add(result(`same_name name_${index}`));
  const counts = new Map<string, number>();
  for (let entry = 0; entry < ledger.size; entry++) counts.set(ledger.text(entry), ledger.fact(entry).results);
  expect(counts.get("same_name")).toBe(2_500);
  expect(counts.get("name_17")).toBe(1);
  expect(counts.size).toBe(2_501);
});

function checkOrder(keys: readonly number[], expected: readonly number[]): void {
  expect([...descendingOrder(Float64Array.from(keys))]).toEqual(expected);
}

test("largest first, equal ones as given", () => {
  checkOrder([], []);
  checkOrder([5], [0]);
  checkOrder([1, 3, 2], [1, 2, 0]);
  checkOrder([2, 1, 2, 1, 2], [0, 2, 4, 1, 3]);
});

test("agrees with the engine's sort on many numbers, most of them several times", () => {
  const keys = Float64Array.from({ length: 5_000 }, (_, index) => (index * 7_919) % 613);
  const expected = Array.from(keys, (_, index) => index).sort((a, b) => (keys[b] ?? 0) - (keys[a] ?? 0) || a - b);
  checkOrder([...keys], expected);
});

test("tells numbers apart that differ in their last bits, however many there are", () => {
  checkOrder([0.5, 0.5 + Number.EPSILON, 0, 0.5, 1e300, 0.5 - Number.EPSILON / 2], [4, 1, 0, 3, 5, 2]);
  const close = Array.from({ length: 40 }, (_, index) => 1 + ((index * 17) % 40) * Number.EPSILON);
  checkOrder(
    close,
    close.map((_, index) => index).sort((a, b) => (close[b] ?? 0) - (close[a] ?? 0)),
  );
});

const SHOWN =
  "Here is one.\n--- DEMONSTRATION ---\nopen lamp_house.py\n--- END OF DEMONSTRATION ---\nNow mend tide_gate.py.";

test("a demonstration goes, what stands around it stays", () =>
  expect(withoutDemonstrations(SHOWN)).toBe("Here is one.\nNow mend tide_gate.py."));

test.each(["The demonstration went well.", "--- DEMONSTRATION ---\nnever ended", "the end of the example is missing"])(
  "whatever only looks like one stays: %s",
  (said) => expect(withoutDemonstrations(said)).toBe(said),
);

test("its names are no facts, where a user gives it first", () => {
  const facts = factsOf([{ id: "m", role: "user", parts: [text(SHOWN)] }]);
  expect(facts.map((fact) => fact.text)).toEqual(["tide_gate.py"]);
});
