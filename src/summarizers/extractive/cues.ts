/**
 * The words by which sentences are ranked, and our own few labels: one row per language and nothing else. A cue never asserts anything. To add a
 * language, add its row here and its code in `core/checkpoint/language.ts`.
 */

import type { Language } from "../../core/checkpoint/language.ts";

interface CueRow {
  readonly user: string;
  readonly assistant: string;
  readonly toolOutput: string;
  /** Words that tell nothing, separated by blanks. */
  readonly small: string;
  /** In a user's sentence: it may hold for all that follows. */
  readonly rule: string;
  /** In an assistant's sentence: it may say what was found, decided or reached. */
  readonly conclusion: string;
  /** In an assistant's sentence: it may only say what comes next. */
  readonly announcement: string;
}

const ROWS: Readonly<Record<Language, CueRow>> = {
  en: {
    user: "User",
    small:
      "please focus a an the and or but if then of to in on at by for with from as is are was were be been being it its it's that's this that these those there here he she they we you i me my him his her their our us your them not no do does did done don't doesn't didn't have has had having will would can can't could should shall may might must about into over after before so than too very just also what which who whom when where why how because during while more most some any all each other such only own same isn't aren't wasn't i'm you're we're they're i've we've i'll we'll let's go going get got okay yeah yes well like know think mean really actually one two right nor yet onto under theirs yours ours hers mine whose don didn doesn isn wasn aren again further until once few both out off up down gonna wanna say says said sort kind thing things um uh uhm hmm mm mhm yep nope he's she's what's there's who's wouldn't couldn't shouldn't won't else ever even still back around maybe probably lot bit sure oh ah eh way come came take make made see look want need put try tell talk",
    assistant: "Assistant",
    toolOutput: "Tool output",
    rule: "must|never|always|please use|(?<!\\bi )(?:do not|don't)(?! (?:know|think|understand|see|get|have|mean|need to))|avoid|prefer|make sure|at most|at least|no more than|from now on|not allowed|ensure that|only (?:use|ever|if|after|when|with)|(?:should|may|can) (?:not|only|never|always)",
    conclusion:
      "because|the (?:issue|problem|cause|reason|fix|solution|root cause)|root cause|turns out|found that|decided|we(?:'ll| will) (?:keep|use)|instead of|fixed|now (?:works|passes|uses)|all \\d* ?tests|passed|conclusion|summary|therefore|means that|confirmed|implemented|added|created|completed|results?|recommend",
    announcement:
      "let me|let's|now (?:i|let|we|add|update|fix|run|commit|create|check|implement|write|close|for|the|to)|i(?:'ll| will)|i'm going to|i need to|next,? i|first,? i|going to|looking at|checking",
  },
  de: {
    user: "Nutzer",
    small:
      "der die das ein eine einen einem einer und oder aber wenn dann von zu in im an am auf bei für mit aus als ist sind war waren sein es er sie wir ihr ich mich mir mein dein sein unser euch ihnen nicht kein keine hat haben hatte wird werden wurde kann könnte soll sollte muss auch noch schon nur so sehr hier da dort was wer wie wo warum dass weil nach vor über unter zum zur dem den des sich man mal ja nein doch jetzt alle mehr",
    assistant: "Assistent",
    toolOutput: "Werkzeugausgabe",
    rule: "muss|müssen|darf|dürfen|nie|niemals|immer|nicht|kein|keine|nur|ohne|bevorzug\\p{L}*|höchstens|mindestens|statt|sollte|soll|vermeide|achte",
    conclusion:
      "weil|ursache|grund|problem|lösung|entschieden|deshalb|daher|behoben|jetzt funktioniert|bestanden|ergebnis|zusammenfassung|gefunden|umgesetzt|fertig",
    announcement: "lass mich|ich werde|ich schaue|ich sehe|ich prüfe|zuerst|als nächstes|jetzt werde",
  },
  fr: {
    user: "Utilisateur",
    small:
      "le la les un une des de du et ou mais si à au aux en dans sur par pour avec sans est sont était être ce cette ces cet il elle ils elles nous vous je tu me te se mon ma mes ton son sa ses notre votre leur ne pas plus que qui quoi dont où quand comment pourquoi parce a ont avait fait faire peut doit aussi très bien tout tous même comme oui non",
    assistant: "Assistant",
    toolOutput: "Sortie d'outil",
    rule: "doit|doivent|jamais|toujours|ne|uniquement|seulement|sans|évite\\p{L}*|préfère\\p{L}*|au plus|au moins|plutôt|faut",
    conclusion: "parce que|cause|problème|solution|décidé|donc|corrigé|fonctionne|résultat|résumé|trouvé|terminé",
    announcement: "je vais|laisse-moi|laissez-moi|voyons|d'abord|ensuite je",
  },
  es: {
    user: "Usuario",
    small:
      "el la los las un una unos unas de del y o pero si a al en con por para sin es son era ser está están este esta estos estas eso esto lo le les se me te mi tu su sus nos nuestro yo él ella ellos no sí que qué quien cual como cómo cuando donde porque ha han había hay hacer puede debe también muy más ya todo todos",
    assistant: "Asistente",
    toolOutput: "Salida de herramienta",
    rule: "debe|deben|nunca|siempre|no|solo|sólo|sin|evita\\p{L}*|prefiero|como máximo|al menos|en lugar de|hay que",
    conclusion:
      "porque|causa|problema|solución|decidi\\p{L}*|por eso|corregid\\p{L}*|funciona|resultado|resumen|encontr\\p{L}*|terminad\\p{L}*",
    announcement: "voy a|déjame|vamos a|primero|a continuación",
  },
  pt: {
    user: "Usuário",
    small:
      "o a os as um uma de do da dos das e ou mas se em no na nos nas com por para sem é são era ser está estão este esta isso isto ele ela eles elas nós você eu me te seu sua não sim que quem qual como quando onde porque tem têm havia fazer pode deve também muito mais já todo todos",
    assistant: "Assistente",
    toolOutput: "Saída de ferramenta",
    rule: "deve|devem|nunca|sempre|não|apenas|só|somente|sem|evit\\p{L}*|prefiro|no máximo|pelo menos|em vez de",
    conclusion:
      "porque|causa|problema|solução|decidi\\p{L}*|por isso|corrigid\\p{L}*|funciona|resultado|resumo|encontr\\p{L}*|concluíd\\p{L}*",
    announcement: "vou|deixe-me|vamos|primeiro|em seguida",
  },
  it: {
    user: "Utente",
    small:
      "il lo la i gli le un una di del della dei e o ma se a al in nel con su per da senza è sono era essere questo questa questi quello che chi cui come quando dove perché non sì io tu lui lei noi voi loro mi ti si ci mio suo nostro ha hanno aveva fare può deve anche molto più già tutto tutti",
    assistant: "Assistente",
    toolOutput: "Uscita dello strumento",
    rule: "deve|devono|mai|sempre|non|solo|soltanto|senza|evita\\p{L}*|preferisco|al massimo|almeno|invece di",
    conclusion:
      "perché|causa|problema|soluzione|deciso|quindi|corrett\\p{L}*|funziona|risultato|riassunto|trovat\\p{L}*|completat\\p{L}*",
    announcement: "ora|vado a|lasciami|fammi|prima|vediamo",
  },
  ru: {
    user: "Пользователь",
    small:
      "и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по только ее мне было вот от меня еще нет о из ему теперь когда даже ну ли если уже или ни быть был него до вас они тут где есть надо для мы их чем была сам чтоб без будто это эта этот который можно при",
    assistant: "Ассистент",
    toolOutput: "Вывод инструмента",
    rule: "должн\\p{L}*|никогда|всегда|не|нельзя|только|без|избегай\\p{L}*|предпочита\\p{L}*|не более|минимум|вместо|нужно",
    conclusion:
      "потому что|причина|проблема|решение|решили|поэтому|исправ\\p{L}*|работает|результат|итог|наш\\p{L}*|готово",
    announcement: "давай\\p{L}*|сейчас|сначала|посмотрю|проверю|я буду",
  },
  zh: {
    user: "用户",
    small: "我们 你们 他们 这个 那个 一个 什么 没有 可以 就是 因为 所以 但是 如果 这样 现在 还是 不是 自己",
    assistant: "助手",
    toolOutput: "工具输出",
    rule: "必须|务必|不要|不能|禁止|总是|始终|只|仅|避免|最多|至少|优先|应该|请勿",
    conclusion: "因为|原因|问题|解决|决定|所以|修复|通过|结果|总结|发现|完成|建议",
    announcement: "让我|我来|我将|接下来|首先|现在",
  },
  ja: {
    user: "ユーザー",
    small: "する いる ある この その それ これ です ます から ので ない なる こと もの ため よう さん",
    assistant: "アシスタント",
    toolOutput: "ツール出力",
    rule: "必ず|絶対|決して|ないで|しないで|のみ|だけ|避け|べき|以内|以上|してはいけ|常に",
    conclusion: "ため|原因|問題|解決|決定|修正|通りました|結果|まとめ|見つか|完了|推奨",
    announcement: "まず|次に|これから|確認します|見てみ",
  },
  ko: {
    user: "사용자",
    small: "이 그 저 것 수 등 및 는 은 을 를 에 의 가 도 로 으로 하다 있다 없다 그리고 하지만",
    assistant: "어시스턴트",
    toolOutput: "도구 출력",
    rule: "반드시|절대|항상|하지 마|말아|말고|만|없이|최대|최소|대신|해야",
    conclusion: "때문|원인|문제|해결|결정|수정|통과|결과|요약|발견|완료",
    announcement: "먼저|이제|다음으로|확인하겠|살펴보",
  },
  ar: {
    user: "المستخدم",
    small: "في من على إلى عن مع هذا هذه ذلك التي الذي أن إن كان كانت هو هي هم نحن أنا لا ما لم لن قد كل بعد قبل أو ثم",
    assistant: "المساعد",
    toolOutput: "مخرجات الأداة",
    rule: "يجب|أبدا|دائما|لا|فقط|بدون|تجنب|يفضل|على الأكثر|على الأقل|بدلا",
    conclusion: "لأن|السبب|المشكلة|الحل|قرر\\p{L}*|لذلك|أصلح\\p{L}*|يعمل|النتيجة|ملخص|وجد\\p{L}*|اكتمل",
    announcement: "دعني|سأ\\p{L}*|أولا|الآن|بعد ذلك",
  },
};

