/**
 * `palimpsest chat` in a real terminal. The conversation in docs/cli.md is what is shown here: `UPDATE=1` renews it. Its numbers may differ:
 * they change with every improvement of the summarizer.
 */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "./run-cli.ts";
import { HAS_TMUX, openTmux } from "./tmux.ts";

const PAGE = join(import.meta.dirname, "../docs/cli.md");
const CAPTURE = /(?<=<!-- shown by test\/chat-terminal\.test\.ts -->\n\n```text\n)(?:[^`]|`(?!``))*(?=```)/;
const TIME = /\d{4}-\d\d-\d\d \d\d:\d\d UTC/g;
/** Without what depends on how long the summary is: numbers, bars, and the blanks that align them. */
function withoutSizes(shown: string): string {
  return shown
    .replace(/^( *)[=·A-Zac#*]{12,}/gm, "$1BAR")
    .replace(/\d[\d.,]*/g, "N")
    .replace(/(?<=\S) +/g, " ");
}

/** The prompt, and nothing behind it. */
const PROMPT = /\nyou>$/;

/** A project of a newcomer: recipes, which nobody edits. */
function project() {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  const recipes = join(folder.path, "recipes");
  mkdirSync(recipes);
  for (const [name, [first, second]] of Object.entries(RECIPES)) {
    const steps = Array.from({ length: 30 }, (_, index) => {
      const [one, other] = index % 2 === 0 ? [first, second] : [second, first];
      return `${index + 1}. Put the ${one} beside the ${other}, and wait ${(index % 5) + 2} minutes.`;
    });
    writeFileSync(
      join(recipes, `${name}.md`),
      `# ${name}\n\nThis ${name} is for ${name.length} people.\n\n${steps.join("\n")}\n`,
    );
  }
  return recipes;
}

const RECIPES = {
  bread: ["flour", "yeast"],
  curry: ["rice", "lentils"],
  dumplings: ["dough", "cabbage"],
  goulash: ["onions", "beef"],
  pancakes: ["batter", "apples"],
  risotto: ["rice", "mushrooms"],
  soup: ["carrots", "leek"],
} as const;

function openChat(...words: readonly string[]) {
  const cwd = project();
  const open = (...more: readonly string[]) => {
    const tmux = openTmux(["chat", "--model", "scripted", ...more], { cwd, environment: { NO_COLOR: "1" } });
    onTestFinished(tmux.close);
    return tmux;
  };
  return { cwd, open, chat: open(...words) };
}

describe.skipIf(!HAS_TMUX)("in tmux (skipped where it is not installed)", () => {
  test("the conversation that docs/cli.md shows", async () => {
    const { chat } = openChat();
    await chat.until(PROMPT);
    for (const line of ["tour", "/context", "What needs flour and yeast?", "/recall flour yeast", "/rollback"]) {
      chat.type(line);
      chat.press("Enter");
      await chat.until(PROMPT);
      await chat.until(new RegExp(`you> ${line.replaceAll(/[/?]/g, "\\$&")}\\n[\\s\\S]*\\nyou>$`));
    }
    chat.type("/quit");
    chat.press("Enter");
    const shown = (await chat.until(/\ncode \d+$/)).replace(/\ncode 0$/, "\n").replace(TIME, "2026-11-16 09:30 UTC");
    const page = readFileSync(PAGE, "utf8");
    if (process.env.UPDATE !== undefined)
      writeFileSync(
        PAGE,
        page.replace(CAPTURE, () => shown),
      );
    const [kept = ""] = CAPTURE.exec(readFileSync(PAGE, "utf8")) ?? [];
    const renewal = "UPDATE=1 npx vitest run test/chat-terminal.test.ts renews docs/cli.md";
    expect(withoutSizes(shown), renewal).toBe(withoutSizes(kept));
  });

  test("Ctrl-C stops a turn; what was typed meanwhile stands at the next prompt; twice at an empty one it leaves", async () => {
    const { chat, open } = openChat();
    await chat.until(PROMPT);
    chat.type("tour");
    chat.press("Enter");
    await chat.until(/File 2 of 7/);
    chat.type("list");
    chat.press("C-c");
    await chat.until(/stopped; what was said and done so far stays in the session\n\nyou> list$/);
    chat.press("C-c");
    await chat.until(PROMPT);
    chat.type("list");
    chat.press("Enter");
    await chat.until(/It has 7 lines[\s\S]*\nyou>$/);
    chat.press("C-c");
    await chat.until(/Ctrl-C once more, or \/quit, leaves the chat\n\nyou>$/);
    chat.press("C-c");
    await chat.until(/the session stays; to go on:\n {2}palimpsest chat --model scripted --resume chat-1\ncode 0$/);
    chat.type("the terminal echoes again");
    await chat.until(/echoes again$/);
    const resumed = open("--resume", "chat-1");
    const shown = await resumed.until(PROMPT);
    expect(shown).toMatch(/session chat-1;[\s\S]* of 5,000 tokens, \d+ messages/);
  });

  test("a command runs after a yes, and not after anything else", async () => {
    const { chat, cwd } = openChat();
    await chat.until(PROMPT);
    chat.type("run cp soup.md copy.md");
    chat.press("Enter");
    await chat.until(/\n {2}\$ cp soup\.md copy\.md\nrun it\? \[y\/N\]$/);
    chat.press("Enter");
    await chat.until(/The user did not allow this command; it was\s+not run\.[\s\S]*\nyou>$/);
    expect(() => readFileSync(join(cwd, "copy.md"))).toThrow("ENOENT");
    // Typed before the question was there, so it is no answer but the next turn.
    chat.press("Up", "Enter", "y", "Enter");
    await chat.until(/run it\? \[y\/N\]$/);
    chat.press("Enter");
    await chat.until(/not run\.[\s\S]*not run\.[\s\S]*\nyou> y\nNoted\.[\s\S]*\nyou>$/);
    expect(() => readFileSync(join(cwd, "copy.md"))).toThrow("ENOENT");
    chat.press("Up", "Up", "Enter");
    await chat.until(/run it\? \[y\/N\]\n?$/);
    chat.type("y");
    chat.press("Enter");
    await chat.until(/exit code 0, 0 lines[\s\S]*\nyou>$/);
    expect(readFileSync(join(cwd, "copy.md"), "utf8")).toContain("# soup");
    chat.press("Up");
    await chat.until(/\nyou> run cp soup\.md copy\.md$/);
    chat.press("C-u");
    chat.type("run sleep 600");
    chat.press("Enter");
    await chat.until(/sleep 600\nrun it\? \[y\/N\]$/);
    chat.press("C-c");
    await chat.until(/stopped; [\s\S]*\nyou>$/);
    chat.press("C-d");
    await chat.until(/\ncode 0$/);
  });
});
