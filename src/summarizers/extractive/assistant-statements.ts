/**
 * What an assistant's message says to be decided, done, found out, going on, to come or stuck: whole sentences, told apart by
 * the cues of its language. Announcements lose the words that only announce; nothing else is changed.
 */

import type { Decision } from "../../core/checkpoint/checkpoint.ts";
import type { Language } from "../../core/checkpoint/language.ts";
import { type CueTable, never } from "./cues/cue-table.ts";
import { CUES } from "./cues.ts";
import { listUnder } from "./labelled-lists.ts";
import { endsWithMark, splitSentences } from "./sentences.ts";
import { wholeStatement, withoutLayout } from "./whole-statement.ts";

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

/** In the order in which they were said. */
export function toldIn(text: string, language: Language): Told {
  const cues = CUES[language];
  const decisions: Decision[] = [];
  const done: string[] = [];
  const findings: string[] = [];
  for (const sentence of splitSentences(text, { sentencesMax: SENTENCES_PER_MESSAGE })) {
    // Most sentences have none of the cues, and looking for them is cheap.
    if (!cues.decision.test(sentence) && !cues.done.test(withoutLayout(sentence)) && !cues.finding.test(sentence))
      continue;
    const whole = wholeStatement(sentence, WRITTEN);
    if (whole === undefined || isQuestion(whole)) continue;
    if (isDecision(whole, cues) && !isMereDone(whole, cues)) decisions.push(splitReason(whole, cues));
    else if (isAnnouncement(whole, cues)) continue;
    else if (isDone(whole, cues)) done.push(whole);
    else if (cues.finding.test(whole) && !cues.blocked.test(whole)) findings.push(whole);
  }
  return {
    decisions: decisions.slice(0, DECISIONS_MAX),
    done: done.slice(0, DONE_MAX),
    findings: findings.slice(0, FINDINGS_MAX),
  };
}

export function openIn(text: string, language: Language): Open {
  const cues = CUES[language];
  const announced: string[] = [];
  const blocked: string[] = [];
  const planned: string[] = [];
  let before = "";
  for (const sentence of splitSentences(text, { sentencesMax: SENTENCES_PER_MESSAGE })) {
    const step = announcement(sentence, cues);
    const whole = wholeStatement(sentence, WRITTEN);
    // "Check what's needed." leans on the sentence before it.
    if (step !== undefined)
      announced.push(step.length < LEANING_CHARS_MAX && endsWithMark(before) ? `${before} ${step}` : step);
    else if (whole !== undefined && cues.blocked.test(whole)) blocked.push(whole);
    else if (whole !== undefined && isPlan(whole, cues)) planned.push(whole);
    before = step === undefined ? (whole ?? "") : "";
  }
  const listed = listUnder(text, cues.nextLabel).flatMap((item) => wholeStatement(item, WRITTEN) ?? []);
  return {
    announced: announced.slice(0, ANNOUNCED_MAX),
    nextSteps: (listed.length > 0 ? listed : planned).slice(0, NEXT_MAX),
    blocked: blocked.slice(0, BLOCKED_MAX),
  };
}

function isPlan(text: string, cues: CueTable): boolean {
  return cues.next.test(text) && !isQuestion(text) && !cues.hedge.test(text) && !isDone(text, cues);
}

const WRITTEN = { isUser: false } as const;

/** A sentence that says what its speaker does next, without the words that announce it; undefined for any other. */
export function announcement(sentence: string, cues: CueTable): string | undefined {
  const text = withoutLayout(sentence);
  const announcing = announcingWords(text, cues);
  if (announcing === undefined) return undefined;
  const rest = text.slice(announcing.length).replace(/\s*[:：]$/, "");
  const whole = wholeStatement(rest.charAt(0).toUpperCase() + rest.slice(1), WRITTEN);
  return whole === undefined || /[.!?。！？]$/.test(whole)
    ? whole
    : `${whole}${/[\u3040-\u9fff]$/.test(whole) ? "。" : "."}`;
}

