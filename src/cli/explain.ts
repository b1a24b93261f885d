/** `palimpsest explain`: why a conversation would or would not be compacted now. Reads one file, changes nothing. */

import { type OptionSpecs, parseArguments, readWindow } from "./arguments.ts";
import { type Command, EXIT, type ExitCode, type Io, showHelp } from "./command.ts";
import { PROFILE_OPTION, readProfile } from "./compact-options.ts";
import { explainSubject } from "./explanation.ts";
import { indentedJson } from "./indented-json.ts";
import { CONVERSATION_OPTION, chooseConversation, FORMAT_OPTION, loadTranscript, NAMES_NOTE } from "./load.ts";
import { renderExplanation } from "./render-explanation.ts";
import { subjectOf } from "./subject.ts";
import { terminalOf } from "./terminal.ts";

const OPTIONS = {
  profile: PROFILE_OPTION,
  window: { type: "string", value: "N", about: "the model's window in tokens (200000, 200k, 1m)" },
  conversation: CONVERSATION_OPTION,
  format: FORMAT_OPTION,
  json: { type: "boolean", about: "one JSON object instead of text" },
} as const satisfies OptionSpecs;

export const explainCommand: Command = {
  name: "explain",
  usage: "FILE [options]",
  options: OPTIONS,
  notes: `Shows each trigger with its numbers, what is protected and why, where the cut
would be, and what a compaction now would free. Nothing is changed.

${NAMES_NOTE}
Examples:
  palimpsest explain session.jsonl
  palimpsest explain session.jsonl --profile openclaw --window 64k
  palimpsest explain request.json --json | jq .triggers
`,
  run,
};

async function run(words: readonly string[], io: Io): Promise<ExitCode> {
  const given = parseArguments("explain", words, OPTIONS);
  if (given.isHelpWanted) {
    showHelp(explainCommand, io);
    return EXIT.ok;
  }
  const windowTokens = readWindow(given);
  const profile = readProfile(given.text("profile"));
  const transcript = await loadTranscript(given.file, given.text("format"), io.stdin);
  const index = chooseConversation(transcript, given.text("conversation"));
  const explanation = explainSubject(subjectOf(transcript, { file: given.file, index, profile, windowTokens }));
  io.stdout.write(
    given.isSet("json")
      ? indentedJson(explanation)
      : renderExplanation(explanation, terminalOf(io.stdout, io.environment)),
  );
  return EXIT.ok;
}
