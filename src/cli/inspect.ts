/** `palimpsest inspect`: what fills the context of a recorded conversation. Reads one file, or those of a directory; writes to standard output. */

import { type Dirent, readdirSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { CompactionError } from "../core/errors.ts";
import type { Violation } from "../core/ports.ts";
import { structureOf } from "../core/structure/structure.ts";
import { countedIn } from "../core/tokens/counted.ts";
import { estimateTokens } from "../core/tokens/tokens.ts";
import { formatNamed } from "../formats.ts";
import { type RecordedConversation, readTranscriptFile } from "../transcripts/index.ts";
import { breakdownOf, KIND_LOOKS, KINDS } from "./breakdown.ts";
import { type Command, EXIT, type ExitCode, type Io, print, readWindow, usage, type Words } from "./command.ts";
import {
  chooseConversation,
  decodeFrom,
  FILE_OPTIONS,
  loadSource,
  modelOf,
  NAMES_NOTE,
  problemsOf,
  type Source,
  withoutPath,
} from "./load.ts";
import { messageShower } from "./message-label.ts";
import { count, minuteOf, oneLine, percent, plural } from "./one-line.ts";
import { compareUsage } from "./recorded-usage.ts";
import { type Blocks, ELASTIC, LEFT, PATH, RIGHT, type Terminal, THIRD } from "./terminal.ts";

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

type Inspection = ReturnType<typeof inspectSource>;

const LARGEST_SHOWN = 10;

export function inspectSource(source: Source, windowTokens: number | undefined) {
  const { file, transcript, recorded } = source;
  const format = formatNamed(recorded.format);
  const conversation = decodeFrom(source);
  const counter = estimateTokens(countedIn(recorded.format, recorded.body, modelOf(recorded)));
  const structure = structureOf(conversation.messages);
  const { totalTokens, byKind, byTool, byMessage } = breakdownOf(conversation, counter, structure.pairing);
  const usage = compareUsage({ recorded, conversation, format, counter });
  const show = messageShower(conversation, () => 0, structure);
  const largest = byMessage
    .map((tokens, index) => ({ tokens, index }))
    .sort((a, b) => b.tokens - a.tokens || a.index - b.index)
    .slice(0, LARGEST_SHOWN)
    .map(({ index, tokens }) => ({ ...show(index), tokens }));
  return {
    file,
    source: transcript.source,
    format: recorded.format,
    conversation: entryOf(recorded, transcript.conversations.indexOf(recorded)),
    messages: conversation.messages.length,
    turns: structure.turns().length,
    rounds: structure.rounds().length,
    /** The newest round while calls of it wait for their results. */
    openRound: structure.openRound() ?? null,
    models: recorded.models,
    tokens: { total: totalTokens, byKind, byTool, counter: counter.name },
    /** Against what the next request will really be billed, where recorded usage tells that. */
    window:
      windowTokens === undefined
        ? undefined
        : { tokens: windowTokens, usedRatio: (usage?.nextRequestTokens ?? totalTokens) / windowTokens },
    largest,
    usage,
    compactions: recorded.compactions.map(({ trigger, tokensBefore }) => ({ trigger, tokensBefore })),
    conversations: transcript.conversations.map(entryOf),
    records: transcript.records,
    problems: problemsOf(recorded),
  };
}

/** Its number is the one that `--conversation` takes. */
function entryOf({ id, label, segments }: RecordedConversation, index: number) {
  return { number: index + 1, id, label, messages: segments.at(-1)?.messages.length ?? 0 };
}

export function renderInspection(inspection: Inspection, terminal: Terminal): Blocks {
  return [
    headLines(inspection, terminal),
    shareLines(inspection, terminal),
    factLines(inspection, terminal),
    usageLines(inspection, terminal),
    largestLines(inspection, terminal),
    conversationLines(inspection, terminal),
    problemLines(inspection, terminal),
  ];
}

function headLines(inspection: Inspection, terminal: Terminal): readonly string[] {
  const { tokens, usage, window } = inspection;
  const total = `${count(tokens.total)} tokens`;
  const ofWindow =
    window === undefined ? "" : `, ${percent(window.usedRatio, 1)} of the ${count(window.tokens)}-token window`;
  const rest = usage === undefined ? ` (estimate)${ofWindow}` : " in the file (estimate)";
  const next = usage === undefined ? [] : [`about ${count(usage.nextRequestTokens)} in the next request${ofWindow}`];
  return [
    terminal.fileTitle(inspection),
    terminal.paint("bold", total) + terminal.fit(rest, terminal.columns - total.length),
    ...next.map((line) => terminal.fit(line)),
  ];
}

function factLines(inspection: Inspection, terminal: Terminal): readonly string[] {
  const { messages, turns, rounds, openRound, models, compactions, records } = inspection;
  const open = openRound === null ? "" : `, the last one open (from message ${openRound.start})`;
  const facts = [
    `${plural(messages, "message")}, ${plural(turns, "turn")}, ${plural(rounds, "round")}${open}`,
    ...(models.length === 0 ? [] : [`${models.length === 1 ? "model" : "models"} ${models.map(oneLine).join(", ")}`]),
    ...(compactions.length === 0 ? [] : [compactionFact(compactions)]),
    ...recordFacts(records),
  ];
  return facts.map((fact) => terminal.fit(`  ${fact}`));
}

function compactionFact(compactions: Inspection["compactions"]): string {
  const known = compactions
    .map(({ trigger = "", tokensBefore }) => {
      const size = tokensBefore === undefined ? "" : `at ${count(tokensBefore)} tokens`;
      return `${oneLine(trigger)} ${size}`.trim();
    })
    .filter((words) => words !== "");
  return `${plural(compactions.length, "recorded compaction")}${known.length === 0 ? "" : ` (${known.join("; ")})`}`;
}

function recordFacts({ read, unknown, broken }: Inspection["records"]): readonly string[] {
  const types = Object.entries(unknown).sort(([, a], [, b]) => b - a);
  const unknownCount = types.reduce((sum, [, times]) => sum + times, 0);
  if (unknownCount === 0 && broken === 0) return [];
  const named = types.map(([type, times]) => `${oneLine(type)} x${times}`).join(", ");
  const parts = [
    `${plural(read, "record")} read`,
    ...(unknownCount === 0 ? [] : [`${count(unknownCount)} of unknown type left out (${named})`]),
    ...(broken === 0 ? [] : [`${plural(broken, "broken line")} skipped`]),
  ];
  return [parts.join(", ")];
}

const TOOLS_SHOWN = 8;

function shareLines({ tokens, window }: Inspection, terminal: Terminal): readonly string[] {
  const columns = terminal.columns - 4;
  const slices = KINDS.map((kind) => ({ ...KIND_LOOKS[kind], amount: tokens.byKind[kind] }));
  const hidden = tokens.byTool.slice(TOOLS_SHOWN);
  const kinds = KINDS.filter((kind) => tokens.byKind[kind] > 0);
  const rows = [
    ...kinds.map((kind) => [KIND_LOOKS[kind].title, ...amountCells(tokens.byKind[kind], tokens.total), ""]),
    ...tokens.byTool
      .slice(0, TOOLS_SHOWN)
      .map((tool) => [
        `  ${oneLine(tool.name)}`,
        ...amountCells(tool.tokens, tokens.total),
        plural(tool.results, "result"),
      ]),
    ...(hidden.length === 0 ? [] : [moreTools(hidden, tokens.total)]),
  ];
  const lines = terminal.table(rows, {
    columns: [{ align: "left", columnsMax: 34 }, RIGHT, RIGHT, LEFT],
    widthMax: columns,
    indent: 0,
  });
  return [
    `  ${terminal.bar(slices, columns)}`,
    ...(window === undefined ? [] : [gaugeLine(window.usedRatio, terminal)]),
    "",
    ...lines.map((line, index) => {
      const kind = kinds[index];
      return kind === undefined
        ? `    ${terminal.paint("gray", line)}`
        : `  ${terminal.swatch(KIND_LOOKS[kind])} ${line}`;
    }),
  ];
}

/** How much of the window is used. Full at most, also when there is more than fits. */
function gaugeLine(usedRatio: number, terminal: Terminal): string {
  const label = usedRatio > 1 ? "window, exceeded " : "window ";
  const used = { amount: Math.min(1, usedRatio), style: usedRatio > 1 ? "red" : "white", letter: "=" } as const;
  return `  ${label}${terminal.bar([used], terminal.columns - 4 - label.length, 1)}`;
}

function amountCells(tokens: number, total: number): readonly [string, string] {
  return [count(tokens), percent(total === 0 ? 0 : tokens / total, 1)];
}

function moreTools(tools: Inspection["tokens"]["byTool"], total: number): readonly string[] {
  const tokens = tools.reduce((sum, tool) => sum + tool.tokens, 0);
  const results = tools.reduce((sum, tool) => sum + tool.results, 0);
  return [`  ${plural(tools.length, "more tool")}`, ...amountCells(tokens, total), plural(results, "result")];
}

function usageLines({ usage }: Inspection, terminal: Terminal): readonly string[] {
  if (usage === undefined) return [];
  const off = (tokens: number): string => {
    const text = percent(Math.abs(tokens / usage.inputTokens - 1), 1);
    if (Number.parseFloat(text) === 0) return text;
    return `${tokens < usage.inputTokens ? "-" : "+"}${text}`;
  };
  const rows = [
    ["billed", count(usage.inputTokens), "", `${count(usage.cacheReadTokens)} of them read from the cache`],
    ["our estimate", count(usage.estimatedTokens), off(usage.estimatedTokens), "of what the file shows of it"],
    ...(usage.calibratedTokens === undefined
      ? []
      : [
          [
            "calibrated",
            count(usage.calibratedTokens),
            off(usage.calibratedTokens),
            `foretold from the ${usage.calls === 2 ? "call" : `${count(usage.calls - 1)} calls`} before`,
          ],
        ]),
  ];
  const which = usage.calls === 1 ? "the recorded call" : `the last of ${count(usage.calls)} recorded calls`;
  const title = `Input of ${which} (${plural(usage.messages, "message")})`;
  const columns = [LEFT, RIGHT, RIGHT, ELASTIC];
  return [terminal.heading(title), ...terminal.table(rows, { columns })];
}

function largestLines({ largest, tokens }: Inspection, terminal: Terminal): readonly string[] {
  const rows = largest.map((message) => [
    String(message.index),
    oneLine(message.what),
    ...amountCells(message.tokens, tokens.total),
    oneLine(message.begins),
  ]);
  return [
    terminal.heading("Largest messages"),
    ...terminal.table(rows, {
      titles: ["#", "message", "tokens", "%", "begins"],
      columns: [RIGHT, THIRD, RIGHT, RIGHT, ELASTIC],
    }),
  ];
}

const CONVERSATIONS_SHOWN = 8;

function conversationLines({ conversations, conversation }: Inspection, terminal: Terminal): readonly string[] {
  if (conversations.length < 2) return [];
  const shown = conversations.slice(0, CONVERSATIONS_SHOWN);
  if (conversation.number > shown.length) shown.push(conversation);
  const rows = shown.map((entry) => [
    entry.number === conversation.number ? ">" : "",
    String(entry.number),
    oneLine(entry.label ?? ""),
    plural(entry.messages, "message"),
    oneLine(entry.id),
  ]);
  return [
    terminal.heading(`Conversations in this file: ${count(conversations.length)}; choose with --conversation N`),
    ...terminal.table(rows, { columns: [LEFT, RIGHT, THIRD, RIGHT, ELASTIC] }),
    ...terminal.more(conversations.length - shown.length),
  ];
}

const PROBLEMS_SHOWN = 10;

function problemLines({ problems }: Inspection, terminal: Terminal): readonly string[] {
  if (problems.length === 0) return [];
  const groups = groupProblems(problems);
  return [
    terminal.heading(`${plural(problems.length, "problem")} a provider would refuse`, ["bold", "red"]),
    ...groups
      .slice(0, PROBLEMS_SHOWN)
      .flatMap(([first, ...others]) => [
        terminal.fit(
          `  ${oneLine(first.path)}  ${oneLine(first.rule)}${others.length === 0 ? "" : `, and ${count(others.length)} more in the same message`}`,
        ),
        terminal.note(`    ${withoutPath(first)}`),
      ]),
    ...terminal.more(groups.slice(PROBLEMS_SHOWN).flat().length),
    terminal.fit("  to mend: palimpsest check FILE --repair --out REPAIRED.json"),
  ];
}

/** A message with sixteen unanswered calls is one thing to look at, not sixteen. */
function groupProblems(problems: readonly Violation[]): readonly (readonly [Violation, ...Violation[]])[] {
  const groups: [Violation, ...Violation[]][] = [];
  for (const problem of problems) {
    const last = groups.at(-1);
    const isSame = last?.[0].rule === problem.rule && last[0].messageIndex === problem.messageIndex;
    if (last !== undefined && isSame && problem.messageIndex >= 0) last.push(problem);
    else groups.push([problem]);
  }
  return groups;
}
