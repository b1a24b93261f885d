import { expect, test } from "vitest";
import type { JsonValue } from "../../../core/json.ts";
import { text } from "../../../core/message.ts";
import { type NewestCall, newestCallIn } from "./newest-call.ts";

const NOBODY: readonly string[] = [];

function newestOf(name: string, input: JsonValue, userTools: readonly string[]): NewestCall | undefined {
  const messages = [
    { id: "1", role: "user", parts: [text("Find me a crossing.")] },
    { id: "2", role: "assistant", parts: [{ type: "tool-call", callId: "a", name, input }] },
  ] as const;
  return newestCallIn(messages, { said: "", language: "en", userTools });
}

const briefOfNewest = (name: string, input: JsonValue, userTools = NOBODY): string | undefined =>
  newestOf(name, input, userTools)?.brief;

test("a call that no path or command tells is told by several arguments", () => {
  const crossing = { from: "Kiel", to: "Oslo", day: "2031-05-20", cabins: 2, note: "x".repeat(60) };
  expect(briefOfNewest("search_ferry", crossing)).toBe("Kiel (to: Oslo, day: 2031-05-20, cabins: 2)");
  expect(briefOfNewest("find_piers", { latitude: 54.32, longitude: 10.14 })).toBe("latitude: 54.32, longitude: 10.14");
  expect(briefOfNewest("run-tool", { tool_name: "find_piers", params: { latitude: 54.32 } })).toBe(
    "find_piers (latitude: 54.32)",
  );
});

test("what tells a call alone stands alone", () => {
  expect(briefOfNewest("bash", { command: "ls deck", timeout: 20 })).toBe("ls deck");
  expect(briefOfNewest("run-tool", { tool_name: "read", params: { path: "deck.txt", lines: 20 } })).toBe(
    "read deck.txt",
  );
  const question = "How many cabins does the crossing of next week need?";
  expect(briefOfNewest("ask_user", { question, default: "2" })).toBe(question);
});

test("a call waits for the user where the host says that its tool speaks for them, whatever its name says", () => {
  const question = { question: "Which pier?" };
  expect(newestOf("ask_user", question, NOBODY)?.isWaiting).toBeUndefined();
  expect(newestOf("ask_user", question, ["ask_*"])?.isWaiting).toBe(true);
  expect(newestOf("form", question, ["form"])).toMatchObject({ isWaiting: true, brief: "Which pier?" });
});
