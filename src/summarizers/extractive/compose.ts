/** Chooses among the units within the budget, and lays out what was chosen as a checkpoint whose every line knows its messages. */

import {
  type Checkpoint,
  EMPTY_CHECKPOINT,
  type LineSource,
  renderCheckpoint,
} from "../../core/checkpoint/checkpoint.ts";
import { byKind } from "../../core/checkpoint/identifier-list.ts";
import type { Language } from "../../core/checkpoint/language.ts";
import { type Candidate, type Chooser, createChooser } from "./choose.ts";
import { labelsOf, smallWords } from "./cues.ts";
import { isTelling, namesIn } from "./identifiers.ts";
import { contentWords } from "./text.ts";
import { STEP, type Unit, type UnitSection } from "./units.ts";
import { WEIGHTS } from "./weights.ts";

export interface Material {
  readonly units: readonly Unit[];
  readonly weights: ReadonlyMap<string, number>;
  /** Names that calls were given. */
  readonly given: ReadonlySet<string>;
  /** Texts that stay in the view: what they name needs no second place. */
  readonly kept: readonly string[];
  readonly language: Language;
  /** Nothing was called: people talk, and every speaker counts alike. */
  readonly isTalk: boolean;
  /** Nobody but users speaks: whoever speaks says so in the text. */
  readonly isUnlabelled: boolean;
  /** What the caller wants told in more detail. */
  readonly focus: ReadonlySet<string>;
}

export interface Limits {
  readonly charsMax: number;
  /** Whether a rendered text is within the budget. */
  readonly fits: (text: string) => boolean;
}

export interface Composed {
  readonly checkpoint: Checkpoint;
  readonly text: string;
}

const NOTHING: Composed = { checkpoint: EMPTY_CHECKPOINT, text: "" };
const ROUNDS_MAX = 4;

export function compose(material: Material, limits: Limits): Composed {
  const composed = composeFrom(material, limits);
  // All that leaves may stand in what stays too. A reader must still see that something left.
  return composed === NOTHING && material.kept.length > 0 ? composeFrom({ ...material, kept: [] }, limits) : composed;
}

function composeFrom(material: Material, limits: Limits): Composed {
  const { units, isTalk } = material;
  const candidates = candidatesOf(material);
  const chooser = createChooser(candidates.list, candidates.covered);
  const order: number[] = [];
  let best = NOTHING;
  const bareChars = isTalk ? 0 : Math.floor(limits.charsMax * WEIGHTS.bareShare);
  let budget = limits.charsMax - bareChars;
  for (let round = 0; round < ROUNDS_MAX && budget > limits.charsMax * 0.02; round++) {
    const before = order.length;
    order.push(
      ...(round === 0 && !isTalk
        ? chooseByReserve(chooser, units, { budget, named: candidates.named })
        : chooser.choose(indexesOf(units), budget).chosen),
    );
    if (order.length === before) break;
    const made = layOut(material, order, bareChars);
    if (limits.fits(made.text)) best = made;
    else
      return (
        longestThatFits(material, order, { ...limits, bareChars }) ??
        longestThatFits(material, order, { ...limits, bareChars: 0 }) ??
        best
      );
    budget = limits.charsMax - made.text.length + limits.charsMax * 0.02;
  }
  return best;
}

/** Of what did not come in with the rest, so much is tried one by one. */
const TRIES_MAX = 60;

/** The longest beginning of what was chosen that fits, and what of the rest still fits beside it. */
function longestThatFits(
  material: Material,
  order: readonly number[],
  { fits, charsMax, bareChars }: Limits & { readonly bareChars: number },
): Composed | undefined {
  let best: Composed | undefined;
  let low = 1;
  let high = order.length;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const made = layOut(material, order.slice(0, middle), bareChars);
    if (fits(made.text)) {
      best = made;
      low = middle + 1;
    } else high = middle - 1;
  }
  let taken = order.slice(0, high);
  for (const index of order.slice(high, high + TRIES_MAX)) {
    if ((best?.text.length ?? 0) + (material.units[index]?.text.length ?? 0) > charsMax) continue;
    const made = layOut(material, [...taken, index], bareChars);
    if (!fits(made.text)) continue;
    best = made;
    taken = [...taken, index];
  }
  return best;
}

