/** A terminal of 80 by 24 with the command line tool in it, for tests that press keys: tmux, as people use it. */

import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

export const HAS_TMUX = spawnSync("tmux", ["-V"]).status === 0;

export interface Tmux {
  /** Everything shown so far, without trailing blanks. */
  screen(): string;
  /** Waits until the screen matches. */
  until(pattern: RegExp): Promise<string>;
  type(text: string): void;
  /** Keys by tmux's names: `Enter`, `C-c`. */
  press(...keys: readonly string[]): void;
  close(): void;
}

interface TmuxOptions {
  readonly cwd: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** Only what hangs waits so long: just less than a test may take, so that the screen is in the error. */
const WAIT_MS = 170_000;
const POLL_MS = 50;
let opened = 0;

/** Starts `palimpsest WORDS` in a shell; when it has ended, its exit code is on the screen as `code N`. */
export function openTmux(words: readonly string[], { cwd, environment = {} }: TmuxOptions): Tmux {
  const socket = `palimpsest-test-${process.pid}-${opened++}`;
  const tmux = (...given: readonly string[]): string =>
    execFileSync("tmux", ["-L", socket, ...given], { encoding: "utf8", env: { ...process.env, LC_ALL: "C.UTF-8" } });
  const main = join(import.meta.dirname, "../src/cli/main.ts");
  const settings = Object.entries({ LC_ALL: "C.UTF-8", ...environment }).map(([name, value]) => `${name}='${value}'`);
  const program = [process.execPath, main, ...words].map((word) => `'${word}'`).join(" ");
  // A second command in the shell: whoever waits sees the code, and `cat` shows that the terminal echoes again.
  const line = `env ${settings.join(" ")} ${program}; echo "code $?"; exec cat`;
  tmux("-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "24", "-c", cwd, line);
  const screen = (): string =>
    tmux("capture-pane", "-p", "-S", "-2000")
      .split("\n")
      .map((each) => each.trimEnd())
      .join("\n")
      .trimEnd();
  return {
    screen,
    until: async (pattern) => {
      for (const end = Date.now() + WAIT_MS; Date.now() < end; await pause(POLL_MS)) {
        const shown = screen();
        if (pattern.test(shown)) return shown;
      }
      throw new Error(`${pattern} was not shown within ${WAIT_MS} ms:\n${screen()}`);
    },
    type: (text) => void tmux("send-keys", "-l", text),
    press: (...keys) => void tmux("send-keys", ...keys),
    close: () => void tmux("kill-server"),
  };
}
