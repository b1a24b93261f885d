/** `palimpsest inspect`: what fills the context of a recorded conversation. Reads one file, or those of a directory; writes to standard output. */

import { type Dirent, readdirSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { CompactionError } from "../core/errors.ts";
import { readTranscriptFile } from "../transcripts/index.ts";
import { type Command, EXIT, type ExitCode, type Io, print, readWindow, usage, type Words } from "./command.ts";
import { inspectSource, renderInspection } from "./inspection.ts";
import { chooseConversation, FILE_OPTIONS, loadSource, NAMES_NOTE } from "./load.ts";
import { count, minuteOf, oneLine, percent, plural } from "./one-line.ts";
import { type Blocks, LEFT, PATH, RIGHT, type Terminal } from "./terminal.ts";

export const command: Command = {
  takesFile: true,
  usage: "FILE|DIRECTORY [options]",
  options: {
    window: { type: "string", value: "N", about: "compare with a window of N tokens (200000, 200k, 1m)" },
    ...FILE_OPTIONS,
  },
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

async function run(given: Words, io: Io): Promise<ExitCode> {
  const windowTokens = readWindow(given);
  if (statSync(given.file, { throwIfNoEntry: false })?.isDirectory()) {
    const strange = ["conversation", "format"].find((option) => given.text(option) !== undefined);
    if (strange !== undefined) throw usage(`--${strange} is about one file; ${given.file} is a directory`);
    const listing = listDirectory(given.file, windowTokens);
    print({ given, io }, listing, (terminal) => renderDirectory(listing, terminal));
    return EXIT.ok;
  }
  const inspection = inspectSource(await loadSource(given, io.stdin), windowTokens);
  print({ given, io }, inspection, (terminal) => renderInspection(inspection, terminal));
  return EXIT.ok;
}

/** A folder of a very busy agent holds some thousands. */
const FILES_MAX = 2_000;
const CONVERSATION_FILE = /\.(?:jsonl?|ndjson)(?:\.(?:gz|zst))?$/i;

type DirectoryListing = ReturnType<typeof listDirectory>;

function listDirectory(directory: string, windowTokens: number | undefined) {
  const found = conversationFiles(directory);
  const files: ListedFile[] = [];
  /** Files by name that hold no conversation, and why. */
  const unread: { file: string; because: string }[] = [];
  for (const path of found.slice(0, FILES_MAX)) {
    const file = relative(directory, path);
    try {
      files.push(listed(file, path, windowTokens));
    } catch (error) {
      if (!(error instanceof CompactionError)) throw error;
      unread.push({ file, because: error.message.replace(`${path}: `, "") });
    }
  }
  files.sort((a, b) => b.tokens - a.tokens || a.file.localeCompare(b.file, "en"));
  return { directory, files, unread, leftOut: Math.max(0, found.length - FILES_MAX) };
}

/** A link is neither a file nor a folder here: one that leads back up would never end. */
function conversationFiles(directory: string, depth = 0): readonly string[] {
  const entries = entriesOf(directory, depth).toSorted((a, b) => a.name.localeCompare(b.name, "en"));
  return entries.flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) return depth < DEPTH_MAX ? conversationFiles(path, depth + 1) : [];
    return entry.isFile() && CONVERSATION_FILE.test(entry.name) ? [path] : [];
  });
}

const DEPTH_MAX = 8;

/** A folder inside that may not be read is passed over; for the folder that was named it is an error. */
function entriesOf(directory: string, depth: number): readonly Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch (cause) {
    if (depth > 0) return [];
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : String(cause);
    throw new CompactionError("unreadable-file", `${directory}: the directory could not be read (${code})`, { cause });
  }
}

type ListedFile = ReturnType<typeof listed>;

/** Its tokens: by recorded usage those of the next request, otherwise our estimate of the main conversation. */
function listed(file: string, path: string, windowTokens: number | undefined) {
  const transcript = readTranscriptFile(path);
  const inspected = { file: path, transcript, recorded: chooseConversation(transcript, undefined) };
  const { source, format, tokens, usage, messages, conversations, window } = inspectSource(inspected, windowTokens);
  return {
    file,
    source,
    format,
    tokens: usage?.nextRequestTokens ?? tokens.total,
    messages,
    conversations: conversations.length,
    modifiedAt: statSync(path).mtime.toISOString(),
    usedRatio: window?.usedRatio,
  };
}

function renderDirectory({ directory, files, unread, leftOut }: DirectoryListing, terminal: Terminal): Blocks {
  const notes = [
    ...(unread.length === 0 ? [] : [`${plural(unread.length, "other file")} with no conversation; --json says why`]),
    ...(leftOut === 0 ? [] : [`${count(leftOut)} more were not looked at; name a folder inside`]),
  ];
  return [
    terminal.headline(`${oneLine(directory)}:`, ` ${plural(files.length, "file")} with conversations`),
    files.length === 0 ? [] : fileLines(files, terminal),
    notes.map(terminal.note),
  ];
}

function fileLines(files: readonly ListedFile[], terminal: Terminal): readonly string[] {
  const hasWindow = files.some(({ usedRatio }) => usedRatio !== undefined);
  const rows = files.map(({ tokens, usedRatio, messages, modifiedAt, file }) => [
    count(tokens),
    ...(hasWindow ? [percent(usedRatio ?? 0, 0)] : []),
    count(messages),
    minuteOf(modifiedAt),
    oneLine(file),
  ]);
  return terminal.table(rows, {
    titles: ["tokens", ...(hasWindow ? ["window"] : []), "messages", "changed (UTC)", "file"],
    columns: [...(hasWindow ? [RIGHT] : []), RIGHT, RIGHT, LEFT, PATH],
  });
}
