import { expect, test } from "vitest";
import { text } from "../../core/message.ts";
import { logLines } from "./result-lines.ts";

function check(name: string, brief: string, output: string, expected: readonly string[]): void {
  const result = { type: "tool-result", content: [text(output)], isError: false } as const;
  expect(logLines({ name, brief, result })).toEqual(expected);
}

test("what did something is told with what came of it", () => {
  check("bash", "npm run pump", "3 tests passed", ["bash: npm run pump → 3 tests passed"]);
  check("bash", "git push", "pushed to harbour", ["bash: git push → pushed to harbour"]);
});

test.each([
  ["bash", "git status --short 2>&1"],
  ["bash", "cd /srv/tide && git log -3"],
  ["bash", "ls -la src"],
  ["Grep", "lamp.*gate"],
  ["search_files", "lamp"],
  ["TodoWrite", "Oil the gate"],
])("what only looked is not: %s %s", (name, brief) => check(name, brief, "two lamps were found here", []));

test("what looked and then did is", () =>
  check("bash", "ls src && npm run pump", "all lamps lit", ["bash: ls src && npm run pump → all lamps lit"]));
