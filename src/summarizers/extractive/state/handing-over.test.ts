import { expect, test } from "vitest";
import { type Message, type Part, text } from "../../../core/message.ts";
import { estimateTokens } from "../../../core/tokens/tokens.ts";
import { extractive } from "../../extractive.ts";

const message = (id: string, role: Message["role"], part: Part): Message => ({ id, role, parts: [part] });

/** Whoever was asked for something makes one last call. */
async function check(name: string, output: string, isError: boolean, expected: string): Promise<void> {
  const messages = [
    message("m1", "user", text("Please oil the tide gate so that it closes again.")),
    message("m2", "assistant", { type: "tool-call", callId: "c", name, input: {} }),
    message("m3", "user", { type: "tool-result", callId: "c", content: [text(output)], isError }),
  ];
  const { checkpoint } = await extractive().summarize(
    { messages, turnPrefix: [], kept: [], budgetTokens: 2_000, counter: estimateTokens() },
    { signal: new AbortController().signal, progress: () => undefined },
  );
  expect(checkpoint?.nextSteps).toEqual([expected]);
}

test("behind a call that hands the work over nothing is to go on from", () =>
  check(
    "submit",
    "The work was submitted.",
    false,
    "The newest request was answered. Nothing is left open: wait for the user.",
  ));
test("one that failed is to be overcome", () =>
  check("submit", "Error: the gate is still open", true, "overcome the failure of: submit"));
test("a form is no work", () => check("submit_form", "ok", false, "go on from: submit_form"));
