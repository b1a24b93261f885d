/**
 * Tells which requests want nothing of their own: they take what was offered, choose or set a value, or ask to go on with what was
 * asked before. Whoever says one more thing that asks wants that. Looks at short requests only.
 */

import type { Language } from "../../../core/checkpoint/language.ts";
import { CUES } from "../cues/cues.ts";
import { endsAsking } from "../text/endings.ts";
import { quick } from "../text/quick-expressions.ts";
import { isAssent } from "./tasks.ts";

const SERVING_CHARS_MAX = 200;
/** Whoever says more of what is to go on says what is wanted. */
const NAMED_CHARS_MAX = 46;

export interface Said {
  readonly text: string;
  /** It answers a question of the assistant. */
  readonly isReply: boolean;
}

/** What is to go on, as far as it is named; undefined where anything else is wanted. */
export function servedBy({ text, isReply }: Said, language: Language): string | undefined {
  if (text.length > SERVING_CHARS_MAX) return undefined;
  let isAgreed = isReply;
  let served: string | undefined;
  for (const clause of clausesOf(text)) {
    const [onward] = ASKS_TO_GO_ON.exec(clause) ?? (isAgreed ? GO_AHEAD.exec(clause) : undefined) ?? [];
    if (onward !== undefined) {
      served = clause.slice(onward.length);
      if (served.length > NAMED_CHARS_MAX) return undefined;
    } else if (isAssent(clause, language) || CONFIRMING.test(clause)) isAgreed = true;
    else if (setsValue(clause, isReply || isAgreed, language)) {
      isAgreed = true;
      served ??= "";
    } else if (isReply && LEANING_ON_TOLD.test(clause)) served ??= "";
    else if (CUES[language].request.test(clause) || endsAsking(clause)) return undefined;
  }
  return served;
}

/** "Could you tell me what remains?": an answer is all that it wants. */
export function asksToBeTold(request: string, language: Language): boolean {
  if (request.length > ASIDE_CHARS_MAX) return false;
  const question = lastQuestion(request);
  const isAnswer = TELL_ME.test(question) || LEANING_ON_TOLD.test(question.trim());
  return isAnswer && !CUES[language].request.test(request.slice(0, -question.length));
}

/** Whether it asks back, and not only for help with what it tells. */
export function asksBack(answer: string): boolean {
  return /[?？؟]/.test(answer) && !LEANING_ON_TOLD.test(lastQuestion(answer).trim());
}

function lastQuestion(request: string): string {
  const end = request.slice(-ASIDE_CHARS_MAX);
  // Asked first: the expression begins anew at every character of a text that ends otherwise.
  return endsAsking(end.trimEnd()) ? (/[^.!?。！？]*[?？؟]\s*$/.exec(end)?.[0] ?? "") : "";
}

const ASIDE_CHARS_MAX = 400;

const TELL_ME = quick(
  String.raw`(?<!\p{L})(?:tell me|let me know|clarify|how (?:much|many|long)|(?:is|are) there|what (?:is|are|does|would)|sag(?:en sie)? mir|wie ?viel|dis-moi|dites-moi|combien|dime|d[ií]game|cuánto|me diga|quanto|dimmi|mi dica|скажи|сколько)(?!\p{L})|告诉我|多少|教えて|いくら|알려|얼마`,
  "i",
);

/** Sentences, without the words of assent that open them. */
function clausesOf(text: string): readonly string[] {
  return text
    .split(/(?<=[.!?。！？])\s+|(?<=[。！？])/u)
    .flatMap((sentence) => sentence.trim().split(OPENING))
    .filter((clause) => clause !== "");
}

const OPENING = quick(
  String.raw`(?<=^(?:yes|yeah|yep|ok|okay|sure|great|perfect|alright|fine|good|thanks|thank you|in that case|ja|gut|genau|oui|d['’]accord|sí|vale|sim|sì|да|хорошо)(?: please)?),? (?!\p{L}+[.!])`,
  "i",
);

/** "That all sounds correct." */
const CONFIRMING = quick(
  "^(?:that|this|it|everything|all)(?:['’]s)?(?: of (?:it|that))?(?: all)?(?: is| are| sounds?| looks?| seems?| works?)*(?: very| quite| all)?(?: good| correct| right| fine| great| perfect| accurate| ok(?:ay)?| for me| to me)*[.!,]?$",
  "i",
);

