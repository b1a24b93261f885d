import { expect, test } from "vitest";
import { text } from "../../../core/message.ts";
import { callLog, resultProse } from "./result-lines.ts";

function check(name: string, brief: string, output: string, expected: readonly string[]): void {
  const result = { type: "tool-result", content: [text(output)], isError: false } as const;
  expect([...callLog([{ name, brief, result }])]).toEqual(expected);
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

test("of calls of one kind that returned nothing but data, the newest stands for all", () => {
  const lines = (...calls: readonly (readonly [string, string, string])[]): readonly string[] => [
    ...callLog(
      calls.map(([name, brief, output]) => ({
        name,
        brief,
        result: { type: "tool-result", content: [text(output)], isError: false },
      })),
    ),
  ];
  const data = '{\n  "tide": null\n}';
  expect(lines(["route", "<tide> Brest", data], ["route", "<tide> Dover", data])).toEqual(["route: <tide> Brest"]);
  expect(lines(["bash", "bd show a1", data], ["bash", "bd close a1", data], ["bash", "bd show a2", data])).toEqual([
    "bash: bd show a1",
    "bash: bd close a1",
  ]);
  const found = `status: success\n${"- name: quay\n".repeat(20)}`;
  expect(lines(["route", "<tide> Brest", found], ["route", "<tide> Dover", found])).toEqual(["route: <tide> Brest"]);
  // What says what came of it, and what has nothing to say, did something.
  expect(lines(["route", "a", "It is open."], ["route", "a", "It is shut."])).toHaveLength(2);
  expect(lines(["bash", "rm -f a.txt", ""], ["bash", "rm -f b.txt", "(no output)"])).toHaveLength(2);
});

/** The sentences of a result that are told. */
const prose = (output: string): readonly string[] =>
  resultProse([{ type: "tool-result", content: [text(output)], isError: false }], "en").map((item) => item.text);

test.each([
  "Please understand the fixes and retry your edit command.",
  "Use `mix harbour explain` to explain a tide and its reasons.",
  "Make sure that the gate is closed before you go on.",
  "Veuillez vérifier le contenu avant de le partager.",
  "请在分享之前仔细检查这些内容是否正确，并且重新运行你的编辑命令，谢谢你的合作和理解。",
])("what a tool wants its caller to do is no finding: %s", (sentence) =>
  expect(prose(`The gate of the harbour was built in March.\n${sentence}`)).toEqual([
    "Tool output: The gate of the harbour was built in March.",
  ]),
);

test.each([
  "Use of the northern gate is forbidden in winter.",
  "Check valves are fitted to each of the four pumps.",
  "Set theory is taught in the evening at the quay.",
  "The keeper asks you to please close the northern gate.",
])("what only begins so is: %s", (sentence) => expect(prose(sentence)).toEqual([`Tool output: ${sentence}`]));
