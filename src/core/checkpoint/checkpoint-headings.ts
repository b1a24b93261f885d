/** The headings of a checkpoint's text in each language, as data. A text is read back by its headings, whatever the language. */

import type { Language } from "./language.ts";

export type Section =
  | "goal"
  | "constraints"
  | "progress"
  | "done"
  | "inProgress"
  | "blocked"
  | "decisions"
  | "nextSteps"
  | "criticalContext"
  | "latestRequest"
  | "filesRead"
  | "filesModified"
  | "toolFailures"
  | "identifiers";

/** In the order in which they stand in the text. */
export const SECTIONS: readonly Section[] = [
  "goal",
  "constraints",
  "progress",
  "done",
  "inProgress",
  "blocked",
  "decisions",
  "nextSteps",
  "criticalContext",
  "latestRequest",
  "filesRead",
  "filesModified",
  "toolFailures",
  "identifiers",
];

const TABLE: Readonly<Record<Language, string>> = {
  en: "Goal|Constraints & Preferences|Progress|Done|In Progress|Blocked|Key Decisions|Next Steps|Critical Context|Latest Request|Files Read|Files Modified|Failed Tool Calls|Exact Identifiers",
  de: "Ziel|Vorgaben & Wünsche|Stand|Erledigt|In Arbeit|Blockiert|Entscheidungen|Nächste Schritte|Wichtiger Kontext|Neueste Anfrage|Gelesene Dateien|Geänderte Dateien|Fehlgeschlagene Aufrufe|Genaue Bezeichner",
  fr: "Objectif|Contraintes & préférences|Avancement|Fait|En cours|Bloqué|Décisions clés|Prochaines étapes|Contexte essentiel|Dernière demande|Fichiers lus|Fichiers modifiés|Appels échoués|Identifiants exacts",
  es: "Objetivo|Restricciones y preferencias|Progreso|Hecho|En curso|Bloqueado|Decisiones clave|Próximos pasos|Contexto crítico|Última petición|Archivos leídos|Archivos modificados|Llamadas fallidas|Identificadores exactos",
  pt: "Objetivo geral|Restrições e preferências|Andamento|Concluído|Em andamento|Bloqueio|Decisões principais|Próximos passos|Contexto essencial|Último pedido|Arquivos lidos|Arquivos alterados|Chamadas com falha|Identificadores literais",
  it: "Obiettivo|Vincoli e preferenze|Avanzamento|Fatto|In corso|Bloccato|Decisioni principali|Prossimi passi|Contesto essenziale|Ultima richiesta|File letti|File modificati|Chiamate fallite|Identificatori esatti",
  ru: "Цель|Ограничения и предпочтения|Ход работы|Сделано|В работе|Заблокировано|Ключевые решения|Следующие шаги|Важный контекст|Последний запрос|Прочитанные файлы|Изменённые файлы|Неудачные вызовы|Точные идентификаторы",
  zh: "目标|约束与偏好|进展|已完成|进行中|受阻|关键决定|后续步骤|重要上下文|最新请求|已读文件|已修改文件|失败的工具调用|准确标识符",
  ja: "目的|制約と希望|進捗|完了|作業中|停滞|主な決定|次のステップ|重要な文脈|最新の依頼|読んだファイル|変更したファイル|失敗したツール呼び出し|正確な識別子",
  ko: "목표|제약과 선호|진행 상황|완료|진행 중|막힘|주요 결정|다음 단계|중요한 맥락|최근 요청|읽은 파일|수정한 파일|실패한 도구 호출|정확한 식별자",
  ar: "الهدف|القيود والتفضيلات|التقدم|تم|قيد التنفيذ|متوقف|القرارات الرئيسية|الخطوات التالية|سياق مهم|أحدث طلب|ملفات مقروءة|ملفات معدلة|استدعاءات فاشلة|معرفات دقيقة",
};

/** Second-level headings, except the three states of progress. */
const SUBSECTIONS: ReadonlySet<Section> = new Set(["done", "inProgress", "blocked"]);

export function headingOf(section: Section, language: Language): string {
  const title = TABLE[language].split("|")[SECTIONS.indexOf(section)] ?? section;
  return `${SUBSECTIONS.has(section) ? "###" : "##"} ${title}`;
}

const SECTION_OF: ReadonlyMap<string, Section> = new Map(
  // `Object.keys` forgets the type of its keys; the table has no others.
  (Object.keys(TABLE) as Language[]).flatMap((language) =>
    SECTIONS.map((section): [string, Section] => [headingOf(section, language), section]),
  ),
);

/** The section that a line opens; undefined when it is no heading of ours. */
export function sectionOfHeading(line: string): Section | undefined {
  return SECTION_OF.get(line.trimEnd());
}
