/**
 * The parts of a text that come one after another: a list that counts from one, or clauses joined by words such as "then". Says
 * which of them are still to come. Never reorders, never takes a list that does not count for one that does.
 */

import type { CueTable } from "../cues/cue-table.ts";
import { quick } from "../text/quick-expressions.ts";
import { oneLine } from "../text/sentences.ts";
import { matcher } from "../text/shared-words.ts";
import { withoutLayout } from "../text/whole-statement.ts";

const TEXT_CHARS_READ = 6_000;
const PART_CHARS_MAX = 200;
const PARTS_MAX = 12;
const PART_CHARS_MIN = 8;
const DENSE_CHARS_MIN = 4;

/** Those behind the last that one of the texts speaks of; none where nothing tells how far the work is. */
export function partsBehind(parts: readonly string[], texts: readonly string[]): readonly string[] {
  if (parts.length === 0) return [];
  const reached = parts.findLastIndex(matcher(texts));
  return reached < 0 ? [] : parts.slice(reached + 1);
}

/** Of a request; empty where it has no order. */
export function orderedParts(request: string, { after }: CueTable): readonly string[] {
  const text = request.slice(0, TEXT_CHARS_READ);
  const { above, parts } = countedList(text);
  return inOrder(parts.length > 1 && !ASPECTS.test(above) ? parts : text.split(after));
}

/** "Focus on:": what stands below is looked at together, in no order. */
const ASPECTS = quick(
  String.raw`(?<!\p{L})(?:focus(?:ing)? on|includ(?:e|es|ing)|cover(?:s|ing)?|consider(?:ing)?|attention to|look (?:for|at)|such as|fokus auf|achte auf|umfasst|concentre-toi sur|incluant|céntrate en|incluye|foque em|inclua|concentrati su|includi|обрати внимание на|включая)\W*$|(?:关注|包括|重点|注意)\W*$`,
  "i",
);

/** Of what an assistant sets out to do: the last list under words that say so. Empty where there is none. */
export function plannedParts(said: string, cues: CueTable): readonly string[] {
  const { planLabel, done, undone } = cues;
  const text = said.slice(0, TEXT_CHARS_READ);
  if (!FIRST_ITEM.test(text)) return [];
  const { above, parts } = countedList(text);
  const isPlan = planLabel.test(above) && !/[?？؟]/.test(above) && (!done.test(above) || undone.test(above));
  if (!isPlan) return [];
  const doneParts = parts.filter((part) => isReported(part, cues)).length;
  // What is already reported item by item is no plan any more; what stands first, and is less than the rest, was done before it.
  const isBegun = doneParts * 2 < parts.length && parts.slice(0, doneParts).every((part) => isReported(part, cues));
  if (!isBegun || (doneParts > 0 && parts.slice(doneParts).some((part) => PAST_FORM.test(part)))) return [];
  return inOrder(parts).slice(doneParts);
}

/** "Add a span (the tracer is already configured)": what stands in brackets is mostly about something else. */
function isReported(part: string, { done, undone }: CueTable): boolean {
  if (undone.test(part)) return false;
  const isAside = part.includes("(") || part.includes("（");
  return done.test(isAside ? part.replace(ASIDE, "") : part) || DONE_MARK.test(part);
}

/** "Repainted the deck": behind what was done, a verb that no cue knows tells the same. */
const PAST_FORM = quick(String.raw`^\W*\p{L}{2,}(?:ed|ée?s?|[ai]d[oa]s?|[aiu]t[oa])(?!\p{L})`, "i");

const ASIDE = quick(
  String.raw`[(（](?!(?:already|i|we|it|this|that|all|schon|bereits|ich|wir|das|dies|déjà|ya|esto|eso|já|isso|già|уже|это)(?!\p{L})|[已もう이미])[^()（）]{12,160}[)）]`,
  "gi",
);
const DONE_MARK = quick(
  String.raw`^\W{0,4}[✅✓✔☑]|[✅✓✔☑]\W*$|[(（](?:already |schon |bereits |déjà |ya |já |già |уже )?(?:done|completed?|finished|erledigt|fertig|fait|terminé|hecho|listo|feito|fatto|готово|сделано|已?完成|完了|済み?|완료|تم)[)）]`,
  "i",
);

const NUMBERED =
  /^\s*(?:#{1,6}\s+)?(?:\*\*)?(?:(?:part|step|phase|task|teil|schritt|aufgabe|étape|partie|paso|parte|passo|этап|шаг|ステップ|단계)\s*)?(\d{1,2})\s?[.):：]\**\s+(\S.*)$/i;
const FIRST_ITEM = /^ {0,8}(?:#{1,6} )?(?:\*\*)?(?:\p{L}{1,20} )?1 ?[.):：]/mu;

interface CountedList {
  /** The line above the list. */
  readonly above: string;
  readonly parts: readonly string[];
}

/** The last list that counts from one. */
function countedList(text: string): CountedList {
  let above = "";
  let before = "";
  let parts: string[] = [];
  for (const line of text.split("\n")) {
    const [, number, part = ""] = NUMBERED.exec(line) ?? [];
    if (Number(number) === 1) {
      above = before;
      parts = [part];
    } else if (Number(number) === parts.length + 1 && parts.length > 0) parts.push(part);
    if (line.trim() !== "") before = line;
  }
  return { above, parts };
}

function inOrder(parts: readonly string[]): readonly string[] {
  const isOrdered = parts.length > 1 && parts.length <= PARTS_MAX && parts.every(isLongEnough);
  return isOrdered ? parts.map((part) => oneLine(withoutLayout(part), PART_CHARS_MAX).replace(/[:：]$/, "")) : [];
}

function isLongEnough(part: string): boolean {
  return part.length >= (/[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]/.test(part) ? DENSE_CHARS_MIN : PART_CHARS_MIN);
}
