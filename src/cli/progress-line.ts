/** One line at the bottom of a terminal that says what is going on; nothing at all anywhere else. Leaves no trace. */

import { barLine } from "./bar.ts";
import type { Output } from "./command.ts";
import { count } from "./numbers.ts";
import type { Terminal } from "./terminal.ts";
import { fitted, plainSigns } from "./text-blocks.ts";

export interface ProgressLine {
  say(words: string): void;
  show(event: { readonly stage: string; readonly done: number; readonly total: number }): void;
  clear(): void;
}

const BAR_COLUMNS = 24;
/** Back to the start of the line, and erase it. */
const ERASE = "\r\u001b[2K";

export function progressLine(output: Output, terminal: Terminal): ProgressLine {
  const isShown = output.isTTY === true && terminal.isColoured;
  let isDirty = false;
  const draw = (line: string): void => {
    if (!isShown) return;
    output.write(`${ERASE}${line}`);
    isDirty = true;
  };
  return {
    say: (words) => draw(fitted(plainSigns(words, terminal), { ...terminal, columns: terminal.columns - 1 })),
    show: ({ stage, done, total }) => {
      const slice = { amount: Math.min(done, total), style: "green", letter: "#" } as const;
      const bar = barLine([slice], { terminal, columns: BAR_COLUMNS, whole: Math.max(1, total) });
      draw(`${bar} ${stage} ${count(done)} of ${count(total)}`);
    },
    clear: () => {
      if (isDirty) output.write(ERASE);
      isDirty = false;
    },
  };
}
