/**
 * Which names the user gave up: "use Y instead of X", "remove the X code", "don't use X". What was decided, found or claimed about them
 * before is so no more. Takes only names that are plain as such, and only orders about the whole thing; looks at the beginnings of the user's messages.
 */

import type { Decision } from "../../../core/checkpoint/checkpoint.ts";
import type { Language } from "../../../core/checkpoint/language.ts";
import { cueGuard } from "../cues/cue-guard.ts";
import { CUES } from "../cues/cues.ts";
import type { Prose } from "../reading/prose.ts";
import { matchesOf } from "../text/matches-of.ts";
import { quick } from "../text/quick-expressions.ts";
import { FORBIDDEN, isForbidding } from "./forbidden.ts";
import { END, NAME } from "./named-thing.ts";
import type { IsNamed } from "./plain-names.ts";

export interface Withdrawal {
  readonly name: string;
  /** Said in this message. */
  readonly message: number;
  /** It must not be used: that leaves what was found out about it as true as it was. */
  readonly isForbidden?: true;
}

const READ_CHARS = 600;
const WITHDRAWALS_MAX = 40;

/** `isNamed`: whether a word in lower case is a name. */
export function withdrawnIn(
  prose: readonly Prose[],
  language: Language,
  isNamed: IsNamed = () => false,
): readonly Withdrawal[] {
  const withdrawn: Withdrawal[] = [];
  const guard = guardFor(language);
  for (const { isUser, text, message } of prose) {
    if (!isUser) continue;
    const read = text.slice(0, READ_CHARS);
    // Most messages have none of the words, and one look tells.
    const may = guard(read);
    if (may === 0) continue;
    const ordered =
      (may & MAY_ORDER) === 0 ? [] : matchesOf(ORDERS[language], read).filter((match) => isOrder(read, match));
    const forbidden =
      (may & MAY_FORBID) === 0
        ? []
        : matchesOf(FORBIDDEN[language], read).filter((match) => isProhibition(read, match));
    for (const match of [...ordered, ...forbidden]) {
      const name = (match.slice(1).find((group) => group !== undefined) ?? "").replaceAll("`", "");
      // Whether a plain word is a name takes a look through all messages, and few words are worth it.
      if (isName(name, match[0], language) || isNamed(name))
        withdrawn.push(forbidden.includes(match) ? { name, message, isForbidden: true } : { name, message });
    }
  }
  return withdrawn.slice(-WITHDRAWALS_MAX);
}

/** Whether what was said in a message speaks of what was given up later, or says that what was forbidden later is in use. */
export function isGivenUp(said: string, message: number, withdrawn: readonly Withdrawal[]): boolean {
  return isAbout(said, message, withdrawn) && (USING.test(said) || isAbout(said, message, withdrawn.filter(isDropped)));
}

function isDropped({ isForbidden }: Withdrawal): boolean {
  return isForbidden !== true;
}

/** Who says that it went says what is so. */
function isAbout(said: string, message: number, withdrawn: readonly Withdrawal[]): boolean {
  return withdrawn.some((item) => message < item.message && hasWord(said, item.name)) && !LEFT.test(said);
}

/** Somebody works with something. */
const USING = quick(
  String.raw`(?<![\p{L}])(?:us(?:e|es|ed|ing)|with|via|through|(?:based|relies|runs|built) on|mit|über|per|nutz\p{L}*|benutz\p{L}*|verwende\p{L}*|avec|par|utilis\p{L}*|con|us[ao]n?|utiliz\p{L}*|mediante|com|usando|tramite|через|с|использу\p{L}*|помощью|باستخدام|يستخدم|تستخدم|عبر)(?![\p{L}])|[用通]|使って|使い|で|으로|로|사용|써`,
  "i",
);

const WISH_CHARS_MAX = 120;

