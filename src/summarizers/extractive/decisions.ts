/**
 * Which sentences say that one of several ways was taken, and why. A deed, a plan or a piece of advice is no decision: the
 * choice must be said, or the other way named, or a reason given. Never rewords; splits the reason off, no more.
 */

import type { Decision } from "../../core/checkpoint/checkpoint.ts";
import { anyOf, type CueTable } from "./cues/cue-table.ts";

export interface Speaker {
  /** Who has a say decides by "let's use it"; whoever works for them only says what is done next. */
  readonly isUser: boolean;
  /** Something is being made beside the talk: without that, what is said to be done is advice or a good intention. */
  readonly isAtWork: boolean;
}

/** Between two ways of which none is taken yet. */
export const ALTERNATIVE = /(?<!\p{L})(?:or|oder|ou|o|или|أم)(?!\p{L})|还是|或者?|それとも|または|아니면|또는/iu;

/** Undefined for a sentence that decides nothing. */
export function decisionIn(sentence: string, cues: CueTable, { isUser, isAtWork }: Speaker): Decision | undefined {
  const mayOrder = isUser && isOrdered(sentence, cues);
  if ((!mayOrder && !mayDecide(sentence, cues)) || isQuestion(sentence)) return undefined;
  const split = splitReason(sentence, cues);
  if (split === undefined) return undefined;
  const hasReason = split.reason !== undefined;
  if (cues.open.test(hasReason ? split.decision : sentence)) return undefined;
  const isTaken =
    cues.chosen.test(sentence) ||
    cues.contrast.test(sentence) ||
    ((isUser || hasReason) && cues.commit.test(sentence)) ||
    // Users say what they need and why without deciding anything.
    (!isUser && isAtWork && (isRemedy(sentence, cues) || (hasReason && cues.means.test(split.decision))));
  return isTaken || (mayOrder && hasReason) ? split : undefined;
}

function isRemedy(sentence: string, { remedy }: CueTable): boolean {
  return remedy.test(sentence) && !ALTERNATIVE.test(sentence);
}

/** "Turn it off rather than feed it, because it grows": users decide by what they order. What is to be so always is a rule. */
function isOrdered(sentence: string, { pick, against, request }: CueTable): boolean {
  return (pick.test(sentence) || (against.test(sentence) && request.test(sentence))) && !STANDING.test(sentence);
}

const STANDING =
  /(?<!\p{L})(?:always|never|every|each|any|immer|nie|niemals|jede[rsmn]?|toujours|jamais|chaque|siempre|nunca|cada|sempre|ogni|mai|всегда|никогда|кажд\p{L}+)(?!\p{L})|总是|始终|绝不|永远|常に|必ず|いつも|항상|절대/iu;

/** A sentence that decides something has one of these. */
export function decidingCues({ chosen, contrast, commit, means, remedy }: CueTable): readonly RegExp[] {
  return [chosen, contrast, commit, means, remedy];
}

/** Most sentences have none of the cues, and one look tells. */
function mayDecide(sentence: string, cues: CueTable): boolean {
  let any = ANY.get(cues);
  if (any === undefined) {
    any = anyOf(decidingCues(cues));
    ANY.set(cues, any);
  }
  return any.test(sentence);
}

/** Made from each table once; holds nothing of what was read. */
const ANY = new WeakMap<CueTable, RegExp>();

const HEAD_CHARS_MIN = 10;
const DENSE_CHARS_MIN = 6;

/** Undefined where the words that choose stand in the reason of something else. */
function splitReason(sentence: string, cues: CueTable): Decision | undefined {
  const cue = cues.reason.exec(sentence);
  if (cue === null) return { decision: sentence };
  const takes = (clause: string): boolean => mayDecide(clause, cues);
  // Japanese and Korean say why first, and the cue ends the clause.
  if (/[\u3040-\u30ff\uac00-\ud7a3]/.test(cue[0])) {
    const end = cue.index + cue[0].length + (/^[に에]/.test(sentence.slice(cue.index + cue[0].length)) ? 1 : 0);
    const choice = sentence.slice(end).replace(/^[\s、,]+/, "");
    return takes(choice) ? { decision: choice, reason: sentence.slice(0, end) } : { decision: sentence };
  }
  const head = sentence.slice(0, cue.index).replace(/[\s,;，、–—-]+$/, "");
  const charsMin = /[\u4e00-\u9fff]/.test(head) ? DENSE_CHARS_MIN : HEAD_CHARS_MIN;
  if (head.length >= charsMin && (takes(head) || !takes(sentence.slice(cue.index))))
    return { decision: head, reason: sentence.slice(cue.index) };
  // "Because the disk cannot grow, we'll keep seven days": the reason may come first.
  const comma = sentence.search(/[,，]/);
  const rest = comma < 0 ? "" : sentence.slice(comma + 1).trim();
  if (cue.index === 0 && takes(rest)) return { decision: rest, reason: sentence.slice(0, comma) };
  return head.length < charsMin ? { decision: sentence } : undefined;
}

function isQuestion(text: string): boolean {
  return /[?？؟]$/.test(text);
}
