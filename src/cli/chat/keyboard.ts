/**
 * Lines that a person types, or that come through a pipe, and Ctrl-C. What is typed while nobody asks is kept for the next question and
 * not shown meanwhile.
 */

import { createInterface, type Interface } from "node:readline";
import { Readable, Writable } from "node:stream";
import type { Io } from "../command.ts";

export type Heard = { readonly type: "line"; readonly text: string } | { readonly type: "interrupt" | "end" };

export interface Keyboard {
  /** Whether somebody is there who can be asked. */
  readonly isTerminal: boolean;
  /** The next line. With the signal of a turn it is a question within that turn; after an abort, `interrupt`. */
  ask(prompt: string, signal?: AbortSignal): Promise<Heard>;
  /** Ctrl-C goes to this listener too, until the returned function is called. */
  onInterrupt(listener: () => void): () => void;
  close(): void;
}

/** Lines of a pipe that are read ahead. */
const LINES_AHEAD_MAX = 1_000;

export function openKeyboard(io: Io): Keyboard {
  const { keyboard } = io;
  const ahead: Heard[] = [];
  const listeners = new Set<() => void>();
  let waiting: ((heard: Heard) => void) | undefined;
  let isOver = false;
  let isWithinTurn = false;
  const lines =
    keyboard === undefined
      ? createInterface({ input: Readable.from(io.stdin), crlfDelay: Number.POSITIVE_INFINITY })
      : editor(keyboard, io, () => waiting === undefined);
  const hear = (heard: Heard): void => {
    isOver ||= heard.type === "end";
    const answer = waiting;
    // A paste is several lines at once: each answers one question.
    waiting = undefined;
    answer?.(heard);
    // A question in the middle of a turn is part of it.
    if (heard.type === "interrupt") for (const listener of listeners) listener();
    else if (answer === undefined && ahead.push(heard) > LINES_AHEAD_MAX) lines.pause();
  };
  const interrupt = (): void => {
    if (waiting !== undefined && lines.line !== "") forgetLine(lines);
    else hear({ type: "interrupt" });
  };
  lines.on("line", (text) => hear({ type: "line", text }));
  lines.on("close", () => isOver || hear({ type: "end" }));
  lines.on("SIGINT", interrupt);
  // The key `up` brings back what was said, not the answers to questions.
  lines.on("history", (history: string[]) => isWithinTurn && history.shift());
  const stopListening = io.onInterrupt(interrupt);
  return {
    isTerminal: keyboard !== undefined,
    ask: async (prompt, signal) => {
      // What was typed before a question within a turn was shown is no answer to it.
      const known = signal === undefined ? ahead.shift() : undefined;
      if (known !== undefined) return echoed(prompt, known, io);
      if (isOver) return { type: "end" };
      const { promise, resolve } = Promise.withResolvers<Heard>();
      const stop = (): void => hear({ type: "interrupt" });
      waiting = resolve;
      isWithinTurn = signal !== undefined;
      signal?.addEventListener("abort", stop, { once: true });
      lines.resume();
      if (keyboard !== undefined) showPrompt(lines, prompt);
      const heard = await promise;
      signal?.removeEventListener("abort", stop);
      // A pipe shows nothing of what it sends, and a terminal nothing of keys that send no line.
      if (keyboard === undefined) return echoed(prompt, heard, io);
      if (heard.type !== "line") io.stdout.write("\n");
      return heard;
    },
    onInterrupt: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close: () => {
      isOver = true;
      stopListening();
      lines.close();
    },
  };
}

/** Ctrl-C behind typed words means these, as in a shell. */
function forgetLine(lines: Interface): void {
  lines.write(null, { ctrl: true, name: "e" });
  lines.write(null, { ctrl: true, name: "u" });
}

function showPrompt(lines: Interface, prompt: string): void {
  lines.setPrompt(prompt);
  // With what was typed already.
  lines.prompt(true);
}

/** What was not typed behind the prompt is written behind it, so that a log reads like a conversation. */
function echoed(prompt: string, heard: Heard, { stdout }: Io): Heard {
  if (heard.type === "line") stdout.write(`${prompt}${heard.text}\n`);
  return heard;
}

/** A line that can be edited, with a history. */
function editor(input: NonNullable<Io["keyboard"]>, { stdout }: Io, isMuted: () => boolean): Interface {
  const output = new Writable({
    write: (chunk, _encoding, done) => {
      if (!isMuted()) stdout.write(String(chunk));
      done();
    },
  });
  Object.defineProperty(output, "columns", { get: () => stdout.columns });
  return createInterface({ input, output, terminal: true, removeHistoryDuplicates: true });
}