const SECTIONS: readonly UnitSection[] = [
  "answered",
  "request",
  "plan",
  "log",
  "failure",
  "rule",
  "summary",
  "said",
  "file",
  "known",
];

interface Reserves {
  readonly budget: number;
  /** Units that hold what the caller named. */
  readonly named: readonly number[];
}

/** The room for the beginning of a request that is told in part: in a small budget a greater share. */
export function openingChars(charsMax: number): number {
  return Math.max(WEIGHTS.openingShare * charsMax, Math.min(OPENING_CHARS_MIN, charsMax / 2));
}

const OPENING_CHARS_MIN = 300;

/** Each section what it was promised, then all for the rest. */
function chooseByReserve(chooser: Chooser, units: readonly Unit[], { budget, named }: Reserves): readonly number[] {
  const chosen: number[] = [];
  const focused = chooser.choose(named, budget * WEIGHTS.focusReserve);
  chosen.push(...focused.chosen);
  let left = budget - focused.cost;
  for (const section of SECTIONS) {
    const own = units.flatMap((unit, index) => (unit.section === section ? [index] : []));
    const least = section === "request" ? openingChars(budget) : 0;
    const taken = chooser.choose(own, Math.min(left, Math.max(least, budget * WEIGHTS.reserve[section])));
    chosen.push(...taken.chosen);
    left -= taken.cost;
  }
  return [...chosen, ...chooser.choose(indexesOf(units), left).chosen];
}

function indexesOf(units: readonly Unit[]): readonly number[] {
  return units.map((_, index) => index);
}

interface Candidates {
  readonly list: readonly Candidate[];
  readonly covered: readonly number[];
  readonly named: readonly number[];
}

/** Words that more than this share of all passages hold tell next to nothing: they count only where nothing else is to be said. */
const COMMON_SHARE = 0.2;
const COMMON_GAIN = 1e-6;
const NUMBER = /^\p{N}+$/u;

function candidatesOf({ units, weights, kept, isTalk, isUnlabelled, language, focus }: Material): Candidates {
  const numbers = new Map<string, number>();
  const numberOf = (feature: string): number => {
    const known = numbers.get(feature);
    if (known !== undefined) return known;
    numbers.set(feature, numbers.size);
    return numbers.size - 1;
  };
  const small = smallWords(language);
  const wordsIn = (text: string): readonly string[] =>
    [...new Set(contentWords(text))].filter((word) => !small.has(word));
  const words = units.map(({ text }) => wordsIn(text));
  const counts = new Map<string, number>();
  for (const said of words) for (const word of said) counts.set(word, (counts.get(word) ?? 0) + 1);
  const common = Math.max(6, units.length * COMMON_SHARE);
  const named: number[] = [];
  const newest = units.reduce((most, { order }) => Math.max(most, order), 1);
  const list = units.map((unit, index): Candidate => {
    const features: number[] = [];
    const gains: number[] = [];
    const share = namedShare(words[index] ?? [], focus, { counts, units: units.length });
    if (share > 0) named.push(index);
    const worth =
      (isTalk ? talkWorth(unit, newest) : WEIGHTS.word[unit.section] * unit.factor) * (1 + WEIGHTS.focus * share);
    for (const word of words[index] ?? []) {
      const count = counts.get(word) ?? 1;
      features.push(numberOf(`w ${word}`));
      // A number that stands twice is seldom the same thing.
      const weight = NUMBER.test(word) ? 1 : count;
      gains.push(count > common ? COMMON_GAIN * worth : worth * Math.log(1 + weight) ** WEIGHTS.shared);
    }
    for (const name of namesIn(unit.text, weights)) {
      features.push(numberOf(`n ${name}`));
      gains.push(isTalk ? worth : (weights.get(name) ?? 0));
    }
    const head =
      unit.head === undefined
        ? undefined
        : { name: `${unit.section} ${unit.head}`, cost: isUnlabelled ? 3 : headChars(unit) };
    const cost =
      Math.max(unit.text.length, isTalk ? 40 : WEIGHTS.unitCharsMin) + (head === undefined ? WEIGHTS.lineChars : 2);
    return {
      features,
      gains,
      bonus: (isTalk ? 0 : unit.bonus) + WEIGHTS.focusBonus * share,
      cost,
      ...(head !== undefined && { head }),
    };
  });
  const covered = kept.flatMap((text) => [
    ...namesIn(text, weights).map((name) => numberOf(`n ${name}`)),
    ...wordsIn(text).map((word) => numberOf(`w ${word}`)),
  ]);
  return { list, covered, named };
}

