/**
 * Everything that differs between languages in a summary's form: a row for each, as data. To add a language, add its row, and the rule for
 * its script in `language.ts` where it is not Latin. What ranks sentences is the embedded summarizer's own table.
 */

interface LanguageRow {
  /** In English, for a prompt. */
  readonly name: string;
  /** Titles of the sections, in the order of `SECTIONS`, separated by bars. */
  readonly headings: string;
  /** Labels of the kinds of identifiers, in their order. */
  readonly identifiers: string;
  /** The most frequent small words, which tell a language in Latin script. */
  readonly smallWords?: string;
}

/** Languages in which a checkpoint can be written. */
export const LANGUAGE_TABLE = rowsOf({
  en: {
    name: "English",
    headings:
      "Goal|Constraints & Preferences|Progress|Done|In Progress|Blocked|Key Decisions|Next Steps|Critical Context|Latest Request|Files Read|Files Modified|Failed Tool Calls|Exact Identifiers",
    identifiers: "Paths|Names|Values|Calls",
    smallWords:
      "the and is to of in that it for you this with on be are not have was but we can if do what all will please should a an as at by from no i or so me has were then when after which how now add its they did use",
  },
  de: {
    name: "German",
    headings:
      "Ziel|Vorgaben & Wünsche|Stand|Erledigt|In Arbeit|Blockiert|Entscheidungen|Nächste Schritte|Wichtiger Kontext|Neueste Anfrage|Gelesene Dateien|Geänderte Dateien|Fehlgeschlagene Aufrufe|Genaue Bezeichner",
    identifiers: "Pfade|Namen|Werte|Aufrufe",
    smallWords:
      "der die das und ist nicht ich wir sie mit auf für ein eine einen dass von zu den dem wird werden noch auch bitte sind wie kann soll haben aber oder wurde nach bei als nur im es mir dann wenn in",
  },
  fr: {
    name: "French",
    headings:
      "Objectif|Contraintes & préférences|Avancement|Fait|En cours|Bloqué|Décisions clés|Prochaines étapes|Contexte essentiel|Dernière demande|Fichiers lus|Fichiers modifiés|Appels échoués|Identifiants exacts",
    identifiers: "Chemins|Noms|Valeurs|Appels",
    smallWords:
      "le la les des est et une dans pas que pour qui sur avec vous nous il je sont ce cette du au plus mais être avons faut aussi merci ont été par sans ne se leur",
  },
  es: {
    name: "Spanish",
    headings:
      "Objetivo|Restricciones y preferencias|Progreso|Hecho|En curso|Bloqueado|Decisiones clave|Próximos pasos|Contexto crítico|Última petición|Archivos leídos|Archivos modificados|Llamadas fallidas|Identificadores exactos",
    identifiers: "Rutas|Nombres|Valores|Llamadas",
    smallWords:
      "el la los las que y es en un una por con para no se del lo como está pero más esto esta hay son también puede necesito favor al sin fue han todos cuando ya",
  },
  pt: {
    name: "Portuguese",
    headings:
      "Objetivo geral|Restrições e preferências|Andamento|Concluído|Em andamento|Bloqueio|Decisões principais|Próximos passos|Contexto essencial|Último pedido|Arquivos lidos|Arquivos alterados|Chamadas com falha|Identificadores literais",
    identifiers: "Caminhos|Nomes|Dados|Chamadas",
    smallWords:
      "o a os as que e é em um uma por com para não se do da como está mas mais isso esta são também pode você preciso foi ao na no das dos sem já foram quando",
  },
  it: {
    name: "Italian",
    headings:
      "Obiettivo|Vincoli e preferenze|Avanzamento|Fatto|In corso|Bloccato|Decisioni principali|Prossimi passi|Contesto essenziale|Ultima richiesta|File letti|File modificati|Chiamate fallite|Identificatori esatti",
    identifiers: "Percorsi|Nomi|Valori|Chiamate",
    smallWords:
      "il lo la gli che e è in un una per con non si del della come sono ma più questo questa anche può di nel alla grazie abbiamo ho stato dopo dal le i",
  },
  ru: {
    name: "Russian",
    headings:
      "Цель|Ограничения и предпочтения|Ход работы|Сделано|В работе|Заблокировано|Ключевые решения|Следующие шаги|Важный контекст|Последний запрос|Прочитанные файлы|Изменённые файлы|Неудачные вызовы|Точные идентификаторы",
    identifiers: "Пути|Имена|Значения|Вызовы",
  },
  zh: {
    name: "Chinese",
    headings:
      "目标|约束与偏好|进展|已完成|进行中|受阻|关键决定|后续步骤|重要上下文|最新请求|已读文件|已修改文件|失败的工具调用|准确标识符",
    identifiers: "路径|名称|数值|调用",
  },
  ja: {
    name: "Japanese",
    headings:
      "目的|制約と希望|進捗|完了|作業中|停滞|主な決定|次のステップ|重要な文脈|最新の依頼|読んだファイル|変更したファイル|失敗したツール呼び出し|正確な識別子",
    identifiers: "パス|名前|値|呼び出し",
  },
  ko: {
    name: "Korean",
    headings:
      "목표|제약과 선호|진행 상황|완료|진행 중|막힘|주요 결정|다음 단계|중요한 맥락|최근 요청|읽은 파일|수정한 파일|실패한 도구 호출|정확한 식별자",
    identifiers: "경로|이름|값|호출",
  },
  ar: {
    name: "Arabic",
    headings:
      "الهدف|القيود والتفضيلات|التقدم|تم|قيد التنفيذ|متوقف|القرارات الرئيسية|الخطوات التالية|سياق مهم|أحدث طلب|ملفات مقروءة|ملفات معدلة|استدعاءات فاشلة|معرفات دقيقة",
    identifiers: "مسارات|أسماء|قيم|استدعاءات",
  },
});

/** Keeps the codes in the type. */
function rowsOf<Code extends string>(rows: Readonly<Record<Code, LanguageRow>>): Readonly<Record<Code, LanguageRow>> {
  return rows;
}

/** Languages that are only recognised, so that a model is told to write in them. */
export const RECOGNISED_LANGUAGES: Readonly<Record<string, Pick<LanguageRow, "name" | "smallWords">>> = {
  nl: {
    name: "Dutch",
    smallWords:
      "de het een en is niet dat ik we van voor met op zijn te wordt ook maar dit naar bij kan moet er heeft aan nog als dan hebben in",
  },
  pl: {
    name: "Polish",
    smallWords:
      "i w na nie się jest to z do że jak po dla są ale czy od przez tylko proszę może już oraz został tego które aby",
  },
  sv: {
    name: "Swedish",
    smallWords:
      "och att det är en ett inte som på för med av jag vi till har den kan men om ska från var eller när också",
  },
  tr: {
    name: "Turkish",
    smallWords: "ve bir bu için de da ile ne var olarak çok daha gibi ama değil sonra kadar olan lütfen şimdi her en",
  },
};
