/**
 * Conversations in shorthand, for tests that say it in data. One word per message: `u` user, `a` assistant, `s` system,
 * `t` reasoning item, `c1` a call, `c1c2` parallel calls, `r1` a result, `r1r2` several in one message, `r1u` a result and
 * text in one user message, `w1` a call that the provider runs, `x1` its result.
 */

import { type Message, type Part, text } from "../core/message.ts";

/** @example parseShorthand("u c1c2 r1 r2 a") */
export function parseShorthand(script: string): readonly Message[] {
  return script
    .split(" ")
    .filter((word) => word !== "")
    .map((word, index): Message => {
      const tokens = word.match(/[a-z]\d*/g) ?? [];
      return { id: `m${index}`, role: roleOf(tokens), parts: tokens.map(partOf) };
    });
}

function roleOf(tokens: readonly string[]): Message["role"] {
  const [first = ""] = tokens;
  if (first.startsWith("s")) return "system";
  return first.startsWith("u") || first.startsWith("r") ? "user" : "assistant";
}

function partOf(token: string): Part {
  const callId = token.slice(1);
  switch (token[0]) {
    case "c":
      return { type: "tool-call", callId, name: "tool", input: {} };
    case "w":
      return { type: "tool-call", callId, name: "web", input: {}, server: true };
    case "r":
      return { type: "tool-result", callId, name: "tool", content: [text(`result ${callId}`)], isError: false };
    case "x":
      return { type: "tool-result", callId, content: [], isError: false, server: true };
    case "t":
      return { type: "reasoning", text: "thinking", signature: "signed" };
    default:
      return text(token);
  }
}