/** Where people talk, every speaker's words count alike; of two that say the same the newer wins, and the request that all began with stays. */
function talkWorth({ role, factor, order }: Unit, newest: number): number {
  return WEIGHTS.word.talk * (role === "goal" ? factor : 1) * (1 + (WEIGHTS.tie * Math.max(0, order)) / newest);
}

interface WordCounts {
  readonly counts: ReadonlyMap<string, number>;
  readonly units: number;
}

/** How much a text has of what the caller named: a word that nearly every text has names nothing. */
function namedShare(words: readonly string[], focus: ReadonlySet<string>, { counts, units }: WordCounts): number {
  if (focus.size === 0) return 0;
  const rarity = (word: string): number => Math.log((1 + units) / (1 + (counts.get(word) ?? 0))) / Math.log(2 + units);
  return words.reduce((sum, word) => sum + (focus.has(word) ? rarity(word) : 0), 0);
}

function headChars({ section, head = "" }: Unit): number {
  return section === "said" || section === "answered" || section === "request" ? 12 : head.length + 4;
}

/** Between passages that stood apart. */
const GAP = " … ";
const LINE_CHARS_MAX = 420;

/** A line of the checkpoint with its place and messages. */
interface Line {
  readonly text: string;
  readonly order: number;
  readonly ids: readonly string[];
}

function layOut(material: Material, order: readonly number[], bareChars: number): Composed {
  const chosen = order
    .toSorted((a, b) => (material.units[a]?.order ?? 0) - (material.units[b]?.order ?? 0) || a - b)
    .flatMap((index) => material.units[index] ?? []);
  const labels = labelsOf(material.language);
  const of = (section: UnitSection, role?: string): readonly Unit[] =>
    chosen.filter((unit) => unit.section === section && (role === undefined || unit.role === role));
  const label = (name: string): string => (material.isUnlabelled ? "" : `${name}: `);
  const spoken = [
    ...grouped(of("request", "earlier"), () => label(labels.user), "").map((line) => ({ ...line, by: labels.user })),
    ...grouped([...of("answered"), ...of("said")], () => label(labels.assistant), "").map((line) => ({
      ...line,
      by: labels.assistant,
    })),
  ].toSorted(byOrder);
  const context = [
    ...(material.isTalk && !material.isUnlabelled ? joined(spoken, label) : spoken),
    ...grouped(of("summary"), () => "", " "),
    ...grouped(of("known"), ({ head = "" }) => `${head}: `, " · "),
  ].toSorted(byOrder);
  const done = grouped(of("log"), ({ head, role = "" }) => (head === undefined ? "" : `${role}: `), "; ").toSorted(
    byOrder,
  );
  const plan = (role: string): readonly Line[] => of("plan", role);
  const finished = plan("done").map((line) => ({ ...line, text: `✓ ${line.text}` }));
  const goal = grouped(of("request", "goal"), () => "", "");
  const failures = of("failure");
  const lines = [
    ...goal,
    ...of("rule"),
    ...finished,
    ...done,
    ...plan("inProgress"),
    ...plan("blocked"),
    ...plan("nextSteps"),
    ...context,
    ...failures,
  ];
  const text = ({ text: said }: Line): string => said;
  const checkpoint: Checkpoint = {
    ...EMPTY_CHECKPOINT,
    goal: goal.map(text),
    constraints: of("rule").map(text),
    done: [...finished, ...done].map(text),
    inProgress: plan("inProgress").map(text),
    blocked: plan("blocked").map(text),
    nextSteps: plan("nextSteps").map(text),
    criticalContext: context.map(text),
    filesRead: of("file", "filesRead").map(text).toSorted(),
    filesModified: of("file", "filesModified").map(text).toSorted(),
    toolFailures: failures.map((unit) => ({ toolName: unit.role ?? "", summary: unit.text })),
  };
  const sources: readonly LineSource[] = [...lines, ...of("file")].flatMap((line) =>
    line.ids.length === 0 ? [] : [{ line: line.text, ids: line.ids }],
  );
  const bare = bareNames(material, renderCheckpoint(checkpoint), bareChars);
  const whole = { ...checkpoint, identifiers: bare };
  return { checkpoint: { ...whole, sources }, text: renderCheckpoint(whole, { language: material.language }) };
}

