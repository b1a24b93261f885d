/** Words by which a sentence speaks to the user or of what is theirs, per language. */

import type { Language } from "../../../core/checkpoint/language.ts";
import { words } from "./cue-table.ts";

/** One language's word for "you" is another's for "of the". */
export const OF_THE_USER: Readonly<Record<Language, RegExp>> = {
  en: words("you|your|yours|please"),
  de: words("du|dir|dich|dein\\p{L}*|ihnen|ihre[rmns]?|bitte"),
  fr: words("vous|votre|vos|tu|toi|ton|ta|tes"),
  es: words("usted|ustedes|ti|tú|tus?|por favor"),
  pt: words("você|vocês|seus?|suas?|por favor"),
  it: words("tu|te|ti|tuo|tua|tuoi|tue|per favore"),
  ru: words("вы|вас|вам|ваш\\p{L}*|ты|тебя|тебе|тво\\p{L}+"),
  zh: /[你您请]/u,
  ja: /ください|あなた|お客様/u,
  ko: /당신|주세요|주시/u,
  ar: words("منك|منكم|يرجى|لديك|عليك"),
};
