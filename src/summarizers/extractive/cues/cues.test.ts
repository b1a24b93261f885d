import { describe, expect, test } from "vitest";
import type { Language } from "../../../core/checkpoint/language.ts";
import { isAssent, isTask } from "../goal/tasks.ts";
import { openIn, toldIn } from "../statements/assistant-statements.ts";
import { CUES } from "./cues.ts";

interface Sample {
  readonly task: string;
  readonly assent: string;
  readonly rule: string;
  /** The choice and its reason. Japanese and Korean say the reason first. */
  readonly decision: readonly [string, string];
  readonly done: string;
  /** Speaks of completion and must not count. */
  readonly undone: string;
  readonly blocked: string;
  /** A message that ends in a list under a label; the label and its one item. */
  readonly next: readonly [string, string];
}

const SAMPLES: Readonly<Partial<Record<Language, Sample>>> = {
  en: {
    task: "Please move the tide tables into the new harbour service.",
    assent: "ok, go on",
    rule: "The header must never contain the harbour number.",
    decision: ["We decided to keep the tables in SQLite", "because the harbour has no server."],
    done: "I've added the tide tables to the harbour service.",
    undone: "The tide tables should be added to the harbour service once the tests pass.",
    blocked: "I'm blocked: the registry needs your approval.",
    next: ["## Next steps", "Write the tests for the tide tables"],
  },
  de: {
    task: "Bitte übertrage die Gezeitentabellen in den neuen Hafendienst.",
    assent: "ja, mach weiter",
    rule: "Die Kopfzeile darf niemals die Hafennummer enthalten.",
    decision: ["Wir haben uns für SQLite entschieden", "weil der Hafen keinen Server hat."],
    done: "Ich habe die Gezeitentabellen in den Hafendienst eingebaut.",
    undone: "Die Gezeitentabellen sind noch nicht eingebaut.",
    blocked: "Ich warte auf die Freigabe durch die Hafenleitung.",
    next: ["Nächste Schritte:", "Tests für die Gezeitentabellen schreiben"],
  },
  fr: {
    task: "Peux-tu déplacer les tables des marées dans le nouveau service du port ?",
    assent: "oui, continue",
    rule: "L'en-tête ne doit jamais contenir le numéro du port.",
    decision: ["Nous avons décidé de garder SQLite", "parce que le port n'a pas de serveur."],
    done: "J'ai ajouté les tables des marées au service du port.",
    undone: "Les tables des marées ne sont pas encore ajoutées au service.",
    blocked: "Je suis bloqué, en attente de la validation du port.",
    next: ["**Prochaines étapes**", "Écrire les tests des tables des marées"],
  },
  es: {
    task: "Por favor, mueve las tablas de mareas al nuevo servicio del puerto.",
    assent: "sí, continúa",
    rule: "La cabecera nunca debe contener el número del puerto.",
    decision: ["Hemos decidido mantener SQLite", "porque el puerto no tiene servidor."],
    done: "He añadido las tablas de mareas al servicio del puerto.",
    undone: "Las tablas de mareas todavía no están añadidas al servicio.",
    blocked: "Estoy bloqueado, a la espera de la aprobación del puerto.",
    next: ["Próximos pasos:", "Escribir las pruebas de las tablas"],
  },
  pt: {
    task: "Por favor, mova as tabelas de marés para o novo serviço do porto.",
    assent: "sim, pode continuar",
    rule: "O cabeçalho nunca deve conter o número do porto.",
    decision: ["Decidimos manter o SQLite", "porque o porto não tem servidor."],
    done: "Adicionei as tabelas de marés ao serviço do porto.",
    undone: "As tabelas de marés ainda não foram adicionadas ao serviço.",
    blocked: "Estou bloqueado, aguardando a aprovação do porto.",
    next: ["Próximos passos:", "Escrever os testes das tabelas"],
  },
  it: {
    task: "Per favore sposta le tabelle delle maree nel nuovo servizio del porto.",
    assent: "sì, continua",
    rule: "L'intestazione non deve mai contenere il numero del porto.",
    decision: ["Abbiamo deciso di tenere SQLite", "perché il porto non ha un server."],
    done: "Ho aggiunto le tabelle delle maree al servizio del porto.",
    undone: "Le tabelle delle maree non sono ancora aggiunte al servizio.",
    blocked: "Sono bloccato, in attesa della conferma del porto.",
    next: ["Prossimi passi:", "Scrivere le prove delle tabelle"],
  },
  ru: {
    task: "Пожалуйста, перенеси таблицы приливов в новый сервис порта.",
    assent: "да, продолжай",
    rule: "Заголовок никогда не должен содержать номер порта.",
    decision: ["Мы решили оставить SQLite", "потому что у порта нет сервера."],
    done: "Я добавил таблицы приливов в сервис порта.",
    undone: "Таблицы приливов ещё не добавлены в сервис.",
    blocked: "Работа заблокирована, жду одобрения администрации порта.",
    next: ["Следующие шаги:", "Написать тесты для таблиц приливов"],
  },
  zh: {
    task: "请把潮汐表移到新的港口服务里。",
    assent: "好的，继续",
    rule: "页眉里绝不能出现港口编号。",
    decision: ["我们决定继续采用关系数据库", "因为港口没有服务器。"],
    done: "我已经添加潮汐表到港口服务。",
    undone: "潮汐表还没有添加到港口服务。",
    blocked: "没有权限访问仓库，等待您的确认。",
    next: ["## 下一步", "为潮汐表编写测试用例"],
  },
  ja: {
    task: "潮汐表を新しい港湾サービスに移植してください。",
    assent: "はい、続けてください",
    rule: "ヘッダーには絶対に港番号を入れないでください。",
    decision: ["SQLite を使い続けることにしました。", "港にサーバーがないため"],
    done: "潮汐表を港湾サービスに追加しました。",
    undone: "潮汐表はまだ港湾サービスに追加していません。",
    blocked: "港湾局の承認を待っています。",
    next: ["## 次のステップ", "潮汐表のテストを書く作業"],
  },
  ko: {
    task: "조석표를 새 항만 서비스로 옮겨 주세요.",
    assent: "네, 계속해 주세요",
    rule: "머리글에는 절대 항만 번호를 넣지 마세요.",
    decision: ["SQLite를 계속 쓰기로 했습니다.", "항만에 서버가 없기 때문에"],
    done: "조석표를 항만 서비스에 추가했습니다.",
    undone: "조석표는 아직 항만 서비스에 추가하지 않았습니다.",
    blocked: "항만 관리자의 승인을 기다리고 있습니다.",
    next: ["## 다음 단계", "조석표 테스트 코드 작성하기"],
  },
};

