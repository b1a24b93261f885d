/**
 * Tells whether a request leaves what was worked on before: for something else, or for what comes next; or whether it serves that
 * by other means, or adds to it. Only words that say so count, at the beginning of a clause near its start; what a request is
 * about is never judged. Reads a bounded beginning.
 */

import { guarded } from "../cues/cue-guard.ts";
import { cue } from "../cues/cue-table.ts";
import { ONCE } from "../text/quick-expressions.ts";

/** "Super. I told the office. Now to something else: …" */
const READ_CHARS = 240;

/** What was asked before is put aside or no longer holds. */
export function isTopicShift(request: string): boolean {
  return SHIFT.test(request.slice(0, READ_CHARS));
}

/** Of a shift: another way to what was asked before, unless that is called off. */
export function isPlanChange(shift: string): boolean {
  const read = shift.slice(0, READ_CHARS);
  return PLAN.test(read) && !CALLED_OFF.test(read);
}

/** Another plan, whether or not it calls off what was asked before, and not only that there is one. */
export function announcesPlan(request: string): boolean {
  return TOLD.test(behindPlan(request) ?? "");
}

/** What stands behind the words that announce another plan, as far as it is read; undefined where nothing does. */
export function behindPlan(request: string): string | undefined {
  const plan = PLAN.exec(request.slice(0, READ_CHARS));
  if (plan === null || !isTopicShift(request)) return undefined;
  const behind = plan.index + plan[0].length;
  return request.slice(behind, behind + READ_CHARS);
}

/** What was asked before is not wanted any more. */
export function callsOff(request: string): boolean {
  return CALLED_OFF.test(request.slice(0, READ_CHARS));
}

/** "Actually, let's use brass instead.": another way, said in few words, to what was asked before. */
export function isOtherWay(request: string): boolean {
  return request.length <= OTHER_WAY_CHARS_MAX && OTHER_WAY.test(request);
}

/** It adds to what was asked before, and says little without it. */
export function isAddition(request: string): boolean {
  return ADDITION.test(request.slice(0, ADDITION_CHARS));
}

/** What was asked before is over, and this is the next piece of the same work. */
export function isNextTopic(request: string): boolean {
  return hasNext(request.slice(0, READ_CHARS));
}

const CLAUSE = "(?:^|[.!?,;:—–،؛؟]\\s+)";
const LEAD =
  "(?:(?:ok(?:ay)?|now|and|so|then|great|but|jetzt|nun|und|dann|aber|so|maintenant|bon|et|alors|ahora|bueno|y|agora|bom|e|ora|bene|теперь|а|и)[,.!]? +){0,3}";

const SHIFT = cue(
  [
    `${CLAUSE}${ONCE}${LEAD}${ONCE}(?:(?:a |an |on a |on an |on to a )?(?:new|another|different|separate|unrelated) (?:topic|subject|matter|note)(?!\\p{L})`,
    "(?:a |slight |small )?change of (?:plans?|topic|subject|direction)(?!\\p{L})|(?:the )?plans? (?:has|have) changed",
    "(?:let['’]?s )?(?:chang|switch)(?:e|ing)? (?:of )?(?:the )?(?:topics?|subjects?|gears)(?!\\p{L})|(?:on )?to something (?:else|different)|something (?:completely |entirely )?(?:else|different)(?= ?[:,.])",
    "forget (?:about )?(?:that|this|all that|it)(?= ?[:,.;!])",
    "(?:ein )?(?:neues|anderes) thema(?!\\p{L})|theme?n?wechsel|themawechsel|planänderung|(?:kommen wir )?zu (?:et)?was (?:ganz )?anderem|(?:et)?was (?:ganz )?anderes(?= ?[:,.])",
    "(?:un )?(?:autre|nouveau) sujet|autre chose(?= ?[:,.])|changement de (?:plan|programme|sujet|cap)|changeons de sujet|passons à autre chose",
    "(?:un )?(?:otro|nuevo) tema|otra cosa(?= ?[:,.])|cambio de (?:planes|plan|tema|rumbo)|(?:cambiemos|cambiando) de tema|pasemos a otra cosa",
    "(?:um )?(?:outro|novo) assunto|outra coisa(?= ?[:,.])|mudança de (?:planos?|assunto|rumo)|(?:mudemos|mudando) de assunto|passemos a outra coisa",
    "(?:un )?(?:altro|nuovo) argomento|un['’]altra cosa(?= ?[:,.])|cambio di (?:programma|piani|argomento|rotta)|cambi(?:amo|ando) argomento|passiamo ad altro",
    "(?:другая|новая) тема|смена (?:планов|темы)|планы (?:из|по)менялись|сменим тему|перейд[её]м к другому|о другом(?= ?[:,.])",
    "(?:وال[آا]ن )?موضوع (?:آخر|جديد)|تغيير (?:في )?(?:الخطة|الموضوع)|لننتقل إلى (?:أمر|موضوع|شيء) آخر)",
    "(?:换|改)(?:一?个|一下)?(?:话题|方向|主题)|计划(?:有变|变了|改了)|(?:说|讲)?(?:另外?一件事|点别的)(?=[：:，,])|新话题",
    "話(?:は|が|を)?変わ|話を変え|別件(?:です|ですが|で|[：:、])|別の(?:話|話題|件)(?:です|ですが|に|[：:、])|(?:方針|計画|予定)(?:の)?変更|(?:方針|計画|予定)が変わ",
    "다른 (?:주제|이야기|얘기)(?:로|인데|입니다|:)|(?:주제|화제)를 바꿔|계획이? ?(?:변경|바뀌)|방향을 바꿔|새로운 주제",
  ].join("|"),
);

