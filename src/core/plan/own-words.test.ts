import { expect, test } from "vitest";
import { requestOf } from "./own-words.ts";

test.each([
  ["Fix the parser.", "Fix the parser."],
  ["<system-reminder>Mind the plan.</system-reminder>\nFix the parser.", "Fix the parser."],
  ["<system-reminder>Mind the plan.</system-reminder>", ""],
  ["<command-name>/clear</command-name>\n<command-args></command-args>", ""],
  ["<command-name>/fix</command-name>\n<command-args>the tide parser</command-args>", "the tide parser"],
  ["<task-notification><status>completed</status></task-notification>\nRead the output file.", ""],
  [
    "<system-reminder>\nThe user sent the following message:\nPaint the door, too.\n\nPlease address this message and continue.\n</system-reminder>",
    "Paint the door, too.",
  ],
  ["<local-command-stdout>ok</local-command-stdout>", ""],
  ["<bash-input>ls</bash-input><bash-stdout>a b</bash-stdout>", ""],
  ["<user_query>Fix the parser.</user_query>", "Fix the parser."],
  ["[Request interrupted by user for tool use]", ""],
  ["Base directory for this skill: /skills/docs\n# Docs", ""],
  ["/model", ""],
  ["/", ""],
  ["Use <b>bold</b> for names.", "Use <b>bold</b> for names."],
])("%j is said as %j", (message, expected) => expect(requestOf(message)).toBe(expected));
