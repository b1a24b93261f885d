/** The few words of our own that a summary contains beside its headings, per language. */

import type { Language } from "../../core/checkpoint/language.ts";

const USER: Readonly<Record<Language, string>> = {
  en: "User",
  de: "Nutzer",
  fr: "Utilisateur",
  es: "Usuario",
  pt: "Usuário",
  it: "Utente",
  ru: "Пользователь",
  zh: "用户",
  ja: "ユーザー",
  ko: "사용자",
  ar: "المستخدم",
};

/** Stands before what the user said. */
export function userLabel(language: Language): string {
  return `${USER[language]}: `;
}
