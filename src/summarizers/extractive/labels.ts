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

const CHANGED: Readonly<Record<Language, string>> = {
  en: "changed, still to be checked",
  de: "geändert, noch zu prüfen",
  fr: "modifié, encore à vérifier",
  es: "modificado, falta comprobarlo",
  pt: "alterado, falta verificar",
  it: "modificato, ancora da verificare",
  ru: "изменено, осталось проверить",
  zh: "已修改，待检查",
  ja: "変更済み、要確認",
  ko: "변경됨, 확인 필요",
  ar: "تم تعديله، ويبقى التحقق منه",
};

const OVERCOME: Readonly<Record<Language, string>> = {
  en: "overcome the failure of",
  de: "Fehlschlag überwinden",
  fr: "surmonter l'échec de",
  es: "superar el fallo de",
  pt: "superar a falha de",
  it: "superare l'errore di",
  ru: "преодолеть сбой",
  zh: "解决失败的调用",
  ja: "失敗した呼び出しを解決",
  ko: "실패한 호출 해결",
  ar: "تجاوز فشل",
};

const ANSWERED_BY_USER: Readonly<Record<Language, string>> = {
  en: "go on with the user's answer",
  de: "weiter mit der Antwort des Nutzers",
  fr: "poursuivre avec la réponse de l'utilisateur",
  es: "seguir con la respuesta del usuario",
  pt: "continuar com a resposta do usuário",
  it: "proseguire con la risposta dell'utente",
  ru: "продолжить с ответом пользователя",
  zh: "按用户的回答继续",
  ja: "ユーザーの回答を受けて続行",
  ko: "사용자의 답변대로 계속",
  ar: "المتابعة وفق إجابة المستخدم",
};

const AWAITING: Readonly<Record<Language, string>> = {
  en: "wait for the user's answer",
  de: "auf die Antwort des Nutzers warten",
  fr: "attendre la réponse de l'utilisateur",
  es: "esperar la respuesta del usuario",
  pt: "aguardar a resposta do usuário",
  it: "attendere la risposta dell'utente",
  ru: "ждать ответа пользователя",
  zh: "等待用户回答",
  ja: "ユーザーの回答を待つ",
  ko: "사용자의 답변을 기다림",
  ar: "انتظار إجابة المستخدم",
};

/** Stands before the file that the newest call changed. */
export function changedLabel(language: Language): string {
  return `${CHANGED[language]}: `;
}

/** Stands before the newest call, where it failed. */
export function overcomeLabel(language: Language): string {
  return `${OVERCOME[language]}: `;
}

/** Stands before what the user answered to a tool that asked. */
export function answerLabel(language: Language): string {
  return `${ANSWERED_BY_USER[language]}: `;
}

/** Stands before a question that the user has not answered. */
export function awaitingLabel(language: Language): string {
  return `${AWAITING[language]}: `;
}

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
