/** What a summary may say: each unit a line or a part of one, with the section it belongs to, its place and the messages that it stands in. */

import type { Language } from "../../core/checkpoint/language.ts";
import { isArray, isObject } from "../../core/json.ts";
import { quoted } from "./calls.ts";
import { hasCue, labelsOf, smallWords } from "./cues.ts";
import type { Event, Spoken } from "./events.ts";
import { type Identifiers, namesIn, snippetsOf } from "./identifiers.ts";
import type { LoggedCall, LogLine } from "./log.ts";
import { onlyRepeats } from "./outcome.ts";
import { contentWords, oneLine, type Passage, passagesOf, sentencesOf } from "./text.ts";
import { recordsOf } from "./values.ts";
import { WEIGHTS } from "./weights.ts";

export type UnitSection =
  | "answered"
  | "request"
  | "rule"
  | "plan"
  | "log"
  | "failure"
  | "said"
  | "known"
  | "summary"
  | "file";

export interface Unit {
  readonly section: UnitSection;
  readonly text: string;
  /** Units of one head stand on one line behind it. */
  readonly head?: string;
  /** Place in the conversation, then place in the message. */
  readonly order: number;
  readonly ids: readonly string[];
  readonly bonus: number;
  /** Multiplies what its words and names add. */
  readonly factor: number;
  /** Where it is rendered, if not by its section alone. */
  readonly role?: string;
}

/** Places of one message's passages are less than one apart. */
export const STEP = 1 / 4096;

/** How much more an event counts for being new. */
export function recencyOf(at: number, last: number): number {
  return 1 + WEIGHTS.recency * 0.5 ** ((last - at) / WEIGHTS.recencyEvents);
}

/** The passages of what one person said in one message, without those that `make` leaves out. */
export function spokenUnits(
  event: Spoken,
  make: (passage: Passage) => Pick<Unit, "section" | "bonus" | "factor" | "role"> | undefined,
): readonly Unit[] {
  const head = `${event.type} ${event.at}`;
  const passages = passagesOf(event.text).flatMap((passage) =>
    event.type === "user" && !passage.isList && passage.text.endsWith(":")
      ? sentencesOf(passage.text).map((text) => ({ text, isList: false }))
      : passage,
  );
  return passages.flatMap((passage, index) => {
    const made = make(passage);
    return made === undefined
      ? []
      : [{ ...made, text: passage.text, head, order: event.at + index * STEP, ids: event.ids }];
  });
}

export interface SpeechOptions {
  readonly language: Language;
  /** Nothing was called: what people say is all there is. */
  readonly isTalk: boolean;
  readonly charsMax: number;
}

/** What the assistant found, decided and reached. Where calls tell the work, announcements of them and interjections are left out. */
export function assistantUnits(
  events: readonly Event[],
  { language, isTalk, charsMax }: SpeechOptions,
): readonly Unit[] {
  const last = events.at(-1)?.at ?? 0;
  const mayStress = !isTalk && charsMax >= STRESSING_CHARS_MIN;
  const answered = mayStress ? events[events.findLastIndex(({ type }) => type === "user") - 1] : undefined;
  const units = events.flatMap((event) => {
    if (event.type !== "assistant" || event.isKept) return [];
    const age = 0.5 ** ((last - event.at) / WEIGHTS.recencyEvents);
    const more = event === answered ? WEIGHTS.answered : 1;
    if (more > 1 && event.text.length <= WEIGHTS.reserve.answered * charsMax * FITTING_SHARE)
      return [answeredUnit(event)];
    return spokenUnits(event, ({ text, isList }) => {
      if (!isTalk && !isList && (isAnnouncement(text, language) || isInterjection(text, event.isFinal, language)))
        return undefined;
      const isConcluding = event.isFinal || isList || hasCue(text, "conclusion", language);
      const factor = (isConcluding ? WEIGHTS.cue.conclusion : 1) * recencyOf(event.at, last);
      return { section: "said", factor: more * factor, bonus: event.isFinal ? more * WEIGHTS.conclusion * age : 0 };
    });
  });
  return isTalk ? units : [...units, ...nextUnits(events, language)];
}

/** The reserve holds the line's head too. A longer offer is chosen from by its sentences. */
const FITTING_SHARE = 0.8;
/** In a smaller budget it would leave room for nothing else. */
const STRESSING_CHARS_MIN = 500;