/** Whether it only says what its speaker was about to do. */
export function isAnnouncement(sentence: string, cues: CueTable): boolean {
  return announcingWords(withoutLayout(sentence), cues) !== undefined;
}

const LEAD_CHARS = 60;

/** Where no words stand before an announced action, its colon tells it. */
function announcingWords(text: string, { lead, next }: CueTable): string | undefined {
  if (lead !== never) {
    const announcing = lead.exec(text)?.[0] ?? "";
    return announcing === "" ? undefined : announcing;
  }
  return /[:：]$/.test(text) && next.test(text.slice(0, LEAD_CHARS)) ? "" : undefined;
}

export function isDecision(text: string, { decision, hedge }: CueTable): boolean {
  return decision.test(text) && !hedge.test(text) && !OPEN_CHOICE.test(text) && !isMereUse(text);
}

/** "I will use `curl` to upload it." says what is done next; "… instead of wget" says what was chosen. */
function isMereUse(text: string): boolean {
  return MERE_USE.test(text) && !/\b(?:instead of|rather than|because|since)\b/i.test(text);
}

const MERE_USE =
  /\buse (?:the )?`[^`]{1,60}`(?: (?:command|tool|script|function))? to\b|\buse the \S{1,60} (?:command|tool)\b/i;

/** Several ways are named, and none is taken. */
const OPEN_CHOICE =
  /\b(?:either\b.{1,120}\bor|or (?:else )?to|or (?:we|you|i) (?:can|could|might)|or (?:should|could) (?:we|i)|whether (?:to|we|i)|alternatively)\b/i;

/** The claim must stand in the main clause, in the past, and nothing in it may take it back. */
function isDone(text: string, { done, undone, hedge, reason, finding }: CueTable): boolean {
  const at = text.search(reason);
  const clause = (at > ITEM_CHARS_MIN ? text.slice(0, at) : text).replace(NONE, " ");
  return done.test(clause) && !undone.test(clause) && !hedge.test(clause) && !finding.test(clause);
}

/** "Changed the test to pass a function instead of a number." tells a deed; with a reason it tells a choice. */
function isMereDone(text: string, cues: CueTable): boolean {
  return !cues.reason.test(text) && isDone(text, cues);
}

const ITEM_CHARS_MIN = 16;
const DENSE_CHARS_MIN = 6;
/** "0 failures" takes nothing back; what stands in backticks is a name, what stands in brackets an aside. */
const NONE =
  /\b(?:0|no|zero|keine?|aucune?|sin|sem|nessun\p{L}*) (?:failures?|errors?|warnings?|issues?|fehler|erreurs?|errores|erros|errori)\b|`[^`]*`|\([^()]*\)/giu;

export function splitReason(sentence: string, { reason, decision }: CueTable): Decision {
  const cue = reason.exec(sentence);
  if (cue === null) return { decision: sentence };
  // Japanese and Korean say why first, and the cue ends the clause.
  if (/[\u3040-\u30ff\uac00-\ud7a3]/.test(cue[0])) {
    const end = cue.index + cue[0].length + (/^[に에]/.test(sentence.slice(cue.index + cue[0].length)) ? 1 : 0);
    const choice = sentence.slice(end).replace(/^[\s、,]+/, "");
    return decision.test(choice) ? { decision: choice, reason: sentence.slice(0, end) } : { decision: sentence };
  }
  const head = sentence.slice(0, cue.index).replace(/[\s,;，、–—-]+$/, "");
  const charsMin = /[\u4e00-\u9fff]/.test(head) ? DENSE_CHARS_MIN : ITEM_CHARS_MIN;
  return head.length < charsMin ? { decision: sentence } : { decision: head, reason: sentence.slice(cue.index) };
}

function isQuestion(text: string): boolean {
  return /[?？؟]$/.test(text);
}