describe.each(Object.entries(SAMPLES))("%s", (name, sample) => {
  // `Object.entries` forgets the type of its keys; the table has no others.
  const language = name as Language;
  const told = (text: string) => toldIn({ text }, language);

  test("a task is told from an assent", () => {
    expect(isTask(sample.task, language)).toBe(true);
    expect(isAssent(sample.assent, language)).toBe(true);
    expect(isTask(sample.assent, language)).toBe(false);
  });
  test("a rule is a constraint, a report is not", () => {
    expect(CUES[language].constraint.test(sample.rule)).toBe(true);
    expect(CUES[language].constraint.test(sample.done)).toBe(false);
  });
  test("a decision is found with its reason", () => {
    const [decision, reason] = sample.decision;
    const isReasonFirst = language === "ja" || language === "ko";
    const said = isReasonFirst ? `${reason}、${decision}` : `${decision}, ${reason}`;
    expect(told(said).decisions).toEqual([{ decision, reason }]);
    expect(told(sample.done).decisions).toEqual([]);
  });
  test("what was done is told from what was not", () => {
    expect(told(sample.done).done).toEqual([sample.done]);
    expect(told(sample.undone).done).toEqual([]);
    expect(told(sample.blocked).done).toEqual([]);
  });
  test("what blocks and what comes next", () => {
    const [label, item] = sample.next;
    const open = openIn(`${sample.done}\n${sample.blocked}\n\n${label}\n- ${item}`, language);
    expect(open.blocked).toEqual([sample.blocked]);
    expect(open.nextSteps).toEqual([item]);
  });
});

test.each([
  ["en", "Perfect! Now let me run the whole suite:", "Run the whole suite."],
  ["en", "I'll also update the harbour page", "Update the harbour page."],
  ["de", "Jetzt werde ich die Gezeitentabellen prüfen.", "Die Gezeitentabellen prüfen."],
  ["fr", "Je vais maintenant vérifier les tables des marées.", "Vérifier les tables des marées."],
  ["es", "Ahora voy a revisar las tablas de mareas.", "Revisar las tablas de mareas."],
  ["pt", "Agora vou verificar as tabelas de marés.", "Verificar as tabelas de marés."],
  ["it", "Ora devo controllare le tabelle delle maree.", "Controllare le tabelle delle maree."],
  ["zh", "接下来让我检查港口的潮汐表。", "检查港口的潮汐表。"],
] as const)("%s: an announcement loses the words that announce it: %s", (language, said, expected) => {
  expect(openIn(said, language).announced).toEqual([expected]);
});
