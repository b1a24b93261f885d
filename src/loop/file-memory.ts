/** A memory of dated files for the flush: `memory/2026-01-31.md` in a folder of the caller's. Writes nowhere else, and only ever appends. */

import { appendFile, mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { isObject } from "../core/json.ts";
import type { LoopTool } from "./tools.ts";

export interface FileMemoryOptions {
  /** The folder in which `memory/` is made. */
  readonly directory: string;
  readonly now?: () => Date;
}

const NAME = /^\d{4}-\d{2}-\d{2}\.md$/;
const NOTE_CHARACTERS_MAX = 20_000;
const READ_CHARACTERS_MAX = 20_000;

/**
 * Two tools: one appends a note to the file of today, one reads the notes of a day.
 *
 * @example
 * await runLoop({ session, model, tools, memory: fileMemory({ directory: "." }) });
 */
export function fileMemory({ directory, now = () => new Date() }: FileMemoryOptions): readonly LoopTool[] {
  const folder = join(directory, "memory");
  return [
    {
      name: "memory_append",
      description: "Appends a note to today's memory file. Notes outlast this session.",
      parameters: {
        type: "object",
        properties: { note: { type: "string", description: "What must be remembered, as Markdown." } },
        required: ["note"],
      },
      run: async (input) => {
        const note = isObject(input) && typeof input.note === "string" ? input.note.trim() : "";
        if (note === "") throw new Error("`note` must be a text.");
        if (note.length > NOTE_CHARACTERS_MAX) throw new Error(`A note has at most ${NOTE_CHARACTERS_MAX} characters.`);
        const name = `${now().toISOString().slice(0, 10)}.md`;
        await mkdir(folder, { recursive: true });
        await appendFile(join(folder, name), `${note}\n\n`, { mode: 0o600 });
        return `Appended to memory/${name}.`;
      },
    },
    {
      name: "memory_read",
      description: "Reads the memory file of a day, or lists the days that have one.",
      parameters: { type: "object", properties: { date: { type: "string", description: "YYYY-MM-DD" } } },
      run: async (input) => {
        const date = isObject(input) && typeof input.date === "string" ? `${input.date}.md` : undefined;
        if (date === undefined) return (await days(folder)).join("\n") || "There is no memory yet.";
        // A date can name no other file.
        if (!NAME.test(date)) throw new Error("`date` must be YYYY-MM-DD.");
        return (await readFile(join(folder, date), "utf8")).slice(-READ_CHARACTERS_MAX);
      },
    },
  ];
}

async function days(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => NAME.test(name)).sort();
}