/** Where it stands is known: only what a shift says of plans is looked for. */
const PLAN = cue(
  "change of plans?(?!\\p{L})|plans? (?:has|have) changed|planänderung|changement de (?:plan|programme)(?!\\p{L})|cambio de plan(?:es)?(?!\\p{L})|mudança de planos?(?!\\p{L})|cambio di (?:programma|piani)(?!\\p{L})|смена планов|планы (?:из|по)менялись|تغيير (?:في )?الخطة|计划(?:有变|变了|改了)|(?:方針|計画|予定)(?:の変更|変更|が変わ)|계획이? ?(?:변경|바뀌)",
);
/** "Change of plan, sorry." does not say which. */
const TOLD =
  /[：:，,。、\s][\u3040-\u30ff\u3400-\u9fff]{4}|[\u3040-\u30ff\u3400-\u9fff]{10}|[^\s.!?,;:]+[\s,;:]+[^\s.!?]/;
const CALLED_OFF = cue(
  [
    "(?<!\\p{L})(?:cancel|scrap|abandon|forget (?:it|that|this|about|the|all)|call(?:ing|ed)? (?:it|this|that|everything) off|(?:no longer|don['’]?t|do not) (?:need|want)|vergiss|vergessen sie|abgesagt|absagen|abgeblasen|(?:brauch|woll|will)\\p{L}* [^.!?]{0,40}nicht mehr|oublie[zr]?|annul|laisse[zr]? tomber|olvid|cancela|ya no|esque[cç]|já não|não (?:preciso|precisamos) mais|annull|dimentic|lascia(?:mo)? perdere|non serve più|отмен|забудь|больше не)",
    "取消|不用了|不做了|作废|中止|取りやめ|キャンセル|취소|그만|إلغاء|ألغ",
  ].join("|"),
);

/** Longer ones say themselves what is wanted. */
const OTHER_WAY_CHARS_MAX = 120;
const OTHER_WAY = cue(
  [
    `^${ONCE}${LEAD}${ONCE}(?:actually|on second thoughts?|scratch that|eigentlich|doch lieber|finalement|en fait|en realidad|mejor|na verdade|melhor|in realtà|anzi|вообще-то|лучше)(?!\\p{L})`,
    "(?<!\\p{L})(?:instead|stattdessen|à la place|en su lugar|en vez de eso|em vez disso|invece|вместо этого|بدلا من ذلك)[.!]?$|改成|改为|还是用|やっぱり|代わりに|대신",
  ].join("|"),
);

/** "Okay, can you also …" */
const ADDITION_CHARS = 60;
const ADDITION = cue(
  [
    `^${ONCE}(?:(?:ok(?:ay)?|great|good|perfect|nice|thanks|thank you|yes|oh|gut|super|danke|bien|merci|gracias|bueno|obrigad[oa]|bom|grazie|bene|хорошо|спасибо|that['’]?s (?:correct|right|fine|good)|(?:that|it|everything) (?:sounds|looks) (?:good|right|correct))[,.!] +){0,2}(?:(?:and|und|et|y|e|и) )?${ONCE}(?:also|i(?:['’]d| would)? also (?:like|want|need)|and|additionally|besides|on top of that|plus|furthermore|moreover|(?:can|could|would|will) you (?:please )?also|please also|auch|außerdem|und|zusätzlich|zudem|dazu|(?:kannst du|könntest du|können sie|könnten sie) (?:bitte )?auch|bitte auch|aussi|et|en plus|de plus|par ailleurs|además|también|y|além disso|também|e|inoltre|anche|также|ещё|еще|кроме того|и|а ещё|а еще|كما|أيضا|أيضًا|بالإضافة)(?!\\p{L}|[/.-])`,
    "^(?:好的?[，。！])?(?:另外|此外|还有|同时|而且|并且|顺便|也|再(?!见))|^(?:また|あと、|それと|それから|加えて|さらに|ついでに)|^(?:또한|그리고|추가로|또 |게다가)",
  ].join("|"),
);

const NEXT = cue(
  [
    `${CLAUSE}${ONCE}${LEAD}${ONCE}(?:next(?:,| up|:| task| step| i['’]?d| we| please| do| let)(?!\\p{L})|(?:let['’]?s )?(?:move|moving) on to(?!\\p{L})|[^.!?,;:]{3,40} next(?=[.:!]))`,
    "(?<!\\p{L})als nächstes(?!\\p{L})|(?<!\\p{L})passons (?:maintenant )?(?:à|au|aux)(?!\\p{L})|(?<!\\p{L})prochaine étape(?!\\p{L})",
    "(?<!\\p{L})(?:a continuación|lo siguiente es|el siguiente paso|pasemos a(?:l)?)(?!\\p{L})",
    "(?<!\\p{L})(?:em seguida|o próximo passo|passemos a(?:o)?|il prossimo passo|passiamo (?:ora )?a(?:l|lla)?)(?!\\p{L})",
    "(?<!\\p{L})(?:далее|следующий шаг|перейд[её]м к)(?!\\p{L})|接下来|下一步|次に|続いて|次は|다음으로|다음 단계|(?<!\\p{L})الخطوة التالية",
  ].join("|"),
);
const hasNext = guarded(NEXT);