/** What the newest request answers, whole: "yes, do that" says nothing without it. */
function answeredUnit({ at, text, ids }: Spoken): Unit {
  const said = passagesOf(text).map((passage) => passage.text);
  return { section: "answered", text: said.join(" "), head: `assistant ${at}`, order: at, ids, bonus: 2, factor: 1 };
}

/** What the assistant announced in its last words, quoted, unless they stay in the view or calls have followed. */
function nextUnits(events: readonly Event[], language: Language): readonly Unit[] {
  const event = events.findLast(({ type }) => type === "assistant" || type === "call");
  if (event === undefined || event.isKept || event.type === "call") return [];
  const announced = passagesOf(event.text).findLast(({ text, isList }) => !isList && isAnnouncement(text, language));
  if (announced === undefined) return [];
  const text = `${labelsOf(language).assistant}: "${announced.text.replace(/[:：]$/, "")}"`;
  return [{ section: "plan", role: "nextSteps", text, order: event.at, ids: event.ids, bonus: 0.3, factor: 1 }];
}

/** Whether a sentence only says what comes next, by its words or by the colon at its end. */
function isAnnouncement(text: string, language: Language): boolean {
  return /[:：]$/.test(text) || hasCue(text.slice(0, 60), "announcement", language);
}

/** Of a sentence that names nothing. Between calls more is asked for, because they tell most of it. */
const TELLING_WORDS_MIN = { final: 3, betweenCalls: 5 };

/** Whether a sentence is too short to tell anything: "Good.", "I have a clear picture now." */
function isInterjection(text: string, isFinal: boolean, language: Language): boolean {
  const small = smallWords(language);
  const least = isFinal ? TELLING_WORDS_MIN.final : TELLING_WORDS_MIN.betweenCalls;
  return !/[\d_/`]|[a-z][A-Z]/.test(text) && contentWords(text).filter((word) => !small.has(word)).length < least;
}

export function logUnits(lines: readonly LogLine[], last: number): readonly Unit[] {
  return lines.map((line) => {
    const isFailure = line.type === "failure";
    const { change: effect, run, read, failure, choice } = WEIGHTS;
    const worth = { effect, run, read, failure, choice }[line.type];
    return {
      section: isFailure ? "failure" : "log",
      text: line.text,
      ...(line.head !== undefined && { head: `read ${line.head}` }),
      order: line.at,
      ids: line.ids,
      bonus:
        worth * (line.type === "effect" ? 0.6 + 0.4 * (recencyOf(line.at, last) - 1) : recencyOf(line.at, last) - 0.8),
      factor: 1,
      role: line.action,
    };
  });
}

const RECORD_CHARS_MAX = 200;
const HEAD_CHARS_MAX = 60;

/** Names with the words or the record around them, behind the call that brought or wrote them. */
export function knownUnits(
  calls: readonly LoggedCall[],
  { byMessage, weights }: Identifiers,
  places: ReadonlyMap<string, number>,
): readonly Unit[] {
  const units: Unit[] = [];
  for (const { called, action, object, plain, plainInput } of calls) {
    if (called.isKept && !called.isCut) continue;
    const wanted = new Set(called.ids.flatMap((id) => [...(byMessage.get(places.get(id) ?? -1) ?? [])]));
    if (wanted.size === 0) continue;
    const head = oneLine(`${action} ${object}`, HEAD_CHARS_MAX);
    let count = 0;
    const add = (text: string): void => {
      units.push({
        section: "known",
        text,
        head,
        order: called.at + count++ * STEP,
        ids: called.ids,
        bonus: 0,
        factor: 1,
      });
    };
    const written = isObject(plainInput)
      ? Object.values(plainInput).filter((value) => typeof value === "string" && value.length > 80)
      : [];
    written.flatMap((text) => snippetsOf(String(text), wanted)).forEach(add);
    if (typeof plain === "string") {
      const told = `${action} ${object}`;
      for (const snippet of snippetsOf(plain, wanted)) if (!onlyRepeats(snippet, told)) add(snippet);
    } else if (isObject(plain) || isArray(plain)) {
      for (const record of recordsOf(plain)) {
        const said = record.fields.filter(
          ({ value }) =>
            value.length <= RECORD_CHARS_MAX &&
            value !== record.label &&
            namesIn(value, weights).some((name) => wanted.has(name)),
        );
        if (said.length === 0) continue;
        const fields = said.slice(0, 5).map(({ key, value }) => `${key} ${quoted(oneLine(value, 100))}`);
        add(oneLine(`${record.label === "" ? "" : `${quoted(record.label)}: `}${fields.join(", ")}`, RECORD_CHARS_MAX));
      }
    }
  }
  return units;
}
