/**
 * One stacked bar: shares of a whole as cells, as many as asked for, exactly. Coloured blocks where colours are; letters
 * where they are not, so that it can be read in a pipe, in a log and by the colour-blind.
 */

import type { Output } from "./command.ts";
import { count } from "./numbers.ts";
import { paint, type Style, type Terminal } from "./terminal.ts";
import { fitted, plainSigns } from "./text-blocks.ts";

export interface Slice {
  readonly amount: number;
  readonly style: Colour;
  /** Stands for the slice where there are no colours. */
  readonly letter: string;
}

export type Colour = "magenta" | "blue" | "green" | "cyan" | "gray" | "white" | "yellow" | "red";

const BACKGROUNDS: Readonly<Record<Colour, Style>> = {
  magenta: "bgMagenta",
  blue: "bgBlue",
  green: "bgGreen",
  cyan: "bgCyan",
  gray: "bgGray",
  white: "bgWhite",
  yellow: "bgYellow",
  red: "bgRed",
};

/** `whole` above the sum of the slices leaves the rest of the bar free. */
export function barLine(slices: readonly Slice[], options: BarOptions): string {
  const { terminal, columns } = options;
  const sum = slices.reduce((total, slice) => total + slice.amount, 0);
  const whole = Math.max(sum, options.whole ?? sum);
  const cells = shareCells([...slices.map((slice) => slice.amount), whole - sum], columns);
  const filled = slices.map((slice, index) => swatch(slice, terminal, cells[index] ?? 0));
  const free = (terminal.isUnicode ? "·" : ".").repeat(cells.at(-1) ?? 0);
  return filled.join("") + paint(terminal, "gray", free);
}

interface BarOptions {
  readonly terminal: Terminal;
  readonly columns: number;
  readonly whole?: number;
}

/** Some cells of a slice; one of them is its mark in a legend. */
export function swatch({ style, letter }: Omit<Slice, "amount">, terminal: Terminal, cells = 1): string {
  if (!terminal.isColoured) return letter.repeat(cells);
  return terminal.isUnicode
    ? paint(terminal, style, "█".repeat(cells))
    : paint(terminal, BACKGROUNDS[style], " ".repeat(cells));
}

/** Whole cells that add up exactly: what is there at all gets one, the rest goes by largest remainder. */
export function shareCells(amounts: readonly number[], cells: number): readonly number[] {
  const sum = amounts.reduce((total, amount) => total + amount, 0);
  const present = amounts.filter((amount) => amount > 0).length;
  if (sum <= 0 || cells < present) return amounts.map(() => 0);
  const exact = amounts.map((amount) => (amount / sum) * cells);
  const shares = exact.map((share, index) => ((amounts[index] ?? 0) > 0 ? Math.max(1, Math.floor(share)) : 0));
  const overshoot = (index: number): number => (shares[index] ?? 0) - (exact[index] ?? 0);
  let missing = cells - shares.reduce((total, share) => total + share, 0);
  while (missing !== 0) {
    const step = Math.sign(missing);
    const candidates = [...shares.keys()].filter((index) => mayMove(amounts[index] ?? 0, shares[index] ?? 0, step));
    const best = candidates.sort((a, b) => step * (overshoot(a) - overshoot(b)))[0];
    if (best === undefined) break;
    shares[best] = (shares[best] ?? 0) + step;
    missing -= step;
  }
  return shares;
}

function mayMove(amount: number, share: number, step: number): boolean {
  return amount > 0 && (step > 0 || share > 1);
}

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
