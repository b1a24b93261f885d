/** What comes next where the user broke off what was going on, in the user's language. Begins with words that `isOwnStep` knows. */

import type { Language } from "../../../core/checkpoint/language.ts";
import { farewellLine } from "./labels.ts";

export function stoppedLine(language: Language): string {
  return `${farewellLine(language, { isAllDone: false })} ${STOPPED[language]}`;
}

const STOPPED: Readonly<Record<Language, string>> = {
  en: "The work was stopped by hand.",
  de: "Die Arbeit wurde von Hand angehalten.",
  fr: "Le travail a été arrêté à la main.",
  es: "El trabajo se detuvo a mano.",
  pt: "O trabalho foi interrompido à mão.",
  it: "Il lavoro è stato fermato a mano.",
  ru: "Работа остановлена вручную.",
  zh: "工作已被手动中止。",
  ja: "作業は手動で止められました。",
  ko: "작업이 수동으로 중단됨.",
  ar: "أُوقف العمل يدويًا.",
};
