/**
 * What an assistant's message says to be decided, done, found out, going on, to come or stuck: whole sentences, told apart by
 * the cues of its language. Announcements lose the words that only announce; nothing else is changed.
 */

import type { Decision } from "../../../core/checkpoint/checkpoint.ts";
import type { Language } from "../../../core/checkpoint/language.ts";
import { boxesIn } from "../calls/todo-list.ts";
import { type CueFinder, cueFinder } from "../cues/cue-guard.ts";
import type { CueTable } from "../cues/cue-table.ts";
import { CUES } from "../cues/cues.ts";
import { endsAsking, endsWithMark } from "../text/endings.ts";
import { listUnder } from "../text/labelled-lists.ts";
import { writtenSentences } from "../text/message-sentences.ts";
import { quick } from "../text/quick-expressions.ts";
import { endsOf, splitSentences } from "../text/sentences.ts";
import { beforeColon, isFragment, wholeStatement, wholeWords } from "../text/whole-statement.ts";
import { announcement, isAnnouncement } from "./announcements.ts";
import { isMentioned, isOfNothing } from "./claims.ts";
import { DECIDING, decidingCues } from "./deciding-cues.ts";
import { CONCLUDING, decisionIn } from "./decisions.ts";
import { withOwnOption } from "./own-options.ts";
import { DENYING, isByRule } from "./refusals.ts";

/** What stays true after it was said. */
export interface Told {
  readonly decisions: readonly Decision[];
  readonly done: readonly string[];
  readonly findings: readonly string[];
}

/** What is true only until something else is said. */
export interface Open {
  readonly announced: readonly string[];
  readonly nextSteps: readonly string[];
  readonly blocked: readonly string[];
}

const SENTENCES_PER_MESSAGE = 24;
/** The first of a message say what it is about; the rest are details. */
const DECISIONS_MAX = 2;
const DONE_MAX = 4;
const FINDINGS_MAX = 2;
const ANNOUNCED_MAX = 2;
const NEXT_MAX = 6;
const BLOCKED_MAX = 2;
const LEANING_CHARS_MAX = 40;
const LAST_SENTENCES = 2;
/** "Still to do: …", "Next, …": a plan says so at its beginning. */
const LABEL_CHARS = 40;

export interface ToldOptions {
  /** Something is being made beside the talk. */
  readonly isAtWork: boolean;
  /** The turn ended with it: what it reports is finished. */
  readonly isFinal?: boolean;
  /** Of what was decided enough is known. */
  readonly isDecided?: boolean;
}

export interface Written {
  readonly text: string;
  /** Where somebody else reads them, too. */
  readonly sentences?: () => readonly string[];
}

/** In the order in which they were said. */
export function toldIn(
  written: Written,
  language: Language,
  { isAtWork, isFinal, isDecided }: ToldOptions = { isAtWork: true },
): Told {
  const cues = CUES[language];
  const cuesIn = tellingOf(language);
  const decisions: Decision[] = [];
  const done: string[] = [];
  const findings: string[] = [];
  let last = "";
  for (const words of endsOf(written.sentences?.() ?? writtenSentences(written.text), SENTENCES_PER_MESSAGE)) {
    const before = last;
    last = words;
    // A question tells nothing. Before a colon it shows only when that is gone, below.
    if (isFragment(words, WRITTEN) || endsAsking(words)) continue;
    const isReport = isAtWork && (isFinal === true || isReceipt(words));
    // Most sentences have none of the cues, and looking for them is cheap.
    const wanted = cuesIn(words, isDecided === true ? ~DECIDING : undefined);
    if (wanted === 0 && !(isReport && cues.finished.test(words))) continue;
    const found = isDecided === true ? cuesIn(words) : wanted;
    const whole = wholeWords(beforeColon(words), WRITTEN);
    if (whole === undefined || endsAsking(whole)) continue;
    const isDenied = (found & DENIED) !== 0 && isAtWork && isFinal === true && isByRule(words);
    const speaker = { isUser: false, isAtWork, ...(whole === words ? { found: found & DECIDING } : {}) };
    const decision: Decision | undefined = isDenied ? { decision: whole } : decisionIn(whole, cues, speaker);
    if (decision !== undefined && (decision.reason !== undefined || !isDone(whole, cues, isReport)))
      decisions.push(withOwnOption(withGround(decision, before), written.text));
    else if (isAnnouncement(words, cues)) continue;
    else if (isDone(whole, cues, isReport)) done.push(whole);
    else if (cues.finding.test(whole) && !cues.blocked.test(whole)) findings.push(whole);
  }
  return {
    decisions: decisions.slice(0, DECISIONS_MAX),
    done: done.slice(0, DONE_MAX),
    findings: findings.slice(0, FINDINGS_MAX),
  };
}

