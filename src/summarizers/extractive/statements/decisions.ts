/**
 * Which sentences say that one of several ways was taken, and why. A deed, a plan or a piece of advice is no decision: the
 * choice must be said, or the other way named, or a reason given. Never rewords; splits the reason off, no more.
 */

import type { Decision } from "../../../core/checkpoint/checkpoint.ts";
import type { CueTable } from "../cues/cue-table.ts";
import { endsAsking } from "../text/endings.ts";
import { quick } from "../text/quick-expressions.ts";
import { AGAINST, CHOSEN, COMMIT, CONTRAST, cuesIn, DECIDING, REMEDY, SAID } from "./deciding-cues.ts";

export interface Speaker {
  /** Who has a say decides by "let's use it"; whoever works for them only says what is done next. */
  readonly isUser: boolean;
  /** Something is being made beside the talk: without that, what is said to be done is advice or a good intention. */
  readonly isAtWork: boolean;
  /** Which of the cues that decide the sentence has, where somebody has looked: one bit each. */
  readonly found?: number;
}

/** Between two ways of which none is taken yet. */
export const ALTERNATIVE = quick(
  String.raw`(?<!\p{L})(?:or|oder|ou|o|или|أم)(?!\p{L})|还是|或者?|それとも|または|아니면|또는`,
  "i",
);

/** Undefined for a sentence that decides nothing. */
export function decisionIn(sentence: string, cues: CueTable, speaker: Speaker): Decision | undefined {
  const { isUser, isAtWork, found = cuesIn(sentence, cues, isUser ? SAID : DECIDING) } = speaker;
  const has = (wanted: number): boolean => (found & wanted) !== 0;
  const mayOrder = isUser && isOrdered(sentence, has(AGAINST), cues);
  if (!(mayOrder || has(isUser ? SAID & DECIDING : DECIDING)) || endsAsking(sentence)) return undefined;
  const split = splitReason(sentence, cues);
  if (split === undefined) return undefined;
  const hasReason = split.reason !== undefined;
  if (cues.open.test(hasReason ? split.decision : sentence)) return undefined;
  const isTaken =
    has(CHOSEN | CONTRAST) ||
    ((isUser || hasReason) && has(COMMIT)) ||
    // Users say what they need and why without deciding anything.
    (!isUser &&
      isAtWork &&
      ((has(REMEDY) && namesOneWay(sentence)) ||
        isConclusion(sentence, cues) ||
        (hasReason && cues.means.test(split.decision))));
  return isTaken || (mayOrder && (hasReason || namesOther(sentence, cues) || takesInstead(sentence, cues)))
    ? split
    : undefined;
}

function namesOneWay(sentence: string): boolean {
  return !ALTERNATIVE.test(sentence.replace(CASES, ""));
}

/** "… when the gate or the lock is shut" names two cases, not two ways. */
const CASES =
  / (?:when(?:ever)?|if|where|wenn|falls|wo|quand|lorsque|si|où|cuando|donde|quando|se|onde|dove|когда|если|где) [^,;]*/gi;

/** What follows from what was said before. Without classes of letters, which take long to compile. */
export const CONCLUDING =
  /^(?:so|therefore|thus|hence|daher|deshalb|somit|donc|par conséquent|así que|por (?:lo )?tanto|portanto|por isso|quindi|perciò|pertanto|поэтому)(?:,|(?= ))/i;

/** "So we should widen the gap": it sets out to make something right behind the word. */
function isConclusion(sentence: string, { means }: CueTable): boolean {
  const concluding = CONCLUDING.exec(sentence);
  if (concluding === null || !namesOneWay(sentence)) return false;
  return means.exec(sentence)?.index === concluding[0].length + 1;
}

/** "Turn it off rather than feed it, because it grows": users decide by what they order. What is to be so always is a rule. */
function isOrdered(sentence: string, hasOther: boolean, { pick, request }: CueTable): boolean {
  const isOrder = pick.test(sentence) || (hasOther && (request.test(sentence) || IMPERATIVE.test(sentence)));
  return isOrder && !STANDING.test(sentence);
}