/** The same for what users want: "Yes, Copper is fine." is over, "Never take Copper" more than ever. At length they may say why. */
export function isOverWish(said: string, message: number, withdrawn: readonly Withdrawal[]): boolean {
  if (withdrawn.length === 0 || said.length > WISH_CHARS_MAX) return false;
  return isAbout(said, message, withdrawn) && !NOT_ORDERED.test(said);
}

interface Settled {
  readonly decisions: readonly Decision[];
  readonly done: readonly string[];
  readonly findings: readonly string[];
}

/** Of what was settled in a message, what is not about names that were given up later. */
export function inUse(settled: Settled, message: number, withdrawn: readonly Withdrawal[]): Settled {
  const since = withdrawn.filter((item) => message < item.message);
  if (since.length === 0) return settled;
  const isOver = (said: string): boolean => isAbout(said, message, since);
  return {
    // Who took a way instead of another gave that one up already.
    decisions: settled.decisions.filter(({ decision }) => !isOver(decision) || namesOther(decision)),
    // Work that left nothing behind stays done.
    done: settled.done.filter((item) => !isOver(item) || PAST_WORK.test(item)),
    findings: settled.findings.filter((item) => !isGivenUp(item, message, since)),
  };
}

function namesOther(decision: string): boolean {
  return Object.values(CUES).some(({ against }) => against.test(decision));
}

/** A name in lower case may begin a sentence. */
function hasWord(told: string, name: string): boolean {
  const said = name === name.toLowerCase() ? told.toLowerCase() : told;
  for (let at = said.indexOf(name); at >= 0; at = said.indexOf(name, at + 1))
    if (!IN_WORD.test(said.charAt(at - 1)) && !IN_WORD.test(said.charAt(at + name.length))) return true;
  return false;
}

const IN_WORD = /[\w-]/;
const LEFT =
  /remov|delet|drop(?:ped|s)?\b|replac|rip(?:ped)? out|without|no longer|entfern|gelöscht|ersetzt|supprim|enlev|remplac|elimin|quit(?:ado|é)|reemplaz|substitu|rimoss|rimuov|sostitu|удал|убра|замен|删|移除|去掉|替换|削除|置き換え|제거|삭제|대체|حذف|أزال|استبد/i;