const NAME_CHARS_MIN = 4;
const FIRST_WORD = /\w+/;

/** The likeliest names that nothing else tells. */
function bareNames({ weights, given, kept }: Material, text: string, charsMax: number): readonly string[] {
  const told = new Set([text, ...kept].flatMap((said) => namesIn(said, weights)));
  const words = new Set(text.split(/\W+/));
  // Few names have their first word in the text, so it is seldom searched for the whole name.
  const stands = (name: string): boolean => words.has(FIRST_WORD.exec(name)?.[0] ?? "") && text.includes(name);
  const names: string[] = [];
  let chars = 0;
  for (const name of weights.keys()) {
    if (chars + NAME_CHARS_MIN > charsMax) break;
    if (!isTelling(name, given) || told.has(name) || chars + name.length + 1 > charsMax || stands(name)) continue;
    names.push(name);
    chars += name.length + 1;
  }
  return byKind(names);
}

function byOrder(a: Line, b: Line): number {
  return a.order - b.order;
}

interface SpokenLine extends Line {
  /** Who speaks. */
  readonly by: string;
}

/** What one speaker says in lines that follow each other stands on one, as long as it stays readable. */
function joined(lines: readonly SpokenLine[], label: (name: string) => string): readonly Line[] {
  const all: SpokenLine[] = [];
  for (const line of lines) {
    const before = all.at(-1);
    const text = line.text.slice(label(line.by).length);
    if (before?.by !== line.by || before.text.length + text.length > LINE_CHARS_MAX) all.push(line);
    else all[all.length - 1] = { ...before, text: `${before.text}${GAP}${text}`, ids: [...before.ids, ...line.ids] };
  }
  return all;
}

interface OpenLine extends Line {
  text: string;
  order: number;
  /** Place of its last passage. */
  end: number;
  ids: readonly string[];
}

/** Nothing but a blank where one passage follows the other, and not even that after a mark of a script without blanks. */
function gapBetween({ text, end }: OpenLine, { order }: Unit): string {
  if (order - end > 1.5 * STEP) return GAP;
  return /[。！？]$/.test(text) ? "" : " ";
}

/** Units of one head on one line, as long as it stays readable; a new line goes on under the same head. */
function grouped(units: readonly Unit[], headOf: (unit: Unit) => string, between: string): readonly Line[] {
  const open = new Map<string, OpenLine>();
  const lines: OpenLine[] = [];
  for (const unit of units) {
    const key = unit.head ?? "";
    const line = unit.head === undefined ? undefined : open.get(key);
    if (line !== undefined && (line.text.length + unit.text.length < LINE_CHARS_MAX || unit.role === "goal")) {
      line.text += (between === "" ? gapBetween(line, unit) : between) + unit.text;
      line.end = unit.order;
      line.order = unit.section === "log" ? unit.order : line.order;
      line.ids = [...new Set([...line.ids, ...unit.ids])];
      continue;
    }
    const made = { text: headOf(unit) + unit.text, order: unit.order, end: unit.order, ids: [...unit.ids] };
    if (unit.head !== undefined) open.set(key, made);
    lines.push(made);
  }
  return lines;
}