const GO_AHEAD = quick(
  String.raw`^(?:(?:please|let['’]?s|you (?:can|may)|i(?:['’]d| would) like to|i want to|and|bitte|por favor),? )*(?:proceed|go ahead|go for (?:it|that)|continue|carry on|do (?:it|that|this|so)(?! \p{L}{3})|make (?:the|these|those|that) (?=changes?|booking|payment|update)|mach(?:en)? (?:sie )?(?:das|so|weiter)|fahren? sie fort|vas-y|allez-y|adelante|proced[ae]|contin[uú]a|prossiga|procedi|продолжай)(?!\p{L})|^(?:请)?(?:继续|就这样)|^(?:続けて|진행)`,
  "i",
);
/** "Can we proceed with the sale now?" */
const ASKS_TO_GO_ON = quick(
  String.raw`^(?:(?:so|and|then|but),? )?(?:can|could|would|will) (?:you|we) (?:please |now |just )*(?:proceed|continue|go ahead|go on|hold on|wait|try again|check again|still (?:help|do|proceed|assist))(?!\p{L})`,
  "i",
);

/** "Can you look that up for me?", "Could you help me another way?" */
const LEANING_ON_TOLD = quick(
  String.raw`^(?:(?:so|and|then|but),? )?(?:can|could|would|will) (?:you|we) (?:please |now |just |still )*(?:(?:help|assist)(?: me| us)?(?: out)?(?: (?:in )?another way| (?:without|using|with (?:just|only)) [^?]{1,50}|(?: with| find| look up)? (?:it|that|this|them)(?: (?:by|using|with) [^?]{1,50})?)|(?:check|find|try|use|do (?:anything|something) with|work with|look(?: up| at| into)?) ?(?:it|that|this|those|these|them)(?: one| info(?:rmation)?| for (?:me|us)| up| now| please|,| (?:by|using|with) [^?]{1,50})*)\?$`,
  "i",
);

/** Of an answer: "Let's take the second berth."; of whatever else: "I'll go with berth nine." */
const CHOICE = quick(
  String.raw`^(?:(?:and|also),? )?(?:(?:let['’]?s|i['’]?ll|i will|we['’]?ll|i(?:['’]d| would)? (?:like|want|prefer) to|i['’]d rather|(?:can|could) (?:you|we)(?: please)?|please)(?: just)? )?(?:(?:please )?go ahead and )?(?:go (?:ahead )?with|stick (?:to|with)|take|use|choose|pick|prefer)(?!\p{L})|^(?:nehmen wir|ich nehme|ich möchte|prenons|je prends|tomemos|elijo|me quedo con|vamos com|fico com|prendiamo|prendo|возьм[её]м|выбираю)(?!\p{L})|^(?:就)?(?:选|用)|に(?:します|して)[。.]?$|로 (?:할게요|해 ?주세요)[.]?$`,
  "i",
);
/** "Make it 30 seconds", "use port 8080", "take the blue one" */
const VALUE =
  /^(?:(?:and|but|no|actually),? )?(?:please )?(?:(?:make|set|keep|leave) (?:it|that|this|them) (?:to |at )?(?:[a-z]+ ){0,2}\S*\d\S*(?: [a-z]+){0,3}|use (?:[a-z]+ ){1,3}\S*\d\S*(?: instead)?|(?:use|take|pick|choose|make it) the (?:[a-z]+ ){1,2}(?:one|option|version|variant))[.!]?$/i;

/** Nothing that is to be done may stand behind it. */
function setsValue(clause: string, isAgreed: boolean, language: Language): boolean {
  if (VALUE.test(clause)) return true;
  const [choice = ""] = CHOICE.exec(clause) ?? [];
  return (
    choice !== "" && (isAgreed || OWN_CHOICE.test(choice)) && !CUES[language].request.test(clause.slice(choice.length))
  );
}

const OWN_CHOICE = /(?:go|stick) (?:ahead )?(?:to|with)$|^(?:i|we)['’]?(?:ll| will) /i;