/** It mended or looked at something: that it was so does not say that it is. */
const PAST_WORK =
  /^(?:(?:i|we)(?:['’]ve| have)? )?(?:fixed|renamed|reviewed|investigated|tested|checked|read|verified|reverted)\b/i;

/** Written as code, or in a way in which no other words are; German writes every noun with a capital. */
function isName(name: string, match: string, language: Language): boolean {
  if (name.length < 3 || COMMON.has(name.toUpperCase())) return false;
  if (match.includes(`\`${name}\``)) return true;
  return /[a-z][A-Z]|[A-Za-z]\d|\w[_.]\w|^[A-Z]{3,}$/.test(name) || (language !== "de" && /^[A-Z][a-z]/.test(name));
}

const COMMON: ReadonlySet<string> = new Set(
  "API APIS URL URLS HTTP HTTPS JSON HTML CSS SQL TODO TODOS README THE THIS THAT THESE THOSE IT ALL ANY EVERYTHING NOT AND".split(
    " ",
  ),
);

function isProhibition(read: string, match: RegExpExecArray): boolean {
  // The mark that ends the sentence before may be matched with it.
  const before = /^[.!?;\n。！？]/.test(match[0]) ? "" : read.slice(sentenceStart(read, match), match.index);
  return isForbidding(before, read.slice(match.index + match[0].length));
}

function sentenceStart(read: string, match: RegExpExecArray): number {
  return matchesOf(SENTENCE_END, read.slice(0, match.index)).at(-1)?.index ?? 0;
}

const SENTENCE_END = /[.!?\n]\s|[。！？]/g;

/** Neither denied nor conditional, and no question but a polite one. */
function isOrder(read: string, match: RegExpExecArray): boolean {
  const start = sentenceStart(read, match);
  const rest = read.slice(match.index + match[0].length);
  const end = /[.!?？؟\n]/.exec(rest)?.[0] ?? "";
  const sentence = read.slice(start, match.index + match[0].length);
  if (/[?？؟]/.test(end) && !/\b(?:can|could|would|will) you\b/i.test(sentence)) return false;
  return !NOT_ORDERED.test(read.slice(start, match.index).replace(REFUSING, ""));
}

/** "No, please drop it": the word is about what was said before. */
const REFUSING = /^[.!?\s]*(?:no|nope|nein|non|não|нет)[,.!]/i;
const NOT_ORDERED =
  /\b(?:not|\w+n['’]t|dont|never|without|if|unless|whether|why|when|before|nicht|nie|wenn|falls|warum|ne|n['’]|pas|si|jamais|no|nunca|não|se|non|mai)\b|(?:не|если|никогда)\s|[别不]|如果|もし|만약|لا /i;

const WHOLE = `(?: (?:code|support|integration|dependency|stuff|approach|idea))?${END}`;
const LEAD =
  "(?:^|[.!,;:\\n]\\s*|(?<![\\p{L}])(?:please|and|then|so|just|ok|okay|let['’]?s|let us|you|now|also|actually|no|yes|to|we should|should)[,!]? )";
const REPLACED = "(?:(?! (?:in|on|for|at|inside|when) )[^.,;!?\\n]){1,60}(?=[.,;!?\\n]|$)";
const WAY = "[^.,;!?\\n]{1,60}?";

const orders = (...list: readonly string[]): RegExp => quick(list.join("|"), "gi");
const opens = (verbs: string): string => `(?:^|[.!,;:\\n]\\s*|(?<![\\p{L}])(?:${verbs})[,!]? )`;

const ORDERS: Readonly<Record<Language, RegExp>> = {
  en: orders(
    `${LEAD}(?:remove|drop|delete|rip out|get rid of|ditch|scrap|stop using) (?:(?:all|the|our|that|this|any|of) )*${NAME}${WHOLE}`,
    `${LEAD}(?:use|try|take|pick|choose|go with|switch to|move to) ${WAY} (?:instead of|rather than|in place of) (?:(?:using|the|our) )*${NAME}${WHOLE}`,
    `${LEAD}(?:replace|swap(?: out)?) (?:(?:the|our|all) )*${NAME} (?:with|by|for) ${REPLACED}`,
    `${LEAD}(?:switch|migrate|move) (?:away )?from (?:the |our )?${NAME}(?: to ${REPLACED}|${END})`,
    `(?<![\\p{L}])(?:we|i) (?:no longer (?:want|need|use)|(?:don['’]?t|do not) (?:want|need|use)(?= .{1,60} any ?(?:more|longer))) (?:to use )?(?:the |our )?${NAME}${WHOLE}`,
  ),
  de: orders(
    `${opens("bitte|und|dann|jetzt|nun")}(?:entfern(?:e|en sie)?|lösch(?:e|en sie)?) (?:(?:den|die|das|alle[ns]?|bitte) )*${NAME}(?:-Code| Code)?${END}`,
    `(?<![\\p{L}])(?:nimm|nutze|verwende|benutze|nehmen wir|nutzen wir) ${WAY} (?:statt|anstatt|anstelle von) ${NAME}${END}`,
    `(?<![\\p{L}])ersetze (?:den |die |das )?${NAME} durch ${REPLACED}`,
    `(?<![\\p{L}])wir (?:wollen|brauchen|nutzen) (?:kein(?:e|en)? )?${NAME} (?:nicht )?mehr(?![\\p{L}])`,
  ),
  fr: orders(
    `${opens("et|puis|alors|maintenant")}(?:supprime[sz]?|enlève|enlevez|retire[sz]?) (?:(?:le|la|les|tout) |l['’])*${NAME}${END}`,
    `(?<![\\p{L}])(?:utilise[sz]?|prends|prenez|utilisons) ${WAY} (?:au lieu de|à la place de|plutôt que) ${NAME}${END}`,
    `(?<![\\p{L}])remplace[sz]? ${NAME} par ${REPLACED}`,
  ),
  es: orders(
    `${opens("y|ahora|entonces")}(?:elimina|quita|borra) (?:(?:el|la|los|las|todo) )*${NAME}${END}`,
    `(?<![\\p{L}])(?:usa|utiliza|usemos) ${WAY} en (?:lugar|vez) de ${NAME}${END}`,
    `(?<![\\p{L}])(?:reemplaza|sustituye) ${NAME} (?:por|con) ${REPLACED}`,
    `(?<![\\p{L}])ya no (?:queremos|usamos|necesitamos) ${NAME}${END}`,
  ),
  pt: orders(
    `${opens("e|agora|então")}(?:remova|remove|elimine|apague) (?:(?:o|a|os|as|todo) )*${NAME}${END}`,
    `(?<![\\p{L}])(?:use|usa|utilize) ${WAY} em (?:lugar|vez) d[eoa] ${NAME}${END}`,
    `(?<![\\p{L}])substitua (?:o |a )?${NAME} por ${REPLACED}`,
    `(?<![\\p{L}])não queremos mais (?:o |a )?${NAME}${END}`,
  ),
  it: orders(
    `${opens("e|ora|poi")}(?:rimuovi|elimina|togli) (?:(?:il|la|lo|i|gli|le) )*${NAME}${END}`,
    `(?<![\\p{L}])(?:usa|utilizza|usiamo) ${WAY} (?:invece di|al posto di) ${NAME}${END}`,
    `(?<![\\p{L}])sostituisci ${NAME} con ${REPLACED}`,
    `(?<![\\p{L}])non vogliamo più ${NAME}${END}`,
  ),
  ru: orders(
    `(?<![\\p{L}])(?:удали(?:те)?|убери(?:те)?) (?:весь |код )*${NAME}${END}`,
    `(?<![\\p{L}])(?:используй(?:те)?|возьми(?:те)?) ${WAY} вместо ${NAME}${END}`,
    `(?<![\\p{L}])замени(?:те)? ${NAME} на ${REPLACED}`,
  ),
  zh: orders(
    `(?:删除|删掉|去掉|移除|不再使用) ?${NAME}(?= ?(?:的?代码)?(?:[。，！；,.]|吧|了|$))`,
    `(?:用|使用) ?[^。，！？]{1,30}?(?:代替|取代|而不是|而非) ?${NAME}(?= ?(?:[。，！；,.]|吧|$))`,
    `把 ?${NAME} ?(?:换成|替换为|替换成|改成)`,
  ),
  ja: orders(
    `${NAME} ?を(?:削除して|やめて|外して|取り除いて)`,
    `${NAME} ?(?:の代わりに|ではなく)[^。？]{1,40}(?:使って|使用して|にして)`,
  ),
  ko: orders(`${NAME} ?(?:을|를)? ?(?:삭제|제거)(?:해|하)`, `${NAME} ?(?:대신|말고) [^.?]{1,40}(?:사용해|써|사용하)`),
  ar: orders(`(?:احذف|أزل) ${NAME}${END}`, `استخدم ${WAY} بدلا?ً?ا? من ${NAME}${END}`),
};

type Guard = (text: string) => number;

/** The bits of what a guard tells, in the order in which the expressions are given. */
const MAY_ORDER = 1;
const MAY_FORBID = 2;

function guardFor(language: Language): Guard {
  const known = GUARDS.get(language);
  if (known !== undefined) return known;
  const made = cueGuard([ORDERS[language], FORBIDDEN[language]]);
  GUARDS.set(language, made);
  return made;
}

/** Made for each language once; holds nothing of what was read. */
const GUARDS = new Map<Language, Guard>();
