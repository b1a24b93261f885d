/** `palimpsest inspect`: what fills the context of a recorded conversation. Reads one file, or those of a directory; writes to standard output. */

import { type Dirent, readdirSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { CompactionError } from "../core/errors.ts";
import type { FormatName } from "../core/message.ts";
import { readTranscriptFile, type TranscriptSource } from "../transcripts/index.ts";
import { readWindow, usage, type Words } from "./arguments.ts";
import { type Command, EXIT, type ExitCode, type Io, print } from "./command.ts";
import { inspectTranscript } from "./inspection.ts";
import { chooseConversation, FILE_OPTIONS, loadTranscript, NAMES_NOTE } from "./load.ts";
import { count, minuteOf, percent, plural } from "./numbers.ts";
import { cutStart, displayWidth, oneLine, padEnd } from "./one-line.ts";
import { renderInspection } from "./render-inspection.ts";
import { ellipsisOf, paint, type Terminal } from "./terminal.ts";
import { fitted, headline, joinBlocks, LEFT, RIGHT, tableLines } from "./text-blocks.ts";

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
  if (isDirectory(given.file)) return inspectDirectory(given, windowTokens, io);
  const transcript = await loadTranscript(given.file, given.text("format"), io.stdin);
  const index = chooseConversation(transcript, given.text("conversation"));
  const inspection = inspectTranscript(transcript, { file: given.file, index, windowTokens });
  print({ given, io }, inspection, (terminal) => renderInspection(inspection, terminal));
  return EXIT.ok;
}

function inspectDirectory(given: Words, windowTokens: number | undefined, io: Io): ExitCode {
  const strange = ["conversation", "format"].find((option) => given.text(option) !== undefined);
  if (strange !== undefined) throw usage(`--${strange} is about one file; ${given.file} is a directory`);
  const listing = listDirectory(given.file, windowTokens);
  print({ given, io }, listing, (terminal) => renderDirectory(listing, terminal));
  return EXIT.ok;
}

interface DirectoryListing {
  readonly directory: string;
  /** Largest first. */
  readonly files: readonly ListedFile[];
  /** Files by name that hold no conversation, and why. */
  readonly unread: readonly { readonly file: string; readonly because: string }[];
  /** Files that were not looked at, because there are too many. */
  readonly leftOut: number;
}

interface ListedFile {
  /** Within the directory. */
  readonly file: string;
  readonly source: TranscriptSource;
  readonly format: FormatName;
  /** Of the main conversation: by recorded usage what the next request has, otherwise our estimate. */
  readonly tokens: number;
  readonly messages: number;
  readonly conversations: number;
  readonly modifiedAt: string;
  readonly usedRatio?: number;
}

/** A folder of a very busy agent holds some thousands. */
const FILES_MAX = 2_000;
const CONVERSATION_FILE = /\.(?:jsonl?|ndjson)(?:\.(?:gz|zst))?$/i;

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function listDirectory(directory: string, windowTokens: number | undefined): DirectoryListing {
  const found = conversationFiles(directory);
  const files: ListedFile[] = [];
  const unread: { file: string; because: string }[] = [];
  for (const path of found.slice(0, FILES_MAX)) {
    try {
      files.push(listed(directory, path, windowTokens));
    } catch (error) {
      if (!(error instanceof CompactionError)) throw error;
      unread.push({ file: relative(directory, path), because: error.message.replace(`${path}: `, "") });
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

/** A folder inside that may not be read is passed over; the one that was named is told. */
function entriesOf(directory: string, depth: number): readonly Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch (cause) {
    if (depth > 0) return [];
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : String(cause);
    throw new CompactionError("unreadable-file", `${directory}: the directory could not be read (${code})`, { cause });
  }
}

function listed(directory: string, path: string, windowTokens: number | undefined): ListedFile {
  const transcript = readTranscriptFile(path);
  const { source, format, tokens, usage, messages, conversations, window } = inspectTranscript(transcript, {
    file: path,
    index: 0,
    windowTokens,
  });
  return {
    file: relative(directory, path),
    source,
    format,
    tokens: usage?.nextRequestTokens ?? tokens.total,
    messages,
    conversations: conversations.length,
    modifiedAt: statSync(path).mtime.toISOString(),
    ...(window !== undefined && { usedRatio: window.usedRatio }),
  };
}

function renderDirectory(listing: DirectoryListing, terminal: Terminal): string {
  const { directory, files, unread, leftOut } = listing;
  const notes = [
    ...(unread.length === 0 ? [] : [`${plural(unread.length, "other file")} with no conversation; --json says why`]),
    ...(leftOut === 0 ? [] : [`${count(leftOut)} more were not looked at; name a folder inside`]),
  ];
  return joinBlocks([
    headline(`${oneLine(directory)}:`, ` ${plural(files.length, "file")} with conversations`, { terminal }),
    files.length === 0 ? [] : fileLines(files, terminal),
    notes.map((note) => paint(terminal, "gray", fitted(note, terminal))),
  ]);
}

function fileLines(files: readonly ListedFile[], terminal: Terminal): readonly string[] {
  const hasWindow = files.some(({ usedRatio }) => usedRatio !== undefined);
  const rows = [
    ["tokens", ...(hasWindow ? ["window"] : []), "messages", "changed (UTC)"],
    ...files.map(({ tokens, usedRatio, messages, modifiedAt }) => [
      count(tokens),
      ...(hasWindow ? [percent(usedRatio ?? 0, 0)] : []),
      count(messages),
      minuteOf(modifiedAt),
    ]),
  ];
  const columns = [...(hasWindow ? [RIGHT] : []), RIGHT, RIGHT, LEFT];
  const lines = tableLines(rows, { columns, widthMax: terminal.columns }).map((line) => `${line}  `);
  const width = Math.max(...lines.map(displayWidth));
  // Of a path, the end tells more.
  const named = (file: string): string => cutStart(oneLine(file), terminal.columns - width, ellipsisOf(terminal));
  const [titles = "", ...rest] = lines.map((line) => padEnd(line, width));
  return [
    paint(terminal, "gray", `${titles}file`),
    ...rest.map((line, index) => line + named(files[index]?.file ?? "")),
  ];
}
