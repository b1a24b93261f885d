/**
 * Every exported function that takes text is linear on hostile text. What is measured is a ratio: four times the text may take four
 * times as long, and somewhat more for caches and collections; quadratic work takes sixteen times as long, and the line between
 * them is drawn in the middle. An operation count would see neither regular expressions nor what the engine's own functions do.
 *
 * The machine may be busy, so the processor's time for this thread is counted and not the clock's, and no single run decides. Other
 * work only ever makes a run dearer: of each length the cheapest of several runs counts, and both lengths are run again, in turn, for as
 * long as the ratio looks bad. Quadratic work looks bad every time. What is too short to be told from a collection of garbage is
 * not judged: the text is made longer until it is long enough, or it is a text of the largest length that was still read at once.
 */

import { join } from "node:path";
import { expect, test } from "vitest";
import manifest from "../package.json" with { type: "json" };
import { createRandom } from "../src/testing/random.ts";
import { HOSTILE_FORMS, HOSTILE_PIECES } from "./hostile-texts.ts";
import { SUBJECTS, TAKES_NO_TEXT } from "./linear-subjects.ts";
import { sampleOf, seed } from "./sample.ts";

const GROWTH = 4;
const GROWTH_MAX = GROWTH ** 1.5;
const JUDGED_MS = 50;
const ATTEMPTS_MAX = 8;
const CHARS_MIN = 16_000;
const CHARS_MAX = sampleOf(1_024_000, 64_000);
/** Texts by chance, for each place of each function; another seed takes others. */
const TEXTS_MAX = sampleOf(6, 1);
/** How many small things are as much as one character of a text. */
const THINGS_PER_CHAR = 1 / 16;

test("every export of every entry point is in the table, or takes no text", async () => {
  const files = Object.values(manifest.exports).filter((file) => file.endsWith(".js"));
  const names = new Set<string>();
  for (const file of files) {
    const source = file.replace("./dist/", "../src/").replace(/\.js$/, ".ts");
    for (const name of Object.keys(await import(join(import.meta.dirname, source)))) names.add(name);
  }
  const listed = [...Object.keys(SUBJECTS), ...Object.keys(TAKES_NO_TEXT)];
  expect(listed.toSorted()).toEqual([...names].toSorted());
});

/** However busy the machine is: nothing is judged by it. */
const TIMEOUT_MS = 6_000_000;

test.each(subjects())("%s", { timeout: TIMEOUT_MS }, async (name, { ofText = {}, ofMany = {} }) => {
  const random = createRandom(seed);
  for (const [place, run] of Object.entries(ofText)) {
    for (const [form, piece, make] of textsFor(random)) {
      await check(`${name}, ${place}: ${form} of ${JSON.stringify(piece)}`, (chars) => run(make(chars)));
    }
  }
  for (const [what, run] of Object.entries(ofMany)) {
    await check(`${name}: many ${what}`, (chars) => run(Math.ceil(chars * THINGS_PER_CHAR)));
  }
});

/** All of them in a soak; a third of them, by chance, in a sample. */
function subjects(): [string, (typeof SUBJECTS)[string]][] {
  const random = createRandom(seed);
  return Object.entries(SUBJECTS).filter(() => random.below(sampleOf(1, 3)) === 0);
}

type Random = ReturnType<typeof createRandom>;

/** A word without an end, which most expressions stumble over, and some other pieces in their forms by chance. */
function textsFor(
  random: Random,
): readonly (readonly [form: string, piece: string, make: (chars: number) => string])[] {
  const texts = Object.entries(HOSTILE_FORMS).flatMap(([form, make]) =>
    HOSTILE_PIECES.map((piece) => [form, piece, (chars: number) => make(piece, chars)] as const),
  );
  const word = texts.filter(([form, piece]) => form === "run" && piece === "a");
  const others = Array.from({ length: TEXTS_MAX }, () => texts[random.below(texts.length)]);
  return [...word, ...others.filter((text) => text !== undefined)];
}

type Run = (chars: number) => unknown;

/**
 * Longer and longer texts, until one takes long enough to be judged by the one before it. A first ratio that looks bad may only say that
 * the shorter text still fit into caches and the young generation, so the next length has to look bad too.
 */
async function check(where: string, run: Run): Promise<void> {
  let doubt: string | undefined;
  for (let chars = CHARS_MIN; chars <= CHARS_MAX || doubt !== undefined; chars *= GROWTH) {
    if (doubt === undefined && (await cheapestMs(run, chars, 1)) < JUDGED_MS) continue;
    // The first runs of a length compile the code.
    await cheapestMs(run, chars / GROWTH, 2);
    const [short, long]: [number[], number[]] = [[], []];
    let [once, more] = [0, 0];
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      short.push(await cheapestMs(run, chars / GROWTH, 3));
      long.push(await cheapestMs(run, chars, 1));
      // Some machines now and then say that a thread has not worked at all.
      [once, more] = [median(short), Math.min(...long)];
      if (more < JUDGED_MS || more < GROWTH_MAX * once) break;
    }
    if (more < JUDGED_MS && doubt === undefined) continue;
    if (more < JUDGED_MS || more < GROWTH_MAX * once) return;
    const said = `${where}: ${once.toFixed(1)} ms for ${chars / GROWTH} characters, ${more.toFixed(1)} ms for ${chars}`;
    expect(doubt, `${doubt}; ${said}`).toBeUndefined();
    doubt = said;
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
}

async function cheapestMs(run: Run, chars: number, times: number): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let time = 0; time < times; time++) {
    const start = process.threadCpuUsage();
    await run(chars);
    const { user, system } = process.threadCpuUsage(start);
    best = Math.min(best, (user + system) / 1_000);
  }
  return best;
}
