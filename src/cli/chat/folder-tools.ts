/**
 * The tools of `palimpsest chat`: read, list and search files of one folder, and run commands in it. No path leads out of the folder, by
 * `..`, as an absolute path or through a link; no command runs that was not allowed.
 */

import { spawn } from "node:child_process";
import { constants } from "node:fs";
import { open, readdir, realpath, stat } from "node:fs/promises";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { isObject, type JsonValue } from "../../core/json.ts";
import type { LoopTool } from "../../run-loop.ts";
import { excerpt, plural, safeText } from "../one-line.ts";
import type { Environment } from "../terminal.ts";

interface FolderOptions {
  /** An existing folder. */
  readonly folder: string;
  /** The environment of commands. */
  readonly environment: Environment;
  /** Asks whether a command may run. Throws where nobody can be asked. */
  allow(command: string, signal: AbortSignal): Promise<boolean>;
}

const LINES_READ = 200;
const FILE_BYTES_MAX = 1_000_000;
const FILES_LISTED_MAX = 300;
const FILES_SEARCHED_MAX = 5_000;
const HITS_MAX = 60;
const HIT_COLUMNS = 200;
const DEPTH_MAX = 12;
const OUTPUT_CHARACTERS_MAX = 16_000;
const COMMAND_MS_MAX = 120_000;
/** Waiting for an answer to the question whether it may run counts too. */
const QUESTION_MS_MAX = 24 * 3_600_000;
/** How long a command may take to end before it is killed. */
const GRACE_MS = 2_000;

/** Folders that hold no work of the user's. */
const SKIPPED: ReadonlySet<string> = new Set([".git", "node_modules", ".palimpsest"]);

export async function folderTools(options: FolderOptions): Promise<readonly LoopTool[]> {
  const root = await realpath(options.folder);
  const path = { type: "string", description: "relative to the folder" };
  return [
    {
      name: "read_file",
      description: `Reads a text file of the folder, ${LINES_READ} lines at a time.`,
      parameters: schema({ path, from_line: { type: "integer", minimum: 1 } }, ["path"]),
      run: (input) => readLines(root, textIn(input, "path"), numberIn(input, "from_line") ?? 1),
    },
    {
      name: "list_files",
      description: "Lists the files of the folder, or of a folder inside it.",
      parameters: schema({ path }, []),
      run: (input, { signal }) => listFiles(root, optionalTextIn(input, "path"), signal),
    },
    {
      name: "search",
      description: "Finds a text in the files of the folder, whatever its case.",
      parameters: schema({ text: { type: "string" }, path }, ["text"]),
      run: (input, { signal }) =>
        search(root, { text: textIn(input, "text"), path: optionalTextIn(input, "path") }, signal),
    },
    {
      name: "run_command",
      description: "Runs a shell command in the folder. The user is asked first.",
      parameters: schema({ command: { type: "string" } }, ["command"]),
      timeoutMs: QUESTION_MS_MAX,
      run: async (input, { signal }) => {
        const command = textIn(input, "command");
        // What would be asked about must be what runs.
        if (safeText(command) !== command.trimEnd())
          throw new Error("The command has characters that cannot be shown.");
        if (!(await options.allow(command, signal)))
          throw new Error("The user did not allow this command; it was not run.");
        return runCommand(command, { root, environment: options.environment, signal });
      },
    },
  ];
}

function schema(properties: JsonValue, required: readonly string[]): JsonValue {
  return { type: "object", properties, required };
}

function optionalTextIn(input: JsonValue, key: string): string {
  const value = isObject(input) ? input[key] : undefined;
  return typeof value === "string" && value !== "" ? value : ".";
}

function textIn(input: JsonValue, key: string): string {
  const value = isObject(input) ? input[key] : undefined;
  if (typeof value === "string" && value.trim() !== "") return value;
  throw new Error(`${key} is missing.`);
}

function numberIn(input: JsonValue, key: string): number | undefined {
  const value = isObject(input) ? input[key] : undefined;
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : undefined;
}

/** The real place of a path that exists inside the folder. */
async function placeIn(root: string, path: string): Promise<string> {
  const refused = new Error(`${JSON.stringify(path)} leads out of the folder.`);
  const named = resolve(root, path);
  // Asked before anything is looked at: what is outside is not even told to exist.
  if (!isWithin(root, named)) throw refused;
  let place: string;
  try {
    place = await realpath(named);
  } catch {
    throw new Error(`There is no ${JSON.stringify(path)} in the folder.`);
  }
  if (!isWithin(root, place)) throw refused;
  return place;
}