/** "The rope is too short. So we should move the boat": what it follows from stands before it. */
function withGround(decision: Decision, before: string): Decision {
  if (decision.reason !== undefined || !CONCLUDING.test(decision.decision)) return decision;
  const reason = before.length > GROUND_CHARS_MAX || !endsWithMark(before) ? undefined : wholeWords(before, WRITTEN);
  return reason === undefined || endsAsking(reason) || POINTING_BACK.test(reason) ? decision : { ...decision, reason };
}

const GROUND_CHARS_MAX = 200;

/** "The mooring is booked (M-2047)": what came of it stands in brackets, so that it ended, wherever it is said. */
function isReceipt(words: string): boolean {
  return words.includes("(") && RECEIPT.test(words);
}

const RECEIPT = /\((?:[^()]{0,40} )?[A-Z]{1,6}-?\d{2}[\w-]*[^()]{0,60}\)/;

/** Finds the cues of what was decided, and behind them those of what was found, done or refused. */
function tellingOf(language: Language): CueFinder {
  const known = TELLING.get(language);
  if (known !== undefined) return known;
  const cues = CUES[language];
  const denying = DENYING[language];
  const made = cueFinder([...decidingCues(cues), cues.finding, cues.done, ...(denying === undefined ? [] : [denying])]);
  TELLING.set(language, made);
  return made;
}

/** The bit of the last of them. */
const DENIED = 128;
/** Made for each language once; holds nothing of what was read. */
const TELLING = new Map<Language, CueFinder>();

/** Where something is said to be done. In a report, whatever came to its end counts. */
function claimIn(text: string, { done, finished }: CueTable, isReport: boolean): RegExpExecArray | null {
  return done.exec(text) ?? (isReport ? finished.exec(text) : null);
}

export interface OpenOptions {
  /** The turn ended with it. */
  readonly isFinal: boolean;
}

export function openIn(text: string, language: Language, { isFinal }: OpenOptions = { isFinal: false }): Open {
  const cues = CUES[language];
  const announced: string[] = [];
  const blocked: string[] = [];
  const planned: string[] = [];
  let before = "";
  const sentences = splitSentences(text, { sentencesMax: SENTENCES_PER_MESSAGE });
  sentences.forEach((sentence, at) => {
    // What is announced in the middle of a last message follows in that message.
    const isOpening = /[:：]\**$/.test(sentence);
    const isPast = isFinal && (at < sentences.length - LAST_SENTENCES || isOpening);
    const said = isPast ? undefined : announcement(sentence, cues);
    // "Let me compare the gates: …": what was to be looked at stands behind the colon.
    const isSeen = isOpening && at < sentences.length - 1 && said !== undefined && cues.looking.test(said);
    const step = isSeen ? undefined : said;
    const whole = wholeStatement(sentence, WRITTEN);
    if (step !== undefined) announced.push(leansOn(before, step, cues) ? `${before} ${step}` : step);
    else if (whole !== undefined && cues.blocked.test(whole)) blocked.push(withSubject(before, whole));
    else if (whole !== undefined && isPlan(whole, cues)) planned.push(whole);
    before = step === undefined ? (whole ?? "") : "";
  });
  const labelled = listedIn(text, cues.nextLabel);
  const listed = labelled.length > 0 ? labelled : uncheckedIn(text, { isFinal });
  return {
    announced: announced.slice(0, ANNOUNCED_MAX),
    nextSteps: (listed.length > 0 ? listed : planned).slice(0, NEXT_MAX),
    blocked: blocked.slice(0, BLOCKED_MAX),
  };
}

/** What a message says to be still owed. */
export interface Left {
  /** Items of a list, each one thing. */
  readonly listed: readonly string[];
  /** Sentences, each perhaps with several things behind a label and a colon. */
  readonly labelled: readonly string[];
}

export function leftIn(text: string, language: Language): Left {
  const cues = CUES[language];
  const below = listedIn(text, cues.leftLabel);
  const listed = (below.length > 0 ? below : uncheckedIn(text, { isFinal: true })).slice(0, NEXT_MAX);
  const sentences = splitSentences(text, { sentencesMax: SENTENCES_PER_MESSAGE });
  const labelled = sentences.flatMap((sentence) => wholeStatement(sentence, WRITTEN) ?? []);
  return { listed, labelled: labelled.filter((whole) => isLabelled(whole, cues.leftLabel) && !endsAsking(whole)) };
}

