/** `palimpsest inspect`: what fills the context of a recorded conversation. Reads one file, or those of a directory; writes to standard output. */

import { type Arguments, type OptionSpecs, parseArguments, readWindow, usage } from "./arguments.ts";
import { type Command, EXIT, type ExitCode, type Io, showHelp } from "./command.ts";
import { isDirectory, listDirectory, renderDirectory } from "./directory-listing.ts";
import { indentedJson } from "./indented-json.ts";
import { inspectTranscript } from "./inspection.ts";
import { CONVERSATION_OPTION, chooseConversation, FORMAT_OPTION, loadTranscript, NAMES_NOTE } from "./load.ts";
import { renderInspection } from "./render-inspection.ts";
import { terminalOf } from "./terminal.ts";

const OPTIONS = {
  window: { type: "string", value: "N", about: "compare with a window of N tokens (200000, 200k, 1m)" },
  conversation: CONVERSATION_OPTION,
  format: FORMAT_OPTION,
  json: { type: "boolean", about: "one JSON object instead of text" },
} as const satisfies OptionSpecs;

export const inspectCommand: Command = {
  name: "inspect",
  usage: "FILE|DIRECTORY [options]",
  options: OPTIONS,
  notes: `FILE is an agent's session file, a request body or a message list; - reads
standard input. The main conversation is shown unless --conversation picks
another. Of a DIRECTORY, each file that holds a conversation has one line,
largest first. Nothing is changed and nothing is sent anywhere.

${NAMES_NOTE}
Examples:
  palimpsest inspect session.jsonl --window 200k
  palimpsest inspect session.jsonl --json | jq .tokens.byKind
  palimpsest inspect ~/.claude/projects --window 200k
  palimpsest inspect - < request.json
`,
  run,
};

async function run(words: readonly string[], io: Io): Promise<ExitCode> {
  const given = parseArguments("inspect", words, OPTIONS);
  if (given.isHelpWanted) {
    showHelp(inspectCommand, io);
    return EXIT.ok;
  }
  const windowTokens = readWindow(given);
  if (isDirectory(given.file)) return inspectDirectory(given, windowTokens, io);
  const transcript = await loadTranscript(given.file, given.text("format"), io.stdin);
  const index = chooseConversation(transcript, given.text("conversation"));
  const inspection = inspectTranscript(transcript, { file: given.file, index, windowTokens });
  io.stdout.write(
    given.isSet("json")
      ? indentedJson(inspection)
      : renderInspection(inspection, terminalOf(io.stdout, io.environment)),
  );
  return EXIT.ok;
}

function inspectDirectory(given: Arguments, windowTokens: number | undefined, io: Io): ExitCode {
  const strange = ["conversation", "format"].find((option) => given.text(option) !== undefined);
  if (strange !== undefined) throw usage(`--${strange} is about one file; ${given.file} is a directory`);
  const listing = listDirectory(given.file, windowTokens);
  const terminal = terminalOf(io.stdout, io.environment);
  io.stdout.write(given.isSet("json") ? indentedJson(listing) : renderDirectory(listing, terminal));
  return EXIT.ok;
}
