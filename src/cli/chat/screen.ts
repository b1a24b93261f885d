/** What a chat shows: answers as they are written, one line for each tool, what compactions do, and how full the window is. */

import { CompactionError } from "../../core/errors.ts";
import type { HookEvent } from "../../core/hooks/hook-events.ts";
import { isObject } from "../../core/json.ts";
import type { ModelCall } from "../../core/model.ts";
import type { LoopEvent, ToolResult } from "../../run-loop.ts";
import type { SessionStats } from "../../session/session-port.ts";
import type { Io } from "../command.ts";
import { count, excerpt, oneLine, percent, plural, wrap } from "../one-line.ts";
import { type Blocks, joinBlocks, progressLine, type Style, type Terminal, terminalOf } from "../terminal.ts";
import { wordWriter } from "./word-writer.ts";

export interface Screen {
  terminal(): Terminal;
  print(blocks: Blocks): void;
  /** A remark of the program, apart from what the model says. */
  note(text: string, style?: Style): void;
  /** Shown until something else is. */
  waiting(text: string): void;
  onLoop(event: LoopEvent): void;
  onCompaction(event: HookEvent): void;
  status(stats: SessionStats): void;
  /** Ends the line that is being written. */
  endLine(): void;
}

const BAR_COLUMNS = 12;

export function openScreen(io: Io): Screen {
  const terminal = (): Terminal => terminalOf(io.stdout, io.environment);
  const progress = progressLine(io.stdout, terminal());
  let words: ReturnType<typeof wordWriter> | undefined;
  const endLine = (): void => {
    progress.clear();
    words?.end();
    words = undefined;
  };
  const note = (text: string, style: Style = "gray"): void => {
    endLine();
    const { columns, paint, signs } = terminal();
    for (const line of wrap(signs(text), columns - INDENT.length)) io.stdout.write(`${INDENT}${paint(style, line)}\n`);
  };
  return {
    terminal,
    endLine,
    note,
    print: (blocks) => {
      endLine();
      io.stdout.write(joinBlocks(blocks));
    },
    waiting: (text) => {
      if (words === undefined) progress.say(text);
    },
    onLoop: (event) => {
      if (event.type === "text") {
        progress.clear();
        words ??= wordWriter(terminal().columns, (text) => io.stdout.write(text));
        words.write(event.text);
      } else for (const line of loopLines(event)) note(line.text, line.style);
    },
    onCompaction: (event) => {
      if (event.type === "summary-started") progress.say("compacting…");
      // A model takes its time, and not every output can show a line that goes away again.
      if (event.type === "summary-started" && event.callsMax > 0 && !progress.isShown) note("compacting…");
      if (event.type === "progress-made") progress.show(event);
      const line = compactionLine(event);
      if (line !== undefined) note(line, "cyan");
    },
    status: (stats) => {
      endLine();
      io.stdout.write(`${statusLine(stats, terminal())}\n`);
    },
  };
}

const INDENT = "  ";

interface Line {
  readonly text: string;
  readonly style?: Style;
}

function loopLines(event: LoopEvent): readonly Line[] {
  switch (event.type) {
    case "tool-result":
      return resultLines(event.result);
    case "overflow":
      return [
        { text: `the provider refused the request as too long; compacted for ${count(event.windowTokens)} tokens` },
      ];
    case "retry":
      return [{ text: `${oneLine(event.because)} It is asked again.`, style: "yellow" }];
    case "memory-flush":
      return event.saved
        ? [{ text: "before a compaction the model was asked to note what must outlast the session" }]
        : [{ text: `no notes were made before the compaction: ${oneLine(event.because ?? "")}`, style: "yellow" }];
    case "text":
    case "reasoning":
    case "tool-call":
    case "reply":
    case "compaction":
      return [];
    default:
      return event satisfies never;
  }
}

function resultLines({ call, output, isError }: ToolResult): readonly Line[] {
  const about = isError ? excerpt(output, RESULT_COLUMNS) : sizeOf(output);
  return [{ text: `${callText(call)}: ${about}`, style: isError ? "yellow" : "gray" }];
}

const RESULT_COLUMNS = 160;
const CALL_COLUMNS = 50;

/** The name of the tool and what it was given, in a few words. */
export function callText({ name, input }: ModelCall): string {
  const given = isObject(input) ? Object.values(input).filter((value) => typeof value !== "object") : [input];
  return excerpt(`${oneLine(name)} ${given.map(String).join(" ")}`, CALL_COLUMNS);
}

/** Of a command, how it ended stands before its output. */
function sizeOf(output: string): string {
  // A remark in brackets stands behind what was cut.
  const [first = "", ...rest] = output.replace(/\n\[[^\n]*\]$/, "").split("\n");
  return /^exit code \S+$/.test(first) ? `${first}, ${plural(rest.length, "line")}` : plural(rest.length + 1, "line");
}

function compactionLine(event: HookEvent): string | undefined {
  switch (event.type) {
    case "conversation-compacted": {
      const { strategy, reason, tokensBefore, tokensAfter, messagesBefore, messagesAfter, calls } = event;
      const what = strategy === "prune" ? "tool results shortened" : `compacted (${reason})`;
      const asked = calls === 0 ? "" : `, ${plural(calls, "call")} to ${oneLine(event.model ?? "the model")}`;
      const sizes = `${count(tokensBefore)} → ${count(tokensAfter)} tokens`;
      return `${what}: ${sizes}, ${count(messagesBefore)} → ${count(messagesAfter)} messages${asked}`;
    }
    case "summary-failed":
      return `${oneLine(event.because)} Instead: ${event.fallback}.`;
    case "pass-failed":
      // Whoever pressed Ctrl-C is told by the chat.
      return isAborted(event.error) ? undefined : `the compaction failed: ${oneLine(event.because)}`;
    default:
      return undefined;
  }
}

function isAborted(error: unknown): boolean {
  return error instanceof CompactionError && error.code === "aborted";
}

function statusLine({ windowTokens, usedRatio, viewMessages, ...rest }: SessionStats, terminal: Terminal) {
  const { archivedMessages, compactionCount } = rest;
  const used = {
    amount: Math.min(1, usedRatio),
    style: usedRatio > FULL_RATIO ? "yellow" : "green",
    letter: "=",
  } as const;
  const bar = terminal.bar([used], BAR_COLUMNS, 1);
  const archived = archivedMessages === 0 ? "" : `, ${count(archivedMessages)} archived`;
  const compactions = compactionCount === 0 ? "" : `, ${plural(compactionCount, "compaction")}`;
  const sizes = `${percent(usedRatio, 0)} of ${count(windowTokens)} tokens`;
  const room = terminal.columns - BAR_COLUMNS - 1;
  const messages = terminal.fit(`${sizes}, ${plural(viewMessages, "message")}${archived}${compactions}`, room);
  return `${bar} ${terminal.paint("gray", messages)}`;
}

const FULL_RATIO = 0.75;
