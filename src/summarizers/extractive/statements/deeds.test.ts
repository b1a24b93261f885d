import { expect, test } from "vitest";
import type { JsonObject } from "../../../core/json.ts";
import { type Message, type Part, text } from "../../../core/message.ts";
import { estimateTokens } from "../../../core/tokens/tokens.ts";
import { extractive } from "../../extractive.ts";

let next = 0;
const message = (role: Message["role"], ...parts: Part[]): Message => ({ id: `m${next++}`, role, parts });

function called(words: string, name: string, input: JsonObject, output: string, isError = false): readonly Message[] {
  const callId = `c${next++}`;
  const said = words === "" ? [] : [text(words)];
  return [
    message("assistant", ...said, { type: "tool-call", callId, name, input }),
    message("user", { type: "tool-result", callId, content: [text(output)], isError }),
  ];
}
const bash = (words: string, command: string, output = "ok", isError = false) =>
  called(words, "bash", { command }, output, isError);
const edit = (words: string, path: string) => called(words, "edit_file", { file_path: path, new_string: "x" }, "ok");

async function told(messages: readonly Message[], kept: readonly Message[] = []) {
  const request = message("user", text("Please mend the northern sluice gate."));
  const { checkpoint } = await extractive().summarize(
    { messages: [request, ...messages], turnPrefix: [], kept, budgetTokens: 2_000, counter: estimateTokens() },
    { signal: new AbortController().signal, progress: () => undefined },
  );
  return { inProgress: checkpoint?.inProgress, nextSteps: checkpoint?.nextSteps };
}
const inProgress = async (messages: readonly Message[], kept: readonly Message[] = []) =>
  (await told(messages, kept)).inProgress;

const LOOK = bash("", "ls", "gate.ts");
const COMMIT = `git commit -m "${"Mend the hinge of the northern gate. ".repeat(4)}" && git push`;

test("what was announced is not going on once its deed is done", async () => {
  const commits = bash("Let me commit the mended hinge.", "git commit -m hinge");
  expect(await inProgress([...commits, ...LOOK])).toEqual([]);
  expect(await inProgress(commits, LOOK)).toEqual([]);
  expect(await inProgress([...commits, ...bash("", "git push", "Error: locked", true)])).toEqual([]);
  expect(await inProgress([...bash("Let me commit the hinge and push it.", COMMIT), ...LOOK])).toEqual([]);
  expect(await inProgress([...edit("Let me oil the hinge in gate.ts.", "gate.ts"), ...edit("", "pump.ts")])).toEqual(
    [],
  );
});

test("but while it failed, while more was announced, or at another", async () => {
  const refused = bash("Let me commit the mended hinge.", "git commit -m hinge", "Error: locked", true);
  expect(await inProgress([...refused, ...LOOK])).toEqual(["Commit the mended hinge."]);
  const more = bash("Let me commit the hinge and paint the gate.", "git commit -m hinge");
  expect(await inProgress([...more, ...LOOK])).toEqual(["Commit the hinge and paint the gate."]);
  const unpushed = bash("Let me commit the hinge and push it.", "git commit -m hinge");
  expect(await inProgress([...unpushed, ...LOOK])).toEqual(["Commit the hinge and push it."]);
  expect(await inProgress([...edit("Let me oil the hinge in gate.ts.", "pump.ts"), ...edit("", "gate.ts")])).toEqual([
    "Oil the hinge in gate.ts.",
  ]);
});

test("nor is it next", async () => {
  const said = message("assistant", text("I oiled the hinge. Next, I'll run the tests."));
  const ran = [message("user", text("ok")), ...bash("", "npm test", "12 passed")];
  expect((await told([...LOOK, said])).nextSteps).toEqual(["Next, I'll run the tests."]);
  expect((await told([...LOOK, said], ran)).nextSteps).toEqual(["go on from: bash: npm test"]);
});

test("what was to be looked at was seen once its own call has answered", async () => {
  const reads = bash("Let me read the chart of the northern gate.", "cat chart", "north");
  const running = bash("", "cat tides").slice(0, 1);
  expect(await inProgress([...reads, ...running])).toEqual([]);
  expect(await inProgress(reads.slice(0, 1))).toEqual(["Read the chart of the northern gate."]);
  const oils = bash("Let me oil the hinge of the northern gate.", "oil hinge");
  expect(await inProgress([...oils, ...running])).toEqual(["Oil the hinge of the northern gate."]);
});
