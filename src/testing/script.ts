/**
 * Conversations as scripts, before any format: who says, calls and answers what. A broken script has the disorder that
 * real agents leave behind: missing, late, duplicate, split and orphaned results, answers twice, reused ids, wrong roles, empty texts.
 */

import { createRandom, type Random } from "./random.ts";

export type Item =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly data: string }
  | { readonly type: "reasoning"; readonly text: string; readonly signature?: string }
  | {
      readonly type: "call";
      readonly id: string;
      readonly name: string;
      readonly input: Readonly<Record<string, string>>;
    }
  | {
      readonly type: "result";
      readonly id: string;
      readonly name: string;
      readonly text: string;
      readonly isError: boolean;
    }
  | { readonly type: "unknown"; readonly text: string };

export interface Line {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly items: readonly Item[];
}

export interface ScriptOptions {
  readonly seed: number;
  /** With the disorder of real agents; without, the script is valid for every provider. */
  readonly broken: boolean;
}

const TURNS_MAX = 6;
const ROUNDS_MAX = 4;
const CALLS_MAX = 3;
const TOOLS: readonly [string, ...string[]] = ["bash", "read_file", "search", "edit"];

/** The same seed gives the same script. */
export function generateScript({ seed, broken }: ScriptOptions): readonly Line[] {
  const random = createRandom(seed);
  const words = createWords(random);
  const lines: Line[] = [];
  const turns = 1 + random.below(TURNS_MAX);
  for (let turn = 0; turn < turns; turn++) lines.push(...generateTurn(random, words, turn));
  // Half of all requests are sent while tools are at work: there the newest results are the last that is said.
  if (lines.at(-2)?.role === "tool" && random.chance(0.5)) lines.pop();
  return broken ? disturb(lines, random, words) : lines;
}

/** Texts with a word that occurs nowhere else, so that a lost text is noticed; some with awkward characters. */
function createWords(random: Random): (label: string) => string {
  const tails: readonly [string, ...string[]] = [
    "",
    " $& $1",
    " ```",
    "\nzweite Zeile",
    " 你好",
    " 🙂",
    ' "quoted" \\',
    "</s>",
  ];
  let count = 0;
  return (label) => `${label}-${++count}x${random.pick(tails)}`;
}

type Words = (label: string) => string;

function generateTurn(random: Random, words: Words, turn: number): readonly Line[] {
  const ask: Item[] = [{ type: "text", text: words("ask") }];
  if (random.chance(0.15)) ask.push({ type: "image", data: "iVBORw0KGgo=" });
  const lines: Line[] = [{ role: "user", items: ask }];
  const rounds = random.below(ROUNDS_MAX + 1);
  for (let round = 0; round < rounds; round++) lines.push(...generateRound(random, words, `${turn}_${round}`));
  lines.push({ role: "assistant", items: [...think(random, words), { type: "text", text: words("answer") }] });
  return lines;
}

function generateRound(random: Random, words: Words, name: string): readonly Line[] {
  const calls = Array.from({ length: 1 + random.below(CALLS_MAX) }, (_, index) => ({
    type: "call" as const,
    id: `call_${name}_${index}`,
    name: random.pick(TOOLS),
    input: { argument: words("argument") },
  }));
  const say: readonly Item[] = random.chance(0.5) ? [{ type: "text", text: words("say") }] : [];
  const results = calls.map(({ id, name: tool }) => result(id, tool, words, random));
  return [
    { role: "assistant", items: [...think(random, words), ...say, ...calls] },
    { role: "tool", items: random.chance(0.3) ? results.reverse() : results },
  ];
}

function result(id: string, name: string, words: Words, random: Random): Item {
  return { type: "result", id, name, text: words("result"), isError: random.chance(0.2) };
}

function think(random: Random, words: Words): readonly Item[] {
  return random.chance(0.4)
    ? [{ type: "reasoning", text: words("think"), signature: `c2ln${random.below(1000)}` }]
    : [];
}

type Disturbance = (lines: Line[], random: Random, words: Words) => void;

function disturb(lines: readonly Line[], random: Random, words: Words): readonly Line[] {
  const disturbed = [...lines];
  const times = 1 + random.below(4);
  for (let time = 0; time < times; time++) random.pick(DISTURBANCES)(disturbed, random, words);
  return disturbed;
}