function isWithin(root: string, place: string): boolean {
  const way = relative(root, place);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

async function readLines(root: string, path: string, from: number): Promise<string> {
  const place = await placeIn(root, path);
  if (!(await stat(place)).isFile()) throw new Error(`${JSON.stringify(path)} is no file.`);
  const text = await textAt(place);
  if (text === undefined) throw new Error(`${JSON.stringify(path)} is no text.`);
  const lines = text.replace(/\n$/, "").split("\n");
  const shown = lines.slice(from - 1, from - 1 + LINES_READ);
  const end = from - 1 + shown.length;
  if (shown.length === 0) return `The file has ${plural(lines.length, "line")}.`;
  const isWhole = from === 1 && end === lines.length;
  return isWhole ? shown.join("\n") : `${shown.join("\n")}\n[lines ${from} to ${end} of ${lines.length}]`;
}

/** The beginning of a file that is text; undefined for another. */
async function textAt(place: string): Promise<string | undefined> {
  // The path was resolved: a link that took its place meanwhile is not followed.
  const file = await open(place, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const buffer = Buffer.alloc(FILE_BYTES_MAX);
    const { bytesRead } = await file.read(buffer, 0, FILE_BYTES_MAX, 0);
    const bytes = buffer.subarray(0, bytesRead);
    return bytes.includes(0) ? undefined : bytes.toString("utf8");
  } finally {
    await file.close();
  }
}

async function listFiles(root: string, path: string, signal: AbortSignal): Promise<string> {
  const { files, isCut } = await filesIn(root, { path, max: FILES_LISTED_MAX }, signal);
  if (files.length === 0) return "There are no files.";
  return [...files, ...(isCut ? [`[only the first ${FILES_LISTED_MAX}; name a folder inside]`] : [])].join("\n");
}

/** Paths of files, in order. Links are not followed. */
async function filesIn(root: string, { path, max }: { path: string; max: number }, signal: AbortSignal) {
  const files: string[] = [];
  const visit = async (folder: string, depth: number): Promise<void> => {
    signal.throwIfAborted();
    const entries = (await readdir(folder, { withFileTypes: true })).toSorted((a, b) => (a.name < b.name ? -1 : 1));
    for (const entry of entries) {
      if (files.length > max) return;
      const place = join(folder, entry.name);
      if (entry.isFile()) files.push(relative(root, place));
      else if (entry.isDirectory() && depth < DEPTH_MAX && !SKIPPED.has(entry.name)) await visit(place, depth + 1);
    }
  };
  const place = await placeIn(root, path);
  if ((await stat(place)).isFile()) return { files: [relative(root, place)], isCut: false };
  await visit(place, 0);
  return { files: files.slice(0, max), isCut: files.length > max };
}

async function search(
  root: string,
  { text, path }: { readonly text: string; readonly path: string },
  signal: AbortSignal,
): Promise<string> {
  const wanted = text.toLowerCase();
  const hits: string[] = [];
  const { files } = await filesIn(root, { path, max: FILES_SEARCHED_MAX }, signal);
  for (const file of files) {
    signal.throwIfAborted();
    const content = await textAt(join(root, file)).catch(() => undefined);
    for (const [index, line] of (content ?? "").split("\n").entries()) {
      if (!line.toLowerCase().includes(wanted)) continue;
      if (hits.length === HITS_MAX) return [...hits, `[only the first ${HITS_MAX}; search for more words]`].join("\n");
      hits.push(`${file}:${index + 1}: ${excerpt(line, HIT_COLUMNS)}`);
    }
  }
  return hits.length === 0 ? "Nothing was found." : hits.join("\n");
}

interface RunOptions {
  readonly root: string;
  readonly environment: Environment;
  readonly signal: AbortSignal;
}

/** Its exit code and its output, the end of it where it is long. */
async function runCommand(command: string, { root, environment, signal }: RunOptions): Promise<string> {
  const time = AbortSignal.timeout(COMMAND_MS_MAX);
  const ending = AbortSignal.any([signal, time]);
  ending.throwIfAborted();
  // A group of its own, so that what the command starts ends with it.
  const isGroup = process.platform !== "win32";
  const env = { ...environment };
  const child = spawn(command, { cwd: root, env, shell: true, detached: isGroup, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  const collect = (chunk: Buffer): void => {
    output = (output + chunk.toString("utf8")).slice(-2 * OUTPUT_CHARACTERS_MAX);
  };
  child.stdout.on("data", collect);
  child.stderr.on("data", collect);
  const kill = (name: NodeJS.Signals): void => {
    if (child.pid === undefined) return;
    try {
      process.kill(isGroup ? -child.pid : child.pid, name);
    } catch {
      // It has ended.
    }
  };
  const stop = (): void => {
    kill("SIGTERM");
    setTimeout(() => kill("SIGKILL"), GRACE_MS).unref();
  };
  ending.addEventListener("abort", stop, { once: true });
  try {
    const code = await new Promise<number | null>((done, fail) => child.once("close", done).once("error", fail));
    if (time.aborted) throw new Error(`The command did not end within ${COMMAND_MS_MAX / 1_000} s and was stopped.`);
    const isCut = output.length > OUTPUT_CHARACTERS_MAX;
    const end = isCut ? `[the end of it]\n${output.slice(-OUTPUT_CHARACTERS_MAX)}` : output;
    return `exit code ${code ?? "none"}\n${end}`.trimEnd();
  } finally {
    ending.removeEventListener("abort", stop);
  }
}