/** What has an empty box before it, under whatever label. Whoever ends a turn with nothing but such gives a list away, or advice. */
function uncheckedIn(text: string, { isFinal }: OpenOptions): readonly string[] {
  if (!text.includes("[ ] ")) return [];
  const boxes = boxesIn(text.replace(FENCED, ""));
  if (isFinal && !boxes.some(({ state }) => state === "done")) return [];
  return boxes.flatMap((box) => (box.state === "pending" ? [box.text] : []));
}

/** What was drafted for somebody. */
const FENCED = /^```[\s\S]*?^```/gm;

function listedIn(text: string, label: RegExp): readonly string[] {
  return listUnder(text, label).flatMap((item) => wholeStatement(item, WRITTEN) ?? []);
}

/** "Check what's needed." says nothing without the sentence before it; one that is itself about another, or about what is done, does not help. */
function leansOn(before: string, step: string, cues: CueTable): boolean {
  if (step.length >= LEANING_CHARS_MAX || !endsWithMark(before)) return false;
  return !POINTING_BACK.test(before) && !isDone(before, cues);
}

const POINTING_BACK = quick(
  String.raw`^(?:this|that|these|those|it|they|he|she|das|dies\p{L}*|es|sie|ce(?:la|ci)?|c['’]est|ça|ils?|elles?|esto|eso|est[ae]|isso|isto|questo|ciò|это|этот)(?!\p{L})|^(?:这|那|它|これ|それ|이것|그것)`,
  "i",
);

/** "The gate is closed. It needs an approval from the harbour office": what waits is named in the sentence before. */
function withSubject(before: string, blocked: string): string {
  if (before.length > SUBJECT_CHARS_MAX || !endsWithMark(before)) return blocked;
  return POINTING_BACK.test(blocked) && !POINTING_BACK.test(before) ? `${before} ${blocked}` : blocked;
}

const SUBJECT_CHARS_MAX = 120;

/** "Next: open the gate" is a plan by its label alone; without a colon other words must say so too. */
function isPlan(text: string, cues: CueTable): boolean {
  if (!cues.nextLabel.test(text.slice(0, LABEL_CHARS))) return false;
  return (
    (isLabelled(text, cues.nextLabel) || cues.next.test(text)) &&
    !endsAsking(text) &&
    !cues.hedge.test(text) &&
    !isDone(text, cues)
  );
}

function isLabelled(text: string, cue: RegExp): boolean {
  const label = cue.exec(text.slice(0, LABEL_CHARS));
  if (label === null || /[(（[]/.test(text.slice(0, label.index))) return false;
  return /^\s?[:：]/.test(text.slice(label.index + label[0].length));
}

const WRITTEN = { isUser: false } as const;

/** The claim must stand in the main clause, in the past, and nothing in that clause may take it back. */
function isDone(text: string, cues: CueTable, isReport = false): boolean {
  const { undone, hedge, reason, finding } = cues;
  const at = text.search(reason);
  const clause = (at > ITEM_CHARS_MIN ? text.slice(0, at) : text).replace(NONE, " ");
  const claim = claimIn(clause, cues, isReport);
  if (claim === null || hedge.test(clause) || finding.test(clause)) return false;
  const end = claim.index + claim[0].length;
  if (isMentioned(clause, end) || isOfNothing(clause, claim.index)) return false;
  if (!undone.test(clause)) return true;
  const main = clause.slice(0, end) + clause.slice(end).replace(SUBORDINATE, " ");
  return main.length < clause.length && !undone.test(main);
}

/** What a thing is for, or is like, takes nothing back: "Added a check that fails when the tide is late". What contrasts does. */
const SUBORDINATE =
  /,? (?:so|which|that|who|where|to(?! be )|damit|sodass|pour que|para que|чтобы) (?:(?![;—–]|,? (?:but|however|although|though|yet|except|aber|mais|pero|mas|ma|но) ).)*/gi;

const ITEM_CHARS_MIN = 16;
/** "0 failures" takes nothing back; what stands in backticks is a name, what stands in brackets an aside. */
const NONE = quick(
  String.raw`\b(?:0|no|zero|keine?|aucune?|sin|sem|nessun\p{L}*) (?:failures?|errors?|warnings?|issues?|fehler|erreurs?|errores|erros|errori)\b|\x60[^\x60]*\x60|\([^()]*\)`,
  "gi",
);