export type Cue = "rule" | "conclusion" | "announcement";

/** Words of scripts with blanks stand alone; in others a cue may stand anywhere. */
const BLANKLESS: ReadonlySet<Language> = new Set(["zh", "ja", "ko"]);

const EXPRESSIONS = new Map<string, RegExp>();

/** Whether a sentence holds such a word of its language. */
export function hasCue(sentence: string, cue: Cue, language: Language): boolean {
  const name = `${language} ${cue}`;
  let expression = EXPRESSIONS.get(name);
  if (expression === undefined) {
    const source = ROWS[language][cue];
    expression = new RegExp(
      BLANKLESS.has(language) ? source : `(?<![\\p{L}\\p{N}])(?:${source})(?![\\p{L}\\p{N}])`,
      "iu",
    );
    EXPRESSIONS.set(name, expression);
  }
  return expression.test(sentence);
}

export function labelsOf(language: Language): Pick<CueRow, "user" | "assistant" | "toolOutput"> {
  return ROWS[language];
}

const SMALL_WORDS: ReadonlyMap<Language, ReadonlySet<string>> = new Map(
  // `Object.keys` forgets the type of its keys; the table has no others.
  (Object.keys(ROWS) as Language[]).map((language) => [language, new Set(ROWS[language].small.split(" "))]),
);

export function smallWords(language: Language): ReadonlySet<string> {
  return SMALL_WORDS.get(language) ?? new Set();
}