const DISTURBANCES: readonly [Disturbance, ...Disturbance[]] = [
  /** Missing: the results of a round, or one of them. */
  (lines, random) => editAny(lines, random, "tool", (line) => (random.chance(0.5) ? [] : [dropItem(line, random)])),
  /** Late: the results come after something else was said. */
  (lines, random) => {
    const from = lines.findIndex((line, index) => line.role === "tool" && index >= random.below(lines.length));
    const [line] = from < 0 ? [] : lines.splice(from, 1);
    if (line !== undefined) lines.splice(from + 1 + random.below(lines.length - from), 0, line);
  },
  /** Duplicate: the same result again, or another text for the same call. */
  (lines, random, words) =>
    editAny(lines, random, "tool", (line) => {
      const again = line.items.map((item) =>
        item.type === "result" && random.chance(0.5) ? { ...item, text: words("again") } : item,
      );
      return random.chance(0.5) ? [{ ...line, items: [...line.items, ...again] }] : [line, { ...line, items: again }];
    }),
  /** Split: one message per result, sometimes with a user's text between. */
  (lines, random, words) =>
    editAny(lines, random, "tool", (line) =>
      line.items.flatMap((item): readonly Line[] => {
        const between: Line = { role: "user", items: [{ type: "text", text: words("between") }] };
        return random.chance(0.3) ? [{ role: "tool", items: [item] }, between] : [{ role: "tool", items: [item] }];
      }),
    ),
  /** Orphaned: a result whose call is gone. */
  (lines, random) => editAny(lines, random, "assistant", () => []),
  (lines, random, words) => {
    const orphan: Line = { role: "tool", items: [result(`call_gone_${random.below(9)}`, "bash", words, random)] };
    lines.splice(random.below(lines.length + 1), 0, orphan);
  },
  /** Reused ids. */
  (lines, random) =>
    lines.forEach((line, index) => {
      lines[index] = { ...line, items: line.items.map((item) => shortId(item, random.chance(0.9))) };
    }),
  /** Wrong roles: results and calls in one message; text before results; a reply without a question. */
  (lines, random) => editAny(lines, random, "tool", (line) => [{ ...line, role: "assistant" }]),
  (lines, random, words) =>
    editAny(lines, random, "tool", (line) => [
      { role: "tool", items: [{ type: "text", text: words("before") }, ...line.items] },
    ]),
  (lines) => void lines.shift(),
  (lines, random, words) =>
    void lines.splice(random.below(lines.length + 1), 0, {
      role: "system",
      items: [{ type: "text", text: words("rule") }],
    }),
  (lines, random, words) =>
    void lines.splice(random.below(lines.length + 1), 0, {
      role: "assistant",
      items: [{ type: "reasoning", text: words("alone") }],
    }),
  /** Empty and unknown. */
  (lines, random) =>
    void lines.splice(random.below(lines.length + 1), 0, { role: "user", items: [{ type: "text", text: "" }] }),
  (lines, random, words) =>
    editAny(lines, random, "assistant", (line) => [
      { ...line, items: [...line.items, { type: "unknown", text: words("new") }] },
    ]),
  /** Twice: an answer that was appended again. */
  (lines, random) => editAny(lines, random, "assistant", (line) => [line, line]),
  /** Interrupted: nothing after the newest call. */
  (lines) => {
    const last = lines.findLastIndex(({ role }) => role === "tool");
    if (last > 0) lines.length = last;
  },
];

function editAny(lines: Line[], random: Random, role: Line["role"], edit: (line: Line) => readonly Line[]): void {
  const places = lines.flatMap((line, index) => (line.role === role ? [index] : []));
  const place = places[random.below(places.length)];
  const line = place === undefined ? undefined : lines[place];
  if (place !== undefined && line !== undefined) lines.splice(place, 1, ...edit(line));
}

function dropItem(line: Line, random: Random): Line {
  const dropped = random.below(line.items.length);
  return { ...line, items: line.items.filter((_, index) => index !== dropped) };
}

function shortId(item: Item, isShort: boolean): Item {
  return isShort && (item.type === "call" || item.type === "result")
    ? { ...item, id: `call_${item.id.slice(-1)}` }
    : item;
}
