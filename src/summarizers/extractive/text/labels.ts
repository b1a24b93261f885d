/** The few words of our own that a summary contains beside its headings, per language. */

import type { Language } from "../../../core/checkpoint/language.ts";

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

const TOOL_OUTPUT: Readonly<Record<Language, string>> = {
  en: "Tool output",
  de: "Werkzeugausgabe",
  fr: "Sortie d'outil",
  es: "Salida de herramienta",
  pt: "Saída de ferramenta",
  it: "Risultato di uno strumento",
  ru: "Вывод инструмента",
  zh: "工具输出",
  ja: "ツール出力",
  ko: "도구 출력",
  ar: "مخرجات أداة",
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

const TAKE_UP: Readonly<Record<Language, string>> = {
  en: "take up",
  de: "angehen",
  fr: "traiter",
  es: "atender",
  pt: "atender",
  it: "occuparsi di",
  ru: "заняться",
  zh: "处理",
  ja: "対応",
  ko: "처리",
  ar: "معالجة",
};

const BACK_TO: Readonly<Record<Language, string>> = {
  en: "then back to",
  de: "danach zurück zu",
  fr: "puis revenir à",
  es: "después volver a",
  pt: "depois voltar a",
  it: "poi tornare a",
  ru: "затем вернуться к",
  zh: "然后回到",
  ja: "その後に戻る",
  ko: "그다음 돌아갈 일",
  ar: "ثم العودة إلى",
};

const UNANSWERED: Readonly<Record<Language, string>> = {
  en: "The newest request is still unanswered: take it up.",
  de: "Die neueste Anfrage ist noch unbeantwortet und jetzt an der Reihe.",
  fr: "La dernière demande est encore sans réponse : la traiter.",
  es: "La última petición sigue sin respuesta: atenderla.",
  pt: "O último pedido ainda está sem resposta: atendê-lo.",
  it: "L'ultima richiesta è ancora senza risposta: occuparsene.",
  ru: "На последний запрос ещё нет ответа: заняться им.",
  zh: "最新的请求尚未答复，请处理。",
  ja: "最新の依頼は未回答です。対応してください。",
  ko: "최신 요청이 아직 답변되지 않았으니 처리할 것.",
  ar: "لم يُرَدّ بعد على أحدث طلب، ويجب تناوله.",
};

const ANSWERED: Readonly<Record<Language, string>> = {
  en: "The newest request was answered.",
  de: "Die neueste Anfrage ist beantwortet.",
  fr: "La dernière demande a reçu une réponse.",
  es: "La última petición está respondida.",
  pt: "O último pedido foi respondido.",
  it: "L'ultima richiesta ha avuto risposta.",
  ru: "На последний запрос дан ответ.",
  zh: "最新的请求已答复。",
  ja: "最新の依頼には回答済みです。",
  ko: "최신 요청에 답변함.",
  ar: "تم الرد على أحدث طلب.",
};

const NOTHING_OPEN: Readonly<Record<Language, string>> = {
  en: "Nothing is left open: wait for the user.",
  de: "Nichts ist offen: auf den Nutzer warten.",
  fr: "Rien ne reste en suspens : attendre l'utilisateur.",
  es: "No queda nada pendiente: esperar al usuario.",
  pt: "Nada ficou pendente: aguardar o usuário.",
  it: "Nulla è in sospeso: attendere l'utente.",
  ru: "Ничего не осталось: ждать пользователя.",
  zh: "没有未完成的事项，等待用户。",
  ja: "未完了のものはありません。ユーザーを待ってください。",
  ko: "남은 일이 없으니 사용자를 기다릴 것.",
  ar: "لا شيء معلّق: انتظار المستخدم.",
};

const WAIT: Readonly<Record<Language, string>> = {
  en: "Wait for the user.",
  de: "Auf den Nutzer warten.",
  fr: "Attendre l'utilisateur.",
  es: "Esperar al usuario.",
  pt: "Aguardar o usuário.",
  it: "Attendere l'utente.",
  ru: "Ждать пользователя.",
  zh: "等待用户。",
  ja: "ユーザーを待ってください。",
  ko: "사용자를 기다릴 것.",
  ar: "انتظار المستخدم.",
};

const ANSWERED_WITH: Readonly<Record<Language, string>> = {
  en: "answered",
  de: "beantwortet",
  fr: "répondu",
  es: "respondido",
  pt: "respondido",
  it: "risposto",
  ru: "отвечено",
  zh: "已答复",
  ja: "回答済み",
  ko: "답변함",
  ar: "تم الرد",
};

/** Stands before a sentence of the answer to a request that stays in the view. */
export function answeredLabel(language: Language): string {
  return `${ANSWERED_WITH[language]}: `;
}

/** Stands before a request that nobody has answered. */
export function takeUpLabel(language: Language): string {
  return `${TAKE_UP[language]}: `;
}

/** Stands before a task that the user broke into. */
export function backToLabel(language: Language): string {
  return `${BACK_TO[language]}: `;
}

/** Where the goal says what the request is. */
export function unansweredLine(language: Language): string {
  return UNANSWERED[language];
}

/** Where the assistant ended its turn. */
export function answeredLine(language: Language, { isAllDone }: { readonly isAllDone: boolean }): string {
  return `${ANSWERED[language]} ${isAllDone ? NOTHING_OPEN[language] : WAIT[language]}`;
}

/** Where the user took leave. */
export function farewellLine(language: Language, { isAllDone }: { readonly isAllDone: boolean }): string {
  return isAllDone ? NOTHING_OPEN[language] : WAIT[language];
}

/** Where the question stands elsewhere in the summary. */
export function awaitingLine(language: Language): string {
  return AWAITING[language];
}

const OWN_STEPS: readonly string[] = [
  ...[FIX, GO_ON, CHANGED, OVERCOME, TAKE_UP, BACK_TO].flatMap((table) =>
    Object.values(table).map((words) => `${words}: `),
  ),
  ...[AWAITING, UNANSWERED, ANSWERED, NOTHING_OPEN, WAIT].flatMap((table) => Object.values(table)),
];

/** A step that was told from how the conversation stood: once it goes on, it stands elsewhere. */
export function isOwnStep(step: string): boolean {
  return OWN_STEPS.some((words) => step.startsWith(words));
}

/** Stands before the file that the newest call changed. */
export function changedLabel(language: Language): string {
  return `${CHANGED[language]}: `;
}

/** Stands before the newest call, where it failed. */
export function overcomeLabel(language: Language): string {
  return `${OVERCOME[language]}: `;
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

/** Who says what stands in a tool's result: a page may quote a user, or say that it is one. */
export function toolOutputName(language: Language): string {
  return TOOL_OUTPUT[language];
}
