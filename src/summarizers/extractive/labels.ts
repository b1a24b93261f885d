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

const FIX: Readonly<Record<Language, string>> = {
  en: "fix",
  de: "beheben",
  fr: "corriger",
  es: "corregir",
  pt: "corrigir",
  it: "correggere",
  ru: "исправить",
  zh: "修复",
  ja: "修正",
  ko: "수정",
  ar: "إصلاح",
};

const GO_ON: Readonly<Record<Language, string>> = {
  en: "go on from",
  de: "weiter nach",
  fr: "reprendre après",
  es: "seguir después de",
  pt: "continuar depois de",
  it: "proseguire dopo",
  ru: "продолжить после",
  zh: "接着处理",
  ja: "続き",
  ko: "이어서",
  ar: "المتابعة بعد",
};

/** Stands before the newest call, where nobody said what comes after it. */
export function goOnLabel(language: Language): string {
  return `${GO_ON[language]}: `;
}

/** Stands before a check that failed. */
export function fixLabel(language: Language): string {
  return `${FIX[language]}: `;
}

/** Stands before what the user said. */
export function userLabel(language: Language): string {
  return `${USER[language]}: `;
}
