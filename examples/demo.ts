/**
 * The main job end to end, on a conversation that comes with the package: look at it, compact it without a model, read the
 * checkpoint, and see that nothing was lost. Runs the real commands; writes to a temporary folder only,
 * which is gone when it ends unless `--keep` asks for it.
 */

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { styleText } from "node:util";

const MAIN = fileURLToPath(new URL("../src/cli/main.ts", import.meta.url));
const FILE = relative(process.cwd(), fileURLToPath(new URL("long-conversation.json", import.meta.url)));
const FOLDER = mkdtempSync(join(tmpdir(), "palimpsest-demo-"));
const COMPACTED = join(FOLDER, "compacted.json");
const AGAIN = join(FOLDER, "again.json");
const ARCHIVE = join(FOLDER, "archive.json");
const IS_KEPT = process.argv.includes("--keep");
/** As of any command that Ctrl-C ended. */
const INTERRUPTED = 130;
const LINE_CHARACTERS_MAX = 400;

if (!IS_KEPT) {
  process.once("exit", () => rmSync(FOLDER, { recursive: true, force: true }));
  // Without a listener Ctrl-C would end this at once and leave the folder; `spawn` sees that the command was interrupted.
  process.once("SIGINT", () => process.exit(INTERRUPTED));
}

/** The parts of the report that are used here; docs/cli.md describes all of them. */
interface Report {
  readonly summary: string;
  readonly diff: readonly { readonly mark: string; readonly before?: number; readonly after?: number }[];
}

interface Body {
  readonly messages: readonly unknown[];
}

chapter("1. What fills the context");
const original = readFileSync(FILE);
palimpsest("inspect", FILE, "--window", "64k");

chapter("2. Compact it to a tenth, without a model");
palimpsest("compact", FILE, "--target", "10%", "--out", COMPACTED);

chapter("3. The checkpoint that stands for what left");
const report: Report = JSON.parse(captured("compact", FILE, "--target", "10%", "--diff", "--json", "--out", AGAIN));
console.log(report.summary.split("\n").map(shortened).join("\n"));

chapter("4. Nothing was lost");
showThatNothingWasLost();

function showThatNothingWasLost(): void {
  const before: Body = JSON.parse(original.toString());
  const after: Body = JSON.parse(readFileSync(COMPACTED, "utf8"));
  const replaced = report.diff.flatMap(({ mark, before: index }) =>
    (mark === "-" || mark === "~") && index !== undefined ? [{ index, message: before.messages[index] }] : [],
  );
  writeFileSync(ARCHIVE, `${JSON.stringify(replaced, null, 2)}\n`);
  verify(`${FILE} is the same file, byte for byte`, digest(original) === digest(readFileSync(FILE)));
  verify("compacting it twice gave the same bytes", digest(readFileSync(COMPACTED)) === digest(readFileSync(AGAIN)));
  verify(
    `${replaced.length} messages left the view and are in ${IS_KEPT ? ARCHIVE : "an archive beside it"}`,
    replaced.length > 0,
  );
  verify(
    "the archive and the view give the conversation back, message by message",
    isSame(restored(after), before.messages),
  );
  verify("the provider takes the compacted request", spawn(["check", COMPACTED], "pipe").status === 0);
  console.log(`\n  ${IS_KEPT ? `The folder ${FOLDER} holds all of it.` : "To look at the files: npm start -- --keep"}`);
  console.log("  Next: palimpsest explain FILE, palimpsest profiles, palimpsest compact FILE --diff");
}

/** Kept messages from the view, the others from the archive, each at its old place. */
function restored(after: Body): readonly unknown[] {
  const archived: readonly { readonly index: number; readonly message: unknown }[] = JSON.parse(
    readFileSync(ARCHIVE, "utf8"),
  );
  const kept = report.diff.flatMap(({ mark, before, after: index }) =>
    mark === "=" && before !== undefined && index !== undefined
      ? [{ index: before, message: after.messages[index] }]
      : [],
  );
  return [...archived, ...kept].sort((a, b) => a.index - b.index).map(({ message }) => message);
}

/** The list of identifiers is for a model; its beginning shows what it is. */
function shortened(line: string): string {
  if (line.length <= LINE_CHARACTERS_MAX || line.startsWith("-") || line.startsWith(">")) return line;
  const shown = line.slice(0, line.lastIndexOf(" ", LINE_CHARACTERS_MAX));
  return `${shown} … and ${line.slice(shown.length).trim().split(" ").length} more`;
}

function isSame(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

function digest(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

function chapter(title: string): void {
  console.log(`\n${styleText(["bold", "underline"], title)}\n`);
}

function verify(claim: string, isTrue: boolean): void {
  console.log(`  ${isTrue ? styleText("green", "yes") : styleText("red", "NO ")}  ${claim}`);
  if (!isTrue) process.exitCode = 1;
}

/** As a person would type it, with its output where it belongs. */
function palimpsest(...words: readonly string[]): void {
  console.log(styleText("gray", `$ palimpsest ${words.join(" ")}`));
  if (spawn(words, "inherit").status !== 0) process.exitCode = 1;
}

function captured(...words: readonly string[]): string {
  return spawn(words, "pipe").stdout;
}

function spawn(
  words: readonly string[],
  output: "inherit" | "pipe",
): { readonly status: number | null; readonly stdout: string } {
  const { status, signal, stdout } = spawnSync(process.execPath, [MAIN, ...words], {
    stdio: ["ignore", output, output],
    encoding: "utf8",
  });
  if (signal !== null || status === INTERRUPTED) process.exit(INTERRUPTED);
  return { status, stdout };
}
