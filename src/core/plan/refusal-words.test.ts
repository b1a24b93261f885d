import { expect, test } from "vitest";
import { text } from "../message.ts";
import { refusalWords, userTexts } from "./refusal-words.ts";

const result = (output: string) => ({
  type: "tool-result" as const,
  callId: "c",
  content: [text(output)],
  isError: true,
});
const REFUSAL =
  "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file).";

test.each([
  [`${REFUSAL} To tell you how to proceed, the user said:\nPaint it green instead.`, "Paint it green instead."],
  [
    `${REFUSAL} To tell you how to proceed, the user said:\nFirst.\nSecond.\n\nNote: The user's next message may correct this.`,
    "First.\nSecond.",
  ],
  [
    "User rejected this command. The user provided the following reason for the rejection: use the other gate",
    "use the other gate",
  ],
  [`${REFUSAL} STOP what you are doing and wait for the user to tell you how to proceed.`, ""],
  ["In the log, the user said: paint it", ""],
  ["12 tests passed", ""],
])("%j says %j", (output, expected) => expect(refusalWords(result(output))).toBe(expected));

test("beside what stands as text", () => {
  const refused = result(`${REFUSAL} The user said: Use brass.`);
  expect(userTexts([refused, text("And hurry."), result("ok")])).toEqual(["Use brass.", "And hurry."]);
});
