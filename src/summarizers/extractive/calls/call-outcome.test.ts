import { expect, test } from "vitest";
import type { JsonValue } from "../../../core/json.ts";
import type { ToolResultPart } from "../../../core/message.ts";
import { callLog } from "../compose/result-lines.ts";
import { briefOf, failureOf, outcomeOf } from "./call-outcome.ts";

const resultOf = (text: string): ToolResultPart => ({
  type: "tool-result",
  content: [{ type: "text", text }],
  isError: false,
});

test.each([
  ['{"status":"error","message":"The gate is locked"}', "The gate is locked"],
  ['{"error":{"message":"Gate not found"}}', "Gate not found"],
  [JSON.stringify({ result: JSON.stringify({ error: "Cannot open gate 4" }) }), "Cannot open gate 4"],
  ['[{"success":false,"error":"Access denied to gate 4"}]', "Access denied to gate 4"],
  ['{"content":[{"type":"text","text":"Error: the gate is stuck"}]}', "Error: the gate is stuck"],
  [
    JSON.stringify(
      { content: [{ type: "text", text: "Error executing open_gate: no such gate" }], isError: true },
      null,
      2,
    ),
    "Error executing open_gate: no such gate",
  ],
  ['{"content":[],"isError":true}', '{"content":[],"isError":true}'],
  ["Tool call timed out.", "Tool call timed out."],
])("%s failed", (text, expected) => expect(failureOf(resultOf(text))).toBe(expected));

test.each([
  '{"error":null,"rows":4}',
  '{"success":true,"error":"no errors"}',
  '{"error":"none"}',
  "The page explains what an error is.",
  "The file gate.sh has been updated:\n  4  open || exit 1",
])("%s did not", (text) => expect(failureOf(resultOf(text))).toBeUndefined());

test.each([
  ["Exit code 1\n┃ fix ❯\ncheck ━━━━\nThe gate does not close.", "Exit code 1"],
  ["Your proposed edit has introduced new syntax error(s).", "Your proposed edit has introduced new syntax error(s)."],
  ["exited with 2", "exited with 2"],
  ["EXIT STATUS: 3", "EXIT STATUS: 3"],
  ["The edit was not applied.", "The edit was not applied."],
])("what failed in %j", (text, expected) => expect(failureOf(resultOf(text))).toBe(expected));

test("a tool that calls tools is told by the inner one", () => {
  const brief = (input: JsonValue): string => briefOf({ type: "tool-call", name: "execute", input });
  expect(brief({ server_name: "harbour", tool_name: "open_gate", params: { note: "now", path: "gates/4" } })).toBe(
    "open_gate gates/4",
  );
  expect(brief({ server_name: "harbour", tool_name: "count_gates" })).toBe("harbour");
});

test("outcomes that say nothing are left out of the log", () => {
  const line = (brief: string, text: string): readonly string[] => [
    ...callLog([{ name: "bash", brief, result: resultOf(text) }]),
  ];
  expect(line("rm old.json", "(no output)")).toEqual(["bash: rm old.json"]);
  expect(line("npm ci", "success: true")).toEqual(["bash: npm ci"]);
  expect(line("npm run check | grep error", "")).toEqual([]);
  expect(line("", "ok")).toEqual([]);
  expect(line("npm ci", "added 4 packages")).toEqual(["bash: npm ci → added 4 packages"]);
});

test.each([
  '{\n  "annotations": null,\n  "gate": 4\n}',
  '\\"A1:E14\\"\\',
  "Created: 2031-02-12\nOwner: null",
  "Created: 2031-02-12 · Updated: 2031-02-13",
  '{\n  "gate": 4\n}\n41,,30917,0.5',
  '[\n  "gate",\n  "lamp"\n]',
  'meta=None content=[TextContent(type=\'text\', text=\'{\\n  "title": "Gate",\\n  "rows": 4\\n}\')]',
])("nothing but data is no outcome: %j", (text) => expect(outcomeOf(resultOf(text))).toBe(""));

test.each([
  ['{\n  "annotations": null\n}\nThe gate was created.', "The gate was created."],
  ["Tests: 4 passed", "Tests: 4 passed"],
  ["harbour-4471", "harbour-4471"],
  ["Released: 2031-02-12 with a new gate", "Released: 2031-02-12 with a new gate"],
  ['"Pretty windy"', '"Pretty windy"'],
  ["Created gate: see /srv/gate.md", "Created gate: see /srv/gate.md"],
])("a sentence, a count or a plain value is: %j", (text, expected) => expect(outcomeOf(resultOf(text))).toBe(expected));

test("what a call was about is told without the tags around it", () => {
  const brief = (query: string): string => briefOf({ type: "tool-call", name: "route", input: { query } });
  expect(brief("<tool_assistant>\nserver: harbour\ntool: open a gate\n</tool_assistant>")).toBe(
    "server: harbour tool: open a gate",
  );
  // What is looked for may be a tag.
  expect(brief("<title>Harbour</title>")).toBe("<title>Harbour</title>");
  expect(brief("cat <<EOF > gate.txt")).toBe("cat <<EOF > gate.txt");
  expect(brief("<gate>")).toBe("<gate>");
});
