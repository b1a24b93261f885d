/**
 * Questions that ask for leave, "May I book the berth?", and the words that give it, "You may book it". Who offers help or wants to go on
 * asks for none, and what only begins like leave ("You may have seen it") gives none. Looks at one clause.
 */

import { sharesWord } from "./offered-ways.ts";

export function asksLeave(question: string): boolean {
  return ASKING.test(question);
}

/** `clause`: of the reply to such a question. */
export function givesLeave(clause: string, question: string): boolean {
  if (clause.length > CLAUSE_CHARS_MAX) return false;
  if (GIVING_ALONE.test(clause)) return true;
  // "You can check the price first" orders something else than what was asked for.
  if (!GIVING.test(clause)) return false;
  const given = clause.replace(GIVING, "").trim();
  // Words of Korean are short, and have their endings grown on.
  return sharesWord(given, question) || (given.length >= GIVEN_CHARS_MIN && question.includes(given));
}

const CLAUSE_CHARS_MAX = 80;
const GIVEN_CHARS_MIN = 2;

const ASKING =
  /(?:^|[,:;¿] ?|(?:so|then|and|also|or|dann|und|alors|donc|entonces|y|então|e|allora|quindi|тогда|и) )(?:(?:may|can|could) (?:i|we)(?= )(?! (?:help|assist|continue|proceed|go |keep going|check|look|see|ask|run|show|explain|do |be |get you|offer|also help))|(?:kann|darf|könnte|können|dürfen) (?:ich|wir)(?= )(?!.{0,80}(?:helfen|behilflich|(?:sie|dich|euch) tun|fortfahren|weitermachen|fragen|nachsehen))|(?:puis-je|peut-on|pouvons-nous|est-ce que (?:je peux|nous pouvons))(?= )(?! (?:vous |t['’]|te )?(?:aider|continuer|voir|demander|faire |regarder))|(?:puedo|podemos)(?= )(?! (?:ayudar|continuar|seguir|ver|preguntar|hacer |saber))|(?:posso|podemos|possiamo)(?= )(?! (?:te |lhe |lo |la )?(?:ajudar|continuar|seguir|prosseguir|ver|perguntar|fazer |saber|aiutar|continuare|proseguire|vedere|chieder|fare |sapere))|(?:могу ли я|могу я|можем ли мы|можно(?: ли)?(?: мне)?)(?= )(?! (?:вам )?(?:помочь|продолж|спросить|узнать|посмотреть)))|(?:可以|能)(?!帮|继续|问|看|为您|为你).{2,60}吗|ても(?:いい|よい|よろしい)(?:です|でしょう)か|도 (?:될까요|되나요|되겠습니까)/i;

/** Nothing else is said. */
const GIVING_ALONE =
  /^(?:you (?:may|can)|(?:du|sie|ihr) (?:kannst|können|könnt|darfst|dürfen|dürft)|(?:kannst|können|darfst|dürfen) (?:du|sie)(?: gerne?)?|mach(?:en sie)?(?: das)?|in ordnung|vous pouvez|tu peux|allez-y|vas-y|bien sûr|puede[sn]?|adelante|de acuerdo|por supuesto|pode[sm]?(?: sim)?|à vontade|de acordo|combinado|può|puoi|potete|proceda|procedi|d['’]accordo|certamente|можно|можете|можешь|конечно|согласен|согласна|ладно|没问题|同意|يمكنك|تفضل|موافق)$/i;

const GIVING =
  /^(?:you (?:may|can) (?!also |have |be |see )|(?:du|sie|ihr) (?:kannst|können|könnt|darfst|dürfen|dürft) |vous pouvez |tu peux |puede[sn]? (?!que |ser |haber |me |nos )|pode[sm]? (?!que |ser |haver |me |nos )|(?:può|puoi|potete) (?!essere |darsi |esserci )|(?:можно|можете|можешь) (?!ли )|يمكنك (?:ال)?)|^可以(?=[\u4e00-\u9fff]{2,8}$)|(?:して)?(?:ください|お願いします)$|(?:하세요|해 ?주세요|하셔도 됩니다)$/i;
