/**
 * What an assistant told its user cannot be had: a rule forbids it, or the case does not meet one. That is settled, and whoever goes
 * on must not promise it. What only failed for a technical cause is no refusal. Looks at one sentence; never judges the rule.
 */

import type { Language } from "../../../core/checkpoint/language.ts";
import { words } from "../cues/cue-table.ts";
import { quick } from "../text/quick-expressions.ts";

/** Whether a sentence of a message that ends a turn refuses something for good, where it denies something. */
export function isByRule(sentence: string): boolean {
  return BY_RULE.test(sentence) && !NOT_BY_RULE.test(sentence);
}

/** What customers ask for, and rules grant or not. */
const DEEDS =
  "add|approve|cancel|change|combine|compensate|downgrade|exchange|extend|grant|issue|modify|offer|process|proceed with|provide (?:an?|any) (?:compensation|discount|refund|voucher)|rebook|refund|reimburse|remove|return|split|upgrade|waive";
const DEEDS_DONE =
  "added|applied|cancel(?:l)?ed|changed|combined|downgraded|exchanged|extended|modified|offered|processed|rebooked|refunded|reimbursed|removed|returned|split|transferred|upgraded|used|waived";

/** What every refusal has in it. */
export const DENYING: Partial<Record<Language, RegExp>> = {
  en: denied(
    `(?:cannot|can['’]t|can not|may not) be (?:${DEEDS_DONE})`,
    `(?:unable to|not able to|not allowed to|not permitted to|cannot|can['’]t) (?:${DEEDS})`,
    "(?:does not|doesn['’]t|do not|don['’]t) (?:allow|cover|permit)",
    "(?:is|are) not (?:allowed|permitted|eligible|refundable|covered)",
  ),
  de: denied(
    "(?:kann|können|darf|dürfen)(?![\\p{L}]).{0,100} nicht .{0,60}(?:storniert|stornieren|geändert|ändern|erstattet|erstatten|entfernt|entfernen|umgebucht|umbuchen|übertragen|gewähren)",
  ),
  fr: denied(
    "ne (?:peut|peuvent|peux|pouvons) pas (?:être )?(?:annul|modifi|rembours|supprim|chang|échang|transfér|offrir|accord)\\p{L}*",
  ),
  es: denied(
    "no (?:se )?(?:puede|pueden|puedo|podemos) (?:ser )?(?:cancel|modific|reembols|elimin|cambi|ofrec)\\p{L}*",
  ),
  pt: denied(
    "não (?:pode|podem|posso|podemos|é possível) (?:ser )?(?:cancel|alter|modific|reembols|remov|troc|oferec)\\p{L}*",
  ),
  it: denied(
    "non (?:può|possono|posso|possiamo|è possibile) (?:essere )?(?:annull|cancell|modific|rimbors|rimuov|rimoss|cambi|offr)\\p{L}*",
  ),
  ru: denied(
    "(?:нельзя|невозможно|не (?:могу|можем|может быть)) (?:отмен|измен|верн|возмест|удал|обмен|предлож)\\p{L}*",
  ),
};

function denied(...ways: readonly string[]): RegExp {
  return words(ways.join("|"));
}

/** It says why, that it is sorry, which rule it goes by, or that it is about what rules are made for. */
const BY_RULE = quick(
  String.raw`(?<!\p{L})(?:unfortunately|sorry|therefore|since|because|due to|polic(?:y|ies)|rules?|terms|eligible|bookings?|reservations?|orders?|tickets?|subscriptions?|contracts?|fares?|refunds?|purchases?|leider|daher|weil|da|aufgrund|richtlinien?|bedingungen|malheureusement|désolée?|donc|car|puisque|conditions|lamentablemente|desgraciadamente|lo siento|porque|ya que|política|condiciones|infelizmente|lamento|pois|já que|condições|purtroppo|mi dispiace|poiché|perché|politica|condizioni|к сожалению|поэтому|так как|правил\p{L}*)(?!\p{L})`,
  "i",
);

/** Something broke, is missing, or waits for what the user has yet to say: that may be otherwise a moment later. Nor is it settled where it is only so as a rule, or in a case that may not be this one. */
const NOT_BY_RULE = quick(
  String.raw`^(?:if|wenn|falls|si|se|если) |(?<!\p{L})(?:typically|usually|generally|might|errors?|fail(?:s|ed|ing|ure)?|time(?:d|s)? ?out|permissions?|access|tools?|unavailable|sandbox|network|files?|code|tests?|without (?:the|your|an?)|until|unless you|please provide|yet|fehler\p{L}*|zugriff|datei|ohne|erreur|accès|fichier|sans|error(?:es)?|acceso|archivo|sin|erro|acesso|arquivo|sem|errore|accesso|senza|ошибк\p{L}*|доступ\p{L}*|без)(?!\p{L})|[?？؟]$`,
  "i",
);
