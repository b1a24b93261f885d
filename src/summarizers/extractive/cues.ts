/** Words that tell what a sentence is about, per language, as data. A cue only suggests; nothing is added to a sentence. */

import type { Language } from "../../core/checkpoint/language.ts";

/** `hedge` marks what is only supposed. */
export type Cue = "constraint" | "decision" | "done" | "next" | "blocked" | "reason" | "hedge";

type CueTable = Readonly<Record<Cue, RegExp>>;

/** Words of alphabets stand alone; scripts without blanks are searched anywhere. */
const words = (list: string): RegExp => new RegExp(`(?<![\\p{L}\\p{N}])(?:${list})(?![\\p{L}\\p{N}])`, "iu");
const anywhere = (list: string): RegExp => new RegExp(list, "u");

export const CUES: Readonly<Record<Language, CueTable>> = {
  en: {
    constraint: new RegExp(
      "^(?:please |and |but |also |so |just )?(?:don'?t|do not|use|keep|make|stick to|no )\\b|" +
        words(
          "must|never|always|should(?: not|n't)?|i prefer|we prefer|avoid|no more than|at (?:most|least)|make sure|ensure|required?|not allowed|instead of|rather than|has to|have to|needs? to be",
        ).source,
      "iu",
    ),
    decision: words(
      "decided?|we(?:'ll| will) use|going with|go with|chose|choose|opted|settled on|agreed?|instead of|rather than|the (?:best )?(?:approach|solution|fix|plan) (?:is|was)|root cause",
    ),
    done: new RegExp(
      "(?:^(?:done|fixed|added|updated|created|implemented|completed|finished|removed|replaced|renamed|moved|wrote|committed|pushed|resolved|verified|ported|refactored|installed|changed)\\b)|" +
        words(
          "(?:i|we)(?:'ve|’ve| have)?(?: \\w+ly| now| also| just)? (?:done|fixed|added|updated|created|implemented|completed|finished|removed|replaced|renamed|moved|wrote|written|committed|pushed|resolved|verified|ported|refactored|installed|configured|changed|tested|ran|found)|(?:has|have|was|were|is|are)(?: now| been| all){0,2} (?:done|fixed|added|updated|created|implemented|completed|finished|removed|replaced|written|committed|pushed|resolved|ported|ready)|successfully|(?:tests?|checks?|suite|build|everything|all)\\b.{0,30}\\bpass(?:es|ed|ing)?|works now|now (?:uses?|works?|has)|builds",
        ).source,
      "iu",
    ),
    next: words(
      "next|let me|i'?ll|i will|let's|now i|need(?:s)? to|to ?do|remaining|still (?:need|have)|going to|we should|should now|follow[- ]up|plan to|action item",
    ),
    blocked: words(
      "blocked|blocking|waiting (?:for|on)|cannot|can'?t|unable|fails?|failed|failing|error|errors|missing|broken|stuck|denied|not (?:found|available|supported|possible)|timed out",
    ),
    reason: words("because|since|so that|due to|as it|in order to|the reason"),
    hedge: words("maybe|perhaps|might|i bet|likely|probably|seems?|i see|could be|clear"),
  },
  de: {
    constraint: words(
      "muss|müssen|soll(?:en|te)?|nie(?:mals)?|immer|nur|nicht|kein(?:e|en)?|bitte|vermeide|ohne|höchstens|mindestens|statt|darf",
    ),
    decision: words(
      "entschieden|entscheidung|wir nehmen|verwenden|gewählt|stattdessen|anstatt|vereinbart|beschlossen|ursache",
    ),
    done: words(
      "fertig|erledigt|behoben|hinzugefügt|aktualisiert|erstellt|umgesetzt|abgeschlossen|entfernt|ersetzt|geschrieben|erfolgreich|gelöst|geprüft|eingebaut",
    ),
    next: words("als nächstes|nächste[rn]?|ich werde|lass mich|noch zu|jetzt|müssen wir|sollten wir|offen"),
    blocked: words(
      "blockiert|wartet|warten auf|kann nicht|nicht möglich|schlägt fehl|fehlgeschlagen|fehler|fehlt|kaputt|scheitert",
    ),
    reason: words("weil|da|damit|wegen|aufgrund|denn"),
    hedge: words("vielleicht|wahrscheinlich|vermutlich|scheint|könnte"),
  },
  fr: {
    constraint: words(
      "doit|doivent|jamais|toujours|seulement|ne pas|pas de|sans|évite[rz]?|préfère|au (?:plus|moins)|il faut|plutôt que|s'il (?:te|vous) plaît|uniquement",
    ),
    decision: words("décidé|décision|choisi|on utilise|nous utiliserons|plutôt que|au lieu de|convenu|opté|la cause"),
    done: words(
      "fait|terminé|corrigé|ajouté|mis à jour|créé|implémenté|supprimé|remplacé|écrit|réussi|avec succès|résolu|vérifié",
    ),
    next: words("ensuite|prochaine?|je vais|il reste|maintenant|il faut|à faire|nous devons"),
    blocked: words("bloqué|en attente|impossible|ne peut pas|échoue|échoué|erreur|erreurs|manquant|manque|cassé"),
    reason: words("parce que|car|afin de|à cause|puisque|grâce à"),
    hedge: words("peut-être|probablement|semble|pourrait"),
  },
  es: {
    constraint: words(
      "debe|deben|nunca|siempre|solo|sólo|no|sin|evita|prefiero|como (?:máximo|mínimo)|hay que|en lugar de|por favor|asegúrate",
    ),
    decision: words(
      "decidido|decidimos|decisión|elegimos|elegido|usaremos|en lugar de|en vez de|acordado|optamos|la causa",
    ),
    done: words(
      "hecho|listo|terminado|corregido|añadido|agregado|actualizado|creado|implementado|eliminado|reemplazado|escrito|con éxito|resuelto|verificado|completado",
    ),
    next: words("siguiente|próximo|voy a|vamos a|falta|ahora|pendiente|tenemos que|hay que"),
    blocked: words("bloqueado|esperando|no (?:puede|puedo|se puede)|imposible|falla|falló|error|errores|falta|roto"),
    reason: words("porque|ya que|para que|debido a|puesto que"),
    hedge: words("quizás?|tal vez|probablemente|parece|podría"),
  },
  pt: {
    constraint: words(
      "deve|devem|nunca|sempre|só|somente|apenas|não|sem|evite|prefiro|no (?:máximo|mínimo)|é preciso|em vez de|por favor",
    ),
    decision: words(
      "decidido|decidimos|decisão|escolhemos|escolhido|usaremos|vamos usar|em vez de|combinado|optamos|a causa",
    ),
    done: words(
      "feito|pronto|terminado|corrigido|adicionado|atualizado|criado|implementado|removido|substituído|escrito|com sucesso|resolvido|verificado|concluído",
    ),
    next: words("próximo|próxima|vou|vamos|falta|agora|pendente|precisamos|a seguir"),
    blocked: words(
      "bloqueado|aguardando|não (?:pode|posso|consegue)|impossível|falha|falhou|erro|erros|faltando|quebrado",
    ),
    reason: words("porque|pois|já que|para que|devido a"),
    hedge: words("talvez|provavelmente|parece|poderia"),
  },
  it: {
    constraint: words(
      "deve|devono|mai|sempre|solo|non|senza|evita|preferisco|al (?:massimo|minimo)|bisogna|invece di|per favore|assicurati",
    ),
    decision: words("deciso|decisione|scelto|useremo|usiamo|invece di|anziché|concordato|optato|la causa"),
    done: words(
      "fatto|finito|corretto|aggiunto|aggiornato|creato|implementato|rimosso|sostituito|scritto|con successo|risolto|verificato|completato",
    ),
    next: words("prossimo|prossima|adesso|ora|manca|dobbiamo|bisogna|poi|da fare|vado a"),
    blocked: words(
      "bloccato|in attesa|non (?:può|posso|riesce)|impossibile|fallisce|fallito|errore|errori|manca|rotto",
    ),
    reason: words("perché|poiché|in modo che|a causa|siccome"),
    hedge: words("forse|probabilmente|sembra|potrebbe"),
  },
  ru: {
    constraint: words(
      "должен|должна|должно|должны|никогда|всегда|только|не|нельзя|без|избегай|лучше|не более|не менее|нужно|вместо|пожалуйста|обязательно",
    ),
    decision: words("решили|решено|решение|выбрали|выбрано|будем использовать|вместо|договорились|причина"),
    done: words(
      "готово|сделано|исправлено|исправил|добавлено|добавил|обновлено|обновил|создан|создал|реализовано|завершено|удалено|заменено|успешно|проверено|закончил",
    ),
    next: words("дальше|далее|следующ\\p{L}*|осталось|сейчас|нужно|надо|давай(?:те)?|буду|планирую"),
    blocked: words(
      "заблокировано|ждём|ждем|не могу|не удалось|не удаётся|невозможно|ошибка|ошибки|ошибку|отсутствует|сломано|падает",
    ),
    reason: words("потому что|так как|чтобы|из-за|поскольку"),
    hedge: words("может быть|возможно|вероятно|кажется|похоже"),
  },
  zh: {
    constraint: anywhere("必须|不要|不能|不得|务必|只能|只用|总是|从不|避免|最好|至少|最多|需要|请|而不是|禁止"),
    decision: anywhere("决定|选择|采用|改用|而不是|确定|方案是|原因是|同意"),
    done: anywhere("完成|已修复|已添加|已更新|已创建|已实现|已删除|成功|已解决|已验证|修好|通过"),
    next: anywhere("下一步|接下来|现在|让我|我将|我会|还需要|待办|剩下|准备"),
    blocked: anywhere("阻塞|等待|无法|不能|失败|错误|报错|缺少|卡住|超时"),
    reason: anywhere("因为|由于|以便|为了"),
    hedge: anywhere("也许|可能|大概|似乎|好像"),
  },
  ja: {
    constraint: anywhere(
      "必ず|してはいけない|しないで|ないでください|だけ|のみ|常に|決して|避け|できれば|以上|以下|必要|ください|代わりに|禁止",
    ),
    decision: anywhere("決定|決め|ことにし|採用|選び|選択|代わりに|方針|原因は|合意"),
    done: anywhere(
      "完了|修正しました|追加しました|更新しました|作成しました|実装しました|削除しました|成功|解決|確認しました|終わ",
    ),
    next: anywhere("次に|次は|これから|今から|残り|予定|する必要|しましょう"),
    blocked: anywhere("待ち|できません|できない|失敗|エラー|不足|止まっ|タイムアウト"),
    reason: anywhere("ため|ので|から|なぜなら"),
    hedge: anywhere("かもしれ|おそらく|たぶん|ようです|らしい"),
  },
  ko: {
    constraint: anywhere("반드시|절대|항상|만 |하지 마|말고|해야|피하|가능하면|이상|이하|필요|대신|주세요|금지"),
    decision: anywhere("결정|선택|채택|하기로|대신|방침|원인은|합의"),
    done: anywhere("완료|수정했|추가했|업데이트했|생성했|만들었|구현했|삭제했|성공|해결|확인했|끝났"),
    next: anywhere("다음|이제|남은|예정|하겠습니다|해야 합니다|합시다"),
    blocked: anywhere("막혔|대기|할 수 없|실패|오류|에러|없습니다|시간 초과"),
    reason: anywhere("때문|므로|위해|니까"),
    hedge: anywhere("아마|수도 있|것 같|듯"),
  },
  ar: {
    constraint: words("يجب|لا|أبدا|أبداً|دائما|دائماً|فقط|بدون|تجنب|أفضل|على الأقل|على الأكثر|من فضلك|بدلا من|بدلاً من"),
    decision: words("قررنا|قرار|القرار|اخترنا|سنستخدم|بدلا من|بدلاً من|اتفقنا|السبب"),
    done: words("تم|تمت|انتهى|أنجز|أضفت|أصلحت|أنشأت|حدثت|بنجاح|اكتمل|اكتملت"),
    next: words("التالي|التالية|الآن|سأقوم|سوف|يتبقى|يجب أن|دعني|بعد ذلك"),
    blocked: words("متوقف|بانتظار|لا يمكن|تعذر|فشل|فشلت|خطأ|أخطاء|مفقود|معطل"),
    reason: words("لأن|بسبب|لكي|حتى"),
    hedge: words("ربما|قد|يبدو|لعل"),
  },
};
