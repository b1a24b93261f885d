import { expect, test } from "vitest";
import { briefOf } from "./call-outcome.ts";
import { commandText } from "./command-text.ts";

test.each([
  [["bash", "-lc", "cargo test parser"], "cargo test parser"],
  [["/bin/zsh", "-c", "ls docs"], "ls docs"],
  [["powershell.exe", "-Command", "Get-ChildItem"], "Get-ChildItem"],
  [["cargo", "test"], "cargo test"],
  [["bash", "run.sh"], "bash run.sh"],
  [[], undefined],
  [["ls", 3], undefined],
])("%j is typed as %j", (words, expected) => expect(commandText(words)).toBe(expected));

test("a call is told by what is run, not by the shell that runs it", () => {
  const call = { type: "tool-call" as const, callId: "c", name: "shell" };
  expect(briefOf({ ...call, input: { command: ["bash", "-lc", "cargo fuzz run parse"] } })).toBe(
    "cargo fuzz run parse",
  );
});