/** The way that is not taken, told beyond doubt: "go over the list" names none. */
function namesOther(sentence: string, { against }: CueTable): boolean {
  const other = against.exec(sentence)?.[0].toLowerCase();
  return other !== undefined && other !== "over";
}

/** "Use brass instead": the other way was named before. "Look there instead" takes none. */
function takesInstead(sentence: string, { pick }: CueTable): boolean {
  return INSTEAD.test(sentence) && pick.test(sentence);
}

/** At the end of a clause, in the languages whose word for it does not name the other way elsewhere too. */
const INSTEAD =
  /\s(?:instead|en su lugar|em vez disso|no lugar d(?:isso|el[ea]s?)|em seu lugar|invece|al (?:suo|loro) posto|взамен)(?=\s*(?:[,;.!:]|$)|\s+(?:please|and|por favor|per favore|пожалуйста)(?!\w))/i;

/** Told of, asked or pointed at, not ordered. */
const NO_VERB =
  "i|we|you|he|she|it|they|the|an?|this|that|these|those|there|my|our|your|is|are|was|were|has|have|had|did|does|do|am|be|in|on|at|for|with|from|by|as|if|when|while|because|since|and|but|or|so|not|about|like|after|before|now|only|just|all|both|what|why|how|who|which|where|to|of|than|rather|instead|took|got|saw|went|made|found|gave|kept|left|used|\\p{L}+(?:ed|ing)|" +
  "ich|wir|du|sie|er|es|der|die|das|ein\\p{L}*|ist|sind|war|waren|hat|haben|hatte\\p{L}*|statt|anstatt|für|mit|von|bei|auf|wenn|weil|und|aber|oder|nur|" +
  "je|tu|il|elle|nous|vous|ils|elles|le|la|les|un|une|est|sont|était|avec|pour|dans|sur|si|et|mais|ou|que|plutôt|" +
  "yo|él|ella|nosotros|el|los|las|es|son|era|con|para|en|por|y|pero|o|de|eu|ele|ela|nós|os|as|é|são|com|em|e|mas|io|lui|lei|noi|lo|gli|sono|per|ma|di|che";
const DETERMINERS =
  "the|an?|it|them|this|that|these|those|my|our|your|its|den|die|das|ihn|sie|es|einen?|eine|dies\\p{L}*|le|la|les|une?|ce|cette|ces|el|los|las|una|os|as|uma?|il|lo|gli|i";
/** "Disable the cache": a verb opens the sentence, and what it is done to follows. Russian has no articles, but endings; Chinese has 是 in what it only describes. */
const IMPERATIVE = quick(
  `^(?:(?:please|bitte|ok(?:ay)?|yes|no|ja|nein|oui|non|sí|sim|sì|да|нет)[,.!]? )*(?:(?!(?:${NO_VERB})(?!\\p{L}))\\p{L}{3,} (?:(?:${DETERMINERS})(?!\\p{L})|l['’])|[а-яё]{3,}(?:ай|яй|уй|юй|ей|и|айте|уйте|ите|ь|ьте) )|^(?![我你他她它这那因如])[\\u4e00-\\u9fff](?:(?!是).){0,80}而(?:不是|非)`,
  "i",
);

const STANDING = quick(
  String.raw`(?<!\p{L})(?:always|never|every|each|any|immer|nie|niemals|jede[rsmn]?|toujours|jamais|chaque|siempre|nunca|cada|sempre|ogni|mai|всегда|никогда|кажд\p{L}+)(?!\p{L})|^(?:when(?:ever)?|wenn|sobald|quand|lorsque|cuando|quando|когда)(?!\p{L})|^当|总是|始终|绝不|永远|常に|必ず|いつも|항상|절대`,
  "i",
);

const HEAD_CHARS_MIN = 10;
const DENSE_CHARS_MIN = 6;

/** Undefined where the words that choose stand in the reason of something else. */
function splitReason(sentence: string, cues: CueTable): Decision | undefined {
  const cue = cues.reason.exec(sentence);
  if (cue === null) return { decision: sentence };
  const takes = (clause: string): boolean => cuesIn(clause, cues, DECIDING) !== 0;
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
